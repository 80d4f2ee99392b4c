//! Receive and send: what one processor must take in, or give out, over its ports. Every message
//! that it wants takes one receive of its own, every message that it owns at least one send.

use pavane_model::{Certificate, Problem};

/// For every processor, the messages that it wants and those that it owns.
pub(super) struct Counts {
    wanted: Vec<u64>,
    owned: Vec<u64>,
}

impl Counts {
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

    /// What a receive or send certificate about a living processor proves.
    pub fn derive(&self, problem: &Problem, certificate: &Certificate) -> u64 {
        let (count, ports) = match certificate {
            Certificate::Receive { processor } => {
                (self.wanted[processor.index()], problem.receive_ports(*processor))
            }
            Certificate::Send { processor } => {
                (self.owned[processor.index()], problem.send_ports(*processor))
            }
            _ => return 0,
        };
        match count {
            0 => 0,
            // A problem that exists can be solved, so whoever takes part has a port.
            count => count.div_ceil(u64::from(ports.max(1))),
        }
    }
}
