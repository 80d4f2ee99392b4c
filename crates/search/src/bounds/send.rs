//! Send bound: a processor sends every message of its own at least once over its own ports.

use super::finding::Finding;
use super::words;
use crate::budget::{Budget, Interrupt};
use pavane_model::{Certificate, Problem, ProcessorId};

/// Finds the processor that needs the most steps to send its messages.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let mut owned = vec![0u64; problem.network().processor_count()];
    let messages = problem.messages();
    let mut pace = Budget::unlimited(interrupt);
    for message in messages.ids() {
        if !pace.spend(1) {
            let count = words::counted(messages.len(), "message");
            return Finding::out_of_time("send", format!("{message} of {count}"));
        }
        // A message without destinations needs no send; the model already drops such messages.
        let is_wanted = !messages.destinations(message).is_empty();
        owned[messages.origin(message).index()] += u64::from(is_wanted);
    }
    let mut best = (0, ProcessorId(0));
    for (index, &messages) in owned.iter().enumerate().filter(|(_, messages)| **messages > 0) {
        let processor = ProcessorId(index as u32);
        let steps = messages.div_ceil(u64::from(problem.send_ports(processor)));
        if steps > best.0 {
            best = (steps, processor);
        }
    }
    let (steps, processor) = best;
    let explanation = format!(
        "{} must send {} over {}, so at least {}",
        words::processor(problem.network(), processor),
        words::counted(owned[processor.index()], "message"),
        words::counted(problem.send_ports(processor), "port"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Send { processor }, explanation)
}
