//! The messages that each processor must receive or send over its ports. Every wanted message takes
//! one receive, every owned message at least one send.

use crate::cost::Size;
use pavane_model::{Problem, ProcessorId};

/// For every processor, the number of messages that it wants and the number that it owns.
pub(super) struct Counts {
    wanted: Vec<u64>,
    owned: Vec<u64>,
}

impl Counts {
    /// Operations of [`Counts::of`].
    pub fn cost(size: &Size) -> u64 {
        2 * size.processors + size.traffic()
    }

    pub fn of(problem: &Problem) -> Self {
        let processors = problem.network().processor_count();
        let mut counts = Self { wanted: vec![0; processors], owned: vec![0; processors] };
        let messages = problem.messages();
        for message in messages.ids() {
            let destinations = messages.destinations(message);
            for to in destinations {
                counts.wanted[to.index()] += 1;
            }
            // A broadcast group may contain a sender without receivers.
            counts.owned[messages.origin(message).index()] += u64::from(!destinations.is_empty());
        }
        counts
    }

    /// Steps in which a living processor can receive everything that it wants.
    pub fn receive_steps(&self, problem: &Problem, processor: ProcessorId) -> u64 {
        steps(self.wanted[processor.index()], problem.receive_ports(processor))
    }

    /// Steps in which a living processor can send everything that it owns.
    pub fn send_steps(&self, problem: &Problem, processor: ProcessorId) -> u64 {
        steps(self.owned[processor.index()], problem.send_ports(processor))
    }

    /// Maximum of both over all processors.
    pub fn most_steps(&self, problem: &Problem) -> u64 {
        let living = problem.network().living_processors();
        let both = living.map(|p| self.receive_steps(problem, p).max(self.send_steps(problem, p)));
        both.max().unwrap_or(0)
    }
}

fn steps(messages: u64, ports: u32) -> u64 {
    // Every problem is solvable, so every processor that takes part has a port.
    messages.div_ceil(u64::from(ports.max(1)))
}
