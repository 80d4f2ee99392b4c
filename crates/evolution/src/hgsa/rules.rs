//! The parameters of HGSA, and the division of a run into legs.

use crate::cooling::{COLD, Cooling, HOT};
use pavane_search::parameters::{Parameter, Parameters, Range};
use serde::{Deserialize, Serialize};

pub(super) const ISLANDS: Parameter = Parameter {
    name: "islands",
    meaning: "annealing processes, the master among them",
    range: Range::Whole(1, 1000),
    paper: 10.0,
    tuned: 10.0,
};

pub(super) const COOLING: Parameter = Parameter {
    name: "cooling",
    meaning: "factor from one temperature to the next",
    range: Range::Real(0.01, 0.999_999),
    paper: 0.99,
    tuned: 0.97,
};

pub(super) const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    meaning: "iterations of an island at one temperature; 0: as many as the budget allows",
    range: Range::Whole(0, 1 << 40),
    paper: 200.0,
    tuned: 0.0,
};

pub(super) const EXCHANGE: Parameter = Parameter {
    name: "exchange",
    meaning: "iterations between two exchanges of solutions among the islands (the older paper: 10)",
    range: Range::Whole(1, 1 << 40),
    paper: 100.0,
    tuned: 10_000.0,
};

pub(super) const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a child is mutated; a parent always is",
    range: Range::Real(0.0, 1.0),
    paper: 0.1,
    tuned: 0.1,
};

pub(super) const FITNESS: Parameter = Parameter {
    name: "fitness",
    meaning: "fitness in exchanges: conflicts, or (older paper) weighted conflicts plus steps",
    range: Range::Word(&["conflicts", "weighted"]),
    paper: 0.0,
    tuned: 0.0,
};

pub(super) const ASYNCHRONOUS: Parameter = Parameter {
    name: "asynchronous",
    meaning: "under MPI: ranks do not wait for each other at exchanges",
    range: Range::Word(&["no", "yes"]),
    paper: 0.0,
    tuned: 0.0,
};

/// The values of the parameters.
#[derive(Debug)]
pub(super) struct Rules {
    pub islands: u64,
    pub cooling: Cooling,
    pub exchange: u64,
    pub mutation: f64,
    pub is_weighted: bool,
    pub is_asynchronous: bool,
}

/// The work of every island between two reports to the master.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Leg {
    /// Iterations of every island.
    pub moves: u64,
    /// The number of the temperature.
    pub temperature: u64,
    /// Whether the islands exchange solutions afterwards.
    pub is_exchange: bool,
}

/// Maximum number of iterations of a leg.
const LONGEST: u64 = 1 << 20;

impl Rules {
    pub fn new(parameters: &Parameters) -> Self {
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
    /// The next leg after `done` iterations of every island, if `left` remain.
    pub fn leg(&self, done: u64, iterations: u64, left: u64) -> Leg {
        let next_cooling = iterations - done % iterations;
        let next_exchange = self.exchange - done % self.exchange;
        let moves = next_cooling.min(next_exchange).min(left).min(LONGEST);
        // The last temperature stays until the end: the papers cool once and do not reheat.
        let temperature = (done / iterations).min(self.cooling.temperatures() - 1);
        let is_exchange = (done + moves).is_multiple_of(self.exchange);
        Leg { moves, temperature, is_exchange }
    }
}
