//! Wormhole broadcast on shortest paths, or on paths with a bounded detour: the sets of holders are
//! searched for as in `holder_sets`, and the paths within a step by eviction.

use super::evicting_router::EvictingRouter;
use super::holder_sets;
use super::one_message::{OneMessage, is_one_message};
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Routing, Schedule, Switching};

/// Nested sets of holders, joined by paths of bounded length.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layered;

impl Suitability for Layered {
    fn takes(&self, problem: &Problem) -> bool {
        let model = problem.model();
        is_one_message(problem)
            && model.switching == Switching::Wormhole
            && model.routing != Routing::Any
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        300
    }
}

impl Engine for Layered {
    fn describe(&self) -> Traits {
        Traits {
            name: "layered",
            purpose: "rip-up and reroute step by step; one message with several destinations, wormhole",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        holder_sets::construct(&OneMessage::new(context.problem()), budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let task = OneMessage::new(context.problem());
        holder_sets::attempt(&task, &mut EvictingRouter::new(&task), steps, budget, rng)
    }
}
