//! The engines of a search, and the limits of its rounds.

use crate::attempt::{Engine, ProofLimits};
use pavane_model::Problem;

/// Properties of a search that do not change while it runs.
#[derive(Clone, Copy)]
pub(super) struct Roster<'a> {
    /// The forward problem.
    pub problem: &'a Problem,
    /// Whether every message has one destination.
    pub is_personalised: bool,
    /// Whether the engines start from an incomplete schedule.
    pub has_start: bool,
    /// The engines that search, followed by the exact engine if it runs in addition to others.
    pub engines: &'a [&'static dyn Engine],
    /// Number of engines that search.
    pub searching: usize,
    /// Largest step count that fits in memory for all engines.
    pub room: u32,
    /// The requested maximum number of steps.
    pub steps: Option<u32>,
    /// Maximum number of evaluations.
    pub evaluations: Option<u64>,
    /// Whether the caller requests a proof.
    pub prove: bool,
    /// Step counts up to which the exact engine runs without such a request.
    pub limits: ProofLimits,
    /// Number of workers that determines the size of rounds; 1 if the result must not depend on it.
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

    /// Processor time of an evaluation of an engine.
    pub fn cost(&self, engine: usize, steps: u32) -> u64 {
        self.engines[engine].cost(self.problem, steps).max(1)
    }

    /// Processor time of an engine's first attempt.
    pub fn first_work(&self, engine: usize, steps: u32) -> u64 {
        self.first_quota(engine, steps).saturating_mul(self.cost(engine, steps))
    }

    /// Evaluations of an engine's attempt before the slow bounds, if `spent` are spent.
    pub fn early_quota(&self, engine: usize, spent: u64) -> u64 {
        if self.has_start {
            return 0;
        }
        let left = self.evaluations.map_or(u64::MAX, |limit| limit.saturating_sub(spent));
        self.engines[engine].early_quota(self.problem).min(left)
    }

    /// The exact engine if it runs in addition to others.
    pub fn exact(&self) -> Option<usize> {
        (self.searching < self.engines.len()).then_some(self.searching)
    }

    /// The engines that search steadily, rather than aim at the bound; all if there are none.
    pub fn steady(&self) -> impl Iterator<Item = usize> {
        let aims = |engine: usize| self.engines[engine].describe().aims_at_bound;
        let is_any_steady = (0..self.searching).any(|engine| !aims(engine));
        (0..self.searching).filter(move |&engine| !(is_any_steady && aims(engine)))
    }

    pub fn is_exact(&self, engine: usize) -> bool {
        self.engines[engine].describe().is_exact
    }

    /// Whether the construction of an engine uses the prices from the bounds: only for personalised
    /// messages, and only if the engine wants prices.
    pub fn uses_prices(&self, engine: usize) -> bool {
        self.is_personalised && self.engines[engine].describe().wants_prices
    }

    /// The first engine from `next` on with [`Self::uses_prices`] equal to `with_prices`.
    pub fn next_construction(&self, next: usize, with_prices: bool) -> Option<usize> {
        (next..self.searching).find(|&engine| self.uses_prices(engine) == with_prices)
    }
}
