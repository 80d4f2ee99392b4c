//! The hops that a message may take. They are stored while memory allows, because a message is routed
//! many times.

use super::super::super::layout::Layout;
use super::super::graph::RelayGraph;
use super::super::legs::NONE;
use super::edge::HopEdge;
use super::loads::Loads;
use pavane_model::MessageId;
use std::ops::Range;

/// Memory limit for stored hops, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// A hop that leads to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredHop {
    /// The node that it leaves.
    pub tail: u32,
    pub edge: HopEdge,
    /// The entries of the loads that it uses.
    pub entries: [usize; 3],
}

/// The nodes that a message may visit, from its origin to its destination, with the hops into each.
pub(super) struct HopNodes<'a> {
    /// Per node, one past its last hop.
    ends: &'a [u32],
    hops: &'a [StoredHop],
}

impl HopNodes<'_> {
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The hops into a node other than the origin.
    pub fn hops_into(&self, node: usize) -> &[StoredHop] {
        &self.hops[self.ends[node - 1] as usize..self.ends[node] as usize]
    }
}

/// The hops of all messages, stored or computed.
#[derive(Default)]
pub(super) struct StoredHops {
    most_bytes: usize,
    detour: u32,
    graph: RelayGraph,
    ends: Vec<u32>,
    hops: Vec<StoredHop>,
    /// Per message, its part of `ends` and of `hops` if they are stored.
    stored: Vec<Option<(Range<usize>, Range<usize>)>>,
    /// The lengths of the stored parts of `ends` and `hops`; beyond them lie those of a message that
    /// is not stored.
    stored_lengths: (usize, usize),
}

impl StoredHops {
    /// For paths at most `detour` channels longer than the shortest.
    pub fn new(messages: usize, detour: u32) -> Self {
        Self { most_bytes: MOST_BYTES, detour, stored: vec![None; messages], ..Self::default() }
    }

    /// The hops of a message.
    pub fn of(&mut self, layout: &Layout<'_>, loads: &Loads, message: u32) -> HopNodes<'_> {
        let (ends, hops) = match &self.stored[message as usize] {
            Some(stored) => stored.clone(),
            None => {
                let added = self.add(layout, loads, message);
                if size_of_val(self.hops.as_slice()) <= self.most_bytes {
                    self.stored_lengths = (added.0.end, added.1.end);
                    self.stored[message as usize] = Some(added.clone());
                }
                added
            }
        };
        HopNodes { ends: &self.ends[ends], hops: &self.hops[hops] }
    }

    /// Computes the hops of a message and appends them to the stored ones.
    fn add(
        &mut self,
        layout: &Layout<'_>,
        loads: &Loads,
        message: u32,
    ) -> (Range<usize>, Range<usize>) {
        let (first_end, first_hop) = self.stored_lengths;
        self.ends.truncate(first_end);
        self.hops.truncate(first_hop);
        self.graph.find(layout, MessageId(message), self.detour);
        for node in &self.graph.nodes {
            for hop in &self.graph.hops[node.hops.clone()] {
                if hop.channel == NONE || !layout.is_blocked(hop.channel) {
                    let from = self.graph.nodes[hop.tail as usize].processor;
                    let (from, to) = (from.0, node.processor.0);
                    let edge = HopEdge { from, to, channel: hop.channel };
                    let entries = loads.of(layout, edge);
                    self.hops.push(StoredHop { tail: hop.tail, edge, entries });
                }
            }
            self.ends.push((self.hops.len() - first_hop) as u32);
        }
        (first_end..self.ends.len(), first_hop..self.hops.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{Model, Ports, Problem, Switching};
    use pavane_networks::topology;

    #[test]
    fn hops_are_the_same_beyond_the_memory_limit() {
        let network = topology::build("torus:4x4@2").unwrap();
        let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
        let ports = Ports::Limited(1);
        let model = Model { switching: Switching::StoreAndForward, ports, ..Model::default() };
        let problem = Problem::new(network, all, model).unwrap();
        let prices = vec![1.0; problem.network().channel_count()];
        let layout = Layout::new(&problem, &prices, &crate::budget::Interrupt::never());
        let loads = Loads::new(&layout);
        let count = problem.messages().len();
        let mut all = StoredHops::new(count, 0);
        let mut some = StoredHops { most_bytes: 100_000, ..StoredHops::new(count, 0) };
        for message in (0..count as u32).chain((0..count as u32).rev()) {
            let (one, other) =
                (all.of(&layout, &loads, message), some.of(&layout, &loads, message));
            assert_eq!(one.count(), other.count());
            for node in 1..one.count() {
                let edges = |nodes: &HopNodes<'_>| -> Vec<(u32, HopEdge, [usize; 3])> {
                    nodes
                        .hops_into(node)
                        .iter()
                        .map(|hop| (hop.tail, hop.edge, hop.entries))
                        .collect()
                };
                assert_eq!(edges(&one), edges(&other));
            }
        }
        assert!(all.stored.iter().all(Option::is_some));
        assert!(some.stored.iter().any(Option::is_none));
    }
}
