//! The schedule file, `pavane/schedule/1`: JSON that can be read without this program, plain or
//! gzipped. Reading streams the steps, so a large file is never in memory as text.

mod fields;
mod labels;
mod open;
mod phases;
mod raw;
mod raw_steps;
mod read;
mod write;

pub use fields::{MODEL_FIELDS, NETWORK_FIELDS};
pub use read::{Stored, open_beside, read, read_file, read_stored, read_stored_file};
pub use write::{write, write_refutation};

use crate::bound::Bound;
use crate::problem::{Problem, ProblemError};
use crate::schedule::Schedule;

/// What the first field of every schedule file says.
pub const FORMAT: &str = "pavane/schedule/1";

/// What the first field of a refutation says: a file without steps, because there are none.
pub const REFUTATION: &str = "pavane/refutation/1";

/// A problem that has no schedule of fewer steps than a bound says. What proves it is the bound's certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Refutation {
    /// What was asked for.
    pub problem: Problem,
    /// The bound that the file claims.
    pub bound: Bound,
}

/// One collective with its schedule. A file has one, or two for an all-reduce.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// What was asked for.
    pub problem: Problem,
    /// The bound that the file claims.
    pub bound: Option<Bound>,
    /// The steps, not yet judged.
    pub schedule: Schedule,
}

/// A phase to be written, borrowed from wherever it is.
#[derive(Debug, Clone, Copy)]
pub struct PhaseView<'a> {
    /// What was asked for.
    pub problem: &'a Problem,
    /// The bound to claim.
    pub bound: Option<&'a Bound>,
    /// The steps.
    pub schedule: &'a Schedule,
}

impl Phase {
    /// The phase, borrowed.
    pub fn view(&self) -> PhaseView<'_> {
        let Self { problem, bound, schedule } = self;
        PhaseView { problem, bound: bound.as_ref(), schedule }
    }
}

/// Why a file is not a schedule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file cannot be read at all.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not JSON, or not JSON of this form. The message ends with line and column.
    #[error("{path}: not a schedule file: {source}")]
    Json {
        /// The file.
        path: String,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// JSON of another format.
    #[error("{path}: its format is {found:?}, not {FORMAT:?}")]
    Foreign {
        /// The file.
        path: String,
        /// What its format field says.
        found: String,
    },
    /// A part of the file contradicts another.
    #[error("{path}: {problem}")]
    Inconsistent {
        /// The file.
        path: String,
        /// What is wrong, with the value.
        problem: String,
    },
    /// The network and the collective are not a problem.
    #[error("{path}: {source}")]
    Problem {
        /// The file.
        path: String,
        /// Why.
        source: ProblemError,
    },
}
