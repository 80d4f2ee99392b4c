//! Exports of checked schedules for other programs. A format converts them to bytes and is one line
//! of [`FORMATS`].

use crate::FORMATS;
use crate::whole::Whole;
use pavane_verify::CheckedSchedule;

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Suffix to append to the file name that the user chose; empty if the export is a single file.
    pub suffix: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// An export format.
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub meaning: &'static str,
    /// The usual file extension, without a dot; empty if the files have suffixes of their own.
    pub ending: &'static str,
    pub(crate) write: fn(&Whole<'_>) -> Result<Vec<File>, ExportError>,
}

/// Options of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Message length in bytes, for formats that specify it.
    pub bytes: u64,
    /// The smallest and largest buffer that a library should use the schedule for, in MSCCL and MSCCL++
    /// plans; `None` for all.
    pub sizes: Option<(u64, u64)>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { bytes: 4096, sizes: None }
    }
}

/// Maximum message length in bytes.
pub const MOST_BYTES: u64 = 1 << 40;

/// Why a schedule cannot be exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no such format.
    #[error("no format is called {name:?}; there are {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// There is no such format for TDM schedules.
    #[error("no format of TDM schedules is called {name:?}; there are {known}")]
    UnknownTdm {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// There is no such format for timed schedules.
    #[error("no format of timed schedules is called {name:?}; there are {known}")]
    UnknownTimed {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The format cannot express the schedule.
    #[error("{format}: {problem}; {remedy}")]
    Unsuitable {
        /// The format.
        format: &'static str,
        /// What it cannot express.
        problem: String,
        /// What to try.
        remedy: &'static str,
    },
    /// The schedule exceeds a limit of the format.
    #[error("{format}: {problem}; {remedy}")]
    TooLarge {
        /// The format.
        format: &'static str,
        /// What is too large, with figures.
        problem: String,
        /// What to try.
        remedy: &'static str,
    },
    /// Invalid message length.
    #[error("messages of {bytes} bytes: the length must be a multiple of 4 from 4 to {MOST_BYTES}")]
    Bytes {
        /// The requested length.
        bytes: u64,
    },
    /// Wrong number of phases.
    #[error("a schedule has one phase, or two for an all-reduce, but {phases} were given")]
    Phases {
        /// The number of phases given.
        phases: usize,
    },
}

/// Finds a format by name.
pub fn find(name: &str) -> Result<&'static Format, ExportError> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        ExportError::Unknown { name: name.to_owned(), known: known.join(", ") }
    })
}

/// Exports a schedule. `phases` are its phases in order: one, or the two of an all-reduce.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{ChannelId, MessageId, Model, Problem, ProcessorId, Schedule, Transfer};
/// use pavane_networks::topology;
///
/// let network = topology::build("path:2")?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(1));
/// let only = (0, Transfer { message, from, to, path: &[ChannelId(0)] });
/// let schedule = Schedule::from_transfers(1, &[only]);
/// let checked = pavane_verify::verify(problem, schedule).map_err(|_| "not valid")?;
///
/// use pavane_interop::export::{ExportOptions, export};
/// let files = export("csv", &[checked], ExportOptions::default())?;
/// let text = String::from_utf8(files[0].bytes.clone())?;
/// assert_eq!(text.lines().nth(1), Some("0,0,0,1,0,0,0,1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(
    format: &str,
    phases: &[CheckedSchedule],
    options: ExportOptions,
) -> Result<Vec<File>, ExportError> {
    let format = find(format)?;
    check_bytes(options.bytes)?;
    if !matches!(phases.len(), 1 | 2) {
        return Err(ExportError::Phases { phases: phases.len() });
    }
    (format.write)(&Whole::new(phases, options))
}

/// Checks a message length.
pub(crate) fn check_bytes(bytes: u64) -> Result<(), ExportError> {
    if (4..=MOST_BYTES).contains(&bytes) && bytes.is_multiple_of(4) {
        Ok(())
    } else {
        Err(ExportError::Bytes { bytes })
    }
}

/// An export that consists of one file.
pub(crate) fn one_file(text: String) -> Vec<File> {
    vec![File { suffix: String::new(), bytes: text.into_bytes() }]
}
