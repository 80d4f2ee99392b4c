//! A timed schedule that the judge has accepted.

use super::certificate::TimeBoundError;
use super::verdict::{TimedError, judge_timed_within};
use super::violation::TimedViolation;
use pavane_model::timed::TimeCertificate;
use pavane_model::{Fraction, Network, TimedSchedule};

/// A schedule that breaks no rule and whose bound, if it has one, is proved. Only the judge makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedTimed {
    schedule: TimedSchedule,
    time_ns: Fraction,
    proved_ns: Option<Fraction>,
}

/// Why a timed schedule is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedRejection {
    /// It cannot be judged.
    #[error(transparent)]
    Unjudged(#[from] TimedError),
    /// It breaks a rule.
    #[error("{0}")]
    Violation(Box<TimedViolation>),
    /// Its bound is false.
    #[error("its bound is false: {0}")]
    Bound(Box<TimeBoundError>),
}

/// Judges a schedule and accepts it if it breaks no rule and its bound is not false. If judging the
/// bound exceeds the limits on cost, the schedule is accepted without a bound.
pub fn check_timed(schedule: TimedSchedule) -> Result<CheckedTimed, TimedRejection> {
    check_timed_within(schedule, None)
}

/// As [`check_timed`]. `operations` overrides the limit on the operations to check the certificate.
pub fn check_timed_within(
    schedule: TimedSchedule,
    operations: Option<u64>,
) -> Result<CheckedTimed, TimedRejection> {
    let verdict = judge_timed_within(&schedule, operations)?;
    let is_over_limit = verdict.over_limit().is_some();
    if let Some(violation) = verdict.violations.into_iter().next() {
        return Err(TimedRejection::Violation(Box::new(violation)));
    }
    match verdict.bound_error {
        Some(error) if !is_over_limit => Err(TimedRejection::Bound(Box::new(error))),
        _ => {
            let (time_ns, proved_ns) = (verdict.time_ns, verdict.proved_ns);
            Ok(CheckedTimed { schedule, time_ns, proved_ns })
        }
    }
}

impl CheckedTimed {
    /// The schedule.
    pub fn schedule(&self) -> &TimedSchedule {
        &self.schedule
    }

    /// The network of all phases.
    pub fn network(&self) -> &Network {
        self.schedule.phases[0].problem.network()
    }

    /// The last arrival in nanoseconds.
    pub fn time_ns(&self) -> Fraction {
        self.time_ns
    }

    /// The bound in nanoseconds that its certificate proves, with the certificate.
    pub fn proved_ns(&self) -> Option<(Fraction, &TimeCertificate)> {
        Some((self.proved_ns?, &self.schedule.bound.as_ref()?.certificate))
    }

    /// Whether it takes exactly the proved bound.
    pub fn is_optimal(&self) -> bool {
        self.proved_ns == Some(self.time_ns)
    }
}
