//! Ball: under store-and-forward, no message from more than `radius` hops away arrives during the
//! first `radius` steps. After that, such messages arrive over the receive ports.

use super::{Argument, Claim, Refusal, check_processor, check_store_and_forward};
use crate::cost::{Cost, Size};
use crate::distance::distances_to;
use pavane_model::{Certificate, MessageId, Problem, ProcessorId, words};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Ball { processor, radius } = claim.certificate else { return None };
    Some(Box::new(Ball { processor, radius }))
}

struct Ball {
    processor: ProcessorId,
    radius: u32,
}

impl Argument for Ball {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(ball_cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let &Self { processor, radius } = self;
        check_store_and_forward(problem)?;
        check_processor(problem, processor)?;
        let hops = distances_to(problem.network(), problem.home(processor));
        let messages = problem.messages();
        let is_far = |message: MessageId| {
            hops[problem.home(messages.origin(message)).index()] > radius
                && messages.destinations(message).contains(&processor)
        };
        let count = messages.ids().filter(|&message| is_far(message)).count() as u64;
        Ok(after(radius, count, problem.receive_ports(processor))?)
    }
}

/// Operations of a check that runs one breadth-first search and visits all messages.
pub(super) fn ball_cost(size: &Size) -> u64 {
    size.neighbours() + size.search() + size.traffic()
}

/// Steps to move `count` messages over the ports, plus `radius` steps before or after.
pub(super) fn after(radius: u32, count: u64, ports: u32) -> Result<u64, String> {
    match count {
        0 => Err(format!("no message goes further than {}", words::counted(radius, "hop"))),
        count => Ok(u64::from(radius) + count.div_ceil(u64::from(ports.max(1)))),
    }
}
