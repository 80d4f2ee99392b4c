//! Exports: what other programs can do with a schedule. Each format is one file here and one line in
//! [`FORMATS`], from checked schedules to bytes.

mod chakra;
mod csv;
mod definition;
mod dma;
mod goal;
mod latex;
mod layout;
mod lowering;
mod markdown;
mod mpi;
mod msccl;
mod mscclpp;
mod routes;
mod simgrid;
mod whole;

use pavane_verify::CheckedSchedule;
use whole::Whole;

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What to add to the name that the user chose: nothing where an export is one file.
    pub suffix: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A format that schedules are exported to.
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// The usual ending of its files, without a dot; nothing where the files have endings of their own.
    pub ending: &'static str,
    write: fn(&Whole<'_>) -> Result<Vec<File>, ExportError>,
}

/// What an export may be told besides the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Length of a message in bytes, for the formats that say how much is sent.
    pub bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { bytes: 4096 }
    }
}

/// The most bytes of a message.
pub const MOST_BYTES: u64 = 1 << 40;

/// Why a schedule cannot be exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// No such format.
    #[error("no format is called {name:?}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The schedule is beyond what the format allows.
    #[error("{format}: {problem}; {remedy}")]
    TooLarge {
        /// The format.
        format: &'static str,
        /// What is too large, with the figures.
        problem: String,
        /// What to try.
        remedy: &'static str,
    },
    /// A message length that cannot be.
    #[error("messages of {bytes} bytes: a length is a multiple of 4 from 4 to {MOST_BYTES}")]
    Bytes {
        /// The length asked for.
        bytes: u64,
    },
    /// Nothing to export.
    #[error("a schedule has one phase, or two for an all-reduce, but {phases} were given")]
    Phases {
        /// How many were given.
        phases: usize,
    },
}

/// Every format.
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
    Format { name: "mpi", meaning: "a C program over MPI that carries the schedule out and checks every byte", ending: "c", write: mpi::write },
    Format { name: "dma", meaning: "programs for the DMA engine of every processor and router, as JSON", ending: "json", write: dma::write },
    Format { name: "routes", meaning: "routing tables of the routers, step by step", ending: "csv", write: routes::write },
];

/// The format of that name.
pub fn find(name: &str) -> Result<&'static Format, ExportError> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        ExportError::Unknown { name: name.to_owned(), known: known.join(", ") }
    })
}

/// The files of a schedule in a format. `phases` are those of the schedule in their order: one, or
/// the two of an all-reduce.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{ChannelId, MessageId, Model, Problem, ProcessorId, Schedule, Transfer, topology};
///
/// let network = topology::build("path:2")?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(1));
/// let only = (0, Transfer { message, from, to, path: &[ChannelId(0)] });
/// let schedule = Schedule::from_transfers(1, &[only]);
/// let checked = pavane_verify::verify(problem, schedule).map_err(|_| "not valid")?;
///
/// use pavane_render::export::{Options, export};
/// let files = export("csv", &[checked], Options::default())?;
/// let text = String::from_utf8(files[0].bytes.clone())?;
/// assert_eq!(text.lines().nth(1), Some("0,0,0,1,0,0,0,1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(
    format: &str,
    phases: &[CheckedSchedule],
    options: Options,
) -> Result<Vec<File>, ExportError> {
    let format = find(format)?;
    if !(4..=MOST_BYTES).contains(&options.bytes) || !options.bytes.is_multiple_of(4) {
        return Err(ExportError::Bytes { bytes: options.bytes });
    }
    if !matches!(phases.len(), 1 | 2) {
        return Err(ExportError::Phases { phases: phases.len() });
    }
    (format.write)(&Whole::new(phases, options))
}

/// The only file of an export.
fn one_file(text: String) -> Vec<File> {
    vec![File { suffix: String::new(), bytes: text.into_bytes() }]
}
