//! The result of a search, and errors that prevent it.

use crate::attempt::Proof;
use crate::bounds::{Bounds, RefusedBound};
use crate::parameters::ParameterError;
use pavane_verify::CheckedSchedule;

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The best schedule, judged; `None` if there was no time for any, or none short enough.
    pub solution: Option<Solution>,
    /// The proved bounds on the number of steps.
    pub bounds: Bounds,
    /// A checked proof that `proof.steps` steps are too few, if one was found; the bound is at least
    /// one more.
    pub proof: Option<Proof>,
    /// Evaluations made.
    pub evaluations: u64,
    /// Answers of engines that the judge refused, which are bugs in Pavane.
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
    /// The first violation.
    pub problem: String,
}

/// Why a search was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SynthesisError {
    /// No engine of that name.
    #[error("no engine is called {name:?}; there are {}", .known.join(", "))]
    NoSuchEngine {
        /// The selected engine.
        name: String,
        /// All engines.
        known: Vec<&'static str>,
    },
    /// Invalid parameters.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// A bound that the judge refuses.
    #[error(transparent)]
    RefusedBound(#[from] RefusedBound),
    /// The judge refuses the proof of a checkpoint.
    #[error("the proof in the checkpoint is invalid: {problem}; start a new search")]
    RefusedProof {
        /// The first error in the proof.
        problem: String,
    },
    /// No engine supports the problem.
    #[error("no engine supports this problem")]
    NoEngine,
    /// The problem is too large for the selected engine.
    #[error(
        "this problem is too large for the engine {name}, which lists all paths; these support it: {}",
        .fitting.join(", ")
    )]
    TooLarge {
        /// The selected engine.
        name: String,
        /// The engines that support it.
        fitting: Vec<&'static str>,
    },
    /// The selected engine needs the SAT solver, and this program has none.
    #[error("the engine {name} needs the SAT solver, which this program was built without")]
    NoSolver {
        /// The selected engine.
        name: String,
    },
    /// The selected engine does not support the problem.
    #[error("the engine {name} does not support this problem; these do: {}", .fitting.join(", "))]
    WrongEngine {
        /// The selected engine.
        name: String,
        /// The engines that do.
        fitting: Vec<&'static str>,
    },
}
