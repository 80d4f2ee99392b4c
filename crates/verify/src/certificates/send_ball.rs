//! Send ball: under store-and-forward, a message that must travel more than `radius` hops has left
//! its origin before the last `radius` steps.

use super::ball::{after, ball_cost};
use super::{Argument, Claim, Refusal, check_processor, check_store_and_forward};
use crate::cost::{Cost, Size};
use crate::distance::distances_from;
use pavane_model::{Certificate, MessageId, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::SendBall { processor, radius } = claim.certificate else { return None };
    Some(Box::new(SendBall { processor, radius }))
}

struct SendBall {
    processor: ProcessorId,
    radius: u32,
}

impl Argument for SendBall {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(ball_cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let &Self { processor, radius } = self;
        check_store_and_forward(problem)?;
        check_processor(problem, processor)?;
        let hops = distances_from(problem.network(), problem.home(processor));
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
