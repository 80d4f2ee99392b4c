//! Which of several messages to fetch: one that many neighbours miss, so that it can be passed on
//! at once, or one that many miss anywhere.

use super::bits::{self, BitRows, Counters};
use super::possession::Possession;
use crate::rng::Rng;

/// Digits of the counters that compare how many miss a message anywhere.
const DIGITS: usize = 4;

/// What makes a message worth fetching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taste {
    /// Many neighbours miss it.
    Near,
    /// Many neighbours miss it; of several such, many miss it anywhere.
    NearThenRare,
    /// Many miss it anywhere; of several such, many neighbours.
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
    /// For so many messages and at most so many neighbours.
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

    /// Looks at how many miss each message. Only small differences count: what is behind most is
    /// behind.
    pub(super) fn look_everywhere(&mut self, possession: &Possession) {
        let misses = possession.misses();
        let most = misses.iter().copied().max().unwrap_or(0);
        let largest = (1 << DIGITS) - 1;
        self.anywhere.store(misses.iter().map(|&count| largest - (most - count).min(largest)));
    }

    /// Looks at what these neighbours miss.
    pub(super) fn look_around(&mut self, neighbours: &[usize], missing: &BitRows) {
        self.nearby.reset();
        for &neighbour in neighbours {
            self.nearby.add(missing.row(neighbour));
        }
    }

    /// Keeps those messages that most miss anywhere.
    pub(super) fn keep_rarest(&mut self, messages: &mut [u64]) {
        self.anywhere.keep_largest(messages, &mut self.scratch);
    }

    /// One of the messages in both sets; `None` if there is none.
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
