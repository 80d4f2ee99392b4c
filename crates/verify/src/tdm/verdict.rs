//! The verdict on a TDM schedule.

use super::certificate::{TdmBoundError, check_tdm_bound};
use super::report::TdmViolations;
use super::violation::{TdmRule, TdmViolation, WordName};
use super::{latency, routes, slots, weights};
use crate::certificates::OpenProof;
use crate::cost::OverLimit;
use pavane_model::TdmSchedule;
use pavane_model::tdm::Word;
use std::io::{self, BufRead};

/// The judge's verdict on a TDM schedule and its claimed bound.
#[derive(Debug, Clone, PartialEq)]
pub struct TdmVerdict {
    /// The period of the schedule.
    pub period: u32,
    /// What is wrong with the schedule.
    pub violations: Vec<TdmViolation>,
    /// The bound that the certificate proves; `None` if none is claimed or the claim is false.
    pub proved: Option<u32>,
    /// Why the claimed bound is false or could not be judged.
    pub bound_error: Option<TdmBoundError>,
}

impl TdmVerdict {
    /// Whether the schedule breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Number of violations, listed or only counted.
    pub fn violation_count(&self) -> u64 {
        self.violations.iter().map(TdmViolation::count).sum()
    }

    /// Whether the schedule is valid and the claimed bound, if any, is proved.
    pub fn is_fine(&self) -> bool {
        self.is_valid() && self.bound_error.is_none()
    }

    /// If the schedule is valid but its bound cannot be judged within the limits on cost: why.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match &self.bound_error {
            Some(TdmBoundError::OverLimit(over)) if self.is_valid() => Some(over),
            _ => None,
        }
    }

    /// Whether the schedule is valid and its period is the proved bound.
    pub fn is_optimal(&self) -> bool {
        self.is_fine() && self.proved == Some(self.period)
    }
}

/// Judges a schedule with the default limits on cost, without files of proofs.
pub fn judge_tdm(schedule: &TdmSchedule) -> TdmVerdict {
    judge_tdm_within(schedule, &no_proof, None)
}

/// There is no file of a proof.
pub(super) fn no_proof(_: &str) -> io::Result<Box<dyn BufRead>> {
    Err(io::ErrorKind::NotFound.into())
}

/// Judges a schedule. `open` opens the file of a proof, and `operations` overrides the limit on the
/// operations to check the certificate. The words take time and memory in proportion to their hops.
pub fn judge_tdm_within(
    schedule: &TdmSchedule,
    open: OpenProof<'_>,
    operations: Option<u64>,
) -> TdmVerdict {
    let mut report = TdmViolations::default();
    let words = known(schedule, &mut report);
    let problem = &schedule.problem;
    weights::check(problem, &schedule.words, &mut report);
    routes::check(problem, &words, &mut report);
    if schedule.period > 0 {
        slots::check(schedule, &words, &mut report);
        latency::check(problem, schedule.period, &words, &mut report);
    }
    let bound = schedule.bound.as_ref();
    let derived = bound.map(|bound| check_tdm_bound(problem, bound, open, operations));
    let (proved, bound_error) = match derived.transpose() {
        Ok(proved) => (proved, None),
        Err(error) => (None, Some(error)),
    };
    TdmVerdict {
        period: schedule.period,
        violations: report.into_violations(),
        proved,
        bound_error,
    }
}

/// The words whose message, channels and start exist, with their numbers; the others are reported.
fn known<'a>(schedule: &'a TdmSchedule, report: &mut TdmViolations) -> Vec<(usize, &'a Word)> {
    let problem = &schedule.problem;
    let (period, channels) = (schedule.period, problem.network().channel_count());
    if period == 0 {
        report.add(TdmRule::Names, || TdmViolation::NoSlots);
    }
    let mut words = Vec::with_capacity(schedule.words.len());
    for (number, word) in schedule.words.iter().enumerate() {
        let start = word.start;
        let bad = word.path.iter().copied().find(|channel| channel.index() >= channels);
        let name = || name(number, word);
        if problem.find(word.from, word.to).is_none() {
            report.add(TdmRule::Names, || TdmViolation::NoSuchMessage { word: name() });
        } else if let Some(channel) = bad {
            report.add(TdmRule::Names, || TdmViolation::NoSuchChannel { word: name(), channel });
        } else if start >= period {
            let violation = || TdmViolation::NoSuchSlot { word: name(), start, period };
            report.add(TdmRule::Names, violation);
        } else {
            words.push((number, word));
        }
    }
    words
}

pub(super) fn name(index: usize, word: &Word) -> WordName {
    WordName { index, from: word.from, to: word.to }
}
