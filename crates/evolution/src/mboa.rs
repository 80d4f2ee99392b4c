//! Mixed Bayesian optimization algorithm (MBOA): learns from good schedules which values occur
//! together, as a binary decision tree for every component, and draws new schedules from these
//! trees. After Očenášek, PhD thesis, 2002, as used by Jaroš, Ohlídal and Dvořák, GECCO 2007.

use super::decision_trees::{DecisionTrees, Growth};
use super::encoding::{AT_ONCE, REPAIR, TIMING, TREES};
use super::estimation::{Change, Estimation, Model, PATIENCE, POPULATION, Replacement, TOURNAMENT};
use crate::attempt::{attempt, takes};
use crate::memory::room;
use pavane_model::Problem;
use pavane_search::parameters::{Parameter, ParameterError, Parameters, Range};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, Traits};

/// The mixed Bayesian optimization algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Mboa;

const LEAVES: Parameter = Parameter {
    name: "leaves",
    meaning: "maximum number of leaves of a decision tree",
    range: Range::Whole(1, 1000),
    paper: 8.0,
    tuned: 8.0,
};

const PENALTY: Parameter = Parameter {
    name: "penalty",
    meaning: "gain required for a larger tree, in units of half the logarithm of the number of parents",
    range: Range::Real(0.0, 1000.0),
    paper: 1.0,
    tuned: 1.0,
};

const CANDIDATES: Parameter = Parameter {
    name: "candidates",
    meaning: "randomly chosen components that a tree may test; 0: all earlier ones",
    range: Range::Whole(0, 1 << 32),
    paper: 0.0,
    tuned: 0.0,
};

const REPLACEMENT: Parameter = Parameter {
    name: "replacement",
    meaning: "a child replaces the worst (tournament) or the most similar (restricted) of some individuals",
    range: Range::Word(&["tournament", "restricted"]),
    paper: 0.0,
    tuned: 0.0,
};

const WINDOW: Parameter = Parameter {
    name: "window",
    meaning: "number of individuals from which the replaced one is chosen",
    range: Range::Whole(1, 100_000),
    paper: 2.0,
    tuned: 2.0,
};

const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a random gene of a child is changed, within its bounds",
    range: Range::Real(0.0, 1.0),
    paper: 1.0,
    tuned: 1.0,
};

const REDESIGN: Parameter = Parameter {
    name: "redesign",
    meaning: "personalised messages: spread the messages of a processor over its channels and steps",
    range: Range::Word(&["no", "yes"]),
    paper: 0.0,
    tuned: 1.0,
};

/// Entries of count tables that one serious attempt may fill.
const WORK: u64 = 4_000_000_000;

impl Suitability for Mboa {
    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        // Every component may test every other one, so the cost of the model is quadratic.
        let components = 2 * problem.messages().delivery_count() as u64;
        (WORK / (components * components)).clamp(2_000, 200_000)
    }
}

impl Engine for Mboa {
    fn describe(&self) -> Traits {
        Traits {
            name: "mboa",
            purpose: "decision trees learned from good schedules (GECCO 2007: OAB, OAS, AAS); any problem",
            parameters: &[
                POPULATION,
                TOURNAMENT,
                LEAVES,
                PENALTY,
                CANDIDATES,
                REPLACEMENT,
                WINDOW,
                MUTATION,
                REDESIGN,
                PATIENCE,
                REPAIR,
                TIMING,
                AT_ONCE,
                TREES,
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

fn estimation(parameters: &Parameters) -> Estimation<Growth> {
    let window = parameters.whole(&WINDOW) as usize;
    Estimation {
        model: Growth {
            leaves: parameters.whole(&LEAVES) as usize,
            penalty: parameters.value(&PENALTY),
            candidates: parameters.whole(&CANDIDATES) as usize,
        },
        population: parameters.whole(&POPULATION) as usize,
        tournament: parameters.whole(&TOURNAMENT) as usize,
        replacement: if parameters.is(&REPLACEMENT, "restricted") {
            Replacement::Restricted(window)
        } else {
            Replacement::Tournament(window)
        },
        change: Change {
            mutation: parameters.value(&MUTATION),
            swaps: false,
            redesigns: parameters.is(&REDESIGN, "yes"),
        },
        begins_early: false,
        patience: parameters.whole(&PATIENCE),
    }
}

impl Model for Growth {
    type Learned = DecisionTrees;

    fn learn(&self, parents: &[Vec<u32>], budget: &Budget, rng: &mut Rng) -> DecisionTrees {
        DecisionTrees::learn_until(parents, self, &|| budget.is_stopped(), rng)
    }

    fn draw(&self, trees: &DecisionTrees, parents: &[Vec<u32>], rng: &mut Rng, child: &mut [u32]) {
        trees.draw(parents, rng, child);
    }
}
