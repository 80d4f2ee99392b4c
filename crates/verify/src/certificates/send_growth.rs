//! Send growth: of the messages of one processor, only as many are sent for the first time in a step
//! as it has ports. The one that comes last still needs all the steps that it grows for.

use super::{check_processor, growth};
use pavane_model::words;
use pavane_model::{Problem, ProcessorId};

pub(super) fn derive(problem: &Problem, processor: ProcessorId, least: u32) -> Result<u64, String> {
    check_processor(problem, processor)?;
    let messages = problem.messages();
    let mut count = 0u64;
    for message in messages.ids().filter(|&message| messages.origin(message) == processor) {
        let steps = growth::derive(problem, message)?;
        count += u64::from(steps >= u64::from(least).max(1));
    }
    match count {
        0 => Err(format!("no message of processor {processor} grows for {}", words::steps(least))),
        count => {
            let begun = count.div_ceil(u64::from(problem.send_ports(processor).max(1)));
            Ok(begun + u64::from(least.max(1)) - 1)
        }
    }
}
