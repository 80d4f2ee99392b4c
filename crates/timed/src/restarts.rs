//! Random restarts of the greedy search for broadcasts, in waves on several threads. The first wave
//! tries all numbers of chunks; later ones stay near the best number. A wave depends only on the results
//! of those before it, so the number of threads does not change the outcome.

use crate::case::{PhaseCase, TimedCase};
use crate::greedy::{Segment, Taste, greedy, segments};
use crate::pieces::{self, Piece};
use crate::solve::{MOST_SENDS, TimedRequest};
use pavane_model::MessageId;
use pavane_model::timed::{Chunk, Send};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The numbers of chunks per message.
const CHUNKS: [u64; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// The number of restarts of a wave after the first.
const WAVE: u64 = 16;

/// A restart.
#[derive(Clone, Copy)]
struct Restart {
    round: u64,
    /// The index in [`CHUNKS`].
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
}

impl<'a> Restarts<'a> {
    pub fn new(all: &'a TimedCase, request: &'a TimedRequest<'a>) -> Self {
        let case = &all.phases[0];
        Self { all, case, request, segments: segments(all, case) }
    }

    /// The best schedule that ends before `before`. The search ends once one ends by `goal`.
    pub fn search(&self, before: u64, goal: u64) -> Option<GreedyFound> {
        // The first wave also ranks numbers of chunks that are not good enough yet.
        let mut ranked = self.wave(&self.first_wave(), before.saturating_add(before / 4), false);
        let mut round = 2 * self.indices().len() as u64;
        loop {
            let is_reached = ranked.as_ref().is_some_and(|best| best.end <= goal);
            let restarts = self.later_wave(round, ranked.as_ref());
            if is_reached || restarts.is_empty() || (self.request.stop)() {
                return ranked.filter(|best| best.end < before);
            }
            round += restarts.len() as u64;
            let limit = ranked.as_ref().map_or(before, |best| best.end).min(before);
            if let Some(found) = self.wave(&restarts, limit.saturating_sub(1), true) {
                ranked = Some(found);
            }
        }
    }

    /// The numbers of chunks to try, by index.
    fn indices(&self) -> Vec<usize> {
        match self.request.chunks {
            Some(_) => vec![0],
            None => (0..CHUNKS.len()).collect(),
        }
    }

    fn within_rounds(&self, restart: &Restart) -> bool {
        self.request.rounds.is_none_or(|rounds| restart.round < rounds)
    }

    fn first_wave(&self) -> Vec<Restart> {
        let all = self.indices().into_iter().flat_map(|index| [true, false].map(|it| (index, it)));
        let restart = |(round, (index, has_foresight))| {
            let taste = Taste { is_rarest_first: true, noise: 0, has_foresight };
            Restart { round, index, taste }
        };
        (0..).zip(all).map(restart).filter(|restart| self.within_rounds(restart)).collect()
    }

    fn later_wave(&self, first: u64, best: Option<&GreedyFound>) -> Vec<Restart> {
        let indices = self.indices();
        let restart = |round| {
            let mut rng = self.rng(round, 1);
            let near = best.map(|best| best.restart.index + rng.random_range(0..3));
            let index = match near {
                Some(above) if round % 4 > 0 => {
                    above.saturating_sub(1).clamp(indices[0], indices[indices.len() - 1])
                }
                _ => indices[rng.random_range(0..indices.len())],
            };
            let taste = Taste {
                is_rarest_first: rng.random_range(0..4) > 0,
                noise: [0, 2, 5, 20, 100][rng.random_range(0..5usize)],
                has_foresight: match best {
                    Some(best) if rng.random_range(0..4) > 0 => best.restart.taste.has_foresight,
                    _ => rng.random(),
                },
            };
            Restart { round, index, taste }
        };
        (first..first + WAVE).map(restart).filter(|it| self.within_rounds(it)).collect()
    }

    fn rng(&self, round: u64, stream: u64) -> Xoshiro256PlusPlus {
        let seed = self.request.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (round << 1 | stream);
        Xoshiro256PlusPlus::seed_from_u64(seed)
    }

    /// The best result that ends by `limit`; of equally good ones, that of the first restart. If the
    /// limit may shrink, restarts that cannot become the best end early.
    fn wave(&self, restarts: &[Restart], limit: u64, shrinks: bool) -> Option<GreedyFound> {
        let (next, shared) = (AtomicUsize::new(0), AtomicU64::new(limit));
        let best: Mutex<Option<GreedyFound>> = Mutex::new(None);
        let work = || {
            while let Some(&restart) = restarts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let limit = shared.load(Ordering::Relaxed);
                let Some(found) = self.run(restart, limit) else { continue };
                if shrinks {
                    shared.fetch_min(found.end, Ordering::Relaxed);
                }
                let mut best = best.lock().expect("no thread panics while it holds this");
                let key = |found: &GreedyFound| (found.end, found.restart.round);
                if best.as_ref().is_none_or(|best| key(&found) < key(best)) {
                    *best = Some(found);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.request.threads.min(restarts.len()) {
                scope.spawn(work);
            }
            work();
        });
        best.into_inner().expect("no thread panics while it holds this")
    }

    /// One restart; `None` if it ends after `limit`, has too many sends, or is stopped.
    fn run(&self, restart: Restart, limit: u64) -> Option<GreedyFound> {
        let count = self.request.chunks.unwrap_or(CHUNKS[restart.index]);
        let most: u64 = self.case.sizes.iter().map(|&bytes| bytes.min(count)).sum();
        if (self.request.stop)() || most.saturating_mul(self.case.routers() as u64) > MOST_SENDS {
            return None;
        }
        let mut pieces = Vec::new();
        for (message, &bytes) in self.case.sizes.iter().enumerate() {
            pieces::cut(MessageId(message as u32), 0, bytes, count, &[], &mut pieces);
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
