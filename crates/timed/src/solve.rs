//! Searches for a quick schedule within a time limit, and bounds the time of all schedules.

use crate::all_reduce::AllReduceSearch;
use crate::any_roots::for_any_roots;
use crate::bound::{Bounded, bound};
use crate::case::{PhaseCase, TimedCase};
use crate::channel_times::ChannelTimesError;
use crate::roots;
use crate::search::{Found, MOST_SENDS, Search};
use pavane_model::throughput::LimitCertificate;
use pavane_model::timed::{BufferSize, TimeBound, TimedPhase, TimedSchedule};
use pavane_model::{Duplex, Fraction, Problem};
use pavane_throughput::answer::{Answer, Request, answer};
use pavane_throughput::reached::ThroughputError;
use std::time::Duration;

/// The most of a short time limit that is kept for the judge.
const MOST_RESERVED: Duration = Duration::from_millis(100);

/// What the user asks for, and what ends the search.
#[derive(Clone, Copy)]
pub struct TimedRequest<'a> {
    /// The sizes of the messages.
    pub size: &'a BufferSize,
    /// Whether both directions of a link can be used at the same time.
    pub duplex: Duplex,
    /// The number of chunks per message; `None` to search for the best number.
    pub chunks: Option<u64>,
    /// Random seed.
    pub seed: u64,
    /// The most rounds of random search; `None` to search until `stop`.
    pub rounds: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// Schedules of an all-reduce with which the search starts, as quick as
    /// [`retime_only`](crate::retime_only) makes them.
    pub known: &'a [KnownSchedule],
    /// Polled during the search; once it returns true, the result is the best schedule so far.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// A schedule that is known before the search.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSchedule {
    /// The method that found it.
    pub method: &'static str,
    /// The schedule, with its time.
    pub schedule: TimedSchedule,
}

/// A schedule with its bound, for the judge and for files.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedAnswer {
    /// The schedule.
    pub schedule: TimedSchedule,
    /// Its time in nanoseconds.
    pub time_ns: Fraction,
    /// The bound in nanoseconds.
    pub bound_ns: Fraction,
    /// The method that found the schedule.
    pub method: &'static str,
}

/// Why there is no schedule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedSearchError {
    /// The times of the channels are no integers of reasonable size.
    #[error(transparent)]
    Times(#[from] ChannelTimesError),
    /// The throughput limit cannot be computed.
    #[error(transparent)]
    Throughput(#[from] ThroughputError),
    /// There is nothing to send.
    #[error("there is nothing to send: every message has 0 bytes")]
    Nothing,
    /// No message crosses a channel.
    #[error(
        "no message needs a channel: all destinations are on the routers of the origins, which takes no time \
         in this model"
    )]
    SameRouter,
    /// A result that needs more than 128 bits.
    #[error(
        "the times have too many digits for exact arithmetic; use fewer digits, or fewer bytes"
    )]
    TooFine,
    /// Any schedule has more sends than allowed.
    #[error(
        "every schedule has at least {sends} sends, more than {MOST_SENDS}; use a smaller network, or \
         `pavane throughput` for large messages"
    )]
    TooManyAtLeast {
        /// The fewest sends.
        sends: u64,
    },
    /// More sends than a schedule may have.
    #[error("the schedule would have {sends} sends, more than {MOST_SENDS}; use fewer chunks")]
    TooMany {
        /// The number of sends.
        sends: u64,
    },
}

/// The part of a time limit after which a search should stop, so that the result is judged by its end.
pub fn search_time(limit: Duration) -> Duration {
    limit - (limit / 20).max((limit / 5).min(MOST_RESERVED))
}

/// Searches for a quick schedule of a collective.
pub fn solve(
    name: &str,
    problems: &[Problem],
    request: &TimedRequest<'_>,
) -> Result<TimedAnswer, TimedSearchError> {
    if problems.len() == 2 {
        return all_reduce(name, problems, request);
    }
    let case = TimedCase::new(problems, request.size, request.duplex)?;
    let sends = case.phases.iter().map(PhaseCase::fewest_sends).sum();
    if sends > MOST_SENDS {
        return Err(TimedSearchError::TooManyAtLeast { sends });
    }
    let mut search = Search::new(&case, request);
    search.start();
    let (plan, bounded) = bounded(name, problems, request.size, &case, request.stop)?;
    search.set_plan(&plan.plan.phases, plan.plan.scale);
    let found = search.run(ceiling(bounded.time))?;
    answered(name, problems, request, found, case.times.unit_ns, bounded)
}

