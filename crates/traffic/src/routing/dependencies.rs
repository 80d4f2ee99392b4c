//! The channel dependency graph of a routing table: an edge means that some message uses one
//! channel directly after the other. Routing with an acyclic graph cannot deadlock (Dally and
//! Seitz, 1987). If the table prescribes or allows classes of virtual channels, every class of a channel is a
//! node of its own.

use super::RoutingTable;
use crate::default_routing::DeadlockRisk;
use crate::links::Links;
use fixedbitset::FixedBitSet;
use pavane_model::{ChannelId, Network, RouterId};

/// A class of the virtual channels of a channel: a node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VirtualChannel {
    /// The channel.
    pub channel: ChannelId,
    /// The class, from 0.
    pub class: u32,
}

/// Channel dependency graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependencies {
    /// Number of classes of each channel.
    classes: u32,
    /// For every node, the nodes that some message takes next, in order. The node of a channel and
    /// class is the number of the channel times the number of classes plus the class.
    successors: Vec<Vec<u32>>,
    /// Whether some message uses the node.
    is_used: Vec<bool>,
}

impl Dependencies {
    /// The graph of a table, for messages between routers with processors.
    pub fn new(network: &Network, table: &RoutingTable) -> Self {
        let mut graph = Self::empty(network, table.classes());
        let ends: Vec<RouterId> =
            network.routers().filter(|&router| !network.residents(router).is_empty()).collect();
        if table.has_choice() {
            ends.iter().for_each(|&to| graph.add_choices(network, table, &ends, to));
            graph.sort();
            return graph;
        }
        let mut seen = vec![u32::MAX; network.router_count()];
        for (mark, &to) in (0..).zip(&ends) {
            seen[to.index()] = mark;
            for &from in &ends {
                graph.add_path(network, table, from, to, mark, &mut seen);
            }
        }
        graph.sort();
        graph
    }

    /// A graph without edges.
    pub(super) fn empty(network: &Network, classes: u32) -> Self {
        let nodes = network.channel_count() * classes as usize;
        Self { classes, successors: vec![Vec::new(); nodes], is_used: vec![false; nodes] }
    }

    /// Replaces the successors of a node, which are in order, and marks it as used.
    pub(super) fn set_successors(&mut self, node: u32, successors: Vec<u32>) {
        self.successors[node as usize] = successors;
        self.is_used[node as usize] = true;
    }

