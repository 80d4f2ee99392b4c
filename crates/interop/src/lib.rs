//! File formats of other programs, read, checked and written; one file or folder per format. This
//! crate decides nothing: it exports only schedules that the judge has accepted, and the caller
//! judges what it imports.
//!
//! | format | program | read | checked | written |
//! |---|---|---|---|---|
//! | `msccl` | MSCCL, RCCL | yes | yes | yes |
//! | `mscclpp` | MSCCL++ | yes | yes | yes |
//! | `sccl` | SCCL | yes | | |
//! | `teccl` | TE-CCL | timed schedules | | |
//! | `goal` | LogGOPSim, ATLAHS | | | yes |
//! | `chakra` | ASTRA-sim | | | yes |
//! | `simgrid` | SimGrid | | | yes |
//! | `mpi` | a C compiler and MPI | | | yes |
//! | `torch` | PyTorch | | | yes |
//! | `nccl` | a CUDA compiler and NCCL | | | yes |
//! | `dma`, `routes` | hardware: DMA engines and routers | | | yes |
//! | `csv`, `table` | spreadsheets, documents | | | yes |
//! | `tdm::poseidon` | poseidon, Argo | communication | | TDM schedules |
//! | `tdm::shd` | S4NoC | | | TDM schedules |
//! | `tdm::systemverilog` | Verilator, synthesis | | | TDM schedules |
//!
//! [`export`] writes and [`import`] reads; [`tdm`] has the formats of TDM schedules. [`plan`] executes MSCCL and MSCCL++ plans and reports
//! their faults. Files of networks, such as the topologies of NCCL, belong to `pavane_networks`.

mod chakra;
mod csv;
mod dma;
pub mod export;
mod goal;
pub mod import;
mod lowering;
mod mpi;
mod msccl;
mod mscclpp;
mod nccl;
pub mod plan;
mod routes;
mod sccl;
mod simgrid;
pub mod table;
pub mod tdm;
mod teccl;
pub mod timed;
mod torch;
mod whole;

use export::Format;
use import::Reader;
use table::{latex, markdown};

/// All formats that schedules are exported to.
#[rustfmt::skip]
pub const FORMATS: &[Format] = &[
    Format { name: "csv", meaning: "one line for every use of a channel", ending: "csv", write: csv::write },
    Format { name: "markdown", meaning: "a table in the papers' form", ending: "md", write: markdown::write },
    Format { name: "latex", meaning: "a table in the papers' form", ending: "tex", write: latex::write },
    Format { name: "msccl", meaning: "MSCCL XML for GPUs", ending: "xml", write: msccl::write },
    Format { name: "mscclpp", meaning: "MSCCL++ execution plan for GPUs", ending: "json", write: mscclpp::write },
    Format { name: "goal", meaning: "GOAL for LogGOPSim and ATLAHS", ending: "goal", write: goal::write },
    Format { name: "chakra", meaning: "Chakra execution traces for ASTRA-sim, one file for every rank", ending: "", write: chakra::write },
    Format { name: "simgrid", meaning: "a SimGrid platform, a trace, and a program that replays it", ending: "", write: simgrid::write },
    Format { name: "mpi", meaning: "a C program with MPI that executes the schedule and checks every byte", ending: "c", write: mpi::write },
    Format { name: "torch", meaning: "a Python module for torch.distributed that checks and times itself", ending: "py", write: torch::write },
    Format { name: "nccl", meaning: "a CUDA program with NCCL that checks every byte and measures bandwidth", ending: "cu", write: nccl::write },
    Format { name: "dma", meaning: "programs for the DMA engine of every processor and router, as JSON", ending: "json", write: dma::write },
    Format { name: "routes", meaning: "routing tables of the routers, step by step", ending: "csv", write: routes::write },
];

/// All formats that schedules are imported from. The first that recognises a file reads it.
#[rustfmt::skip]
pub const READERS: &[Reader] = &[
    Reader { name: "sccl", recognises: sccl::recognises, read: sccl::read_foreign },
    Reader { name: "msccl", recognises: msccl::recognises, read: plan::read_foreign },
    Reader { name: "mscclpp", recognises: mscclpp::recognises, read: plan::read_foreign },
];
