//! Port counts of all processors, for engines that read them often.

use pavane_model::{Problem, ProcessorId};

/// Per processor, the number of ports that `count` returns; 0 for processors lost to faults.
pub(crate) fn by_processor(problem: &Problem, count: fn(&Problem, ProcessorId) -> u32) -> Vec<u32> {
    let network = problem.network();
    let mut ports = vec![0; network.processor_count()];
    for processor in network.living_processors() {
        ports[processor.index()] = count(problem, processor);
    }
    ports
}
