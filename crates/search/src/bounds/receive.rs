//! Receive bound: a processor receives every message that it wants over its own ports.

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, ProcessorId};

/// Finds the processor that needs the most steps to receive what it wants. Ignores the interrupt,
/// so that there always is a bound; it visits every delivery once.
pub fn bound(problem: &Problem, _: &Interrupt) -> Finding {
    let mut wanted = vec![0u64; problem.network().processor_count()];
    for message in problem.messages().ids() {
        for to in problem.messages().destinations(message) {
            wanted[to.index()] += 1;
        }
    }
    let mut best = (0, ProcessorId(0));
    for (index, &messages) in wanted.iter().enumerate().filter(|(_, messages)| **messages > 0) {
        let processor = ProcessorId(index as u32);
        let steps = messages.div_ceil(u64::from(problem.receive_ports(processor)));
        if steps > best.0 {
            best = (steps, processor);
        }
    }
    let (steps, processor) = best;
    let explanation = format!(
        "{} must receive {} over {}, so at least {}",
        words::processor(problem.network(), processor),
        words::counted(wanted[processor.index()], "message"),
        words::counted(problem.receive_ports(processor), "port"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Receive { processor }, explanation)
}
