//! The search: the routes of the throughput plan with more and more chunks, trees of quickest paths, and
//! random restarts of the greedy search. The plan and the restarts take turns by the work that each has
//! done, so that neither waits for all of the other.

use crate::case::TimedCase;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::pieces::{self, Piece};
use crate::restarts::{GreedyFound, Restarts};
use crate::shortest::{Loads, tree};
use crate::solve::{TimedRequest, TimedSearchError};
use pavane_model::MessageId;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::timed::{Chunk, Send};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The numbers of chunks per route that are tried, as long as the number of sends stays reasonable.
const COUNTS: [u64; 22] =
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024];

/// The most sends of a schedule.
pub(crate) const MOST_SENDS: u64 = 2_000_000;

/// The most sends of a schedule whose number of chunks the search chooses.
const MOST_CHOSEN: u64 = 300_000;

/// The work of the restarts before the throughput plan is computed.
const FIRST_WORK: u64 = 900_000;

/// Chunks and sends of every phase, with the last arrival in units.
#[derive(Clone)]
pub(crate) struct Found {
    pub phases: Vec<(Vec<Chunk>, Vec<Send>)>,
    pub end: u64,
    pub method: &'static str,
}

/// The numbers of chunks with which the plan is followed.
struct PlanSteps<'a> {
    plan: &'a ThroughputPlan,
    counts: Vec<u64>,
    next: usize,
    /// The numbers of chunks in a row that gave no better schedule.
    fruitless: u32,
    /// The last arrival of the best schedule along the plan.
    best: u64,
    /// The number of sends scheduled so far.
    work: u64,
}

impl PlanSteps<'_> {
    fn is_open(&self) -> bool {
        self.next < self.counts.len() && self.fruitless < 4
    }
}

/// A search with the best schedule so far.
pub(crate) struct Search<'a> {
    case: &'a TimedCase,
    request: &'a TimedRequest<'a>,
    /// A schedule that ends by this time is optimal.
    goal: u64,
    best: Option<Found>,
    restarts: Option<Restarts<'a>>,
}

impl<'a> Search<'a> {
    /// Only broadcasts and reductions of one phase have random restarts.
    pub fn new(case: &'a TimedCase, request: &'a TimedRequest<'a>) -> Self {
        let restarts = match &case.phases[..] {
            [phase] if !phase.is_personalised() => Some(Restarts::new(case, request)),
            _ => None,
        };
        Self { case, request, goal: 0, best: None, restarts }
    }

    /// A few restarts, before the throughput plan is known: those that take less time than the plan.
    pub fn start(&mut self) {
        while let Some(mut restarts) = self.restarts.take_if(|restarts| {
            !restarts.is_over() && restarts.work() + restarts.next_work() <= FIRST_WORK
        }) {
            self.restart(&mut restarts);
            self.restarts = Some(restarts);
        }
    }

    /// Searches until a schedule ends by `goal`, which none can beat, or until the request says so.
    pub fn run(mut self, goal: u64, plan: &ThroughputPlan) -> Result<Found, TimedSearchError> {
        self.goal = goal;
        let mut steps = self.plan_steps(plan);
        if self.best.is_none() {
            self.follow_plan(&mut steps)?;
        }
        self.take_quickest_paths();
        while !self.is_over() {
            let restarts = self.restarts.take_if(|restarts| {
                !restarts.is_over() && (!steps.is_open() || restarts.work() <= steps.work)
            });
            if let Some(mut restarts) = restarts {
                self.restart(&mut restarts);
                self.restarts = Some(restarts);
            } else if steps.is_open() {
                self.follow_plan(&mut steps)?;
            } else {
                break;
            }
        }
        Ok(self.best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" }))
    }

    /// The quickest schedule along the plan alone.
    pub fn along(mut self, plan: &ThroughputPlan) -> Result<Found, TimedSearchError> {
        let mut steps = self.plan_steps(plan);
        while steps.is_open() && (self.best.is_none() || !self.is_over()) {
            self.follow_plan(&mut steps)?;
        }
        Ok(self.best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" }))
    }

    fn plan_steps<'b>(&self, plan: &'b ThroughputPlan) -> PlanSteps<'b> {
        let counts = match self.request.chunks {
            Some(count) => vec![count],
            None => COUNTS.to_vec(),
        };
        PlanSteps { plan, counts, next: 0, fruitless: 0, best: u64::MAX, work: 0 }
    }

    fn is_over(&self) -> bool {
        (self.request.stop)() || self.best.as_ref().is_some_and(|best| best.end <= self.goal)
    }

    fn end(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |best| best.end)
    }

    fn keep(&mut self, found: Found) {
        if found.end < self.end() {
            self.best = Some(found);
        }
    }

    /// Schedules chunks along the routes of the throughput plan, with the next number of chunks.
    fn follow_plan(&mut self, steps: &mut PlanSteps<'_>) -> Result<(), TimedSearchError> {
        let Some(&count) = steps.counts.get(steps.next) else { return Ok(()) };
        steps.next += 1;
        let cut = |(case, phase)| match self.request.chunks {
            Some(count) => pieces::equal_from_plan(case, phase, count),
            None => pieces::from_plan(case, phase, steps.plan.scale, count),
        };
        let mut pieces: Vec<Vec<Piece>> =
            self.case.phases.iter().zip(&steps.plan.phases).map(cut).collect();
        self.add_local(&mut pieces);
        let sends: u64 = pieces.iter().flatten().map(|piece| piece.channels.len() as u64).sum();
        if sends > MOST_SENDS && self.best.is_none() {
            return Err(TimedSearchError::TooMany { sends });
        }
        if sends > MOST_CHOSEN && self.best.is_some() {
            steps.next = steps.counts.len();
            return Ok(());
        }
        let end = self.schedule(&pieces, "plan");
        steps.work += 2 * sends;
        steps.fruitless = if end < steps.best { 0 } else { steps.fruitless + 1 };
        steps.best = steps.best.min(end);
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

    /// Schedules pieces with two priorities and keeps the better result. Returns its last arrival.
    fn schedule(&mut self, pieces: &[Vec<Piece>], method: &'static str) -> u64 {
        let jobs = Jobs::new(self.case, pieces);
        let tails = jobs.tails();
        let early: Vec<u64> = (jobs.jobs.iter().zip(&tails))
            .map(|(job, tail)| {
                let piece = pieces[job.phase as usize].get(job.piece as usize);
                let turn = piece.map_or(0, |piece| piece.turn.min((1 << 20) - 1));
                (((1u64 << 20) - 1 - u64::from(turn)) << 43) | (tail >> 20).min((1 << 43) - 1)
            })
            .collect();
        let mut end = u64::MAX;
        for priority in [&tails, &early] {
            // The first schedule is always completed.
            let stop = || self.best.is_some() && (self.request.stop)();
            let times = list_schedule(&jobs, self.case.resource.len(), priority, &stop);
            let Some(times) = times else { break };
            end = end.min(times.end);
            if self.best.as_ref().is_none_or(|best| times.end < best.end) {
                self.keep(found(&jobs, &times.starts, pieces, times.end, method));
            }
        }
        end
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

    /// One wave of random restarts.
    fn restart(&mut self, restarts: &mut Restarts<'_>) {
        let Some(GreedyFound { chunks, mut sends, end, .. }) = restarts.wave(self.end()) else {
            return;
        };
        if self.case.phases[0].is_backward {
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
pub(crate) fn found(
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
