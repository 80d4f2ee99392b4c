//! Runs that build a schedule step by step, and the search for a run that fits: discard the last
//! steps of the best run, build them again, and keep the result if it leaves no more to do.

use super::log::Log;
use crate::budget::Budget;
use crate::rng::Rng;
use std::ops::Range;

/// Builds a schedule step by step.
pub(super) trait Builder {
    /// Starts again. Different values of `number` change the strategy, not only the random choices.
    fn begin(&mut self, number: u32, rng: &mut Rng);

    /// Goes to the state after the first `steps` steps of an earlier log of the same start.
    fn rewind(&mut self, log: &Log, steps: usize);

    /// Builds steps until there are `steps`, nothing remains to do, or the budget is spent; returns
    /// how much remains.
    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize;

    /// The steps since the last start.
    fn log(&self) -> &Log;
}

/// Consecutive attempts without improvement, per step, before a run is abandoned.
const IDLE_TRIES: usize = 2;

/// Searches for a run of at most `steps` steps, with one start for each number in `beginnings`;
/// returns whether the last run is one.
pub(super) fn find(
    run: &mut dyn Builder,
    steps: u32,
    beginnings: Range<u32>,
    budget: &mut Budget,
    rng: &mut Rng,
) -> bool {
    for number in beginnings {
        run.begin(number, rng);
        let mut least = run.advance(steps, budget, rng);
        let mut best = Log::default();
        let mut idle = 0;
        best.copy(run.log(), run.log().step_count());
        while least > 0 && idle < IDLE_TRIES * steps as usize {
            if budget.is_over() {
                return false;
            }
            run.rewind(&best, rng.below(steps as usize));
            let left = run.advance(steps, budget, rng);
            idle = if left < least { 0 } else { idle + 1 };
            if left <= least {
                least = left;
                best.copy(run.log(), run.log().step_count());
            }
        }
        if least == 0 {
            return true;
        }
        if !budget.spend(1) {
            return false;
        }
    }
    false
}
