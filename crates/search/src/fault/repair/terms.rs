//! What a repair has to keep, and why it fails.

use pavane_model::aftermath::AftermathError;
use pavane_model::{Bound, FaultError, ProcessorId};

/// What a repair has to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Whether the schedule must not become longer.
    pub keep_steps: bool,
    /// The share of the still valid transfers to keep unchanged.
    pub keep: Keep,
}

/// How much of the still valid transfers to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keep {
    /// Keep this share if that costs at most one step above the bound; otherwise keep less.
    Prefer(f64),
    /// Keep at least this share, with more steps if necessary; otherwise fail.
    AtLeast(f64),
}

impl Keep {
    /// The share, from 0 to 1.
    pub fn share(self) -> f64 {
        match self {
            Self::Prefer(share) | Self::AtLeast(share) => share,
        }
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self { keep_steps: false, keep: Keep::Prefer(0.8) }
    }
}

/// Why there is no schedule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A fault names something that the network does not have.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The remaining problem is empty, or some processors can no longer reach each other.
    #[error(transparent)]
    Aftermath(#[from] AftermathError),
    /// All senders or all receivers are lost.
    #[error("the faults remove all senders or all receivers, so no message remains")]
    NoParticipants {
        /// The participating processors that were lost.
        missing: Vec<ProcessorId>,
    },
    /// The same number of steps is impossible.
    #[error("with these faults {steps} steps are too few: {} ({})", .bound.explanation, .bound.reason)]
    TooFewSteps {
        /// The steps before.
        steps: u32,
        /// The bound that excludes them.
        bound: Box<Bound>,
    },
    /// No schedule was found.
    #[error(
        "no schedule of at most {steps} steps was found within the time limit, although the bound \
         is {bound}; allow more time or more steps"
    )]
    NotFound {
        /// The steps before.
        steps: u32,
        /// The bound.
        bound: u32,
    },
    /// Schedules were found, but none that keeps the required share.
    #[error(
        "no schedule was found that keeps {:.1} % of the transfers that are still valid; the best \
         keeps {:.1} % in {steps} steps; allow more time or keep less",
        100.0 * asked, 100.0 * kept
    )]
    KeepsTooLittle {
        /// The required share.
        asked: f64,
        /// The largest share found.
        kept: f64,
        /// The steps of that schedule.
        steps: u32,
    },
    /// The time limit was reached before any schedule was found.
    #[error("no schedule was found within the time limit; allow more time")]
    OutOfTime,
    /// The judge rejected a result: a bug in this program.
    #[error("{0}")]
    Refused(String),
}
