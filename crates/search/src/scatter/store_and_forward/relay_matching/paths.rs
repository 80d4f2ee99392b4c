//! A path for every message, or a tree where there is no choice, chosen so that the loads of all
//! ports and channels are nearly even.

use super::super::super::layout::Layout;
use super::super::graph::RelayGraph;
use super::super::legs::NONE;
use super::edge::HopEdge;
use super::loads::{Costs, Loads};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{MessageId, ProcessorId};
use rustc_hash::FxHashMap;

/// Limit on the hops of all messages together; above it, paths take too much memory.
const MOST_HOPS: u64 = 40_000_000;

/// Exponent of the load in its cost, one for each sweep over all messages.
const POWERS: [i32; 4] = [8, 16, 32, 64];

/// Exponent and price factor for overloaded entries during repair. Neither pair is better for all
/// problems, so one is drawn at random.
const MENDING: [(i32, f32); 2] = [(128, 1.1), (32, 1.3)];

/// Maximum number of repair sweeps over the messages that use overloaded entries.
const MENDS: usize = 40;

/// The paths of all messages.
pub(super) struct Paths {
    /// Per message, the indices of its hops.
    pub(super) paths: Vec<Vec<u32>>,
    /// Per message with a tree and per hop: the length of the longest chain of hops from it on, and
    /// the index of the first hop after it. Empty for paths.
    pub(super) trees: Vec<Vec<(u32, u32)>>,
    edges: Vec<HopEdge>,
    numbers: FxHashMap<HopEdge, u32>,
    /// The sum of all paths.
    pub loads: Loads,
    detour: u32,
    costs: Costs,
    graph: RelayGraph,
    /// Per node of the graph: the cost of reaching it, its predecessor, and the hop from there.
    ways: Vec<(f32, u32, HopEdge)>,
    way: Vec<HopEdge>,
}

