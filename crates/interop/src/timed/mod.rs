//! Exports of timed schedules. A format converts a schedule that the judge has accepted to bytes and is
//! one line of [`TIMED_FORMATS`].

mod chakra;
mod csv;
mod goal;
mod hops;
mod simgrid;

use crate::export::{ExportError, File};
use pavane_verify::CheckedTimed;

/// An export format of timed schedules.
pub struct TimedFormat {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub meaning: &'static str,
    /// The usual file extension, without a dot; empty if the files have suffixes of their own.
    pub ending: &'static str,
    write: fn(&CheckedTimed) -> Result<Vec<File>, ExportError>,
}

/// All formats that timed schedules are exported to.
#[rustfmt::skip]
pub const TIMED_FORMATS: &[TimedFormat] = &[
    TimedFormat { name: "chakra", meaning: "Chakra execution traces for ASTRA-sim, one per router with processors, with the bytes of every chunk", ending: "", write: chakra::write },
    TimedFormat { name: "csv", meaning: "one line for every send, with its chunk, channel, start and arrival", ending: "csv", write: csv::write },
    TimedFormat { name: "goal", meaning: "GOAL for LogGOPSim and ATLAHS, with the bytes of every chunk", ending: "goal", write: goal::write },
    TimedFormat { name: "simgrid", meaning: "platform with the real bandwidths and latencies, trace, and a program that compares all arrivals in SimGrid", ending: "", write: simgrid::write },
];

/// Finds a format by name.
pub fn find(name: &str) -> Result<&'static TimedFormat, ExportError> {
    TIMED_FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = TIMED_FORMATS.iter().map(|format| format.name).collect();
        ExportError::UnknownTimed { name: name.to_owned(), known: known.join(", ") }
    })
}

/// Exports a schedule.
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
/// let files = timed::export("csv", &checked)?;
/// let text = String::from_utf8(files[0].bytes.clone())?;
/// assert_eq!(text.lines().nth(1), Some("0,0,0,100,0,0,1,0,704"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(format: &str, checked: &CheckedTimed) -> Result<Vec<File>, ExportError> {
    (find(format)?.write)(checked)
}

/// An error of exact times that need more than 128 bits.
fn too_fine(format: &'static str) -> ExportError {
    ExportError::TooLarge {
        format,
        problem: "its times need fractions of more than 128 bits".to_owned(),
        remedy: "use bandwidths and latencies with fewer digits",
    }
}
