//! Random restarts of the greedy search for broadcasts, in waves on several threads. The first wave
//! tries all numbers of chunks; later ones stay near the best number. A wave depends only on the results
//! of those before it, so the number of threads does not change the outcome.

use crate::case::{PhaseCase, TimedCase};
use crate::greedy::{Segment, Taste, greedy, segments};
use crate::pieces::{self, Piece};
use crate::search::{MOST_SENDS, coarser};
use crate::solve::TimedRequest;
use crate::waves::best_of;
use pavane_model::MessageId;
use pavane_model::timed::{Chunk, Send};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of chunks per message.
const CHUNKS: [u64; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// The number of restarts of a wave after the first.
const WAVE: u64 = 16;

/// How many copies of a chunk go to helpers; see [`Taste::helpers`].
const HELPERS: [Option<u16>; 6] = [None, Some(0), Some(1), Some(2), Some(4), Some(u16::MAX)];

/// How much longer the greedy search takes for a send than a schedule along routes.
const GREEDY_WORK: u64 = 12;

/// A restart.
#[derive(Clone, Copy)]
struct Restart {
    round: u64,
    /// The index of the number of chunks.
    index: usize,
    taste: Taste,
}

/// The result of a restart.
pub(crate) struct GreedyFound {
    pub chunks: Vec<Chunk>,
    /// Of the forward problem, if the phase is a reduction.
    pub sends: Vec<Send>,
    pub end: u64,
    restart: Restart,
}

/// The restarts on one phase.
pub(crate) struct Restarts<'a> {
    all: &'a TimedCase,
    case: &'a PhaseCase,
    request: &'a TimedRequest<'a>,
    segments: Vec<Vec<Segment>>,
    /// The numbers of chunks to try.
    counts: Vec<u64>,
    /// The number of restarts so far.
    round: u64,
    /// The numbers of chunks that the first waves have tried.
    tried: usize,
    /// The best restart so far and its end.
    best: Option<(Restart, u64)>,
    work: u64,
}

impl<'a> Restarts<'a> {
    pub fn new(all: &'a TimedCase, request: &'a TimedRequest<'a>) -> Self {
        let case = &all.phases[0];
        let segments = segments(all, case);
        let counts = request.chunks.map_or_else(|| CHUNKS.to_vec(), coarser);
        Self { all, case, request, segments, counts, round: 0, tried: 0, best: None, work: 0 }
    }

    /// A measure of the work so far: the number of sends that a schedule along routes takes the same time for.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether all restarts of the request have been made.
    pub fn is_over(&self) -> bool {
        self.request.rounds.is_some_and(|rounds| self.round >= rounds)
    }

    /// The work of the next wave.
    pub fn next_work(&self) -> u64 {
        self.next_wave().iter().map(|restart| GREEDY_WORK * self.sends(restart)).sum()
    }

    fn next_wave(&self) -> Vec<Restart> {
        let is_first = self.tried < self.counts.len();
        let mut restarts = if is_first { self.first_wave(self.tried) } else { self.later_wave() };
        restarts.retain(|restart| self.request.rounds.is_none_or(|rounds| restart.round < rounds));
        restarts
    }

    /// Runs the next wave. Returns its best schedule if that ends before `before`.
    pub fn wave(&mut self, before: u64) -> Option<GreedyFound> {
        let is_first = self.tried < self.counts.len();
        let restarts = self.next_wave();
        self.work += self.next_work();
        self.round += restarts.len() as u64;
        self.tried += usize::from(is_first);
        // The first waves also rank numbers of chunks that are not good enough yet.
        let limit =
            if is_first { before.saturating_add(before / 4) } else { before.saturating_sub(1) };
        let found = self.run_all(&restarts, limit, !is_first)?;
        if self.best.as_ref().is_none_or(|best| found.end < best.1) {
            self.best = Some((found.restart, found.end));
        }
        (found.end < before).then_some(found)
    }

    fn count(&self, restart: &Restart) -> u64 {
        self.counts[restart.index]
    }

    /// The most sends of a restart.
    fn sends(&self, restart: &Restart) -> u64 {
        let count = self.count(restart);
        let chunks: u64 = self.case.sizes.iter().map(|&bytes| bytes.min(count)).sum();
        chunks.saturating_mul(self.case.routers() as u64)
    }

