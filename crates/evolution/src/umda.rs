//! Univariate marginal distribution algorithm (UMDA): learns how often good schedules have each
//! value in each component, and draws new schedules from these frequencies, each component
//! independently. After Mühlenbein and Paaß, PPSN IV, 1996; with the heuristics of Jaroš,
//! fault-tolerant collectives.

use super::encoding::{AT_ONCE, REPAIR, TIMING, TREES};
use super::estimation::{Change, Estimation, Model, PATIENCE, POPULATION, Replacement, TOURNAMENT};
use crate::attempt::{attempt, takes};
use crate::memory::room;
use pavane_model::Problem;
use pavane_search::parameters::{Parameter, ParameterError, Parameters, Range};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, Traits};

/// The univariate marginal distribution algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Umda;

const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a child is mutated",
    range: Range::Real(0.0, 1.0),
    paper: 0.9,
    tuned: 0.9,
};

const REDESIGN: Parameter = Parameter {
    name: "redesign",
    meaning: "personalised messages: spread the messages of a processor over its channels and steps",
    range: Range::Word(&["no", "yes"]),
    paper: 1.0,
    tuned: 1.0,
};

const SWAP: Parameter = Parameter {
    name: "swap-steps",
    meaning: "personalised messages: mutation swaps the steps of two messages, or changes a path",
    range: Range::Word(&["no", "yes"]),
    paper: 1.0,
    tuned: 1.0,
};

const EARLY: Parameter = Parameter {
    name: "early",
    meaning: "wormhole broadcast: all transfers start in the first step, and the repair delays them",
    range: Range::Word(&["no", "yes"]),
    paper: 1.0,
    tuned: 1.0,
};

impl Suitability for Umda {
    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        100_000 + 2_000 * problem.messages().delivery_count() as u64
    }
}

impl Engine for Umda {
    fn describe(&self) -> Traits {
        Traits {
            name: "umda",
            purpose: "marginal distributions learned from good schedules (fault-tolerant collectives); any problem",
            parameters: &[
                POPULATION, TOURNAMENT, MUTATION, REDESIGN, SWAP, EARLY, PATIENCE, REPAIR, TIMING,
                AT_ONCE, TREES,
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
        let search = estimation(parameters);
        attempt(self, context, steps, &search, budget, rng)
    }
}

fn estimation(parameters: &Parameters) -> Estimation<Frequencies> {
    Estimation {
        model: Frequencies,
        population: parameters.whole(&POPULATION) as usize,
        tournament: parameters.whole(&TOURNAMENT) as usize,
        replacement: Replacement::WorseHalf,
        change: Change {
            mutation: parameters.value(&MUTATION),
            swaps: parameters.is(&SWAP, "yes"),
            redesigns: parameters.is(&REDESIGN, "yes"),
        },
        begins_early: parameters.is(&EARLY, "yes"),
        patience: parameters.whole(&PATIENCE),
    }
}

/// The frequency of every value in every component. The value of a random parent is a draw from
/// these frequencies, so nothing needs to be counted.
#[derive(Debug, Clone, Copy)]
struct Frequencies;

impl Model for Frequencies {
    type Learned = ();

    fn learn(&self, _: &[Vec<u32>], _: &Budget, _: &mut Rng) {}

    fn draw(&self, _: &(), parents: &[Vec<u32>], rng: &mut Rng, child: &mut [u32]) {
        for (at, value) in child.iter_mut().enumerate() {
            *value = parents[rng.below(parents.len())][at];
        }
    }
}
