//! The result of a search, and errors that prevent it.

use crate::attempt::Proof;
use crate::bounds::{Bounds, RefusedBound};
use crate::parameters::ParameterError;
use pavane_verify::CheckedSchedule;

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The best schedule, judged; `None` if none was found in time, or none within the requested
    /// steps.
    pub solution: Option<Solution>,
    /// The lower bounds on the number of steps.
    pub bounds: Bounds,
    /// A checked proof that a step count is impossible, if one was found; the bound is larger than
    /// this count.
    pub proof: Option<Proof>,
    /// Number of evaluations.
    pub evaluations: u64,
    /// Answers of engines that the judge refused; these are bugs.
    pub refusals: Vec<Refusal>,
}

/// A judged schedule and the engine that found it.
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
    /// The first error that the judge found.
    pub problem: String,
}

/// An error that prevents a search.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SynthesisError {
    /// No engine has the requested name.
    #[error("no engine is called {name:?}; there are {known}")]
    NoSuchEngine {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// Invalid parameters.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// The judge refused a bound.
    #[error(transparent)]
    RefusedBound(#[from] RefusedBound),
    /// No engine accepts the problem.
    #[error("no engine is made for this problem yet")]
    NoEngine,
    /// The problem is too large for the requested engine.
    #[error(
        "this problem is too large for the engine {name}, which lists all paths; for it there are {fitting}"
    )]
    TooLarge {
        /// The requested name.
        name: String,
        /// The names of the engines that accept the problem.
        fitting: String,
    },
    /// The requested engine does not accept the problem.
    #[error("the engine {name} is not made for this problem; for it there are {fitting}")]
    WrongEngine {
        /// The requested name.
        name: String,
        /// The names of the engines that accept the problem.
        fitting: String,
    },
}