    /// A restart of every kind with a number of chunks.
    fn first_wave(&self, index: usize) -> Vec<Restart> {
        let kinds = [
            (true, 0, None, 0),
            (false, 0, None, 0),
            (true, 50, Some(1), 1),
            (true, 0, Some(4), 1),
        ];
        let restart = |(round, (has_foresight, patience, helpers, queue))| {
            let (is_rarest_first, noise) = (true, 0);
            let taste = Taste { is_rarest_first, noise, has_foresight, patience, helpers, queue };
            Restart { round, index, taste }
        };
        (self.round..).zip(kinds).map(restart).collect()
    }

    /// Random restarts, most of them near the best one.
    fn later_wave(&self) -> Vec<Restart> {
        let restart = |round| {
            let mut rng = self.rng(round, 1);
            let (index, taste) = (self.index(round, &mut rng), self.taste(&mut rng));
            Restart { round, index, taste }
        };
        (self.round..self.round + WAVE).map(restart).collect()
    }

    /// The number of chunks of a random restart.
    fn index(&self, round: u64, rng: &mut impl Rng) -> usize {
        let last = self.counts.len() - 1;
        match &self.best {
            Some((best, _)) if !round.is_multiple_of(4) => {
                let above = best.index + rng.random_range(0..3usize);
                above.saturating_sub(1).min(last)
            }
            _ => rng.random_range(0..=last),
        }
    }

    /// A random taste, in most properties that of the best restart.
    fn taste(&self, rng: &mut impl Rng) -> Taste {
        let mut taste = Taste {
            is_rarest_first: rng.random_range(0..4) > 0,
            noise: [0, 2, 5, 20, 100][rng.random_range(0..5usize)],
            has_foresight: rng.random(),
            patience: [0, 20, 50, 100][rng.random_range(0..4usize)],
            helpers: HELPERS[rng.random_range(0..HELPERS.len())],
            queue: [0, 1, 2, 4][rng.random_range(0..4usize)],
        };
        if let Some((Restart { taste: best, .. }, _)) = &self.best {
            let mut is_kept = || rng.random_range(0..4) > 0;
            if is_kept() {
                taste.has_foresight = best.has_foresight;
            }
            if is_kept() {
                taste.patience = best.patience;
            }
            if is_kept() {
                taste.helpers = best.helpers;
            }
            if is_kept() {
                taste.queue = best.queue;
            }
        }
        taste
    }

    fn rng(&self, round: u64, stream: u64) -> Xoshiro256PlusPlus {
        let seed = self.request.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (round << 1 | stream);
        Xoshiro256PlusPlus::seed_from_u64(seed)
    }

    /// The best result that ends by `limit`; of equally good ones, that of the first restart. If the
    /// limit may shrink, restarts that cannot become the best end early.
    fn run_all(&self, restarts: &[Restart], limit: u64, shrinks: bool) -> Option<GreedyFound> {
        let shared = AtomicU64::new(limit);
        let run = |restart: &Restart| {
            let found = self.run(*restart, shared.load(Ordering::Relaxed))?;
            if shrinks {
                shared.fetch_min(found.end, Ordering::Relaxed);
            }
            Some(found)
        };
        let key = |found: &GreedyFound| (found.end, found.restart.round);
        best_of(restarts, self.request.threads, &run, &key)
    }

    /// One restart; `None` if it ends after `limit`, has too many sends, or is stopped.
    fn run(&self, restart: Restart, limit: u64) -> Option<GreedyFound> {
        if (self.request.stop)() || self.sends(&restart) > MOST_SENDS {
            return None;
        }
        let count = self.count(&restart);
        let mut pieces = Vec::new();
        for (message, &bytes) in self.case.sizes.iter().enumerate() {
            let fine = self.request.chunks.unwrap_or(count);
            pieces::groups(MessageId(message as u32), bytes, fine, count, &mut pieces);
        }
        let chunk = |piece: &Piece| Chunk {
            message: piece.message,
            offset: piece.offset,
            bytes: piece.bytes,
        };
        let chunks: Vec<Chunk> = pieces.iter().map(chunk).collect();
        let mut rng = self.rng(restart.round, 0);
        let (all, case, stop) = (self.all, self.case, self.request.stop);
        let found =
            greedy(all, case, &self.segments, &chunks, restart.taste, &mut rng, limit, stop);
        let (sends, end) = found.filter(|(_, end)| *end <= limit)?;
        Some(GreedyFound { chunks, sends, end, restart })
    }
}
