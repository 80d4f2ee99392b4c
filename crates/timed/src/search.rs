//! The search: the routes of the throughput plan with more and more chunks, trees of quickest paths,
//! growing trees, and random restarts. The plan and the restarts take turns by the work that each has done, so that neither
//! waits for all of the other.

use crate::case::TimedCase;
use crate::growing::GrowingSteps;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::overlap::{halved, refined};
use crate::pieces::{self, Piece};
use crate::restarts::{GreedyFound, Restarts};
use crate::shortest::{Delay, Loads, tree};
use crate::shuffles::Shuffles;
use crate::solve::{TimedRequest, TimedSearchError};
use pavane_model::throughput::PlanPhase;
use pavane_model::timed::{Chunk, Send};
use pavane_model::{MessageId, ThroughputPlan};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The numbers of chunks per route that are tried, as long as the number of sends stays reasonable.
pub(crate) const COUNTS: [u64; 22] =
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024];

/// How the load of channels counts in the choice of quickest paths.
pub(crate) const DELAYS: [Delay; 6] = [
    Delay::Load(0),
    Delay::Load(100),
    Delay::Load(25),
    Delay::Load(50),
    Delay::Load(200),
    Delay::Queue,
];

/// The most messages that quickest paths try to send in many chunks, each on a path of its own.
const MOST_PIPELINED: usize = 4;

/// The most sends of a schedule.
pub(crate) const MOST_SENDS: u64 = 2_000_000;

/// The most sends of a schedule whose number of chunks the search chooses.
const MOST_CHOSEN: u64 = 300_000;

/// The most sends of a schedule along quickest paths.
const MOST_QUICK: u64 = 20_000;

/// The most sends of a schedule whose chunks are cut in two.
const MOST_HALVED: u64 = 100_000;

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
    phases: &'a [PlanPhase],
    scale: u64,
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

/// The trees of quickest paths that are tried: how much load counts, and the numbers of chunks.
struct QuickSteps {
    counts: Vec<u64>,
    queueing: Vec<u64>,
    delay: usize,
    count: usize,
    /// The numbers of chunks in a row that gave no better schedule with this delay.
    fruitless: u32,
    best: u64,
}

impl QuickSteps {
    /// A few messages that queue also try all `queueing` numbers of chunks.
    fn new(counts: Vec<u64>, queueing: Vec<u64>) -> Self {
        Self { counts, queueing, delay: 0, count: 0, fruitless: 0, best: u64::MAX }
    }

    /// The numbers of chunks with this delay.
    fn counts(&self) -> &[u64] {
        if DELAYS.get(self.delay) == Some(&Delay::Queue) { &self.queueing } else { &self.counts }
    }

    /// The next delay and number of chunks.
    fn next(&self) -> Option<(Delay, u64)> {
        Some((*DELAYS.get(self.delay)?, *self.counts().get(self.count)?))
    }

    /// Goes on after a schedule that ends at `end`.
    fn advance(&mut self, end: u64) {
        self.fruitless = if end < self.best { 0 } else { self.fruitless + 1 };
        self.best = self.best.min(end);
        self.count += 1;
        // Chunks that queue take a second path only when they are many.
        let is_queueing = self.counts().len() > self.counts.len();
        let patience = if is_queueing { 10 } else { 3 };
        if self.count == self.counts().len() || self.fruitless >= patience {
            (self.delay, self.count) = (self.delay + 1, 0);
            (self.fruitless, self.best) = (0, u64::MAX);
        }
    }
}

/// A search with the best schedule so far.
pub(crate) struct Search<'a> {
    case: &'a TimedCase,
    request: &'a TimedRequest<'a>,
    best: Option<Found>,
    quick: QuickSteps,
    growing: GrowingSteps,
    rng: Xoshiro256PlusPlus,
    plan: Option<PlanSteps<'a>>,
    restarts: Option<Restarts<'a>>,
    shuffles: Shuffles<'a>,
    /// The last arrival of the best schedule whose chunks were cut in two.
    halved: u64,
    work: u64,
}

