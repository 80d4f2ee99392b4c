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

/// A target, with what the dynamic programming needs to know about it.
struct Target {
    /// By router, the distance to the target.
    distance: Vec<u32>,
    /// The routers that can reach the target, each with every allowed detour, shortest path first.
    order: Vec<(u32, u32)>,
}

impl Target {
    fn new(problem: &Problem, target: RouterId, detours: usize) -> Self {
        let distance = problem.network().distances_to(target);
        let reach = (0..).zip(&distance).filter(|&(_, &d)| d > 0 && d != u32::MAX);
        let routers: Vec<u32> = reach.map(|(router, _)| router).collect();
        let with_detours =
            routers.into_iter().flat_map(|router| (0..detours as u32).map(move |d| (router, d)));
        let mut order: Vec<(u32, u32)> = with_detours.collect();
        order.sort_by_key(|&(router, detour)| (distance[router as usize] + detour, router));
        Self { distance, order }
    }
}

/// Memory for searches, and the rules that limit them.
pub(super) struct Ways<'a> {
    problem: &'a Problem,
    /// Whether arbitrary paths are searched.
    is_free: bool,
    longest: u32,
    /// Number of path lengths that are allowed from a router: the shortest, one more, and so on. 1 if
    /// arbitrary paths are searched.
    detours: usize,
    targets: Vec<Option<Target>>,
    /// By router and detour: the cost of the cheapest path of that length, and its first channel.
    cost: Vec<f32>,
    next: Vec<Option<ChannelId>>,
}

impl<'a> Ways<'a> {
    /// For any problem that runs forward.
    pub fn new(problem: &'a Problem) -> Self {
        let routers = problem.network().router_count();
        let model = problem.model();
        let is_store_and_forward = model.switching == Switching::StoreAndForward;
        let (is_free, most_detour) = match model.routing {
            _ if is_store_and_forward => (false, 0),
            Routing::Minimal => (false, 0),
            // No simple path has more channels than there are routers.
            Routing::Detour(hops) if (hops as usize) < routers => (false, hops as usize),
            Routing::Detour(_) | Routing::Any => (true, 0),
        };
        let detours = most_detour + 1;
        Self {
            problem,
            is_free,
            longest: if is_store_and_forward { 1 } else { u32::MAX },
            detours,
            targets: (0..routers).map(|_| None).collect(),
            cost: vec![f32::INFINITY; routers * detours],
            next: vec![None; routers * detours],
        }
    }

    /// Whether the routing allows paths of a few more channels than the shortest.
    pub fn has_detours(&self) -> bool {
        self.detours > 1
    }

    /// The cost of the cheapest path to a processor, and its sender; `None` if there is no path.
    pub fn cheapest(&mut self, to: u32, weights: &Weights<'_>) -> Option<(f32, u32)> {
        self.cheapest_of(self.detours, to, weights)
    }

    /// The same over shortest paths only, unless the routing allows arbitrary paths.
    pub fn cheapest_shortest(&mut self, to: u32, weights: &Weights<'_>) -> Option<(f32, u32)> {
        self.cheapest_of(1, to, weights)
    }

