//! The ports of all processors at once, for engines that look at them often.

use pavane_model::{Problem, ProcessorId};

/// By processor: what `count` says of its ports; none where it is lost.
pub(crate) fn by_processor(problem: &Problem, count: fn(&Problem, ProcessorId) -> u32) -> Vec<u32> {
    let network = problem.network();
    let mut ports = vec![0; network.processor_count()];
    for processor in network.living_processors() {
        ports[processor.index()] = count(problem, processor);
    }
    ports
}
