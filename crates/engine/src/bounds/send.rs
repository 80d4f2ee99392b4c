//! Send bound: a processor gives out every message of its own at least once over its own ports.

use super::Finding;
use pavane_model::{Certificate, Problem, ProcessorId};

/// The processor that needs the most steps to give out what it has.
pub fn bound(problem: &Problem) -> Finding {
    let mut owned = vec![0u64; problem.network().processor_count()];
    for message in problem.messages().ids() {
        owned[problem.messages().origin(message).index()] += 1;
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
        "processor {processor} must send {} over {}: {steps}",
        super::words::count(owned[processor.index()], "message"),
        super::words::count(problem.send_ports(processor).into(), "port"),
    );
    Finding::proved(steps, Certificate::Send { processor }, explanation)
}
