//! Hybrid parallel genetic simulated annealing (HGSA): islands anneal independently and exchange
//! solutions at fixed iterations. In an exchange the master sends every island the solution of
//! another one, better solutions more often. Double-point crossover makes two children of the two
//! solutions. The Metropolis rule accepts or rejects the best of the four after mutation. After
//! Ohlídal and Schwarz, Mendel 2004, and Jaroš, Ohlídal and Dvořák, GECCO 2007.
//!
//! The master on rank 0 runs its share of the islands; [`worker`] runs the others on other ranks.

mod islands;
mod master;
mod remote;
mod rules;
mod wire;
mod worker;

use super::cooling::{COLD, HOT};
use super::encoding::{AT_ONCE, JOIN, REPAIR, SLOTS, STRETCH, SWAP, TIMING, TREES};
use crate::attempt::{attempt, takes};
use crate::memory::room;
use master::Master;
use pavane_model::Problem;
use pavane_search::parameters::ParameterError;
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, Traits};
use rules::{ASYNCHRONOUS, COOLING, EXCHANGE, FITNESS, ISLANDS, ITERATIONS, MUTATION, Rules};
use worker::run_islands;

/// Hybrid parallel genetic simulated annealing.
#[derive(Debug, Clone, Copy)]
pub struct Hgsa;

impl Suitability for Hgsa {
    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn room(&self, context: &Context, steps: u32) -> Result<u32, ParameterError> {
        room(self, context, steps)
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        1_500_000 + 5_000 * problem.messages().delivery_count() as u64
    }
}

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
            execute_part: Some(run_islands),
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
        let rules = Rules::new(parameters);
        let search = Master { rules: &rules, helpers: context.helpers() };
        attempt(self, context, steps, &search, budget, rng)
    }
}
