//! Receive: the messages that one processor must receive, over its ports.

use super::ports::Counts;
use super::{Argument, Refusal, check_processor};
use crate::cost::{Cost, Size};
use pavane_model::{Problem, ProcessorId};

pub(super) struct Receive {
    pub processor: ProcessorId,
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
