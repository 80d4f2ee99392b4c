//! The papers' evolutionary engines, and the ones they are compared with. They run only when
//! selected by name: the engines that `auto` chooses from are far stronger. Each has two presets:
//! `paper` follows the papers literally, and `tuned` adds what the papers leave open and what makes
//! the difference.

mod annealing;
mod cooling;
pub mod decision_trees;
mod encoding;
mod estimation;
mod ga;
mod hgsa;
mod mboa;
mod memory;
mod umda;

pub use annealing::Annealing;
pub use ga::Ga;
pub use hgsa::Hgsa;
pub use mboa::Mboa;
use memory::room;
pub use umda::Umda;

use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::chromosome::{Chromosome, can_list_paths, longest_detour};
use crate::rng::Rng;
use encoding::{Encoding, encodings};
use pavane_model::{Problem, Schedule};

/// The engines that run only when selected by name.
pub static ENGINES: &[&dyn Engine] = &[&Annealing, &Hgsa, &Mboa, &Umda, &Ga];

/// The limits of individuals: number of steps and length of detours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    pub steps: u32,
    pub detour: u32,
}

/// A search among individuals of any encoding.
pub(crate) trait Search {
    /// Searches for an individual without conflicts, with at most `quota` evaluations.
    fn run<C: Chromosome>(
        &self,
        frame: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C>;
}

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
    search: &impl Search,
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

/// Creates `count` individuals, with one evaluation each. Returns `Err` if the search ends first:
/// with an individual that has no conflicts, or with `None` if the budget is over.
fn first_population<C: Chromosome>(
    count: usize,
    end: u64,
    budget: &mut Budget,
    mut make: impl FnMut() -> C,
) -> Result<Vec<C>, Option<C>> {
    let mut population = Vec::new();
    while population.len() < count {
        let individual = make();
        let may_go_on = budget.spend(1);
        if individual.conflicts() == 0 {
            return Err(Some(individual));
        }
        if !may_go_on || budget.spent() >= end || budget.is_stopped() {
            return Err(None);
        }
        population.push(individual);
    }
    Ok(population)
}

/// The schedule of an individual without conflicts, after attempts to shorten it: the second
/// heuristic of the HGSA paper, which tries other values for the genes of the last step if these
/// are few.
fn shortened<C: Chromosome>(
    individual: &C,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    /// Maximum number of genes that end last, and values tried for each.
    const MOST: usize = 4;
    const TRIES: u32 = 20;
    let mut best = individual.clone();
    loop {
        let last = best.last_step();
        let ends_last = |gene: &usize| best.gene_end(*gene) == last;
        let late: Vec<usize> = (0..best.gene_count()).filter(ends_last).collect();
        if last <= 1 || late.len() > MOST || budget.left() == 0 || budget.is_stopped() {
            return best.schedule();
        }
        let mut shorter = best.clone();
        for gene in late {
            let before = shorter.clone();
            for _ in 0..TRIES {
                if budget.left() == 0 || budget.is_stopped() {
                    break;
                }
                shorter.mutate(gene, rng);
                budget.spend(1);
                if shorter.conflicts() == 0 && shorter.gene_end(gene) < last {
                    break;
                }
                shorter.copy_from(&before);
            }
        }
        if shorter.last_step() >= last || shorter.conflicts() > 0 {
            return best.schedule();
        }
        best = shorter;
    }
}
