//! The attempt of an evolutionary engine: one search for every length of detour.

use crate::chromosome::{can_list_paths, longest_detour};
use crate::encoding::{self, Encoding, encodings};
use crate::memory;
use crate::search::{Frame, IndividualSearch};
use pavane_model::Problem;
use pavane_search::{Attempt, Budget, Context, Engine, Rng};

/// Whether the evolutionary engines accept a problem: its paths can be listed and its individuals
/// fit into memory.
pub(crate) fn takes(problem: &Problem) -> bool {
    can_list_paths(problem) && encoding::fits(problem)
}

/// Searches with every length of detour that the routing allows, each with its share of the budget.
pub(crate) fn attempt(
    engine: &dyn Engine,
    context: &Context,
    steps: u32,
    search: &impl IndividualSearch,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Attempt {
    // Zero steps is infeasible.
    if steps == 0 {
        return Attempt::OutOfBudget;
    }
    let encoding = &Encoding::new(context.parameters());
    // A schedule with fewer steps also satisfies the limit.
    let steps = steps.min(memory::most_steps(engine, context.parameters(), context.problem()));
    let mut detours: Vec<u32> = (0..=longest_detour(context.problem())).collect();
    rng.shuffle(&mut detours);
    let mut left = detours.len() as u64;
    for detour in detours {
        let quota = budget.left().div_ceil(left);
        left -= 1;
        let frame = Frame { steps, detour };
        let interrupt = budget.interrupt().clone();
        let found = encodings(context, frame, encoding, &interrupt, |genome| {
            genome.search(search, frame, quota, budget, rng)
        });
        match found {
            Some(schedule) => return Attempt::Found(schedule),
            // Too few steps for these paths also counts as an evaluation.
            None if budget.is_over() || !budget.spend(1) => break,
            None => {}
        }
    }
    Attempt::OutOfBudget
}
