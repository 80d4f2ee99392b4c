//! The cheapest path to a processor from one of several possible senders, when each channel has a
//! cost in the current step.

use pavane_model::{ChannelId, Problem, ProcessorId, RouterId, Routing, Switching};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cost of a hop besides its conflicts: prefers the shorter of equal paths.
const HOP: f32 = 0.01;

/// The costs of conflicts in a step.
pub(super) struct Weights<'w> {
    /// Of a channel.
    pub channel: &'w dyn Fn(ChannelId) -> f32,
    /// Of a sender: infinite if it does not have the message.
    pub sender: &'w dyn Fn(u32) -> f32,
    /// The possible senders.
    pub senders: &'w [u32],
}

/// Memory for searches, and the rules that limit them.
pub(super) struct Ways<'a> {
    problem: &'a Problem,
    /// Whether arbitrary paths are searched, not only shortest ones.
    is_free: bool,
    longest: u32,
    /// By target, the routers that can reach it, nearest first, each with its distance.
    orders: Vec<Option<Vec<(u32, u32)>>>,
    distance: Vec<u32>,
    cost: Vec<f32>,
    next: Vec<Option<ChannelId>>,
}

impl<'a> Ways<'a> {
    /// For any problem that runs forward.
    pub fn new(problem: &'a Problem) -> Self {
        let routers = problem.network().router_count();
        let model = problem.model();
        let is_hopping = model.switching == Switching::StoreAndForward;
        Self {
            problem,
            is_free: model.routing == Routing::Any && !is_hopping,
            longest: if is_hopping { 1 } else { u32::MAX },
            orders: vec![None; routers],
            distance: vec![u32::MAX; routers],
            cost: vec![f32::INFINITY; routers],
            next: vec![None; routers],
        }
    }

    /// The cost of the cheapest path to a processor, and its sender; `None` if there is no path.
    pub fn cheapest(&mut self, to: u32, weights: &Weights<'_>) -> Option<(f32, u32)> {
        let target = self.problem.home(ProcessorId(to));
        self.cost.fill(f32::INFINITY);
        self.next.fill(None);
        self.cost[target.index()] = 0.0;
        match self.is_free {
            true => self.search(target, weights),
            false => self.sweep(target, weights),
        }
        let mut best: Option<(f32, u32)> = None;
        for &from in weights.senders {
            let home = self.problem.home(ProcessorId(from));
            let way = self.cost[home.index()];
            if way.is_finite() && best.is_none_or(|(least, _)| way < least) {
                let cost = way + (weights.sender)(from);
                if cost.is_finite() && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, from));
                }
            }
        }
        best
    }

    /// The channels of the path found last, from the sender on.
    pub fn path(&self, from: u32, to: u32, path: &mut Vec<ChannelId>) {
        path.clear();
        let target = self.problem.home(ProcessorId(to));
        let mut at = self.problem.home(ProcessorId(from));
        while at != target {
            let channel = self.next[at.index()].expect("the sender has a path to the target");
            path.push(channel);
            at = self.problem.network().channel(channel).head;
        }
    }

    /// Shortest paths only: dynamic programming, nearest routers first.
    fn sweep(&mut self, target: RouterId, weights: &Weights<'_>) {
        let network = self.problem.network();
        let order = self.orders[target.index()].get_or_insert_with(|| {
            let distance = network.distances_to(target);
            let reach = (0..).zip(&distance).filter(|&(_, &d)| d > 0 && d != u32::MAX);
            let mut order: Vec<(u32, u32)> = reach.map(|(router, &d)| (router, d)).collect();
            order.sort_by_key(|&(router, d)| (d, router));
            order
        });
        self.distance.fill(u32::MAX);
        self.distance[target.index()] = 0;
        for &(router, distance) in order.iter() {
            if distance > self.longest {
                break;
            }
            self.distance[router as usize] = distance;
            let mut best = (f32::INFINITY, None);
            for &channel in network.out_channels(RouterId(router)) {
                let head = network.channel(channel).head.index();
                if self.distance[head] != distance - 1 || self.cost[head].is_infinite() {
                    continue;
                }
                let cost = self.cost[head] + HOP + (weights.channel)(channel);
                if cost < best.0 {
                    best = (cost, Some(channel));
                }
            }
            (self.cost[router as usize], self.next[router as usize]) = best;
        }
    }

    /// Arbitrary simple paths: Dijkstra's algorithm.
    fn search(&mut self, target: RouterId, weights: &Weights<'_>) {
        let network = self.problem.network();
        // For non-negative floats, the order of the bits is the order of the values.
        let mut heap = BinaryHeap::from([Reverse((0u32, target))]);
        while let Some(Reverse((bits, router))) = heap.pop() {
            let cost = f32::from_bits(bits);
            if cost > self.cost[router.index()] {
                continue;
            }
            for &channel in network.in_channels(router) {
                let tail = network.channel(channel).tail;
                let through = cost + HOP + (weights.channel)(channel);
                if through < self.cost[tail.index()] {
                    self.cost[tail.index()] = through;
                    self.next[tail.index()] = Some(channel);
                    heap.push(Reverse((through.to_bits(), tail)));
                }
            }
        }
    }
}
