//! Runs that make a schedule step by step, and how to come from a run that does not fit to one
//! that does: take back its last steps, make them anew, and keep what comes closer.

use super::log::Log;
use crate::budget::Budget;
use crate::rng::Rng;
use std::ops::Range;

/// Something that makes a schedule step by step.
pub(super) trait Run {
    /// Begins anew; runs of different numbers differ in more than chance.
    fn begin(&mut self, number: u32, rng: &mut Rng);

    /// Goes to where the first so many steps of an earlier log led, the last beginning unchanged.
    fn rewind(&mut self, log: &Log, steps: usize);

    /// Makes steps until there are `steps`, nothing is left to do, or the budget is spent; what is
    /// then left to do.
    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize;

    /// What was done since the last beginning.
    fn log(&self) -> &Log;
}

/// Tries in a row that bring nothing, per step, before a run is given up.
const IDLE_TRIES: usize = 2;

/// Looks for a run of at most `steps` steps, beginning so many times; whether the last one is.
pub(super) fn find(
    run: &mut dyn Run,
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
