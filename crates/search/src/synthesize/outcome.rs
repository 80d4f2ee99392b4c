//! What comes of a search, and why one is not begun.

use crate::attempt::Proof;
use crate::bounds::{Bounds, RefusedBound};
use crate::parameters::ParameterError;
use pavane_verify::CheckedSchedule;

/// What came of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The best schedule, judged; `None` if there was no time for any, or none short enough.
    pub solution: Option<Solution>,
    /// What is proved about the number of steps.
    pub bounds: Bounds,
    /// The proof, checked, that so many steps are too few, if one was found; the bound is at least
    /// one more.
    pub proof: Option<Proof>,
    /// Evaluations made.
    pub evaluations: u64,
    /// Answers of engines that the judge refused: bugs of ours.
    pub refusals: Vec<Refusal>,
}

/// A judged schedule and where it came from.
#[derive(Debug)]
pub struct Solution {
    /// The schedule.
    pub checked: CheckedSchedule,
    /// The engine that found it.
    pub engine: &'static str,
}

/// An engine's answer that the judge refused.
#[derive(Debug)]
pub struct Refusal {
    /// The engine.
    pub engine: &'static str,
    /// What the judge found first.
    pub problem: String,
}

/// Why a search was not begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SynthesisError {
    /// No engine of that name.
    #[error("no engine is called {name:?}; there are {known}")]
    NoSuchEngine {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Parameters that cannot be set so.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// A bound that the judge refuses.
    #[error(transparent)]
    RefusedBound(#[from] RefusedBound),
    /// No engine takes such problems.
    #[error("no engine is made for this problem yet")]
    NoEngine,
    /// The engine asked for has no room for so large a problem.
    #[error(
        "this problem is too large for the engine {name}, which lists all paths; for it there are {fitting}"
    )]
    TooLarge {
        /// What was asked for.
        name: String,
        /// The names of those that take it.
        fitting: String,
    },
    /// The engine asked for does not take such problems.
    #[error("the engine {name} is not made for this problem; for it there are {fitting}")]
    WrongEngine {
        /// What was asked for.
        name: String,
        /// The names of those that are.
        fitting: String,
    },
}
