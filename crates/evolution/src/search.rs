//! Searches among individuals of any encoding, and the functions that they share.

use crate::chromosome::Chromosome;
use pavane_model::Schedule;
use pavane_search::{Budget, Rng};
use serde::{Deserialize, Serialize};

/// The limits of individuals: number of steps and length of detours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub steps: u32,
    pub detour: u32,
}

/// A search among individuals of any encoding.
pub(crate) trait IndividualSearch {
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

/// Creates `count` individuals, with one evaluation each. Returns `Err` if the search ends first:
/// with an individual that has no conflicts, or with `None` if the budget is over.
pub(crate) fn first_population<C: Chromosome>(
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
pub(crate) fn shortened<C: Chromosome>(
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