    /// The node of the hop from a router towards a destination.
    pub(super) fn node_of(&self, table: &RoutingTable, at: RouterId, to: RouterId) -> Option<u32> {
        let channel = table.next(at, to)?;
        Some(channel.0 * self.classes + table.class(at, to))
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
            let node = channel.0 * self.classes + table.class(at, to);
            at = network.channel(channel).head;
            self.add(node, self.node_of(table, at, to));
        }
    }

    /// Adds the dependencies of all messages to a destination if they may choose between classes.
    fn add_choices(
        &mut self,
        network: &Network,
        table: &RoutingTable,
        ends: &[RouterId],
        to: RouterId,
    ) {
        let mut is_seen = FixedBitSet::with_capacity(self.successors.len());
        let mut open: Vec<u32> = Vec::new();
        for &from in ends {
            let Some(channel) = table.next(from, to) else { continue };
            let first =
                table.class_range(None, from, to).map(|class| channel.0 * self.classes + class);
            open.extend(first.filter(|node| !is_seen.put(*node as usize)));
        }
        while let Some(node) = open.pop() {
            let before = self.node(node);
            let at = network.channel(before.channel).head;
            let Some(channel) = table.next(at, to) else {
                self.add(node, None);
                continue;
            };
            for class in table.class_range(Some(before), at, to) {
                let next = channel.0 * self.classes + class;
                self.add(node, Some(next));
                if !is_seen.put(next as usize) {
                    open.push(next);
                }
            }
        }
    }

    /// Marks a node as used, and adds an edge from it if there is a next one. The successors must be
    /// sorted in the end.
    pub(super) fn add(&mut self, node: u32, next: Option<u32>) {
        self.is_used[node as usize] = true;
        let successors = &mut self.successors[node as usize];
        // Skips immediate repetitions; sorting removes other duplicates.
        if let Some(next) = next.filter(|next| successors.last() != Some(next)) {
            successors.push(next);
        }
    }

    /// Sorts the successors of every node and removes duplicates.
    pub(super) fn sort(&mut self) {
        for successors in &mut self.successors {
            successors.sort_unstable();
            successors.dedup();
        }
    }

    /// Number of classes of virtual channels.
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// All nodes, by channel, then by class.
    pub fn nodes(&self) -> impl Iterator<Item = VirtualChannel> + '_ {
        (0..self.successors.len() as u32).map(|node| self.node(node))
    }

    /// The channel and class of a node.
    fn node(&self, node: u32) -> VirtualChannel {
        let channel = ChannelId(node / self.classes);
        VirtualChannel { channel, class: node % self.classes }
    }

    /// The number of a node, in the order of [`nodes`](Self::nodes).
    fn number(&self, node: VirtualChannel) -> usize {
        (node.channel.0 * self.classes + node.class) as usize
    }

    /// The nodes that some message takes directly after a node.
    pub fn successors(&self, node: VirtualChannel) -> impl Iterator<Item = VirtualChannel> + '_ {
        self.successors[self.number(node)].iter().map(|&next| self.node(next))
    }

    /// The channels that some message takes directly after a channel, in any class.
    pub(crate) fn next_channels(&self, channel: ChannelId) -> Vec<ChannelId> {
        let nodes = (0..self.classes).map(|class| VirtualChannel { channel, class });
        let mut next: Vec<ChannelId> =
            nodes.flat_map(|node| self.successors(node)).map(|node| node.channel).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// Whether some message uses a channel.
    pub fn is_used(&self, channel: ChannelId) -> bool {
        let first = channel.index() * self.classes as usize;
        self.is_used[first..][..self.classes as usize].contains(&true)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// Whether links depend on each other in a cycle, if a message holds whole links. Under half
    /// duplex, a link is both of its channels.
    pub(crate) fn has_cycle_of_links(&self, links: &Links) -> bool {
        order(&self.of_links(links).successors).is_err()
    }

    /// The graph of the links, if a message holds whole links. The node of a link is that of its first
    /// channel; there are no classes, and other channels are nodes without edges.
    pub fn of_links(&self, links: &Links) -> Self {
        let node_of = |channel: ChannelId| links.channel(links.of(channel)).index();
        let channels = self.successors.len() / self.classes.max(1) as usize;
        let mut graph = Self {
            classes: 1,
            successors: vec![Vec::new(); channels],
            is_used: vec![false; channels],
        };
        for node in self.nodes() {
            let from = node_of(node.channel);
            graph.is_used[from] |= self.is_used[self.number(node)];
            let next = self.successors(node).map(|next| node_of(next.channel) as u32);
            graph.successors[from].extend(next);
        }
        graph.sort();
        graph
    }

    /// Whether messages can deadlock that hold these links, or channels if there are none.
    pub(crate) fn risk(&self, links: Option<&Links>) -> DeadlockRisk {
        if order(&self.successors).is_err() {
            DeadlockRisk::Cycle
        } else if links.is_some_and(|links| self.has_cycle_of_links(links)) {
            DeadlockRisk::HalfDuplex
        } else {
            DeadlockRisk::Free
        }
    }

    /// A shortest cycle, starting from its lowest node; `None` if there is no cycle.
    pub fn cycle(&self) -> Option<Vec<VirtualChannel>> {
        order(&self.successors).err().map(|on_cycles| {
            let cycle = shortest_cycle(&self.successors, &on_cycles);
            cycle.into_iter().map(|node| self.node(node)).collect()
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