/// Searches for a quick all-reduce, also with other roots.
fn all_reduce(
    name: &str,
    problems: &[Problem],
    request: &TimedRequest<'_>,
) -> Result<TimedAnswer, TimedSearchError> {
    let cases = roots::cases(problems, request)?;
    let mut search = AllReduceSearch::new(&cases, request);
    request.known.iter().for_each(|known| search.offer(&cases, known));
    search.start();
    let case = &cases[0].whole;
    // The bound holds for any roots.
    let (plan, bounded) = bounded(name, problems, request.size, case, request.stop)?;
    let (at, found) = search.run(ceiling(bounded.time), &plan.plan)?;
    answered(name, &cases[at].problems, request, found, case.times.unit_ns, bounded)
}

/// The answer with a schedule that was found.
fn answered(
    name: &str,
    problems: &[Problem],
    request: &TimedRequest<'_>,
    found: Found,
    time_unit_ns: Fraction,
    bounded: Bounded,
) -> Result<TimedAnswer, TimedSearchError> {
    let phases = problems.iter().zip(found.phases).map(|(problem, (chunks, sends))| TimedPhase {
        problem: problem.clone(),
        chunks,
        sends,
    });
    let schedule = TimedSchedule {
        name: name.to_owned(),
        phases: phases.collect(),
        size: request.size.clone(),
        duplex: request.duplex,
        time_unit_ns,
        time: Some(found.end),
        bound: None,
    };
    finish(schedule, bounded, found.method)
}

/// A throughput plan, and the bound on the time of all schedules.
pub(crate) fn bounded(
    name: &str,
    problems: &[Problem],
    size: &BufferSize,
    case: &TimedCase,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Answer, Bounded), TimedSearchError> {
    let plan = throughput_plan(name, problems, size, stop)?;
    let limit = limit(case, &plan);
    let bounded = bound(case, limit).ok_or(TimedSearchError::TooFine)?;
    Ok((plan, bounded))
}

/// The throughput plan, whose routes carry large messages.
fn throughput_plan(
    name: &str,
    problems: &[Problem],
    size: &BufferSize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Answer, TimedSearchError> {
    let sizes = match size {
        // Blocks of a buffer that differ by a byte at most.
        BufferSize::Each(sizes)
            if sizes
                .iter()
                .max()
                .zip(sizes.iter().min())
                .is_some_and(|(a, b)| a - b <= 1 && *b > 0) =>
        {
            Vec::new()
        }
        BufferSize::Each(sizes) => {
            let unit = sizes.iter().copied().fold(0, greatest_common_divisor).max(1);
            sizes.iter().map(|size| size / unit).collect()
        }
        // Blocks differ by a byte at most.
        BufferSize::Bytes(_) => Vec::new(),
    };
    let generators = pavane_throughput::automorphisms::generators(problems, stop);
    let wanted = Request { trees: None, sizes: &sizes, generators: &generators, stop };
    Ok(answer(name, problems, &wanted)?)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The throughput limit in nanoseconds, with its certificate. If blocks differ by a byte, it is that
/// of the smaller ones.
fn limit(case: &TimedCase, plan: &Answer) -> Option<(Fraction, LimitCertificate)> {
    let limit = plan.plan.limit.as_ref()?;
    if case.phases.len() > 1 {
        let ns = limit.ns_per_byte.checked_mul(for_any_roots(case, &limit.certificate)?)?;
        return Some((ns, limit.certificate.clone()));
    }
    let sizes = &case.phases[0].sizes;
    let relative = &plan.plan.phases[0].sizes;
    let unit = if relative.is_empty() {
        sizes.iter().copied().min()?
    } else {
        let pairs = sizes.iter().zip(relative).filter(|(_, relative)| **relative > 0);
        pairs.map(|(size, relative)| size / relative).min()?
    };
    Some((limit.ns_per_byte.checked_mul(Fraction::from(unit))?, limit.certificate.clone()))
}

fn ceiling(time: Fraction) -> u64 {
    u64::try_from(time.numerator().div_ceil(time.denominator())).unwrap_or(u64::MAX)
}

/// The answer: the schedule with its bound.
pub(crate) fn finish(
    mut schedule: TimedSchedule,
    bounded: Bounded,
    method: &'static str,
) -> Result<TimedAnswer, TimedSearchError> {
    let unit = schedule.time_unit_ns;
    let in_ns = |time: Fraction| time.checked_mul(unit).ok_or(TimedSearchError::TooFine);
    let floor = bounded.time.numerator() / bounded.time.denominator();
    schedule.bound = Some(TimeBound {
        time: u64::try_from(floor).map_err(|_| TimedSearchError::TooFine)?,
        certificate: bounded.certificate,
    });
    Ok(TimedAnswer {
        time_ns: in_ns(Fraction::from(schedule.time.unwrap_or_default()))?,
        bound_ns: in_ns(bounded.time)?,
        schedule,
        method,
    })
}
