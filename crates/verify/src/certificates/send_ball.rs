//! Send ball: under store-and-forward, a message that must travel more than `radius` hops has left
//! its origin before the last `radius` steps.

use super::ball::{after, ball_cost};
use super::{Argument, Refusal, check_processor, check_store_and_forward};
use crate::cost::{Cost, Size};
use pavane_model::{MessageId, Problem, ProcessorId};

pub(super) struct SendBall {
    pub processor: ProcessorId,
    pub radius: u32,
}

impl Argument for SendBall {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(ball_cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let &Self { processor, radius } = self;
        check_store_and_forward(problem)?;
        check_processor(problem, processor)?;
        let hops = problem.network().distances_from(problem.home(processor));
        let messages = problem.messages();
        let is_beyond = |to: &ProcessorId| hops[problem.home(*to).index()] > radius;
        let is_far = |message: MessageId| {
            messages.origin(message) == processor
                && messages.destinations(message).iter().any(is_beyond)
        };
        let count = messages.ids().filter(|&message| is_far(message)).count() as u64;
        Ok(after(radius, count, problem.send_ports(processor))?)
    }
}
