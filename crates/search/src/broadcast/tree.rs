//! On a tree, or a spanning tree with few links left over, finds exactly the fewest holders that
//! can serve all others in one step. Dynamic programming (Bellman 1957) from the leaves up: the
//! cost of each subtree if one copy leaves it, none passes, or one enters.

use super::one_message::OneMessage;
use crate::rng::Rng;
use pavane_model::{Problem, ProcessorId, RouterId};

/// Impossible.
const NEVER: u64 = u64::MAX;

/// Cost of one more holder; preferences for its position cost less in total.
const HOLDER: u64 = 1 << 32;

/// Routers per link outside the tree from which on a spanning tree is tried.
const ROUTERS_PER_LINK: usize = 50;

/// Largest sum of squared numbers of children, which bounds time and memory.
const LARGEST: usize = 4_000_000;

/// One copy enters a subtree, none passes, one leaves it.
const PASSES: [i32; 3] = [-1, 0, 1];

/// A spanning tree that connects the origin with all destinations.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    task: &'a OneMessage<'a>,
    /// The routers, each after its parent.
    order: Vec<RouterId>,
    /// By router: its children.
    children: Vec<Vec<RouterId>>,
    /// Links outside the tree.
    links_left: usize,
}

/// Whether exactly one path connects any two routers that the message can reach.
pub(super) fn is_tree(problem: &Problem) -> bool {
    let task = OneMessage::new(problem);
    Tree::new(&task).is_some_and(|tree| tree.links_left == 0)
}

/// The requirements of a step at every router.
struct TreeStep {
    /// By router: how many processors have to hold the message after the step.
    wanted: Vec<u32>,
    /// By router: how many processors a holder there can send to.
    ports: Vec<u32>,
    /// By router: the cost of a holder there.
    price: Vec<u64>,
}

impl<'a> Tree<'a> {
    /// Returns `None` unless the network is a tree or nearly one.
    pub fn new(task: &'a OneMessage<'a>) -> Option<Self> {
        let network = task.network;
        if network.is_directed() {
            return None;
        }
        let mut children: Vec<Vec<RouterId>> = vec![Vec::new(); network.router_count()];
        let mut is_seen = vec![false; network.router_count()];
        let mut order = vec![task.home(task.origin)];
        is_seen[order[0].index()] = true;
        let (mut at, mut channels) = (0, 0);
        while at < order.len() {
            let router = order[at];
            at += 1;
            channels += network.successors(router).len();
            for &channel in network.out_channels(router) {
                let next = network.channel(channel).head;
                let is_link = network.opposite(channel).is_some();
                if is_link && !std::mem::replace(&mut is_seen[next.index()], true) {
                    children[router.index()].push(next);
                    order.push(next);
                }
            }
        }
        // A channel without an opposite also gives a second path.
        let links_left = channels.saturating_sub(2 * (order.len() - 1)).div_ceil(2);
        let pairs: usize = children.iter().map(|below| below.len() * below.len()).sum();
        let is_sparse = links_left <= 1 + order.len() / ROUTERS_PER_LINK;
        let has_all = task.destinations.iter().all(|&to| is_seen[task.home(to).index()]);
        let is_fit = is_sparse && has_all && pairs <= LARGEST;
        is_fit.then_some(Self { task, order, children, links_left })
    }

    /// The fewest holders, the origin first, that can serve all of `next` over the links of the
    /// tree. Ties go to holders near the origin, or are broken at random.
    pub fn fewest(
        &self,
        next: &[ProcessorId],
        is_random: bool,
        rng: &mut Rng,
    ) -> Option<Vec<ProcessorId>> {
        let step = self.step(next, is_random, rng);
        let costs = self.costs(&step);
        let counts = self.counts(&step, &costs)?;
        let mut left = counts;
        let mut holders = vec![self.task.origin];
        for &processor in next {
            let left = &mut left[self.task.home(processor).index()];
            if *left > 0 {
                *left -= 1;
                holders.push(processor);
            }
        }
        Some(holders)
    }

