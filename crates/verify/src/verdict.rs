//! All that is to be said about a schedule: whether it is valid, what is proved about the number of
//! steps, and so whether it is optimal.

use crate::certificates::{BoundError, OpenProof, cheap_bound, check_bound_within};
use crate::cost::{Limits, OverLimit};
use crate::verify::{CheckedSchedule, verify};
use crate::violation::Violation;
use pavane_model::{Bound, Problem, Schedule};

/// What the judge says about a schedule and the bound claimed with it.
#[derive(Debug)]
pub struct Verdict {
    /// The problem.
    pub problem: Problem,
    /// Steps of the schedule.
    pub steps: u32,
    /// The schedule, if it is valid.
    pub checked: Option<CheckedSchedule>,
    /// What is wrong with it.
    pub violations: Vec<Violation>,
    /// Why the bound claimed is not believed, or not known to hold.
    pub bound_error: Option<BoundError>,
    /// The least number of steps that is proved: by the certificate, or by what needs none.
    pub proved: u32,
}

impl Verdict {
    /// Whether the schedule breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// How many violations there are, listed or only counted.
    pub fn violation_count(&self) -> u64 {
        self.violations.iter().map(Violation::count).sum()
    }

    /// What the check of the bound would cost and the limit, if the schedule is valid but its bound
    /// cannot be judged within the limits.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        let error = self.bound_error.as_ref().filter(|_| self.is_valid())?;
        error.over_limit()
    }

    /// Whether the schedule is valid and every claim made with it was checked and holds. A claim
    /// without a certificate or proof may be true, and does no harm: nothing is called optimal
    /// because of it.
    pub fn is_fine(&self) -> bool {
        let is_open = match self.bound_error {
            None | Some(BoundError::NoCertificate { .. } | BoundError::NoProof { .. }) => true,
            Some(_) => false,
        };
        self.is_valid() && is_open
    }

    /// The bound that was claimed, with its reason and certificate, if the judge accepts it and can
    /// prove no higher one.
    pub fn accepted(&self, claimed: Option<Bound>) -> Option<Bound> {
        claimed.filter(|bound| self.bound_error.is_none() && bound.steps == self.proved)
    }

    /// Whether the schedule is valid and no shorter one can be.
    pub fn is_optimal(&self) -> bool {
        self.is_valid() && self.steps == self.proved
    }
}

/// Judges a schedule and the bound that is claimed with it, if any; `open` opens the proof that the
/// bound may name.
pub fn judge(
    problem: Problem,
    schedule: Schedule,
    claimed: Option<&Bound>,
    open: OpenProof<'_>,
) -> Verdict {
    let limits = Limits::of(&problem);
    judge_within(problem, schedule, claimed, open, limits)
}

/// As [`judge`], with limits on what the check of the bound may cost.
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
        // What can be derived without a certificate needs none, but one that is given must hold.
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
        Certificate, ChannelId, Collective, Kind, MessageId, Model, ProcessorId, Transfer, topology,
    };
    use std::io;

    #[test]
    fn a_false_certificate_is_not_accepted_though_its_number_is_right() {
        let (from, to) = (ProcessorId(0), ProcessorId(1));
        let collective = Collective::between(Kind::Broadcast, "oab", vec![from], vec![to]);
        let network = topology::build("path:2").unwrap();
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