impl Paths {
    /// Finds a path for every message; `None` if a message has none, if the paths are too long in
    /// total, or if the budget runs out.
    pub fn new(
        layout: &Layout<'_>,
        detour: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Self> {
        let count = layout.problem.messages().len();
        let loads = Loads::new(layout);
        let messages = layout.problem.messages();
        let has_trees = messages.ids().any(|message| !messages.is_personalised(message));
        let mut paths = Self {
            paths: vec![Vec::new(); count],
            trees: vec![Vec::new(); if has_trees { count } else { 0 }],
            edges: Vec::new(),
            numbers: FxHashMap::default(),
            detour,
            costs: Costs { scale: 1.0, power: 1, weights: vec![1.0; loads.len()] },
            graph: RelayGraph::default(),
            ways: Vec::new(),
            way: Vec::new(),
            loads,
        };
        let mut order: Vec<u32> = (0..count as u32).collect();
        rng.shuffle(&mut order);
        let mut hops = 0;
        for message in order {
            paths.route(layout, message, rng)?;
            hops += paths.paths[message as usize].len() as u64;
            if hops > MOST_HOPS || !budget.spend(1) {
                return None;
            }
        }
        Some(paths)
    }

    pub fn count(&self) -> usize {
        self.paths.len()
    }

    pub fn edges(&self) -> &[HopEdge] {
        &self.edges
    }

    /// The hops of a message. Hops from the same processor are adjacent and come after the hop that
    /// leads to it.
    pub fn of(&self, message: u32) -> &[u32] {
        &self.paths[message as usize]
    }

    /// The length of the longest chain of hops from this one on, and the index of the first hop
    /// after it.
    pub fn rest(&self, message: u32, at: u32) -> (u32, u32) {
        match self.trees.get(message as usize) {
            Some(tree) if !tree.is_empty() => tree[at as usize],
            _ => (self.paths[message as usize].len() as u32 - at, at + 1),
        }
    }

    /// Reroutes all messages several times, with a growing exponent for large loads.
    pub fn even_out(&mut self, layout: &Layout<'_>, budget: &mut Budget, rng: &mut Rng) {
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        for power in POWERS {
            rng.shuffle(&mut order);
            self.costs.power = power;
            self.costs.scale = 1.0 / self.loads.largest().max(1) as f32;
            for &message in &order {
                if !budget.spend(1) {
                    return;
                }
                self.route_again(layout, message, rng);
            }
        }
    }

    /// Reroutes the messages that use overloaded entries, at rising prices. Returns whether all
    /// loads fit into `steps` in the end.
    pub fn mend(
        &mut self,
        layout: &Layout<'_>,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> bool {
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        let (power, dearer) = MENDING[rng.below(MENDING.len())];
        self.costs.power = power;
        self.costs.scale = 1.0 / steps as f32;
        self.costs.weights.fill(1.0);
        for _ in 0..MENDS {
            if self.loads.largest() <= steps {
                return true;
            }
            rng.shuffle(&mut order);
            for &message in &order {
                if self.has_part(layout, message, steps) {
                    if !budget.spend(1) {
                        return false;
                    }
                    self.route_again(layout, message, rng);
                }
            }
            for at in 0..self.loads.len() {
                if self.loads.is_too_much(at, steps) {
                    self.costs.weights[at] *= dearer;
                }
            }
        }
        self.loads.largest() <= steps
    }

    /// Whether a message uses an entry that needs more than `steps` steps.
    fn has_part(&self, layout: &Layout<'_>, message: u32, steps: u32) -> bool {
        self.paths[message as usize].iter().any(|&edge| {
            let uses = self.loads.of(layout, self.edges[edge as usize]);
            uses.into_iter().any(|at| self.loads.is_too_much(at, steps))
        })
    }

    fn route_again(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) {
        for edge in std::mem::take(&mut self.paths[message as usize]) {
            self.loads.add(layout, self.edges[edge as usize], -1);
        }
        self.route(layout, message, rng).expect("the message had a path before");
    }

    /// Routes a message on its cheapest path, or on its tree.
    fn route(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> Option<()> {
        if !layout.problem.messages().is_personalised(MessageId(message)) {
            self.set_tree(layout, MessageId(message));
            return Some(());
        }
        self.graph.find(layout, MessageId(message), self.detour);
        self.ways.clear();
        self.ways.push((0.0, 0, HopEdge { from: 0, to: 0, channel: NONE }));
        for node in &self.graph.nodes[1..] {
            let mut best = (f32::INFINITY, 0, HopEdge { from: 0, to: 0, channel: NONE });
            for hop in &self.graph.hops[node.hops.clone()] {
                let from = self.graph.nodes[hop.tail as usize].processor;
                if hop.channel != NONE && layout.is_blocked(hop.channel) {
                    continue;
                }
                let edge = HopEdge { from: from.0, to: node.processor.0, channel: hop.channel };
                let own = self.loads.cost(layout, edge, &self.costs) + f32::MIN_POSITIVE;
                let jitter = 1.0 + 1e-3 * rng.unit() as f32;
                let cost = self.ways[hop.tail as usize].0 + own * jitter;
                if cost < best.0 {
                    best = (cost, hop.tail, edge);
                }
            }
            self.ways.push(best);
        }
        let mut node = self.ways.len() - 1;
        if self.ways[node].0.is_infinite() {
            return None;
        }
        self.way.clear();
        while node > 0 {
            let (_, tail, edge) = self.ways[node];
            self.way.push(edge);
            node = tail as usize;
        }
        self.way.reverse();
        without_loops(layout, &mut self.way);
        for at in 0..self.way.len() {
            let number = self.add_hop(layout, self.way[at]);
            self.paths[message as usize].push(number);
        }
        Some(())
    }

    /// Adds a hop to the loads and returns its index.
    pub(super) fn add_hop(&mut self, layout: &Layout<'_>, edge: HopEdge) -> u32 {
        self.loads.add(layout, edge, 1);
        let next = self.edges.len() as u32;
        let number = *self.numbers.entry(edge).or_insert(next);
        if number == next {
            self.edges.push(edge);
        }
        number
    }
}

/// Removes the loops from a path: a path with detours may return to a router.
fn without_loops(layout: &Layout<'_>, way: &mut Vec<HopEdge>) {
    let home = |processor: u32| layout.problem.home(ProcessorId(processor));
    let mut at = 0;
    while at < way.len() {
        let router = home(way[at].from);
        match (at..way.len()).rfind(|&later| home(way[later].to) == router) {
            // The path stays within one router.
            Some(_) if at == 0 && way.len() == 1 => return,
            Some(last) if last + 1 == way.len() => {
                way[at - 1].to = way[last].to;
                way.truncate(at);
            }
            Some(last) => {
                way[last + 1].from = way[at].from;
                way.drain(at..=last);
            }
            None => at += 1,
        }
    }
}