    fn step(&self, next: &[ProcessorId], is_random: bool, rng: &mut Rng) -> TreeStep {
        let routers = self.children.len();
        let (mut wanted, mut ports) = (vec![0; routers], vec![u32::MAX; routers]);
        for &processor in next {
            let home = self.task.home(processor).index();
            wanted[home] += 1;
            ports[home] = ports[home].min(self.task.ports[processor.index()]);
        }
        let mut price = vec![HOLDER; routers];
        let mut depth = vec![0u64; routers];
        for &router in &self.order {
            for &child in &self.children[router.index()] {
                depth[child.index()] = depth[router.index()] + 1;
            }
            let place = if is_random { rng.below(1 << 12) as u64 } else { depth[router.index()] };
            price[router.index()] += place;
        }
        TreeStep { wanted, ports, price }
    }

    /// By router and by what passes between it and its parent: the least cost of its subtree.
    fn costs(&self, step: &TreeStep) -> Vec<[u64; 3]> {
        let mut costs = vec![[NEVER; 3]; self.children.len()];
        for &router in self.order.iter().rev() {
            let below = self.below(router, &costs);
            let all = below.last().expect("the first entry is for no children");
            for (place, pass) in PASSES.into_iter().enumerate() {
                let (cost, _) = self.cheapest(router, pass, all, step);
                costs[router.index()][place] = cost;
            }
        }
        costs
    }

    /// For the first 0, 1, … all children of a router: their least cost, by how many more copies
    /// come from them than go to them.
    fn below(&self, router: RouterId, costs: &[[u64; 3]]) -> Vec<Vec<u64>> {
        let children = &self.children[router.index()];
        let middle = children.len();
        let mut tables = vec![vec![NEVER; 2 * middle + 1]];
        tables[0][middle] = 0;
        for (number, child) in children.iter().enumerate() {
            let mut table = vec![NEVER; 2 * middle + 1];
            for at in middle - number..=middle + number {
                let so_far = tables[number][at];
                for (pass, cost) in PASSES.into_iter().zip(costs[child.index()]) {
                    if so_far != NEVER && cost != NEVER {
                        let after = &mut table[at.wrapping_add_signed(pass as isize)];
                        *after = (*after).min(so_far + cost);
                    }
                }
            }
            tables.push(table);
        }
        tables
    }

    /// The least cost of a router and its subtree if `pass` copies go to its parent, and the entry
    /// of `below` that attains it.
    fn cheapest(
        &self,
        router: RouterId,
        pass: i32,
        below: &[u64],
        step: &TreeStep,
    ) -> (u64, usize) {
        let middle = below.len() as i32 / 2;
        let mut best = (NEVER, 0);
        for (at, &cost) in below.iter().enumerate().filter(|(_, cost)| **cost != NEVER) {
            if let Some(holders) = self.holders(router, pass - (at as i32 - middle), step) {
                let cost = cost + u64::from(holders) * step.price[router.index()];
                best = best.min((cost, at));
            }
        }
        best
    }

    /// The fewest holders at a router that can send `net` more copies than the other processors
    /// there receive; `None` if that is impossible.
    fn holders(&self, router: RouterId, net: i32, step: &TreeStep) -> Option<u32> {
        let wanted = i64::from(step.wanted[router.index()]);
        let ports = i64::from(step.ports[router.index()]);
        let is_origin = self.task.home(self.task.origin) == router;
        let from_origin = if is_origin { self.task.ports[self.task.origin.index()] } else { 0 };
        let lacking = i64::from(net) + wanted - i64::from(from_origin);
        let fewest = if lacking <= 0 { 0 } else { (lacking + ports) / (ports + 1) };
        let is_possible = fewest <= wanted.min(i64::from(net) + wanted);
        is_possible.then_some(fewest as u32)
    }

