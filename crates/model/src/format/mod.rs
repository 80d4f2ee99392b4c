//! The schedule file, `pavane/schedule/1`: self-contained JSON, plain or gzipped. The reader
//! streams the steps, so the text of a large file is never in memory as a whole.

mod fields;
pub(crate) mod labels;
pub(crate) mod open;
pub(crate) mod parse;
pub(crate) mod phases;
pub(crate) mod raw;
pub(crate) mod raw_label;
mod raw_steps;
pub(crate) mod read;
mod recognise;
mod rounds;
#[cfg(feature = "schema")]
mod schema;
pub(crate) mod write;

pub use fields::{MODEL_FIELDS, NETWORK_FIELDS};
pub(crate) use open::{open as open_file, open_bytes};
pub use read::{
    Stored, open_beside, proof_beside, read, read_file, read_stored, read_stored_file,
    read_whole_file,
};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use write::{write, write_refutation, write_whole};

use crate::bound::Bound;
use crate::problem::{Problem, ProblemError};
use crate::schedule::Schedule;

/// The value of the `format` field of a schedule file.
pub const FORMAT: &str = "pavane/schedule/1";

/// The value of the `format` field of a refutation, which has no steps.
pub const REFUTATION: &str = "pavane/refutation/1";

/// All formats of files that are read and judged.
const KNOWN: [&str; 6] = [
    FORMAT,
    REFUTATION,
    crate::throughput::FORMAT,
    crate::timed::FORMAT,
    crate::tdm::FORMAT,
    crate::tdm::REFUTATION,
];

/// A problem for which a bound excludes schedules with fewer steps. The certificate of the bound is
/// the proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Refutation {
    /// The problem.
    pub problem: Problem,
    /// The bound that the file claims.
    pub bound: Bound,
}

/// One collective with its schedule. A file has one phase, an all-reduce two.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// The problem.
    pub problem: Problem,
    /// The bound that the file claims.
    pub bound: Option<Bound>,
    /// The schedule, not yet verified.
    pub schedule: Schedule,
}

/// A borrowed phase, for writing.
#[derive(Debug, Clone, Copy)]
pub struct PhaseView<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The bound to claim.
    pub bound: Option<&'a Bound>,
    /// The schedule.
    pub schedule: &'a Schedule,
}

impl Phase {
    /// Borrows the phase.
    pub fn view(&self) -> PhaseView<'_> {
        let Self { problem, bound, schedule } = self;
        PhaseView { problem, bound: bound.as_ref(), schedule }
    }
}

/// Why a file is not a valid schedule file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not JSON, or not JSON of this form. The message ends with line and column.
    #[error("{path}: not a schedule file: {}", crate::text_file::json_in_words(.source))]
    Json {
        /// The file.
        path: String,
        /// The error and its position.
        source: serde_json::Error,
    },
    /// The file is of a format that this version does not know.
    #[error("{path}: unknown format {found:?}; known are {}", KNOWN.join(", "))]
    UnknownFormat {
        /// The file.
        path: String,
        /// The value of its `format` field.
        found: String,
    },
    /// The file is JSON of another format.
    #[error("{path}: its format is {found:?}, not {FORMAT:?}")]
    Foreign {
        /// The file.
        path: String,
        /// The value of its `format` field.
        found: String,
    },
    /// Two parts of the file contradict each other.
    #[error("{path}: {problem}")]
    Inconsistent {
        /// The file.
        path: String,
        /// The contradiction, with the value.
        problem: String,
    },
    /// The network and the collective do not form a valid problem.
    #[error("{path}: {source}")]
    Problem {
        /// The file.
        path: String,
        /// The reason.
        source: ProblemError,
    },
}
