//! Derives the bound on time that a certificate proves, in exact arithmetic.

mod cut;
mod latency;
mod prices;
mod roots;
mod window;

use crate::cost::{Limits, OverLimit};
use crate::throughput::{LimitError, View, derive_for_any_roots, derive_limit};
use latency::Latencies;
use pavane_model::network::TimingError;
use pavane_model::throughput::PlanPhase;
use pavane_model::timed::{TimeCertificate, TimedSchedule};
use pavane_model::{Duplex, Fraction};

/// Why a claimed bound is not proved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeBoundError {
    /// The certificate proves a lower bound.
    #[error("the schedule claims a bound of {claimed} ns, but the certificate proves {proved} ns")]
    ProvesLess {
        /// The claimed bound.
        claimed: Fraction,
        /// The proved bound.
        proved: Fraction,
    },
    /// The schedule refutes the bound, so the derivation is wrong.
    #[error(
        "the certificate proves {proved} ns, but the schedule takes {time} ns; please report this"
    )]
    Refuted {
        /// The bound.
        proved: Fraction,
        /// The time of the schedule.
        time: Fraction,
    },
    /// The certificate makes no sense.
    #[error("the certificate is wrong: {0}")]
    Wrong(String),
    /// Checking it takes too long.
    #[error("the bound is not judged: {0}")]
    OverLimit(#[from] OverLimit),
    /// Exact numbers with more than 128 bits.
    #[error("the certificate needs fractions of more than 128 bits")]
    Arithmetic,
    /// Bandwidths or latencies are missing or out of range.
    #[error(transparent)]
    Timing(#[from] TimingError),
}

impl From<LimitError> for TimeBoundError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Wrong(what) => Self::Wrong(what),
            LimitError::OverLimit(over) => Self::OverLimit(over),
            _ => Self::Arithmetic,
        }
    }
}

/// A schedule as certificates see it.
struct BoundCase<'a> {
    /// The phases with the bytes of their messages, read forwards.
    views: &'a [View<'a>],
    bandwidths: &'a [Fraction],
    latencies: &'a Latencies,
    duplex: Duplex,
}

/// The bound in nanoseconds that the certificate of a schedule proves, if it has one. `sizes` has the
/// bytes of every message, for every phase.
pub(super) fn check(
    schedule: &TimedSchedule,
    sizes: Vec<Vec<u64>>,
    limits: Limits,
) -> Result<Option<Fraction>, TimeBoundError> {
    let Some(bound) = &schedule.bound else { return Ok(None) };
    let phases: Vec<PlanPhase> = (schedule.phases.iter().zip(sizes))
        .map(|(phase, sizes)| PlanPhase {
            problem: phase.problem.clone(),
            sizes,
            routes: Vec::new(),
        })
        .collect();
    let views: Vec<View<'_>> = phases.iter().map(|phase| View { phase, number: None }).collect();
    let network = phases[0].problem.network();
    let bandwidths = network.bandwidths()?;
    let latencies = Latencies::new(network)?;
    let case = BoundCase {
        views: &views,
        bandwidths: &bandwidths,
        latencies: &latencies,
        duplex: schedule.duplex,
    };
    let proved = match &bound.certificate {
        TimeCertificate::Cut { routers, receiver } => {
            cut::derive(&case, routers, *receiver, limits)?
        }
        TimeCertificate::Prices { prices } => prices::derive(&case, prices, limits)?,
        TimeCertificate::Roots => roots::derive(&case, limits)?,
        TimeCertificate::Throughput { limit } if views.len() > 1 => {
            derive_for_any_roots(limit, &views, &bandwidths, limits)?
        }
        TimeCertificate::Throughput { limit } => derive_limit(limit, &views, &bandwidths, limits)?,
    };
    let claimed = Fraction::from(bound.time).checked_mul(schedule.time_unit_ns);
    let claimed = claimed.ok_or(TimeBoundError::Arithmetic)?;
    if proved < claimed {
        return Err(TimeBoundError::ProvesLess { claimed, proved });
    }
    Ok(Some(proved))
}
