//! Throughput plans of broadcasts: weighted trees that attain the limit.
//!
//! Capacities are scaled to whole trees, routers that are not receivers are split off, trees are
//! packed, and capacity that stands for several channels is mapped back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::graph::{Graph, Ratio};
use crate::integer::{gcd, proportion};
use crate::limit::{BroadcastError, Limit, limit};
use crate::packing::{self, Class, Edge, Root};
use crate::splitting::{Capacities, Strand};

/// A tree of channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Index in the list of senders.
    pub sender: u32,
    /// The share of the message is `weight / scale`.
    pub weight: u128,
    /// Channels from the root outwards. Every receiver's router is entered once. A router that does
    /// not duplicate uses one outgoing channel per incoming one, so a channel may occur several times.
    pub channels: Vec<u32>,
    /// Largest number of routers that may duplicate on a path from the root, without the root.
    pub depth: u32,
}

/// Weighted trees for every sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePlan {
    /// Sum of the weights of each sender's trees.
    pub scale: u128,
    /// Trees, by sender.
    pub trees: Vec<Tree>,
    /// Time for messages of size 1: the largest ratio of load to bandwidth.
    pub time: Ratio,
    /// The limit; the plan is optimal if `time` is equal to that of the limit.
    pub limit: Limit,
}

impl TreePlan {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit.time
    }

    /// The depth of the deepest tree.
    pub fn depth(&self) -> u32 {
        self.trees.iter().map(|tree| tree.depth).max().unwrap_or(0)
    }

    /// The largest number of trees of one sender.
    pub fn trees_per_sender(&self) -> usize {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        self.trees.iter().for_each(|tree| *counts.entry(tree.sender).or_default() += 1);
        counts.into_values().max().unwrap_or(0)
    }
}

/// One message from every sender to all receivers.
#[derive(Debug, Clone, Copy)]
pub struct Broadcasts<'a> {
    /// The network.
    pub graph: &'a Graph,
    /// Whether each router may duplicate: it has a processor or is a multicast switch.
    pub copying: &'a [bool],
    /// The router of each sender.
    pub senders: &'a [u32],
    /// The router of each receiver.
    pub receivers: &'a [u32],
}

/// A plan that attains the limit if every router that is not a receiver's has at least as much
/// bandwidth in as out, or may duplicate and can get all messages at the same rate; otherwise the
/// best plan found. The search ends early if `stop` returns true, which is checked regularly.
pub fn plan(broadcasts: &Broadcasts, stop: &dyn Fn() -> bool) -> Result<TreePlan, BroadcastError> {
    broadcasts.plan(u32::MAX, stop)
}

/// The best plan found with at most `most` trees per sender, at least 1.
pub fn plan_with_trees(
    broadcasts: &Broadcasts,
    most: u32,
    stop: &dyn Fn() -> bool,
) -> Result<TreePlan, BroadcastError> {
    let most = most.max(1);
    let unbounded = broadcasts.plan(most, stop)?;
    if unbounded.trees_per_sender() <= most as usize {
        return Ok(unbounded);
    }
    let limit = unbounded.limit;
    let mut times: Vec<(Ratio, u128)> = Vec::new();
    for trees in (1..=most.min(MANY_TREES)).chain((most > MANY_TREES).then_some(most)) {
        let trees = u128::from(trees);
        times.push((broadcasts.best_time(&limit, trees), trees));
        if stop() {
            return Err(BroadcastError::Interrupted);
        }
    }
    times.sort();
    let mut best = broadcasts.finish(broadcasts.shortest_paths(), limit);
    for (time, trees) in times {
        if best.time <= time {
            break;
        }
        if let Some(found) = broadcasts.attempt(time, trees, most, stop) {
            let found = broadcasts.finish(found, best.limit.clone());
            if found.time < best.time {
                best = found;
            }
        }
        if stop() {
            return Err(BroadcastError::Interrupted);
        }
    }
    Ok(best)
}

/// A plan without search: one tree of shortest paths for every sender.
pub fn simple_plan(broadcasts: &Broadcasts) -> Result<TreePlan, BroadcastError> {
    let limit = limit(broadcasts.graph, broadcasts.senders, broadcasts.receivers)?;
    Ok(broadcasts.finish(broadcasts.shortest_paths(), limit))
}

/// A plan whose trees load each channel at most as given, for messages of size 1. `exact` is a number of
/// trees per sender for which all loads are whole; smaller numbers are tried first. None if there is no
/// such plan or none was found.
pub fn plan_within(
    broadcasts: &Broadcasts,
    loads: &[Ratio],
    exact: u128,
    stop: &dyn Fn() -> bool,
) -> Option<TreePlan> {
    let limit = limit(broadcasts.graph, broadcasts.senders, broadcasts.receivers).ok()?;
    for trees in (1..exact.min(FEW_TREES)).chain([exact]) {
        let whole = |load: &Ratio| proportion(trees, *load.numer(), *load.denom());
        let network = broadcasts.network(loads.iter().map(whole), trees);
        if let Some(found) = broadcasts.pack(network, u32::MAX, stop) {
            return Some(broadcasts.finish(found, limit));
        }
        if stop() {
            return None;
        }
    }
    None
}

