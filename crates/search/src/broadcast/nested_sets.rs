//! Wormhole broadcast on arbitrary paths: the sets of holders are searched for as in `holder_sets`,
//! and the paths within a step by one maximum flow.

use super::flow_router::FlowRouter;
use super::holder_sets;
use super::one_message::{OneMessage, is_one_message};
use super::tree;
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Routing, Schedule, Switching};

/// Nested sets of holders, connected by flows.
#[derive(Debug, Clone, Copy, Default)]
pub struct NestedSets;

impl Suitability for NestedSets {
    fn takes(&self, problem: &Problem) -> bool {
        let model = problem.model();
        is_one_message(problem)
            && model.switching == Switching::Wormhole
            && (model.routing == Routing::Any || tree::is_tree(problem))
    }
}

impl Engine for NestedSets {
    fn describe(&self) -> Traits {
        Traits {
            name: "nested-sets",
            purpose: "the holders of the message after each step, from the last step back; one message with several destinations, wormhole",
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
        holder_sets::attempt(&task, &mut FlowRouter::new(&task), steps, budget, rng)
    }
}
