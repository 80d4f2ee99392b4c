//! Send: the messages that one processor must send, over its ports.

use super::ports::Counts;
use super::{Argument, Refusal, check_processor};
use crate::cost::{Cost, Size};
use pavane_model::{Problem, ProcessorId};

pub(super) struct Send {
    pub processor: ProcessorId,
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
