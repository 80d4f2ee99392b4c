//! Searches for a quick schedule within a time limit, and bounds the time of all schedules.

use crate::bound::{Bounded, bound};
use crate::case::TimedCase;
use crate::channel_times::ChannelTimesError;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::pieces::{self, Piece};
use crate::restarts::{GreedyFound, Restarts};
use crate::shortest::{Loads, tree};
use pavane_model::throughput::{LimitCertificate, ThroughputPlan};
use pavane_model::timed::{BufferSize, Chunk, Send, TimeBound, TimedPhase, TimedSchedule};
use pavane_model::{Duplex, Fraction, MessageId, Problem};
use pavane_throughput::answer::{Answer, Request, answer};
use pavane_throughput::reached::ThroughputError;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The numbers of chunks per route that are tried, as long as the number of sends stays reasonable.
const COUNTS: [u64; 22] =
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024];

/// The most sends of a schedule.
pub(crate) const MOST_SENDS: u64 = 2_000_000;

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
    /// Polled during the search; once it returns true, the result is the best schedule so far.
    pub stop: &'a (dyn Fn() -> bool + Sync),
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
    /// A result that needs more than 128 bits.
    #[error(
        "the times have too many digits for exact arithmetic; use fewer digits, or fewer bytes"
    )]
    TooFine,
    /// More sends than a schedule may have.
    #[error("the schedule would have {sends} sends, more than {MOST_SENDS}; use fewer chunks")]
    TooMany {
        /// The number of sends.
        sends: u64,
    },
}

/// Chunks and sends of every phase, with the last arrival in units.
#[derive(Clone)]
struct Found {
    pub phases: Vec<(Vec<Chunk>, Vec<Send>)>,
    pub end: u64,
    pub method: &'static str,
}

