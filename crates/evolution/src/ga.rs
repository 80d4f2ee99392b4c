//! The classical genetic algorithm that the papers compare with: tournaments choose parents,
//! two-point crossover makes children, mutation changes one gene, and the better half survives.
//! After Goldberg, Genetic Algorithms in Search, Optimization, and Machine Learning, 1989.

use super::encoding::{AT_ONCE, JOIN, REPAIR, SLOTS, STRETCH, SWAP, TIMING, TREES};
use super::estimation::PATIENCE;
use crate::attempt::{attempt, takes};
use crate::chromosome::Chromosome;
use crate::memory::room;
use crate::search::{Frame, IndividualSearch, first_population};
use pavane_model::Problem;
use pavane_search::budget::LOOK_EVERY;
use pavane_search::parameters::{Parameter, ParameterError, Parameters, Range};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, Traits};

/// The classical genetic algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Ga;

const POPULATION: Parameter = Parameter {
    name: "population",
    meaning: "number of individuals",
    range: Range::Whole(4, 100_000),
    paper: 60.0,
    tuned: 60.0,
};

const CROSSOVER: Parameter = Parameter {
    name: "crossover",
    meaning: "probability that a child has two parents",
    range: Range::Real(0.0, 1.0),
    paper: 0.7,
    tuned: 0.7,
};

const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a gene of a child is changed",
    range: Range::Real(0.0, 1.0),
    paper: 0.9,
    tuned: 1.0,
};

const CLIMBING: Parameter = Parameter {
    name: "climbing",
    meaning: "moves tried on every child and kept if it does not become worse",
    range: Range::Whole(0, 1_000_000),
    paper: 0.0,
    tuned: 500.0,
};

impl Suitability for Ga {
    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        1_000_000 + 5_000 * problem.messages().delivery_count() as u64
    }
}

impl Engine for Ga {
    fn describe(&self) -> Traits {
        Traits {
            name: "ga",
            purpose: "classical genetic algorithm, for comparison; any problem",
            parameters: &[
                POPULATION, CROSSOVER, MUTATION, CLIMBING, PATIENCE, REPAIR, TIMING, AT_ONCE, JOIN,
                STRETCH, SWAP, SLOTS, TREES,
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
        let search = Generations::new(parameters);
        attempt(self, context, steps, &search, budget, rng)
    }
}

struct Generations {
    population: usize,
    crossover: f64,
    mutation: f64,
    climbing: u64,
    patience: u64,
}

impl Generations {
    fn new(parameters: &Parameters) -> Self {
        Self {
            population: parameters.whole(&POPULATION) as usize,
            crossover: parameters.value(&CROSSOVER),
            mutation: parameters.value(&MUTATION),
            climbing: parameters.whole(&CLIMBING),
            patience: parameters.whole(&PATIENCE),
        }
    }

    /// Replaces the worse half of the population, which is sorted, by children of the better half.
    /// Returns the number of evaluations, at most `left` and fewer at an interrupt.
    fn breed<C: Chromosome>(
        &self,
        population: &mut [C],
        left: u64,
        budget: &Budget,
        rng: &mut Rng,
    ) -> u64 {
        let half = population.len() / 2;
        let (parents, children) = population.split_at_mut(half);
        let mut evaluations = 0;
        for child in children {
            if evaluations >= left || budget.is_stopped() {
                break;
            }
            child.copy_from(tournament(parents, rng));
            let genes = child.gene_count();
            if rng.chance(self.crossover) {
                let (one, other) = (rng.below(genes), rng.below(genes));
                let segment = one.min(other)..one.max(other) + 1;
                child.take_over(segment, tournament(parents, rng), rng);
            }
            if rng.chance(self.mutation) {
                child.mutate(rng.below(genes), rng);
            }
            evaluations += 1;
            for made in 1..=self.climbing.min(left - evaluations) {
                let is_to_look = made.is_multiple_of(LOOK_EVERY);
                if child.conflicts() == 0 || is_to_look && budget.is_stopped() {
                    break;
                }
                child.try_move(0, rng);
                evaluations += 1;
            }
        }
        evaluations
    }
}

/// The better of two random parents.
fn tournament<'p, C: Chromosome>(parents: &'p [C], rng: &mut Rng) -> &'p C {
    let (one, other) = (rng.below(parents.len()), rng.below(parents.len()));
    if parents[one].conflicts() <= parents[other].conflicts() {
        &parents[one]
    } else {
        &parents[other]
    }
}

impl IndividualSearch for Generations {
    fn run<C: Chromosome>(
        &self,
        _: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C> {
        let end = budget.spent().saturating_add(quota);
        while budget.spent() < end {
            let make = || random(rng);
            let mut population = match first_population(self.population, end, budget, make) {
                Ok(population) => population,
                Err(ended) => return ended,
            };
            let mut evaluations = 0;
            let (mut least, mut idle) = (u32::MAX, 0);
            loop {
                population.sort_by_key(C::conflicts);
                let best = population[0].conflicts();
                idle = if best < least { 0 } else { idle + 1 };
                least = least.min(best);
                budget.tell_open(best as usize);
                let may_go_on = budget.spend(evaluations);
                if best == 0 {
                    return Some(population.swap_remove(0));
                }
                // A generation may take long, so check the interrupt every time.
                if !may_go_on || budget.spent() >= end || budget.is_stopped() {
                    return None;
                }
                if self.patience > 0 && idle >= self.patience {
                    break;
                }
                evaluations = self.breed(&mut population, end - budget.spent(), budget, rng);
            }
        }
        None
    }
}
