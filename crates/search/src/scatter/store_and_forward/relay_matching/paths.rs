//! A path for every message, or a tree where there is no choice, chosen so that the loads of all
//! ports and channels are nearly even.

use super::super::super::layout::Layout;
use super::super::legs::NONE;
use super::costs::Costs;
use super::edge::HopEdge;
use super::loads::Loads;
use super::stored_hops::StoredHops;
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
    /// Per hop, the entries of the loads that it uses.
    pub(super) entries: Vec<[usize; 3]>,
    numbers: FxHashMap<HopEdge, u32>,
    /// The sum of all paths.
    pub loads: Loads,
    pub(super) costs: Costs,
    /// Per entry of the loads, the cost of one more use.
    cost: Vec<f32>,
    hops: StoredHops,
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
            entries: Vec::new(),
            numbers: FxHashMap::default(),
            costs: Costs::powers(loads.len(), 1.0, 1),
            cost: vec![0.0; loads.len()],
            hops: StoredHops::new(count, detour),
            ways: Vec::new(),
            way: Vec::new(),
            loads,
        };
        paths.price_entries();
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
            self.set_costs(Costs::powers(self.loads.len(), scale, power));
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
        self.set_costs(Costs::powers(self.loads.len(), 1.0 / steps as f32, power));
        for _ in 0..MENDS {
            if self.loads.largest() <= steps {
                return;
            }
            rng.shuffle(&mut order);
            for &message in &order {
                if self.has_part(message, steps) {
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
            self.price_entries();
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
            self.take_off(message);
        }
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        let mut calm = vec![0u8; order.len()];
        self.set_costs(Costs::Tolls(Tolls::new(layout, &self.loads, prices, steps)));
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
            self.price_entries();
        }
        self.walk(layout, steps, budget, rng);
        true
    }

    /// Replaces the costs of all entries.
    pub(super) fn set_costs(&mut self, costs: Costs) {
        self.costs = costs;
        self.price_entries();
    }

    /// Computes the costs of all entries after a change of prices.
    fn price_entries(&mut self) {
        (0..self.cost.len()).for_each(|at| self.price_entry(at));
    }

    /// Computes the cost of an entry after a change of its price or its load.
    pub(super) fn price_entry(&mut self, at: usize) {
        self.cost[at] = self.costs.of(&self.loads, at);
    }

    /// Adds `change` uses of a hop.
    fn add(&mut self, edge: u32, change: i32) {
        let entries = self.entries[edge as usize];
        self.loads.add_to(entries, change);
        entries.into_iter().for_each(|at| self.price_entry(at));
    }

    /// Whether a message uses an entry that needs more than `steps` steps.
    fn has_part(&self, message: u32, steps: u32) -> bool {
        let is_too_much = |&at: &usize| self.loads.is_too_much(at, steps);
        let path = &self.paths[message as usize];
        path.iter().any(|&edge| self.entries[edge as usize].iter().any(is_too_much))
    }

    /// Routes a message again.
    fn route_again(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) {
        self.take_off(message);
        self.route(layout, message, rng).expect("the message had a path before");
    }

    /// Moves a message to a cheaper path, if it has one or has no path yet; returns whether it has
    /// moved.
    fn route_cheaper(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> bool {
        let before = self.take_off(message);
        let limit = CHEAPER * self.price(&before);
        let cost = self.find_way(layout, message, rng).expect("the message had a path before");
        let is_cheaper = before.is_empty() || cost < limit;
        if is_cheaper {
            self.take_way(layout, message);
        } else {
            self.put_on(message, before);
        }
        is_cheaper
    }

    /// The price of a path that is not among the loads.
    pub(super) fn price(&self, path: &[u32]) -> f32 {
        path.iter().map(|&edge| self.cost_of(self.entries[edge as usize])).sum()
    }

    /// Cost of one more use of a hop with these entries.
    fn cost_of(&self, [send, receive, channel]: [usize; 3]) -> f32 {
        let own = if channel == send { 0.0 } else { self.cost[channel] };
        self.cost[send] + self.cost[receive] + own
    }

    /// Gives a message without a path this one.
    pub(super) fn put_on(&mut self, message: u32, path: Vec<u32>) {
        path.iter().for_each(|&edge| self.add(edge, 1));
        self.paths[message as usize] = path;
    }

    /// Removes the path of a message and returns it.
    pub(super) fn take_off(&mut self, message: u32) -> Vec<u32> {
        let path = std::mem::take(&mut self.paths[message as usize]);
        path.iter().for_each(|&edge| self.add(edge, -1));
        path
    }

    /// Routes a message on its cheapest path, or on its tree; `None` if it has none.
    pub(super) fn route(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> Option<()> {
        if layout.problem.messages().is_personalised(MessageId(message)) {
            self.find_way(layout, message, rng)?;
            self.take_way(layout, message);
        } else {
            self.set_tree(layout, MessageId(message));
        }
        Some(())
    }

    /// Finds the cheapest path of a message and returns its cost; `None` if it has none.
    fn find_way(&mut self, layout: &Layout<'_>, message: u32, rng: &mut Rng) -> Option<f32> {
        let mut hops = std::mem::take(&mut self.hops);
        let nodes = hops.of(layout, &self.loads, message);
        self.ways.clear();
        self.ways.push((0.0, 0, HopEdge { from: 0, to: 0, channel: NONE }));
        for node in 1..nodes.count() {
            let mut best = (f32::INFINITY, 0, HopEdge { from: 0, to: 0, channel: NONE });
            for hop in nodes.hops_into(node) {
                let own = self.cost_of(hop.entries) + f32::MIN_POSITIVE;
                let jitter = 1.0 + 1e-3 * rng.unit() as f32;
                let cost = self.ways[hop.tail as usize].0 + own * jitter;
                if cost < best.0 {
                    best = (cost, hop.tail, hop.edge);
                }
            }
            self.ways.push(best);
        }
        self.hops = hops;
        self.ways.last().map(|way| way.0).filter(|cost| cost.is_finite())
    }

    /// Gives a message the path that was found last.
    fn take_way(&mut self, layout: &Layout<'_>, message: u32) {
        let mut node = self.ways.len() - 1;
        self.way.clear();
        while node > 0 {
            let (_, tail, edge) = self.ways[node];
            self.way.push(edge);
            node = tail as usize;
        }
        self.way.reverse();
        without_loops(layout, &mut self.way);
        let mut path = Vec::with_capacity(self.way.len());
        for at in 0..self.way.len() {
            path.push(self.add_hop(layout, self.way[at]));
        }
        self.paths[message as usize] = path;
    }

    /// Adds a hop to the loads and returns its index.
    pub(super) fn add_hop(&mut self, layout: &Layout<'_>, edge: HopEdge) -> u32 {
        let next = self.edges.len() as u32;
        let number = *self.numbers.entry(edge).or_insert(next);
        if number == next {
            self.edges.push(edge);
            self.entries.push(self.loads.of(layout, edge));
        }
        self.add(number, 1);
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