impl<'a> Search<'a> {
    /// Only broadcasts and reductions of one phase have random restarts of the greedy search.
    pub fn new(case: &'a TimedCase, request: &'a TimedRequest<'a>) -> Self {
        let restarts = match &case.phases[..] {
            [phase] if !phase.is_personalised() => Some(Restarts::new(case, request)),
            _ => None,
        };
        let is_pipelined = case.phases[0].sizes.len() <= MOST_PIPELINED;
        let (quick, queueing) = match request.chunks {
            Some(count) => (coarser(count), coarser(count)),
            None if is_pipelined && case.phases.len() > 1 => (COUNTS.to_vec(), COUNTS.to_vec()),
            None if is_pipelined => (vec![1, 2, 4], COUNTS.to_vec()),
            None => (vec![1, 2, 4], vec![1, 2, 4]),
        };
        Self {
            case,
            request,
            best: None,
            quick: QuickSteps::new(quick, queueing),
            growing: GrowingSteps::new(case, request.chunks),
            rng: Xoshiro256PlusPlus::seed_from_u64(request.seed),
            plan: None,
            restarts,
            shuffles: Shuffles::new(case, request),
            halved: u64::MAX,
            work: 0,
        }
    }

    /// The best schedule so far.
    pub fn best(&self) -> Option<&Found> {
        self.best.as_ref()
    }

