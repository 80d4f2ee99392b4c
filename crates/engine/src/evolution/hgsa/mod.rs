//! Hybrid parallel genetic simulated annealing (HGSA): annealing islands that meet at fixed
//! iterations. A master hands every island the solution of another, better ones more often; from the
//! two come two children by double-point crossover; the best of the four, mutated, is taken or left
//! by the Metropolis rule. After Ohlídal and Schwarz, Mendel 2004, and Jaroš, Ohlídal and Dvořák,
//! GECCO 2007.

mod abroad;
mod colony;
mod master;
mod orders;
mod servant;

use super::cooling::{COLD, Cooling, HOT};
use super::encoding::{AT_ONCE, JOIN, REPAIR, SLOTS, STRETCH, SWAP, TIMING, TREES};
use super::{attempt, room, takes};
use crate::attempt::{Attempt, Context, Engine, Traits};
use crate::budget::Budget;
use crate::parameters::{Parameter, ParameterError, Parameters, Range};
use crate::rng::Rng;
use master::Master;
use pavane_cluster::Cluster;
use pavane_model::Problem;
use servant::host;

/// Hybrid parallel genetic simulated annealing.
#[derive(Debug, Clone, Copy)]
pub struct Hgsa;

const ISLANDS: Parameter = Parameter {
    name: "islands",
    meaning: "annealing processes, the master among them",
    range: Range::Whole(1, 1000),
    paper: 10.0,
    tuned: 10.0,
};

const COOLING: Parameter = Parameter {
    name: "cooling",
    meaning: "factor from one temperature to the next",
    range: Range::Real(0.01, 0.999_999),
    paper: 0.99,
    tuned: 0.97,
};

const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    meaning: "iterations of an island at one temperature; 0: as many as the budget allows",
    range: Range::Whole(0, 1 << 40),
    paper: 200.0,
    tuned: 0.0,
};

const EXCHANGE: Parameter = Parameter {
    name: "exchange",
    meaning: "iterations between two meetings of the islands (the older paper: 10)",
    range: Range::Whole(1, 1 << 40),
    paper: 100.0,
    tuned: 10_000.0,
};

const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a child is mutated; a parent always is",
    range: Range::Real(0.0, 1.0),
    paper: 0.1,
    tuned: 0.1,
};

const FITNESS: Parameter = Parameter {
    name: "fitness",
    meaning: "where islands meet: conflicts, or (older) weighted conflicts plus steps",
    range: Range::Word(&["conflicts", "weighted"]),
    paper: 0.0,
    tuned: 0.0,
};

const ASYNCHRONOUS: Parameter = Parameter {
    name: "asynchronous",
    meaning: "under MPI: ranks do not wait for each other where islands meet",
    range: Range::Word(&["no", "yes"]),
    paper: 0.0,
    tuned: 0.0,
};

impl Engine for Hgsa {
    fn describe(&self) -> Traits {
        Traits {
            name: "hgsa",
            purpose: "annealing islands with crossover (GECCO 2007: many-to-many broadcast); any problem",
            parameters: &[
                ISLANDS,
                HOT,
                COLD,
                COOLING,
                ITERATIONS,
                EXCHANGE,
                MUTATION,
                FITNESS,
                ASYNCHRONOUS,
                REPAIR,
                TIMING,
                AT_ONCE,
                JOIN,
                STRETCH,
                SWAP,
                SLOTS,
                TREES,
            ],
            is_spread: true,
            lists_paths: true,
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn execute_part(&self, context: &Context, request: &[u8], cluster: &Cluster, budget: &Budget) {
        host(context, request, cluster, budget);
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        1_500_000 + 5_000 * problem.messages().delivery_count() as u64
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let parameters = context.parameters();
        let rules = Rules::new(parameters);
        let search = Master { rules: &rules, helpers: context.helpers() };
        attempt(self, context, steps, &search, budget, rng)
    }
}

/// What the parameters say.
#[derive(Debug)]
struct Rules {
    islands: u64,
    cooling: Cooling,
    exchange: u64,
    mutation: f64,
    is_weighted: bool,
    is_asynchronous: bool,
}

impl Rules {
    fn new(parameters: &Parameters) -> Self {
        let cooling = Cooling {
            hot: parameters.value(&HOT),
            cold: parameters.value(&COLD),
            factor: parameters.value(&COOLING),
            iterations: parameters.whole(&ITERATIONS),
        };
        Self {
            islands: parameters.whole(&ISLANDS),
            cooling,
            exchange: parameters.whole(&EXCHANGE),
            mutation: parameters.value(&MUTATION),
            is_weighted: parameters.is(&FITNESS, "weighted"),
            is_asynchronous: parameters.is(&ASYNCHRONOUS, "yes"),
        }
    }
}