/// Searches for a quick schedule of a collective.
pub fn solve(
    name: &str,
    problems: &[Problem],
    request: &TimedRequest<'_>,
) -> Result<TimedAnswer, TimedSearchError> {
    let case = TimedCase::new(problems, request.size, request.duplex)?;
    let (plan, bounded) = bounded(name, problems, request.size, &case, request.stop)?;
    let found =
        Search { case: &case, request, goal: ceiling(bounded.time), best: None }.run(&plan.plan)?;
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
        time_unit_ns: case.times.unit_ns,
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

struct Search<'a> {
    case: &'a TimedCase,
    request: &'a TimedRequest<'a>,
    /// A schedule that ends by this time is optimal.
    goal: u64,
    best: Option<Found>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        (self.request.stop)() || self.best.as_ref().is_some_and(|best| best.end <= self.goal)
    }

    fn keep(&mut self, found: Found) {
        if self.best.as_ref().is_none_or(|best| found.end < best.end) {
            self.best = Some(found);
        }
    }

    fn run(mut self, plan: &ThroughputPlan) -> Result<Found, TimedSearchError> {
        self.follow_plan(plan)?;
        self.take_quickest_paths();
        self.search_at_random();
        Ok(self.best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" }))
    }

    /// Schedules chunks along the routes of the throughput plan.
    fn follow_plan(&mut self, plan: &ThroughputPlan) -> Result<(), TimedSearchError> {
        let mut fruitless = 0;
        let counts = match self.request.chunks {
            Some(count) => vec![count],
            None => COUNTS.to_vec(),
        };
        for &count in &counts {
            let cut = |(case, phase)| match self.request.chunks {
                Some(count) => pieces::equal_from_plan(case, phase, count),
                None => pieces::from_plan(case, phase, plan.scale, count),
            };
            let mut pieces: Vec<Vec<Piece>> =
                self.case.phases.iter().zip(&plan.phases).map(cut).collect();
            self.add_local(&mut pieces);
            let sends: u64 = pieces.iter().flatten().map(|piece| piece.channels.len() as u64).sum();
            if sends > MOST_SENDS {
                if self.best.is_none() {
                    return Err(TimedSearchError::TooMany { sends });
                }
                break;
            }
            let before = self.best.as_ref().map(|best| best.end);
            self.schedule(&pieces, "plan");
            let after = self.best.as_ref().map(|best| best.end);
            fruitless = if after == before { fruitless + 1 } else { 0 };
            if fruitless >= 4 || (self.best.is_some() && self.is_over()) {
                break;
            }
        }
        Ok(())
    }

    /// Adds chunks for messages that need no channel.
    fn add_local(&self, pieces: &mut [Vec<Piece>]) {
        for (case, pieces) in self.case.phases.iter().zip(pieces) {
            let mut has_piece = vec![false; case.sizes.len()];
            pieces.iter().for_each(|piece| has_piece[piece.message.index()] = true);
            for (message, &bytes) in case.sizes.iter().enumerate() {
                if bytes > 0 && !has_piece[message] {
                    pieces::cut(MessageId(message as u32), 0, bytes, 1, &[], pieces);
                }
            }
        }
    }

    /// Schedules pieces with two priorities and keeps the better result.
    fn schedule(&mut self, pieces: &[Vec<Piece>], method: &'static str) {
        let jobs = Jobs::new(self.case, pieces);
        let tails = jobs.tails();
        let early: Vec<u64> = (jobs.jobs.iter().zip(&tails))
            .map(|(job, tail)| {
                let piece = pieces[job.phase as usize].get(job.piece as usize);
                let turn = piece.map_or(0, |piece| piece.turn.min((1 << 20) - 1));
                (((1u64 << 20) - 1 - u64::from(turn)) << 43) | (tail >> 20).min((1 << 43) - 1)
            })
            .collect();
        for priority in [&tails, &early] {
            // The first schedule is always completed.
            let stop = || self.best.is_some() && (self.request.stop)();
            let times = list_schedule(&jobs, self.case.resource.len(), priority, &stop);
            let Some(times) = times else { return };
            if self.best.as_ref().is_none_or(|best| times.end < best.end) {
                self.keep(found(&jobs, &times.starts, pieces, times.end, method));
            }
        }
    }

    /// Schedules trees of quickest paths, whole messages and in a few chunks.
    fn take_quickest_paths(&mut self) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.request.seed);
        for weight in [0, 25, 50, 100, 200] {
            for count in [1, 2, 4] {
                if self.is_over() || self.request.chunks.is_some_and(|chunks| chunks != count) {
                    continue;
                }
                let pieces = self.quickest(weight, count, &mut rng);
                self.schedule(&pieces, "quickest paths");
            }
        }
    }

    fn quickest(&self, weight: u64, count: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<Vec<Piece>> {
        let mut loads = Loads(vec![0; self.case.resource.len()]);
        let mut all = Vec::new();
        for case in &self.case.phases {
            let mut pieces = Vec::new();
            for (message, &bytes) in case.sizes.iter().enumerate().filter(|(_, bytes)| **bytes > 0)
            {
                let id = MessageId(message as u32);
                let first = pieces.len();
                pieces::cut(id, 0, bytes, count, &[], &mut pieces);
                for piece in &mut pieces[first..] {
                    piece.channels =
                        tree(self.case, case, message, piece.bytes, weight, &mut loads, rng);
                }
            }
            all.push(pieces);
        }
        all
    }

    /// Random restarts of the greedy search, for broadcasts and reductions of one phase.
    fn search_at_random(&mut self) {
        let [case] = &self.case.phases[..] else { return };
        if case.is_personalised() || self.is_over() {
            return;
        }
        let before = self.best.as_ref().map_or(u64::MAX, |best| best.end);
        let found = Restarts::new(self.case, self.request).search(before, self.goal);
        let Some(GreedyFound { chunks, mut sends, end, .. }) = found else { return };
        if case.is_backward {
            reverse(self.case, &chunks, &mut sends, end);
        }
        sends.sort_by_key(|send| (send.start, send.channel, send.chunk));
        self.keep(Found { phases: vec![(chunks, sends)], end, method: "greedy" });
    }
}

/// Turns the sends of a forward schedule into those of the backward phase.
fn reverse(case: &TimedCase, chunks: &[Chunk], sends: &mut [Send], end: u64) {
    for send in sends {
        let bytes = chunks[send.chunk as usize].bytes;
        let duration = case.times.occupied(send.channel, bytes) + case.times.latency(send.channel);
        send.start = end - send.start - duration;
    }
}

/// Chunks and sends of scheduled jobs.
fn found(
    jobs: &Jobs,
    starts: &[u64],
    pieces: &[Vec<Piece>],
    end: u64,
    method: &'static str,
) -> Found {
    let mut phases: Vec<(Vec<Chunk>, Vec<Send>)> = pieces
        .iter()
        .map(|pieces| {
            let chunk = |piece: &Piece| Chunk {
                message: piece.message,
                offset: piece.offset,
                bytes: piece.bytes,
            };
            (pieces.iter().map(chunk).collect(), Vec::new())
        })
        .collect();
    for (job, &start) in jobs.jobs.iter().zip(starts) {
        if job.piece != u32::MAX {
            let send = Send { chunk: job.piece, channel: job.channel, start };
            phases[job.phase as usize].1.push(send);
        }
    }
    for (_, sends) in &mut phases {
        sends.sort_by_key(|send| (send.start, send.channel, send.chunk));
    }
    Found { phases, end, method }
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
