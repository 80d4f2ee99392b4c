//! What every processor must take in, or give out, over its ports. Every message that it wants takes
//! one receive of its own, every message that it owns at least one send.

use crate::cost::Size;
use pavane_model::{Problem, ProcessorId};

/// For every processor, the messages that it wants and those that it owns.
pub(super) struct Counts {
    wanted: Vec<u64>,
    owned: Vec<u64>,
}

impl Counts {
    /// Operations to count.
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
            // A broadcast group may hold a sender that has nobody to send to.
            counts.owned[messages.origin(message).index()] += u64::from(!destinations.is_empty());
        }
        counts
    }

    /// Steps that a living processor needs to take in what it wants.
    pub fn receive_steps(&self, problem: &Problem, processor: ProcessorId) -> u64 {
        steps(self.wanted[processor.index()], problem.receive_ports(processor))
    }

    /// Steps that a living processor needs to give out what it owns.
    pub fn send_steps(&self, problem: &Problem, processor: ProcessorId) -> u64 {
        steps(self.owned[processor.index()], problem.send_ports(processor))
    }

    /// The most steps that any processor needs for either.
    pub fn most_steps(&self, problem: &Problem) -> u64 {
        let living = problem.network().living_processors();
        let both = living.map(|p| self.receive_steps(problem, p).max(self.send_steps(problem, p)));
        both.max().unwrap_or(0)
    }
}

fn steps(messages: u64, ports: u32) -> u64 {
    // A problem that exists can be solved, so whoever takes part has a port.
    messages.div_ceil(u64::from(ports.max(1)))
}
