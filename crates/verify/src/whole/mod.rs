//! An all-reduce as a whole. Each phase obeys the rules on its own. Where the phases overlap, they share
//! channels and ports, and no processor starts to broadcast a sum before that sum is complete.

mod bound;
mod least;
mod overlap;

pub use bound::check_whole_bound;

use crate::certificates::BoundError;
use crate::cost::Limits;
use crate::verify::CheckedSchedule;
use crate::violation::Violation;
use pavane_model::Problem;
use pavane_model::whole::{Whole, WholeBound, WholeCertificate, WholeKind};

/// A valid all-reduce whose phases may overlap. Only [`verify_whole`] creates one.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedWhole {
    reduce: CheckedSchedule,
    broadcast: CheckedSchedule,
    start: u32,
}

impl CheckedWhole {
    /// The reduce.
    pub fn reduce(&self) -> &CheckedSchedule {
        &self.reduce
    }

    /// The broadcast.
    pub fn broadcast(&self) -> &CheckedSchedule {
        &self.broadcast
    }

    /// The number of steps before the first step of the broadcast.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The number of steps of the all-reduce.
    pub fn steps(&self) -> u32 {
        let broadcast = self.broadcast.schedule().step_count();
        self.reduce.schedule().step_count().max(self.start + broadcast)
    }

    /// Whether the phases overlap.
    pub fn is_overlapping(&self) -> bool {
        self.start < self.reduce.schedule().step_count()
    }
}

/// Checks that a reduce and a broadcast that starts after `start` steps are an all-reduce. On failure returns
/// the violations; their steps are those of the all-reduce, and transfers are numbered within the step of
/// their phase.
pub fn verify_whole(
    reduce: CheckedSchedule,
    broadcast: CheckedSchedule,
    start: u32,
) -> Result<CheckedWhole, Vec<Violation>> {
    let violations = overlap::violations(&reduce, &broadcast, start);
    if violations.is_empty() {
        Ok(CheckedWhole { reduce, broadcast, start })
    } else {
        Err(violations)
    }
}

/// The judge's verdict on an all-reduce whose phases are valid.
#[derive(Debug)]
pub struct WholeVerdict {
    /// Number of steps.
    pub steps: u32,
    /// The all-reduce, if it is valid.
    pub checked: Option<CheckedWhole>,
    /// The violations where the phases overlap.
    pub violations: Vec<Violation>,
    /// Why the claimed bound is rejected.
    pub bound_error: Option<BoundError>,
    /// The best proved lower bound.
    pub proved: u32,
}

impl WholeVerdict {
    /// Whether the phases may overlap as they do.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether the all-reduce is valid and the claimed bound, if any, holds.
    pub fn is_fine(&self) -> bool {
        self.is_valid() && self.bound_error.is_none()
    }

    /// The proved bound: the claimed one if it is the best, otherwise the one that the judge derives.
    pub fn bound(&self, claimed: Option<&WholeBound>) -> WholeBound {
        let is_proved =
            |bound: &&WholeBound| self.bound_error.is_none() && bound.steps == self.proved;
        claimed.filter(is_proved).cloned().unwrap_or_else(|| WholeBound {
            steps: self.proved,
            explanation: "derived from the bounds of the phases".to_owned(),
            certificate: WholeCertificate { kind: WholeKind::Phase, routers: Vec::new() },
        })
    }

    /// Whether the all-reduce is valid and provably shortest.
    pub fn is_optimal(&self) -> bool {
        self.is_valid() && self.steps == self.proved
    }
}

/// Judges an all-reduce of valid phases and its claimed bound, if any. `proved` are the proved bounds of
/// the phases.
pub fn judge_whole(
    phases: [&CheckedSchedule; 2],
    whole: &Whole,
    proved: [u32; 2],
    limits: Limits,
) -> WholeVerdict {
    let [reduce, broadcast] = phases;
    let [of_reduce, of_broadcast] = phases.map(|phase| phase.schedule().step_count());
    let steps = whole.steps(of_reduce, of_broadcast);
    let problems: [&Problem; 2] = phases.map(CheckedSchedule::problem);
    let simple = bound::simple(problems, proved, limits);
    let (proved, bound_error) = match &whole.bound {
        None => (simple, None),
        Some(claimed) => match check_whole_bound(problems, proved, claimed, limits) {
            Ok(steps) => (steps.max(simple), None),
            Err(error) => (simple, Some(error)),
        },
    };
    let start = whole.start.unwrap_or(of_reduce);
    let (checked, violations) = match verify_whole(reduce.clone(), broadcast.clone(), start) {
        Ok(checked) => (Some(checked), Vec::new()),
        Err(violations) => (None, violations),
    };
    WholeVerdict { steps, checked, violations, bound_error, proved }
}
