//! Exports of TDM schedules, and the communication files of poseidon. A format converts a schedule
//! that the judge has accepted to bytes and is one line of [`TDM_FORMATS`].

mod csv;
mod grid;
pub mod poseidon;
mod shd;
mod systemverilog;
mod traffic;
mod uses;

pub use traffic::read_traffic;

use crate::export::{ExportError, File};
use pavane_verify::CheckedTdm;

/// An export format of TDM schedules.
pub struct TdmFormat {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub meaning: &'static str,
    /// The usual file extension, without a dot; empty if the files have suffixes of their own.
    pub ending: &'static str,
    write: fn(&CheckedTdm) -> Result<Vec<File>, ExportError>,
}

/// All formats that TDM schedules are exported to.
#[rustfmt::skip]
pub const TDM_FORMATS: &[TdmFormat] = &[
    TdmFormat { name: "csv", meaning: "one line for every word, with its start and route", ending: "csv", write: csv::write },
    TdmFormat { name: "poseidon", meaning: "schedule XML of poseidon for Argo: network interfaces and routers, slot by slot", ending: "xml", write: poseidon::write },
    TdmFormat { name: "shd", meaning: "the schedule that all routers of S4NoC share; square tori, no wrap", ending: "shd", write: shd::write },
    TdmFormat { name: "systemverilog", meaning: "a network with a schedule ROM for every router, and a test bench that checks every word", ending: "", write: systemverilog::write },
];

/// Finds a format by name.
pub fn find(name: &str) -> Result<&'static TdmFormat, ExportError> {
    TDM_FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = TDM_FORMATS.iter().map(|format| format.name).collect();
        ExportError::UnknownTdm { name: name.to_owned(), known: known.join(", ") }
    })
}

/// Exports a schedule.
///
/// ```
/// use pavane_interop::tdm;
///
/// let file = r#"{"format": "pavane/tdm/1", "period": 1, "demand": "all-to-all",
///   "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
///   "words": [{"message": [0, 1], "start": 0, "path": [0]},
///             {"message": [1, 0], "start": 0, "path": [1]}]}"#;
/// let schedule = pavane_model::tdm::read(file.as_bytes(), "pair.json", 10)?;
/// let checked = pavane_verify::check_tdm(schedule)?;
/// let files = tdm::export("csv", &checked)?;
/// let text = String::from_utf8(files[0].bytes.clone())?;
/// assert_eq!(text.lines().nth(1), Some("0,1,0,0,2,0 1,0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(format: &str, checked: &CheckedTdm) -> Result<Vec<File>, ExportError> {
    (find(format)?.write)(checked)
}

/// An error of a format that cannot express the schedule.
fn unsuitable(
    format: &'static str,
    problem: impl Into<String>,
    remedy: &'static str,
) -> ExportError {
    ExportError::Unsuitable { format, problem: problem.into(), remedy }
}