    /// The last arrival of the best schedule so far.
    pub fn end(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |best| best.end)
    }

    /// A measure of the work so far: the number of sends that have been scheduled.
    pub fn work(&self) -> u64 {
        self.work + self.restarts.as_ref().map_or(0, Restarts::work) + self.shuffles.work()
    }

    /// The routes of a throughput plan.
    pub fn set_plan(&mut self, phases: &'a [PlanPhase], scale: u64) {
        let counts = self.request.chunks.map_or_else(|| COUNTS.to_vec(), coarser);
        let (next, fruitless, best, work) = (0, 0, u64::MAX, 0);
        self.plan = Some(PlanSteps { phases, scale, counts, next, fruitless, best, work });
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
    pub fn run(mut self, goal: u64) -> Result<Found, TimedSearchError> {
        let is_over = |search: &Self| (self.request.stop)() || search.end() <= goal;
        while self.best.is_none() || !is_over(&self) {
            if !self.step()? {
                break;
            }
        }
        Ok(self.best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" }))
    }

    /// The quickest schedule along the plan alone.
    pub fn along(mut self, plan: &'a ThroughputPlan) -> Result<Found, TimedSearchError> {
        self.set_plan(&plan.phases, plan.scale);
        let is_open = |search: &Self| search.plan.as_ref().is_some_and(PlanSteps::is_open);
        while is_open(&self) && (self.best.is_none() || !(self.request.stop)()) {
            self.follow_plan()?;
        }
        Ok(self.best.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" }))
    }

    /// One step of the search. Returns false if there is none left.
    pub fn step(&mut self) -> Result<bool, TimedSearchError> {
        let is_planned = self.plan.as_ref().is_some_and(PlanSteps::is_open);
        if self.best.is_none() && is_planned {
            self.follow_plan()?;
            return Ok(true);
        }
        if self.step_quickly() || self.grow() {
            return Ok(true);
        }
        let work = self.plan.as_ref().map_or(0, |plan| plan.work);
        let restarts = self
            .restarts
            .take_if(|restarts| !restarts.is_over() && (!is_planned || restarts.work() <= work));
        if let Some(mut restarts) = restarts {
            self.restart(&mut restarts);
            self.restarts = Some(restarts);
            return Ok(true);
        }
        if is_planned {
            self.follow_plan()?;
            return Ok(true);
        }
        if self.restarts.is_some() {
            return Ok(false);
        }
        if self.halve() {
            return Ok(true);
        }
        if self.shuffles.is_over() {
            return Ok(false);
        }
        if let Some(found) = self.shuffles.wave(self.best.as_ref()) {
            self.keep(found);
        }
        Ok(true)
    }

    /// Schedules trees of quickest paths with the next number of chunks. Returns false if there is none.
    pub fn step_quickly(&mut self) -> bool {
        let Some((delay, count)) = self.quick.next() else { return false };
        let mut rng = self.rng.clone();
        let pieces = quickest(self.case, self.request.chunks, (delay, count), None, &mut rng);
        self.rng = rng;
        let sends: u64 = pieces.iter().flatten().map(|piece| piece.channels.len() as u64).sum();
        if sends > MOST_QUICK && self.request.chunks.is_none() && count > 4 {
            self.quick.advance(u64::MAX);
            return true;
        }
        let end = self.schedule(&pieces, "quickest paths");
        self.work += 2 * sends;
        self.quick.advance(end);
        true
    }

    /// Schedules growing trees with the next number of chunks. Returns false if there is none.
    fn grow(&mut self) -> bool {
        let mut rng = self.rng.clone();
        let Some(pieces) = self.growing.pieces(self.case, &mut rng) else { return false };
        self.rng = rng;
        let sends: u64 = pieces.iter().flatten().map(|piece| piece.channels.len() as u64).sum();
        self.schedule(&pieces, "growing trees");
        self.work += 2 * sends;
        true
    }

    /// Cuts the chunks of the best schedule in two, if that has not been tried. Returns false if it has.
    fn halve(&mut self) -> bool {
        let Some(best) = self.best.as_ref().filter(|best| best.end < self.halved) else {
            return false;
        };
        self.halved = best.end;
        let sends: usize = best.phases.iter().map(|(_, sends)| sends.len()).sum();
        if self.request.chunks.is_none() && 2 * sends as u64 <= MOST_HALVED {
            self.work += 8 * sends as u64;
            if let Some(found) = halved(self.case, best, self.request.stop) {
                self.keep(found);
            }
        }
        true
    }

    /// Keeps a schedule if it is the best so far.
    pub fn keep(&mut self, found: Found) {
        if found.end < self.end() {
            self.best = Some(found);
        }
    }

    /// Schedules chunks along the routes of the throughput plan, with the next number of chunks.
    fn follow_plan(&mut self) -> Result<(), TimedSearchError> {
        let Some(mut steps) = self.plan.take() else { return Ok(()) };
        let done = self.follow(&mut steps);
        self.plan = Some(steps);
        done
    }

    fn follow(&mut self, steps: &mut PlanSteps<'_>) -> Result<(), TimedSearchError> {
        let Some(&count) = steps.counts.get(steps.next) else { return Ok(()) };
        steps.next += 1;
        let cut = |(case, phase)| match self.request.chunks {
            Some(fine) => pieces::equal_from_plan(case, phase, fine, count),
            None => pieces::from_plan(case, phase, steps.scale, count),
        };
        let mut pieces: Vec<Vec<Piece>> =
            self.case.phases.iter().zip(steps.phases).map(cut).collect();
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
        self.work += 2 * sends;
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
            let is_better = times.end < self.end();
            if is_better || self.request.chunks.is_some() {
                let found = found(&jobs, &times.starts, pieces, times.end, method);
                let found = self.in_fine_chunks(found);
                end = end.min(found.end);
                self.keep(found);
            }
            end = end.min(times.end);
        }
        end
    }

    /// A schedule with the number of chunks of the request.
    fn in_fine_chunks(&self, found: Found) -> Found {
        match self.request.chunks {
            Some(count) => refined(self.case, found, count, self.request.stop),
            None => found,
        }
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
        let found = Found { phases: vec![(chunks, sends)], end, method: "greedy" };
        self.keep(self.in_fine_chunks(found));
    }
}

/// A number of chunks, and smaller ones: their schedules with finer chunks are often quicker.
pub(crate) fn coarser(count: u64) -> Vec<u64> {
    let smaller = COUNTS.iter().copied().filter(|&it| it < count).take(8);
    std::iter::once(count).chain(smaller).collect()
}

/// Pieces of all messages along trees of quickest paths. The messages choose their trees in the given
/// order of all phases, or one after the other.
pub(crate) fn quickest(
    all: &TimedCase,
    fine: Option<u64>,
    (delay, count): (Delay, u64),
    order: Option<&[Vec<usize>]>,
    rng: &mut impl Rng,
) -> Vec<Vec<Piece>> {
    let mut loads = Loads(vec![0; all.resource.len()]);
    let mut pieces = Vec::new();
    for (at, case) in all.phases.iter().enumerate() {
        let mut own = Vec::new();
        let in_turn = (0..case.sizes.len()).collect();
        for &message in order.map_or(&in_turn, |order| &order[at]) {
            let bytes = case.sizes[message];
            let first = own.len();
            pieces::groups(
                MessageId(message as u32),
                bytes,
                fine.unwrap_or(count),
                count,
                &mut own,
            );
            for piece in &mut own[first..] {
                piece.channels = tree(all, case, message, piece.bytes, delay, &mut loads, rng);
            }
        }
        own.sort_by_key(|piece: &Piece| (piece.message, piece.offset));
        pieces.push(own);
    }
    pieces
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