/// Networks with more routers are packed in one way only.
const MANY_ROUTERS: usize = 64;
/// Numbers of trees per sender that are tried before the one that divides all bandwidths.
const FEW_TREES: u128 = 16;
/// A larger bound on the trees per sender is not searched number by number.
const MANY_TREES: u32 = 64;
/// Rates are searched to one part in this number where the limit is not attained.
const RESOLUTION: u128 = 256;

/// The strands of a tree from the root outwards.
type StrandTree = Vec<Vec<u32>>;

/// A tree before it is mapped back.
#[derive(Debug, Clone)]
struct RawTree {
    weight: u128,
    strands: StrandTree,
}

impl Broadcasts<'_> {
    fn plan(&self, most: u32, stop: &dyn Fn() -> bool) -> Result<TreePlan, BroadcastError> {
        let limit = limit(self.graph, self.senders, self.receivers)?;
        let (messages, bandwidth) = (*limit.time.numer(), *limit.time.denom());
        if messages == 0 {
            return Ok(self.finish(vec![Vec::new(); self.senders.len()], limit));
        }
        // A channel of bandwidth b carries b·messages/bandwidth·trees trees: an integer for this
        // number of trees.
        let links = &self.graph.links;
        let divisor = links.iter().fold(bandwidth, |d, link| gcd(d, u128::from(link.bandwidth)));
        let exact = bandwidth / divisor;
        for trees in (1..exact.min(FEW_TREES)).chain([exact]) {
            let found = self.attempt(limit.time, trees, most, stop);
            if stop() {
                return Err(BroadcastError::Interrupted);
            }
            if let Some(found) = found {
                return Ok(self.finish(found, limit));
            }
        }
        let found = self.bisect(&limit, exact, stop);
        if stop() {
            return Err(BroadcastError::Interrupted);
        }
        Ok(self.finish(found, limit))
    }

    /// Trees of every sender, `trees` in sum each, that load no channel for longer than `time`
    /// times its bandwidth; shallow trees, and at most `most` different ones per sender if possible.
    /// None if there are none or none were found.
    fn attempt(
        &self,
        time: Ratio,
        trees: u128,
        most: u32,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Vec<RawTree>>> {
        self.pack(self.capacities(time, trees), most, stop)
    }

    /// Trees that fit into the given capacities.
    fn pack(
        &self,
        network: Capacities,
        most: u32,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Vec<RawTree>>> {
        self.pack_split(&self.split(network, stop)?, most, stop)
    }

    /// The capacities between routers that are in every tree, without the others. Trees fit into them
    /// (Edmonds). None if none fit or none were found.
    fn split(&self, mut network: Capacities, stop: &dyn Fn() -> bool) -> Option<Capacities> {
        if !network.is_feasible() {
            return None;
        }
        network.balance(self.copying, stop);
        network.split_off_all(stop).then_some(network)
    }

    /// Trees that fit into capacities between routers that are in every tree.
    fn pack_split(
        &self,
        network: &Capacities,
        most: u32,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Vec<RawTree>>> {
        let routers: Vec<u32> =
            (0..self.graph.routers).filter(|&router| network.is_terminal(router)).collect();
        let (sources, inner): (Vec<_>, Vec<_>) =
            network.edges().partition(|(_, _, strand)| strand.sender.is_some());
        let root = |&(_, router, strand): &(u32, u32, &Strand)| {
            strand.sender.map(|sender| Root { sender, router, amount: strand.amount })
        };
        let roots: Vec<Root> = sources.iter().filter_map(root).collect();
        let edges: Vec<Edge> = inner
            .iter()
            .map(|&(tail, head, strand)| Edge { tail, head, amount: strand.amount })
            .collect();
        let variants = if routers.len() <= MANY_ROUTERS { &[1, 2, u32::MAX][..] } else { &[1] };
        let packings = variants
            .iter()
            .filter_map(|&levels| packing::pack(&routers, &roots, &edges, levels, stop));
        let classes = packings.min_by_key(|classes| {
            let mut counts = vec![0; self.senders.len()];
            classes.iter().for_each(|class| counts[roots[class.root].sender as usize] += 1);
            let depth = classes.iter().map(|class| depth(class, &edges)).max();
            let exceeds = counts.iter().any(|&count| count > most);
            (exceeds, depth, classes.len())
        })?;
        let mut found = vec![Vec::new(); self.senders.len()];
        for class in classes {
            let start = sources[class.root].2.channels.clone();
            let strands = class.edges.iter().map(|&edge| inner[edge].2.channels.clone());
            let strands = [start].into_iter().chain(strands).collect();
            let sender = roots[class.root].sender;
            found[sender as usize].push(RawTree { weight: class.weight, strands });
        }
        Some(found)
    }

    /// The capacities in whole trees.
    fn capacities(&self, time: Ratio, trees: u128) -> Capacities {
        let whole = |bandwidth| proportion(bandwidth, trees * time.numer(), *time.denom());
        let amounts = self.graph.links.iter().map(|link| whole(u128::from(link.bandwidth)));
        self.network(amounts, trees)
    }

    /// The network with the given capacities of the channels.
    fn network(&self, amounts: impl Iterator<Item = u128>, trees: u128) -> Capacities {
        let links = self.graph.links.iter().zip(amounts);
        let links = links.map(|(link, amount)| (link.tail, link.head, amount));
        let mut terminals = self.receivers.to_vec();
        // A single sending router has all messages.
        if let Some(&first) = self.senders.first()
            && self.senders.iter().all(|&sender| sender == first)
        {
            terminals.push(first);
        }
        Capacities::new(self.graph.routers, links, self.senders, &terminals, trees)
    }

    /// The best trees for the smallest time found by bisection.
    fn bisect(&self, limit: &Limit, exact: u128, stop: &dyn Fn() -> bool) -> Vec<Vec<RawTree>> {
        let mut best = None;
        let finest = exact * RESOLUTION.div_ceil(exact);
        // Trees per sender that fit and that do not fit in the time of `finest` trees at the limit.
        let (mut fits, mut fails) = (0, finest);
        while fails - fits > 1 && !stop() {
            let trees = fits + (fails - fits) / 2;
            let time = limit.time * Ratio::new(finest, trees);
            let found = self.split(self.capacities(time, trees), stop);
            if found.is_some() {
                fits = trees;
                best = found;
            } else {
                fails = trees;
            }
        }
        let packed = best.and_then(|best| self.pack_split(&best, u32::MAX, stop));
        packed.unwrap_or_else(|| self.shortest_paths())
    }

    /// The smallest time at which `trees` trees of every sender fit, as far as cuts tell.
    fn best_time(&self, limit: &Limit, trees: u128) -> Ratio {
        let bandwidths: BTreeSet<u128> =
            self.graph.links.iter().map(|link| u128::from(link.bandwidth)).collect();
        let feasible = |time| self.capacities(time, trees).is_feasible();
        // Capacities change where time·bandwidth·trees is an integer.
        let mut good = limit.time;
        while !feasible(good) {
            good *= Ratio::new_raw(2, 1);
        }
        let mut bad = if good == limit.time { good } else { good / Ratio::new_raw(2, 1) };
        loop {
            let steps = |&bandwidth: &u128| {
                let scale = Ratio::new_raw(bandwidth * trees, 1);
                let least = (bad * scale).floor().to_integer() + 1;
                let most = (good * scale).ceil().to_integer();
                (most.saturating_sub(least), least, bandwidth)
            };
            let widest = bandwidths.iter().map(steps).max();
            let Some((count, least, bandwidth)) = widest.filter(|&(count, ..)| count > 0) else {
                return good;
            };
            let time = Ratio::new(least + count / 2, bandwidth * trees);
            if feasible(time) {
                good = time;
            } else {
                bad = time;
            }
        }
    }

    /// One tree per sender: paths with the fewest channels.
    fn shortest_paths(&self) -> Vec<Vec<RawTree>> {
        let mut leaving = vec![Vec::new(); self.graph.routers as usize];
        for (channel, link) in self.graph.links.iter().enumerate() {
            leaving[link.tail as usize].push(channel as u32);
        }
        let mut is_receiver = vec![false; self.graph.routers as usize];
        self.receivers.iter().for_each(|&router| is_receiver[router as usize] = true);
        let tree = |&sender: &u32| {
            let mut entered = vec![None; self.graph.routers as usize];
            let mut queue = VecDeque::from([sender]);
            let mut order = Vec::new();
            while let Some(router) = queue.pop_front() {
                order.push(router);
                for &channel in &leaving[router as usize] {
                    let head = self.graph.links[channel as usize].head;
                    if head != sender && entered[head as usize].is_none() {
                        entered[head as usize] = Some(channel);
                        queue.push_back(head);
                    }
                }
            }
            let wanted = order.iter().filter(|&&router| is_receiver[router as usize]);
            // A strand starts at the last receiver on the way, which has its own strand.
            let strands = wanted.map(|&router| {
                let mut channels = Vec::new();
                let mut at = router;
                while let Some(channel) = entered[at as usize] {
                    channels.push(channel);
                    at = self.graph.links[channel as usize].tail;
                    if is_receiver[at as usize] {
                        break;
                    }
                }
                channels.reverse();
                channels
            });
            vec![RawTree { weight: 1, strands: strands.collect() }]
        };
        self.senders.iter().map(tree).collect()
    }

    /// Maps the trees back, removes what no receiver needs and computes the time.
    fn finish(&self, found: Vec<Vec<RawTree>>, limit: Limit) -> TreePlan {
        let weights = || found.iter().flatten().map(|tree| tree.weight);
        let divisor = weights().fold(0, gcd).max(1);
        let scale = found.iter().map(|trees| trees.iter().map(|tree| tree.weight).sum::<u128>());
        let scale = (scale.max().unwrap_or(0) / divisor).max(1);
        let mut trees: Vec<Tree> = Vec::new();
        for (sender, raw) in found.into_iter().enumerate() {
            let mut by_channels: BTreeMap<(u32, Vec<u32>), u128> = BTreeMap::new();
            if raw.is_empty() {
                by_channels.insert((0, Vec::new()), scale);
            }
            for tree in raw {
                let (channels, depth) = self.map_back(self.senders[sender], tree.strands);
                *by_channels.entry((depth, channels)).or_default() += tree.weight / divisor;
            }
            trees.extend(by_channels.into_iter().map(|((depth, channels), weight)| Tree {
                sender: sender as u32,
                weight,
                channels,
                depth,
            }));
        }
        let mut loads = vec![0u128; self.graph.links.len()];
        for tree in &trees {
            tree.channels.iter().for_each(|&channel| loads[channel as usize] += tree.weight);
        }
        let used = self.graph.links.iter().zip(loads).filter(|&(_, load)| load > 0);
        let slowest = used.map(|(link, load)| Ratio::new(load, u128::from(link.bandwidth))).max();
        let time = slowest.map_or(Ratio::new_raw(0, 1), |slowest| slowest / scale);
        TreePlan { scale, trees, time, limit }
    }

    /// A path without the parts that return to a router already passed.
    fn without_loops(&self, path: Vec<u32>) -> Vec<u32> {
        let mut kept: Vec<u32> = Vec::new();
        for channel in path {
            let head = self.graph.links[channel as usize].head;
            let same = |&&other: &&u32| self.graph.links[other as usize].tail == head;
            kept.push(channel);
            if let Some(start) = kept.iter().position(|other| same(&other)) {
                kept.truncate(start);
            }
        }
        kept
    }

    /// The channels and the depth of a tree. A message that passes through a router that may
    /// duplicate need not come there a second time.
    fn map_back(&self, root: u32, strands: StrandTree) -> (Vec<u32>, u32) {
        let head = |channel: u32| self.graph.links[channel as usize].head;
        let mut depths: BTreeMap<u32, u32> = BTreeMap::from([(root, 0)]);
        // Pieces between routers that may duplicate.
        let mut pieces: Vec<Vec<u32>> = Vec::new();
        for strand in strands {
            let strand = self.without_loops(strand);
            let known = strand.iter().rposition(|&channel| depths.contains_key(&head(channel)));
            let mut piece = Vec::new();
            for &channel in &strand[known.map_or(0, |at| at + 1)..] {
                piece.push(channel);
                if self.copying[head(channel) as usize] {
                    let start = self.graph.links[piece[0] as usize].tail;
                    let depth = depths.get(&start).map_or(0, |depth| depth + 1);
                    depths.insert(head(channel), depth);
                    pieces.push(std::mem::take(&mut piece));
                }
            }
        }
        // Remove branches that end at a router without a receiver.
        let mut kept: Vec<Vec<u32>> = Vec::new();
        let mut needed: BTreeSet<u32> = self.receivers.iter().copied().collect();
        let mut depth = 0;
        for piece in pieces.into_iter().rev() {
            let end = piece.last().map_or(root, |&channel| head(channel));
            if needed.contains(&end) {
                needed.insert(self.graph.links[piece[0] as usize].tail);
                depth = depth.max(depths[&end]);
                kept.push(piece);
            }
        }
        kept.reverse();
        (kept.concat(), depth)
    }
}

/// The largest number of edges on a path from the root.
fn depth(class: &Class, edges: &[Edge]) -> u32 {
    let mut depths: BTreeMap<u32, u32> = BTreeMap::new();
    for &edge in &class.edges {
        let Edge { tail, head, .. } = edges[edge];
        let depth = depths.get(&tail).copied().unwrap_or(0);
        depths.insert(head, depth + 1);
    }
    depths.into_values().max().unwrap_or(0)
}
