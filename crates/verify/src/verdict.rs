//! The verdict on a schedule: whether it is valid, which bound is proved, and hence whether it is
//! optimal.

use crate::certificates::{BoundError, OpenProof, cheap_bound, check_bound_within};
use crate::cost::{Limits, OverLimit};
use crate::verify::{CheckedSchedule, verify};
use crate::violation::Violation;
use pavane_model::{Bound, Problem, Schedule};

/// The judge's verdict on a schedule and its claimed bound.
#[derive(Debug)]
pub struct Verdict {
    /// The problem.
    pub problem: Problem,
    /// Number of steps of the schedule.
    pub steps: u32,
    /// The schedule, if it is valid.
    pub checked: Option<CheckedSchedule>,
    /// Its violations.
    pub violations: Vec<Violation>,
    /// Why the claimed bound is rejected or remains unproved.
    pub bound_error: Option<BoundError>,
    /// The best proved lower bound: from the certificate, or derived without one.
    pub proved: u32,
}

impl Verdict {
    /// Whether the schedule breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Number of violations, listed or only counted.
    pub fn violation_count(&self) -> u64 {
        self.violations.iter().map(Violation::count).sum()
    }

    /// If the schedule is valid but its bound cannot be judged within the limits: the cost and the
    /// limit.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        let error = self.bound_error.as_ref().filter(|_| self.is_valid())?;
        error.over_limit()
    }

    /// Whether the schedule is valid and the claimed bound, if any, holds or comes without a
    /// certificate or proof. Such an unproved claim is tolerated, because it never makes a schedule
    /// optimal.
    pub fn is_fine(&self) -> bool {
        let is_open = match self.bound_error {
            None | Some(BoundError::NoCertificate { .. } | BoundError::NoProof { .. }) => true,
            Some(_) => false,
        };
        self.is_valid() && is_open
    }

    /// The claimed bound, if the judge accepts it and cannot prove a higher one.
    pub fn accepted(&self, claimed: Option<Bound>) -> Option<Bound> {
        claimed.filter(|bound| self.bound_error.is_none() && bound.steps == self.proved)
    }

    /// Whether the schedule is valid and provably shortest.
    pub fn is_optimal(&self) -> bool {
        self.is_valid() && self.steps == self.proved
    }
}

/// Judges a schedule and its claimed bound, if any. `open` opens the proof file that the bound may
/// name.
pub fn judge(
    problem: Problem,
    schedule: Schedule,
    claimed: Option<&Bound>,
    open: OpenProof<'_>,
) -> Verdict {
    let limits = Limits::of(&problem);
    judge_within(problem, schedule, claimed, open, limits)
}

/// Like [`judge`], with limits on the cost of checking the bound.
pub fn judge_within(
    problem: Problem,
    schedule: Schedule,
    claimed: Option<&Bound>,
    open: OpenProof<'_>,
    limits: Limits,
) -> Verdict {
    let steps = schedule.step_count();
    let cheap = cheap_bound(&problem);
    let (proved, mut bound_error) = match claimed {
        None => (cheap, None),
        // A bound that the cheap arguments prove needs no certificate. If it has one, the
        // certificate must hold.
        Some(bound) if bound.certificate.is_none() && bound.steps <= cheap => (cheap, None),
        Some(bound) => match check_bound_within(&problem, bound, open, limits) {
            Ok(proved) => (proved.max(cheap), None),
            Err(error) => (cheap, Some(error)),
        },
    };
    let (checked, violations) = match verify(problem.clone(), schedule) {
        Ok(checked) => (Some(checked), Vec::new()),
        Err(violations) => (None, violations),
    };
    if let Some(&Bound { steps: claimed, .. }) = claimed
        && violations.is_empty()
        && claimed > steps
    {
        bound_error = Some(BoundError::AboveSchedule { claimed, steps });
    }
    Verdict { problem, steps, checked, violations, bound_error, proved }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::{
        Certificate, ChannelId, Collective, Kind, MessageId, Model, NetworkBuilder, ProcessorId,
        Transfer,
    };
    use std::io;

    #[test]
    fn a_false_certificate_is_not_accepted_though_its_number_is_right() {
        let (from, to) = (ProcessorId(0), ProcessorId(1));
        let collective = Collective::between(Kind::Broadcast, "oab", vec![from], vec![to]);
        let mut builder = NetworkBuilder::new("path:2", 2);
        builder.link(0, 1).processor_on_each_router();
        let network = builder.build().unwrap();
        let problem = Problem::new(network, collective, Model::default()).unwrap();
        let only = Transfer { message: MessageId(0), from, to, path: &[ChannelId(0)] };
        let schedule = Schedule::from_transfers(1, &[(0, only)]);
        for (processor, steps, is_accepted) in [(1, 1, true), (7, 1, false), (1, 0, false)] {
            let certificate = Some(Certificate::Receive { processor: ProcessorId(processor) });
            let reason = "receive".to_owned();
            let bound = Bound { steps, reason, explanation: String::new(), certificate };
            let open = |_: &str| Err(io::ErrorKind::NotFound.into());
            let verdict = judge(problem.clone(), schedule.clone(), Some(&bound), &open);
            assert_eq!((verdict.proved, verdict.is_optimal()), (1, true));
            assert_eq!(verdict.accepted(Some(bound)).is_some(), is_accepted, "{processor} {steps}");
        }
    }
}
