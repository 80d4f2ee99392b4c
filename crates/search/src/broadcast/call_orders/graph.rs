//! Which processors can send to each other in one hop.

use super::super::one_message::OneMessage;

/// The processors that can call each other, by their numbers in the network.
pub(super) struct CallGraph {
    pub origin: u32,
    /// All processors but the origin.
    pub others: Vec<u32>,
    /// By processor: how many others it can call in one step.
    pub ports: Vec<u32>,
    /// By processor: those it can call.
    pub targets: Vec<Vec<u32>>,
    /// By processor: those that can call it.
    pub sources: Vec<Vec<u32>>,
}

impl CallGraph {
    pub fn new(task: &OneMessage<'_>) -> Self {
        let network = task.network;
        let count = network.processor_count();
        let mut graph = Self {
            origin: task.origin.0,
            others: task.destinations.iter().map(|p| p.0).collect(),
            ports: task.ports.clone(),
            targets: vec![Vec::new(); count],
            sources: vec![Vec::new(); count],
        };
        for &to in task.destinations {
            for &from in network.predecessors(task.home(to)) {
                for &parent in network.residents(from) {
                    let sources = &mut graph.sources[to.index()];
                    let is_new = parent != to && !sources.contains(&parent.0);
                    if is_new && task.ports[parent.index()] > 0 {
                        sources.push(parent.0);
                        graph.targets[parent.index()].push(to.0);
                    }
                }
            }
        }
        graph
    }
}
