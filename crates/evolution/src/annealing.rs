//! Simulated annealing on the papers' chromosomes, changing one gene at a time and updating
//! conflicts incrementally: the strongest engine of the family. The driver runs several in parallel
//! with different seeds.

use super::cooling::{COLD, Cooling, HOT, Metropolis};
use super::encoding::{AT_ONCE, JOIN, REPAIR, SLOTS, STRETCH, SWAP, TIMING, TREES};
use crate::attempt::{attempt, takes};
use crate::chromosome::Chromosome;
use crate::memory::room;
use crate::search::{Frame, IndividualSearch};
use pavane_model::Problem;
use pavane_search::budget::LOOK_EVERY;
use pavane_search::parameters::{Parameter, ParameterError, Parameters, Range};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, Traits};

/// Simulated annealing.
#[derive(Debug, Clone, Copy)]
pub struct Annealing;

const COOLING: Parameter = Parameter {
    name: "cooling",
    meaning: "factor from one temperature to the next",
    range: Range::Real(0.01, 0.999_999),
    paper: 0.99,
    tuned: 0.99,
};

const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    meaning: "moves at one temperature; 0: as many as the budget allows",
    range: Range::Whole(0, 1 << 40),
    paper: 200.0,
    tuned: 0.0,
};

impl Suitability for Annealing {
    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        20_000 + 4_000 * problem.messages().delivery_count() as u64
    }
}

impl Engine for Annealing {
    fn describe(&self) -> Traits {
        Traits {
            name: "annealing",
            purpose: "simulated annealing on the papers' chromosomes with incremental evaluation; any problem",
            parameters: &[
                HOT, COLD, COOLING, ITERATIONS, REPAIR, TIMING, AT_ONCE, JOIN, STRETCH, SWAP,
                SLOTS, TREES,
            ],
            lists_paths: true,
            ..Traits::default()
        }
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let parameters = context.parameters();
        let search = Anneal(cooling(parameters));
        attempt(self, context, steps, &search, budget, rng)
    }
}

fn cooling(parameters: &Parameters) -> Cooling {
    Cooling {
        hot: parameters.value(&HOT),
        cold: parameters.value(&COLD),
        factor: parameters.value(&COOLING),
        iterations: parameters.whole(&ITERATIONS),
    }
}

struct Anneal(Cooling);

impl IndividualSearch for Anneal {
    fn run<C: Chromosome>(
        &self,
        _: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C> {
        let mut metropolis = Metropolis::new();
        let iterations = self.0.iterations(quota);
        let end = budget.spent().saturating_add(quota);
        while budget.spent() < end {
            let mut individual = random(rng);
            let may_go_on = budget.spend(1);
            if individual.conflicts() == 0 {
                return Some(individual);
            }
            if !may_go_on {
                return None;
            }
            for number in 0..self.0.temperatures() {
                if budget.spent() >= end {
                    return None;
                }
                metropolis.set_temperature(self.0.temperature(number));
                let mut left = iterations.min(end - budget.spent());
                while left > 0 {
                    let moves = left.min(LOOK_EVERY);
                    let made = cool(&mut individual, &metropolis, moves, rng);
                    budget.tell_open(individual.conflicts() as usize);
                    let may_go_on = budget.spend(made);
                    if individual.conflicts() == 0 {
                        return Some(individual);
                    }
                    if !may_go_on {
                        return None;
                    }
                    left -= moves;
                }
            }
        }
        None
    }
}

/// Makes up to `moves` moves and stops when no conflict is left. Returns the number of moves made.
fn cool<C: Chromosome>(
    individual: &mut C,
    metropolis: &Metropolis,
    moves: u64,
    rng: &mut Rng,
) -> u64 {
    for made in 0..moves {
        if individual.conflicts() == 0 {
            return made;
        }
        let allowed = metropolis.draw(rng);
        individual.try_move(allowed, rng);
    }
    moves
}
