//! Processors in the arguments of Python.

use pavane_model::collective::Groups;
use pyo3::FromPyObject;

/// A group of processors: a text as on the command line (`"0-7,12"`), a number, or several numbers.
#[derive(FromPyObject)]
pub enum Members {
    /// A text.
    Text(String),
    /// One processor.
    One(i64),
    /// Several processors.
    Many(Vec<i64>),
}

impl Members {
    /// The group as on the command line.
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::One(number) => number.to_string(),
            Self::Many(numbers) => numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
        }
    }
}

/// The groups of a collective.
pub fn groups(
    root: Option<Members>,
    senders: Option<Members>,
    receivers: Option<Members>,
) -> Groups {
    let [root, senders, receivers] =
        [root, senders, receivers].map(|group| group.map(Members::into_text));
    Groups { root, senders, receivers }
}
