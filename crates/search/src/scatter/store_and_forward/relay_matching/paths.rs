//! A path for every message, or a tree where there is no choice, chosen so that the loads of all
//! ports and channels are nearly even.

use super::super::super::layout::Layout;
use super::super::graph::RelayGraph;
use super::super::legs::NONE;
use super::costs::Costs;
use super::edge::HopEdge;
use super::loads::Loads;
use super::tolls::Tolls;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{MessageId, ProcessorId};
use rustc_hash::FxHashMap;

/// Limit on the hops of all messages together; above it, paths take too much memory.
const MOST_HOPS: u64 = 40_000_000;

/// Exponent of the load in its cost, one for each sweep over all messages.
const POWERS: [i32; 4] = [8, 16, 32, 64];

/// Maximum number of sweeps with tolls.
const SWEEPS: usize = 150;

/// A message moves if its new path costs less than this share of the old one.
const CHEAPER: f32 = 0.999;

/// A message that kept its path is tried again with a probability of at least 2 to the power of minus
/// this.
const MOST_CALM: u8 = 5;

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
    pub(super) costs: Costs,
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
            costs: Costs::powers(loads.len(), 1.0, 1),
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
            let scale = 1.0 / self.loads.largest().max(1) as f32;
            self.costs = Costs::powers(self.loads.len(), scale, power);
            for &message in &order {
                if !budget.spend(1) {
                    return;
                }
                self.route_again(layout, message, rng);
            }
        }
    }

    /// Reroutes the messages that use overloaded entries, at rising prices, until all loads fit into
    /// `steps`.
    pub fn mend(&mut self, layout: &Layout<'_>, steps: u32, budget: &mut Budget, rng: &mut Rng) {
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        let (power, dearer) = MENDING[rng.below(MENDING.len())];
        self.costs = Costs::powers(self.loads.len(), 1.0 / steps as f32, power);
        for _ in 0..MENDS {
            if self.loads.largest() <= steps {
                return;
            }
            rng.shuffle(&mut order);
            for &message in &order {
                if self.has_part(layout, message, steps) {
                    if !budget.spend(1) {
                        return;
                    }
                    self.route_again(layout, message, rng);
                }
            }
            if let Costs::Powers(powers) = &mut self.costs {
                for at in 0..self.loads.len() {
                    if self.loads.is_too_much(at, steps) {
                        powers.weights[at] *= dearer;
                    }
                }
            }
        }
    }

    /// Routes all messages at the prices of the channels, then repeats it with tolls until all loads
    /// fit into `steps` or that stops making progress. Messages that keep their paths are seldom tried
    /// again. Returns whether every message has a path, which an interrupt may prevent.
    pub fn settle(
        &mut self,
        layout: &Layout<'_>,
        prices: &[f64],
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> bool {
        if !self.trees.is_empty() {
            return true;
        }
        for message in 0..self.count() as u32 {
            self.take_off(layout, message);
        }
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        let mut calm = vec![0u8; order.len()];
        self.costs = Costs::Tolls(Tolls::new(layout, &self.loads, prices, steps));
        for sweep in 0..SWEEPS {
            rng.shuffle(&mut order);
            for &message in &order {
                let calm = &mut calm[message as usize];
                if *calm > 0 && rng.below(1 << *calm) > 0 {
                    continue;
                }
                if !budget.spend(1) {
                    return sweep > 0;
                }
                let has_moved = self.route_cheaper(layout, message, rng);
                *calm = if has_moved { 0 } else { MOST_CALM.min(*calm + 1) };
            }
            if self.loads.largest() <= steps {
                return true;
            }
            if let Costs::Tolls(tolls) = &mut self.costs {
                tolls.adjust(&self.loads, sweep);
            }
        }
        self.walk(layout, steps, budget, rng);
        true
    }

    /// Whether a message uses an entry that needs more than `steps` steps.
    fn has_part(&self, layout: &Layout<'_>, message: u32, steps: u32) -> bool {
        self.paths[message as usize].iter().any(|&edge| {
            let uses = self.loads.of(layout, self.edges[edge as usize]);
            uses.into_iter().any(|at| self.loads.is_too_much(at, steps))
        })
    }

    /// Routes a message again.
    fn route_again(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) {
        self.take_off(layout, message);
        self.route(layout, message, rng).expect("the message had a path before");
    }

    /// Moves a message to a cheaper path, if it has one or has no path yet; returns whether it has
    /// moved.
    fn route_cheaper(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> bool {
        let before = self.take_off(layout, message);
        let limit = CHEAPER * self.price(layout, &before);
        self.route(layout, message, rng).expect("the message had a path before");
        let is_cheaper = before.is_empty() || self.ways.last().is_some_and(|way| way.0 < limit);
        if !is_cheaper {
            self.take_off(layout, message);
            self.put_on(layout, message, before);
        }
        is_cheaper
    }

    /// The price of a path that is not among the loads.
    pub(super) fn price(&self, layout: &Layout<'_>, path: &[u32]) -> f32 {
        let cost = |&edge: &u32| self.costs.of(layout, &self.loads, self.edges[edge as usize]);
        path.iter().map(cost).sum()
    }

    /// Gives a message without a path this one.
    pub(super) fn put_on(&mut self, layout: &Layout<'_>, message: u32, path: Vec<u32>) {
        for &edge in &path {
            self.loads.add(layout, self.edges[edge as usize], 1);
        }
        self.paths[message as usize] = path;
    }

    /// Removes the path of a message and returns it.
    pub(super) fn take_off(&mut self, layout: &Layout<'_>, message: u32) -> Vec<u32> {
        let path = std::mem::take(&mut self.paths[message as usize]);
        for &edge in &path {
            self.loads.add(layout, self.edges[edge as usize], -1);
        }
        path
    }

    /// Routes a message on its cheapest path, or on its tree.
    pub(super) fn route(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> Option<()> {
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
                let own = self.costs.of(layout, &self.loads, edge) + f32::MIN_POSITIVE;
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
