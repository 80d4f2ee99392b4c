//! Exports of timed schedules. A format converts a schedule that the judge has accepted to bytes and is
//! one line of [`TIMED_FORMATS`].

mod cells;
mod chakra;
mod csv;
mod goal;
mod hops;
mod simgrid;
mod steps;

pub use steps::{NotInSteps, to_steps};

use crate::export::{ExportError, ExportOptions, File, check_bytes};
use crate::whole::Whole;
use crate::{mpi, msccl, mscclpp, nccl, torch};
use pavane_verify::CheckedTimed;

/// An export format of timed schedules.
pub struct TimedFormat {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub meaning: &'static str,
    /// The usual file extension, without a dot; empty if the files have suffixes of their own.
    pub ending: &'static str,
    write: TimedWriter,
}

/// What writes a format.
enum TimedWriter {
    /// It states the times or the bytes of sends.
    Sends(fn(&CheckedTimed) -> Result<Vec<File>, ExportError>),
    /// It states who sends what to whom, in which order: that of the schedule with steps.
    Steps(fn(&Whole<'_>) -> Result<Vec<File>, ExportError>),
}

use TimedWriter::{Sends, Steps};

/// The longest message that programs allocate unless their arguments, or the user, name another length.
const PROGRAM_BYTES: u64 = 1 << 20;

/// All formats that timed schedules are exported to.
#[rustfmt::skip]
pub const TIMED_FORMATS: &[TimedFormat] = &[
    TimedFormat { name: "chakra", meaning: "Chakra execution traces for ASTRA-sim, one per router with processors, with the bytes of every chunk", ending: "", write: Sends(chakra::write) },
    TimedFormat { name: "csv", meaning: "one line for every send, with its chunk, channel, start and arrival", ending: "csv", write: Sends(csv::write) },
    TimedFormat { name: "goal", meaning: "GOAL for LogGOPSim and ATLAHS, with the bytes of every chunk", ending: "goal", write: Sends(goal::write) },
    TimedFormat { name: "simgrid", meaning: "platform with the real bandwidths and latencies, trace, and a program that compares all arrivals in SimGrid", ending: "", write: Sends(simgrid::write) },
    TimedFormat { name: "msccl", meaning: "MSCCL XML for GPUs: the order of the sends, without their times", ending: "xml", write: Steps(msccl::write) },
    TimedFormat { name: "mscclpp", meaning: "MSCCL++ execution plan for GPUs, without times", ending: "json", write: Steps(mscclpp::write) },
    TimedFormat { name: "mpi", meaning: "a C program with MPI that executes the sends in their order and checks every byte", ending: "c", write: Steps(mpi::write) },
    TimedFormat { name: "torch", meaning: "a Python module for torch.distributed that checks and times itself", ending: "py", write: Steps(torch::write) },
    TimedFormat { name: "nccl", meaning: "a CUDA program with NCCL that checks every byte and measures bandwidth", ending: "cu", write: Steps(nccl::write) },
];

/// Finds a format by name.
pub fn find(name: &str) -> Result<&'static TimedFormat, ExportError> {
    TIMED_FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = TIMED_FORMATS.iter().map(|format| format.name).collect();
        ExportError::UnknownTimed { name: name.to_owned(), known: known.join(", ") }
    })
}

/// Exports a schedule. `bytes` is the message length in programs, instead of that of the schedule; formats
/// that state the bytes of every chunk refuse it.
///
/// ```
/// use pavane_interop::timed;
///
/// let file = r#"{"format": "pavane/timed/1",
///   "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1],
///               "bandwidth_gbytes": [25, 25], "latency_ns": [700, 700]},
///   "collective": {"kind": "broadcast", "senders": [0], "receivers": [1]},
///   "bytes": 100, "time_unit_ns": "1",
///   "chunks": [{"message": [0], "offset": 0, "bytes": 100}],
///   "sends": [[0, 0, 0]]}"#;
/// let schedule = pavane_model::timed::read(file.as_bytes(), "pair.json", 10)?;
/// let checked = pavane_verify::check_timed(schedule)?;
/// let files = timed::export("csv", &checked, None)?;
/// let text = String::from_utf8(files[0].bytes.clone())?;
/// assert_eq!(text.lines().nth(1), Some("0,0,0,100,0,0,1,0,704"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(
    format: &str,
    checked: &CheckedTimed,
    bytes: Option<u64>,
) -> Result<Vec<File>, ExportError> {
    let format = find(format)?;
    match format.write {
        Sends(write) => match bytes {
            None => write(checked),
            Some(bytes) => Err(ExportError::Unsuitable {
                format: format.name,
                problem: format!(
                    "messages of {bytes} bytes, but it states the bytes of the schedule"
                ),
                remedy: "leave the length out, or solve for another size",
            }),
        },
        Steps(write) => {
            let bytes = bytes.unwrap_or_else(|| message_bytes(checked).min(PROGRAM_BYTES));
            check_bytes(bytes)?;
            let phases = to_steps(checked).map_err(|why| ExportError::Unsuitable {
                format: format.name,
                problem: format!("this timed schedule cannot be expressed: {why}"),
                remedy: why.remedy(),
            })?;
            write(&Whole::new(&phases, ExportOptions { bytes, sizes: None }))
        }
    }
}

/// The length of the longest message, as a multiple of 4.
fn message_bytes(checked: &CheckedTimed) -> u64 {
    let phases = &checked.schedule().phases;
    let sizes = phases.iter().flat_map(|phase| checked.schedule().size.of_messages(&phase.problem));
    sizes.max().unwrap_or(0).next_multiple_of(4).max(4)
}

/// An error of exact times that need more than 128 bits.
fn too_fine(format: &'static str) -> ExportError {
    ExportError::TooLarge {
        format,
        problem: "its times need fractions of more than 128 bits".to_owned(),
        remedy: "use bandwidths and latencies with fewer digits",
    }
}