    /// The same over paths of the first `lengths` allowed lengths.
    fn cheapest_of(
        &mut self,
        lengths: usize,
        to: u32,
        weights: &Weights<'_>,
    ) -> Option<(f32, u32)> {
        let target = self.problem.home(ProcessorId(to));
        self.cost.fill(f32::INFINITY);
        self.next.fill(None);
        self.cost[target.index() * self.detours] = 0.0;
        if self.is_free {
            self.search(target, weights)
        } else {
            self.sweep(target, lengths, weights)
        }
        let mut best: Option<(f32, u32)> = None;
        for &from in weights.senders {
            let way = self.cost[self.best_state(self.problem.home(ProcessorId(from)))];
            if way.is_finite() && best.is_none_or(|(least, _)| way < least) {
                let cost = way + (weights.sender)(from);
                if cost.is_finite() && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, from));
                }
            }
        }
        best
    }

    /// The place of the cheapest path from a router in `cost` and `next`.
    fn best_state(&self, router: RouterId) -> usize {
        let first = router.index() * self.detours;
        let better = |best, state| if self.cost[state] < self.cost[best] { state } else { best };
        (first..first + self.detours).fold(first, better)
    }

    /// The channels of the path found last, from the sender on.
    pub fn path(&self, from: u32, to: u32, path: &mut Vec<ChannelId>) {
        path.clear();
        let target = self.problem.home(ProcessorId(to));
        let mut at = self.problem.home(ProcessorId(from));
        let mut state = self.best_state(at);
        while at != target {
            let channel = self.next[state].expect("the sender has a path to the target");
            path.push(channel);
            let head = self.problem.network().channel(channel).head;
            state = match &self.targets[target.index()] {
                Some(Target { distance, .. }) if !self.is_free => {
                    let detour = (state % self.detours) as u32;
                    let left = distance[at.index()] + detour - 1 - distance[head.index()];
                    head.index() * self.detours + left as usize
                }
                _ => head.index(),
            };
            at = head;
        }
    }

    /// Paths of bounded length: dynamic programming, shortest paths first. A path that visits a
    /// router twice is longer and more expensive than without the loop, so it is never the cheapest.
    fn sweep(&mut self, target: RouterId, lengths: usize, weights: &Weights<'_>) {
        let network = self.problem.network();
        let new = || Target::new(self.problem, target, self.detours);
        let Target { distance, order } = self.targets[target.index()].get_or_insert_with(new);
        for &(router, detour) in order.iter().filter(|&&(_, detour)| (detour as usize) < lengths) {
            let length = distance[router as usize] + detour;
            if length > self.longest {
                break;
            }
            let mut best = (f32::INFINITY, None);
            for &channel in network.out_channels(RouterId(router)) {
                let head = network.channel(channel).head.index();
                // The detour that the rest of a path of this length has.
                let Some(left) = (length - 1).checked_sub(distance[head]) else { continue };
                let rest = self.cost[head * self.detours + left as usize];
                if rest.is_infinite() {
                    continue;
                }
                let cost = rest + HOP + (weights.channel)(channel);
                if cost < best.0 {
                    best = (cost, Some(channel));
                }
            }
            let state = router as usize * self.detours + detour as usize;
            (self.cost[state], self.next[state]) = best;
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

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::Model;
    use pavane_model::collective::{self, Groups};
    use pavane_networks::topology;

    /// The length of the cheapest path from processor 0 to processor 2 of ring:6, if the channel from
    /// router 0 to router 1 is occupied.
    fn length(routing: Routing) -> Option<usize> {
        let network = topology::build("ring:6").unwrap();
        let phases = collective::build("oab", &network, &Groups::default()).unwrap();
        let model = Model { routing, ..Model::default() };
        let problem = Problem::new(network, phases[0].clone(), model).unwrap();
        let is_occupied = |channel: ChannelId| {
            let ends = problem.network().channel(channel);
            (ends.tail, ends.head) == (RouterId(0), RouterId(1))
        };
        let channel = |channel| if is_occupied(channel) { f32::INFINITY } else { 0.0 };
        let weights = Weights { channel: &channel, sender: &|_| 0.0, senders: &[0] };
        let mut ways = Ways::new(&problem);
        let (_, from) = ways.cheapest(2, &weights)?;
        let mut path = Vec::new();
        ways.path(from, 2, &mut path);
        Some(path.len())
    }

    #[test]
    fn detours_are_as_long_as_the_routing_allows() {
        assert_eq!(length(Routing::Minimal), None);
        assert_eq!(length(Routing::Detour(1)), None);
        assert_eq!(length(Routing::Detour(2)), Some(4));
        assert_eq!(length(Routing::Detour(100)), Some(4));
        assert_eq!(length(Routing::Any), Some(4));
    }
}
