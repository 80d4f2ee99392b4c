//! Receive: the messages that one processor must receive, over its ports.

use super::ports::Counts;
use super::{Argument, Claim, Refusal, check_processor};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Receive { processor } = claim.certificate else { return None };
    Some(Box::new(Receive { processor }))
}

struct Receive {
    processor: ProcessorId,
}

impl Argument for Receive {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(Counts::cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_processor(problem, self.processor)?;
        Ok(Counts::of(problem).receive_steps(problem, self.processor))
    }
}