    /// By router: its number of holders in the cheapest choice.
    fn counts(&self, step: &TreeStep, costs: &[[u64; 3]]) -> Option<Vec<u32>> {
        let mut counts = vec![0; self.children.len()];
        let mut passes = vec![0i32; self.children.len()];
        for &router in &self.order {
            let children = &self.children[router.index()];
            let tables = self.below(router, costs);
            let pass = passes[router.index()];
            let (cost, mut at) = self.cheapest(router, pass, &tables[children.len()], step);
            if cost == NEVER {
                return None;
            }
            counts[router.index()] =
                self.holders(router, pass - (at as i32 - children.len() as i32), step)?;
            for (number, child) in children.iter().enumerate().rev() {
                let of_child = PASSES.into_iter().zip(costs[child.index()]);
                let total = tables[number + 1][at];
                let (pass, before) = of_child
                    .filter(|(_, cost)| *cost != NEVER)
                    .map(|(pass, cost)| (pass, cost, at.wrapping_add_signed(-pass as isize)))
                    .find(|&(_, cost, before)| {
                        tables[number]
                            .get(before)
                            .is_some_and(|&so_far| so_far != NEVER && so_far + cost == total)
                    })
                    .map(|(pass, _, before)| (pass, before))?;
                passes[child.index()] = pass;
                at = before;
            }
        }
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{Model, NetworkBuilder, Ports};

    /// Whether these holders can serve all others of `next` in one step, by a maximum flow.
    fn serve(task: &OneMessage<'_>, holders: &[ProcessorId], next: &[ProcessorId]) -> bool {
        let routers = task.network.router_count() as u32;
        let channels = task.network.channels().iter();
        let mut arcs: Vec<(u32, u32, u32)> = channels.map(|c| (c.tail.0, c.head.0, 1)).collect();
        for &holder in holders {
            arcs.push((routers, task.home(holder).0, task.ports[holder.index()]));
        }
        let wanted: Vec<&ProcessorId> = next.iter().filter(|p| !holders.contains(p)).collect();
        arcs.extend(wanted.iter().map(|&&p| (task.home(p).0, routers + 1, 1)));
        let mut flow = Flow::new(routers as usize + 2, &arcs);
        flow.push(routers as usize, routers as usize + 1, u64::MAX) == wanted.len() as u64
    }

    #[test]
    fn no_fewer_holders_serve_the_others() {
        let mut rng = Rng::seeded(1);
        for case in 0..300 {
            let routers = 2 + rng.below(7) as u32;
            let mut builder = NetworkBuilder::new("tree", routers);
            for router in 1..routers {
                builder.link(router, rng.below(router as usize) as u32);
            }
            builder.processor_on_each_router();
            let mut network = builder.build().unwrap();
            if case % 3 == 0 {
                network = network.with_fat_nodes(2).unwrap();
            }
            let ports = if case % 2 == 0 { Ports::All } else { Ports::Limited(1 + case % 3) };
            let broadcast = collective::build("oab", &network, &Groups::default()).unwrap();
            let model = Model { ports, ..Model::default() };
            let problem = Problem::new(network, broadcast[0].clone(), model).unwrap();
            let task = OneMessage::new(&problem);
            let tree = Tree::new(&task).unwrap();
            let is_next = |_: &&ProcessorId| rng.chance(0.7);
            let next: Vec<ProcessorId> =
                task.destinations.iter().filter(is_next).copied().collect();
            let found = tree.fewest(&next, case % 5 == 0, &mut rng).unwrap();
            assert!(serve(&task, &found, &next), "{found:?} serve {next:?}");
            for some in
                (0u32..1 << next.len()).filter(|some| some.count_ones() as usize + 1 < found.len())
            {
                let chosen = (0..next.len()).filter(|at| some >> at & 1 == 1).map(|at| next[at]);
                let fewer: Vec<ProcessorId> = std::iter::once(task.origin).chain(chosen).collect();
                assert!(
                    !serve(&task, &fewer, &next),
                    "{fewer:?} serve {next:?}, not only {found:?}"
                );
            }
        }
    }
}
