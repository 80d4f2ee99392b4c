//! Chooses which of several messages to fetch: one that many neighbours miss, so that it can be
//! passed on immediately, or one that many processors miss.

use super::bits::{self, BitRows, Counters};
use super::possession::Possession;
use crate::rng::Rng;

/// Digits of the counters for how many processors miss a message.
const DIGITS: usize = 4;

/// Criterion for choosing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taste {
    /// Most missing neighbours.
    Near,
    /// Most missing neighbours; ties by most missing processors in the network.
    NearThenRare,
    /// Most missing processors in the network; ties by most missing neighbours.
    RareThenNear,
}

/// Chooses messages.
#[derive(Debug)]
pub(super) struct Choice {
    anywhere: Counters,
    nearby: Counters,
    candidates: Vec<u64>,
    scratch: Vec<u64>,
}

impl Choice {
    /// For `messages` messages and at most `neighbours` neighbours.
    pub(super) fn new(messages: usize, neighbours: usize) -> Self {
        let digits = (usize::BITS - neighbours.leading_zeros()) as usize;
        let words = messages.div_ceil(64);
        Self {
            anywhere: Counters::new(DIGITS, messages),
            nearby: Counters::new(digits, messages),
            candidates: vec![0; words],
            scratch: vec![0; words],
        }
    }

    /// Records how many processors miss each message, relative to the message that most miss.
    /// Differences beyond the range of the counters are clamped.
    pub(super) fn look_everywhere(&mut self, possession: &Possession) {
        let misses = possession.misses();
        let most = misses.iter().copied().max().unwrap_or(0);
        let largest = (1 << DIGITS) - 1;
        self.anywhere.store(misses.iter().map(|&count| largest - (most - count).min(largest)));
    }

    /// Records what these neighbours miss.
    pub(super) fn look_around(&mut self, neighbours: &[usize], missing: &BitRows) {
        self.nearby.reset();
        for &neighbour in neighbours {
            self.nearby.add(missing.row(neighbour));
        }
    }

    /// Keeps the messages that most processors miss.
    pub(super) fn keep_rarest(&mut self, messages: &mut [u64]) {
        self.anywhere.keep_largest(messages, &mut self.scratch);
    }

    /// Picks one of the messages in both sets; `None` if there is none.
    pub(super) fn pick(
        &mut self,
        (one, other): (&[u64], &[u64]),
        taste: Taste,
        rng: &mut Rng,
    ) -> Option<usize> {
        for (candidate, (a, b)) in self.candidates.iter_mut().zip(one.iter().zip(other)) {
            *candidate = a & b;
        }
        let (nearby, anywhere) = (&self.nearby, &self.anywhere);
        let counters: &[&Counters] = match taste {
            Taste::Near => &[nearby],
            Taste::NearThenRare => &[nearby, anywhere],
            Taste::RareThenNear => &[anywhere, nearby],
        };
        for counter in counters {
            counter.keep_largest(&mut self.candidates, &mut self.scratch);
        }
        bits::pick(&self.candidates, rng)
    }
}
