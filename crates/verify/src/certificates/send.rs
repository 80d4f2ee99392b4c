//! Send: the messages that one processor must send, over its ports.

use super::ports::Counts;
use super::{Argument, Claim, Refusal, check_processor};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Send { processor } = claim.certificate else { return None };
    Some(Box::new(Send { processor }))
}

struct Send {
    processor: ProcessorId,
}

impl Argument for Send {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(Counts::cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_processor(problem, self.processor)?;
        Ok(Counts::of(problem).send_steps(problem, self.processor))
    }
}
