//! The verdict on a timed schedule.

use super::certificate::{self, TimeBoundError};
use super::clock::{Clock, Times};
use super::report::TimedViolations;
use super::violation::{SendName, TimedRule, TimedViolation};
use super::{channels, chunks, holding, order, sizes};
use crate::cost::{Limits, OverLimit};
use pavane_model::network::TimingError;
use pavane_model::{Fraction, TimedSchedule};

/// The judge's verdict on a timed schedule and its claimed bound.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedVerdict {
    /// What is wrong with the schedule.
    pub violations: Vec<TimedViolation>,
    /// The last arrival in nanoseconds.
    pub time_ns: Fraction,
    /// The bound in nanoseconds that the certificate proves; `None` if none is claimed or the
    /// certificate is wrong.
    pub proved_ns: Option<Fraction>,
    /// Why the claimed bound is false or could not be judged.
    pub bound_error: Option<TimeBoundError>,
}

impl TimedVerdict {
    /// Whether the schedule breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Number of violations, listed or only counted.
    pub fn violation_count(&self) -> u64 {
        self.violations.iter().map(TimedViolation::count).sum()
    }

    /// Whether the schedule is valid and the claimed bound, if any, is proved.
    pub fn is_fine(&self) -> bool {
        self.is_valid() && self.bound_error.is_none()
    }

    /// If the schedule is valid but its bound cannot be judged within the limits on cost: why.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match &self.bound_error {
            Some(TimeBoundError::OverLimit(over)) if self.is_valid() => Some(over),
            _ => None,
        }
    }

    /// Whether the schedule is valid and takes exactly the proved bound.
    pub fn is_optimal(&self) -> bool {
        self.is_fine() && self.proved_ns == Some(self.time_ns)
    }
}

/// Why a timed schedule cannot be judged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedError {
    /// Bandwidths or latencies are missing or out of range.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// A schedule without phases, with a unit of 0, or with phases on different networks.
    #[error("the schedule {0}")]
    Malformed(&'static str),
    /// Exact numbers with more than 128 bits.
    #[error("its times need fractions of more than 128 bits")]
    Arithmetic,
}

/// Judges a schedule with the default limits on cost.
pub fn judge_timed(schedule: &TimedSchedule) -> Result<TimedVerdict, TimedError> {
    judge_timed_within(schedule, None)
}

/// Judges a schedule. `operations` overrides the limit on the operations to check the certificate. The
/// sends take time in proportion to their number and to the deliveries.
pub fn judge_timed_within(
    schedule: &TimedSchedule,
    operations: Option<u64>,
) -> Result<TimedVerdict, TimedError> {
    check_form(schedule)?;
    let network = schedule.phases[0].problem.network();
    let clock = Clock::new(network, schedule.time_unit_ns)?;
    let is_several = schedule.phases.len() > 1;
    let number = |phase: usize| is_several.then_some(phase);
    let mut report = TimedViolations::default();
    let mut message_sizes = Vec::new();
    let mut times: Vec<Vec<Times>> = Vec::new();
    let name = |phase: usize, index: usize| {
        let send = &schedule.phases[phase].sends[index];
        let (chunk, channel, start) = (send.chunk, send.channel, send.start);
        SendName { phase: number(phase), index, chunk, channel, start }
    };
    for (at, phase) in schedule.phases.iter().enumerate() {
        let found = chunks::check(phase, number(at), &mut report);
        sizes::check(phase, number(at), &schedule.size, &found, &mut report);
        message_sizes.push(found);
        times.push(clock.all(phase)?);
        holding::check(phase, &times[at], &|index| name(at, index), &mut report);
    }
    channels::check(schedule, &times, &name, &mut report);
    if let [reduce, broadcast] = &schedule.phases[..] {
        let name = |index: usize| name(1, index);
        order::check((reduce, &times[0]), (broadcast, &times[1]), &name, &mut report);
    }
    let last = times.iter().flatten().map(|times| times.arrival).max().unwrap_or(0);
    let time = clock.in_units(last);
    if let Some(claimed) = schedule.time.filter(|&claimed| Fraction::from(claimed) != time) {
        report.add(TimedRule::Time, || TimedViolation::OtherTime { claimed, time });
    }
    let time_ns = time.checked_mul(schedule.time_unit_ns).ok_or(TimedError::Arithmetic)?;
    let limits = Limits::of(&schedule.phases[0].problem).with_operations(operations);
    let violations = report.into_violations();
    let (proved_ns, bound_error) = match certificate::check(schedule, message_sizes, limits) {
        Ok(Some(proved)) if violations.is_empty() && proved > time_ns => {
            (None, Some(TimeBoundError::Refuted { proved, time: time_ns }))
        }
        Ok(proved) => (proved, None),
        Err(error) => (None, Some(error)),
    };
    Ok(TimedVerdict { violations, time_ns, proved_ns, bound_error })
}

/// Checks what the reader of files guarantees, because a schedule may also come from elsewhere.
fn check_form(schedule: &TimedSchedule) -> Result<(), TimedError> {
    let Some(first) = schedule.phases.first() else {
        return Err(TimedError::Malformed("has no phase"));
    };
    if schedule.time_unit_ns.is_zero() {
        return Err(TimedError::Malformed("has a unit of 0"));
    }
    let network = first.problem.network();
    let (bandwidths, latencies) = (network.bandwidths()?, network.latencies()?);
    for phase in &schedule.phases {
        let other = phase.problem.network();
        if !network.has_same_channels_as(other)
            || other.bandwidths()? != bandwidths
            || other.latencies()? != latencies
        {
            return Err(TimedError::Malformed("has phases on different networks"));
        }
        let messages = phase.problem.messages().len();
        if phase.chunks.iter().any(|chunk| chunk.message.index() >= messages) {
            return Err(TimedError::Malformed("has a chunk of a message that does not exist"));
        }
        let is_known = |send: &pavane_model::timed::Send| {
            (send.chunk as usize) < phase.chunks.len()
                && send.channel.index() < network.channel_count()
        };
        if !phase.sends.iter().all(is_known) {
            return Err(TimedError::Malformed(
                "sends a chunk or uses a channel that does not exist",
            ));
        }
    }
    Ok(())
}
