//! Send growth: in a step, a processor can send at most as many of its messages for the first time
//! as it has ports. The message that is sent last still needs all the steps of its growth.

use super::{Argument, Claim, Refusal, check_processor, growth};
use crate::cost::{Cost, Size};
use pavane_model::words;
use pavane_model::{Certificate, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::SendGrowth { processor, growth } = claim.certificate else { return None };
    Some(Box::new(SendGrowth { processor, growth }))
}

struct SendGrowth {
    processor: ProcessorId,
    /// Minimum number of steps of growth; messages that need fewer are not counted.
    growth: u32,
}

impl Argument for SendGrowth {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(growth::curve_cost(size) + 30 * size.messages)
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let &Self { processor, growth: least } = self;
        check_processor(problem, processor)?;
        let messages = problem.messages();
        let own = || messages.ids().filter(|&message| messages.origin(message) == processor);
        let width = |message| messages.destinations(message).len() as u64;
        let widest = own().map(width).max().unwrap_or(0);
        let others = growth::others_after(problem, processor, widest)?;
        let steps = |message| others.partition_point(|&others| others < width(message)) as u64;
        let least = u64::from(least.max(1));
        match own().filter(|&message| steps(message) >= least).count() as u64 {
            0 => {
                let steps = words::steps(self.growth);
                Err(format!("no message of processor {processor} needs {steps} to grow").into())
            }
            count => {
                let ports = u64::from(problem.send_ports(processor).max(1));
                Ok(count.div_ceil(ports) + least - 1)
            }
        }
    }
}
