//! The engines of a search, and the limits of its rounds.

use crate::attempt::{Engine, ProofLimits};
use pavane_model::Problem;

/// What stays the same during a search.
#[derive(Clone, Copy)]
pub(super) struct Roster<'a> {
    /// The problem read forwards.
    pub problem: &'a Problem,
    /// Whether every message has one destination.
    pub is_personalised: bool,
    /// Whether the engines start from an incomplete schedule.
    pub has_start: bool,
    /// The engines that search, and behind them the one that can also prove if it is one of several.
    pub engines: &'a [&'static dyn Engine],
    /// How many of them search.
    pub searching: usize,
    /// The most steps for which all engines have memory to spare.
    pub room: u32,
    /// Steps that the caller asks for.
    pub steps: Option<u32>,
    /// The most evaluations.
    pub evaluations: Option<u64>,
    /// Whether the caller asks for a proof.
    pub prove: bool,
    /// The numbers of steps up to which proofs are affordable otherwise.
    pub limits: ProofLimits,
    /// Workers that rounds are sized for: 1 where the answer may not depend on their number.
    pub workers: u64,
}

impl Roster<'_> {
    pub fn first_quota(&self, engine: usize, steps: u32) -> u64 {
        if self.has_start {
            self.engines[engine].repair_quota(self.problem, steps)
        } else {
            self.engines[engine].first_quota(self.problem, steps)
        }
    }

    /// The exact engine where it is one of several.
    pub fn exact(&self) -> Option<usize> {
        (self.searching < self.engines.len()).then_some(self.searching)
    }

    pub fn is_exact(&self, engine: usize) -> bool {
        self.engines[engine].describe().is_exact
    }

    /// Whether the construction of an engine uses the prices that come with the bounds: for personalised
    /// messages only, and not if the engine needs none.
    pub fn uses_prices(&self, engine: usize) -> bool {
        self.is_personalised && self.engines[engine].describe().wants_prices
    }

    /// The first engine from `next` on whose construction does or does not use prices.
    pub fn next_construction(&self, next: usize, with_prices: bool) -> Option<usize> {
        (next..self.searching).find(|&engine| self.uses_prices(engine) == with_prices)
    }
}
