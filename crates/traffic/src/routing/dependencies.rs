//! The channel dependency graph of a routing table: an edge means that some message uses one
//! channel directly after the other. Routing with an acyclic graph cannot deadlock (Dally and
//! Seitz, 1987).

use super::RoutingTable;
use pavane_model::{ChannelId, Network, RouterId};

/// Channel dependency graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependencies {
    /// For every channel, the channels that some message takes next, in order.
    successors: Vec<Vec<ChannelId>>,
    /// Whether some message uses the channel.
    is_used: Vec<bool>,
}

impl Dependencies {
    /// The graph of a table, for messages between routers with processors.
    pub fn new(network: &Network, table: &RoutingTable) -> Self {
        let channels = network.channel_count();
        let mut graph =
            Self { successors: vec![Vec::new(); channels], is_used: vec![false; channels] };
        let ends: Vec<RouterId> =
            network.routers().filter(|&router| !network.residents(router).is_empty()).collect();
        let mut seen = vec![u32::MAX; network.router_count()];
        for (mark, &to) in (0..).zip(&ends) {
            seen[to.index()] = mark;
            for &from in &ends {
                graph.add_path(network, table, from, to, mark, &mut seen);
            }
        }
        for successors in &mut graph.successors {
            successors.sort_unstable();
            successors.dedup();
        }
        graph
    }

    /// Adds the dependencies of a path, up to the first router visited by another path to the same
    /// destination.
    fn add_path(
        &mut self,
        network: &Network,
        table: &RoutingTable,
        from: RouterId,
        to: RouterId,
        mark: u32,
        seen: &mut [u32],
    ) {
        let mut at = from;
        while seen[at.index()] != mark {
            seen[at.index()] = mark;
            let Some(channel) = table.next(at, to) else { return };
            self.is_used[channel.index()] = true;
            at = network.channel(channel).head;
            if let Some(next) = table.next(at, to) {
                let successors = &mut self.successors[channel.index()];
                // Skips immediate repetitions; other duplicates are removed at the end.
                if successors.last() != Some(&next) {
                    successors.push(next);
                }
            }
        }
    }

    /// The channels that some message takes directly after a channel.
    pub fn successors(&self, channel: ChannelId) -> &[ChannelId] {
        &self.successors[channel.index()]
    }

    /// Whether some message uses a channel.
    pub fn is_used(&self, channel: ChannelId) -> bool {
        self.is_used[channel.index()]
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// A shortest cycle, starting from its lowest channel; `None` if there is no cycle.
    pub fn cycle(&self) -> Option<Vec<ChannelId>> {
        let edges: Vec<Vec<u32>> = self
            .successors
            .iter()
            .map(|list| list.iter().map(|channel| channel.0).collect())
            .collect();
        order(&edges).err().map(|on_cycles| {
            let cycle = shortest_cycle(&edges, &on_cycles);
            cycle.into_iter().map(ChannelId).collect()
        })
    }
}

/// A topological order of a graph, or the nodes on cycles and between them if there is none.
pub(crate) fn order(edges: &[Vec<u32>]) -> Result<Vec<u32>, Vec<u32>> {
    let mut before = vec![0u32; edges.len()];
    for &to in edges.iter().flatten() {
        before[to as usize] += 1;
    }
    let mut order: Vec<u32> =
        (0..edges.len() as u32).filter(|&node| before[node as usize] == 0).collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        at += 1;
        for &to in &edges[node as usize] {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    if order.len() == edges.len() {
        Ok(order)
    } else {
        Err((0..edges.len() as u32).filter(|&node| before[node as usize] > 0).collect())
    }
}

/// Maximum number of searches for a shorter cycle.
const SEARCHES: usize = 2000;

/// The shortest cycle through one of the given nodes, by breadth-first search from each.
fn shortest_cycle(edges: &[Vec<u32>], nodes: &[u32]) -> Vec<u32> {
    let mut best: Vec<u32> = Vec::new();
    let mut found = 0;
    for &start in nodes {
        let mut from = vec![u32::MAX; edges.len()];
        let mut queue = vec![start];
        let mut at = 0;
        let mut last = None;
        while let (Some(&node), None) = (queue.get(at), last) {
            at += 1;
            for &to in &edges[node as usize] {
                if to == start {
                    last = Some(node);
                    break;
                }
                if from[to as usize] == u32::MAX {
                    from[to as usize] = node;
                    queue.push(to);
                }
            }
        }
        if let Some(mut node) = last {
            found += 1;
            let mut cycle = vec![node];
            while node != start {
                node = from[node as usize];
                cycle.push(node);
            }
            cycle.reverse();
            if best.is_empty() || cycle.len() < best.len() {
                best = cycle;
            }
        }
        if found >= SEARCHES {
            break;
        }
    }
    let least = best.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
    best.rotate_left(least);
    best
}
