//! Round trips through a group of processors: around a spanning tree, which uses every channel of
//! its links once, and short ones by local improvement.

use crate::rng::Rng;
use pavane_model::{ChannelId, Duplex, Network, Problem, ProcessorId, RouterId, Routing};

/// The members in cyclic order, each with the path to the next.
pub(super) type Cycle = Vec<(ProcessorId, Vec<ChannelId>)>;

/// Members up to which short round trips are improved; all distances between them are stored.
const LARGEST: usize = 256;

/// The members in the order of a walk around a random spanning tree of links, grown breadth first
/// or depth first. `None` if links do not reach all members, or if a path is longer than the rules
/// allow.
pub(super) fn round_a_tree(
    problem: &Problem,
    group: &[ProcessorId],
    is_broad: bool,
    rng: &mut Rng,
) -> Option<Cycle> {
    if problem.model().duplex == Duplex::Half {
        return None;
    }
    let network = problem.network();
    let root = problem.home(group[rng.below(group.len())]);
    let tree = LinkTree::grow(network, root, is_broad, rng);
    let mut is_member = vec![false; network.processor_count()];
    for p in group {
        is_member[p.index()] = true;
    }
    let children = tree
        .pruned(network, |router| network.residents(router).iter().any(|p| is_member[p.index()]));
    let mut cycle: Cycle = Vec::with_capacity(group.len());
    let mut path = Vec::new();
    let mut stack = vec![Visit::Arrive(root)];
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Back(channel) => path.push(channel),
            Visit::Over(channel) => {
                path.push(channel);
                stack.push(Visit::Arrive(network.channel(channel).head));
            }
            Visit::Arrive(router) => {
                for &p in network.residents(router).iter().filter(|p| is_member[p.index()]) {
                    if let Some((_, hop)) = cycle.last_mut() {
                        *hop = std::mem::take(&mut path);
                    }
                    cycle.push((p, Vec::new()));
                }
                for &channel in &children[router.index()] {
                    let back = network.opposite(channel).expect("the tree is made of links");
                    stack.extend([Visit::Back(back), Visit::Over(channel)]);
                }
            }
        }
    }
    cycle.last_mut()?.1 = path;
    (cycle.len() == group.len() && is_allowed(problem, &cycle)).then_some(cycle)
}

/// The next action of the walk around a tree.
enum Visit {
    Arrive(RouterId),
    Over(ChannelId),
    Back(ChannelId),
}

/// Whether no path is longer than the routing allows.
fn is_allowed(problem: &Problem, cycle: &Cycle) -> bool {
    let detour = match problem.model().routing {
        Routing::Any => return true,
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops as usize,
    };
    cycle.iter().enumerate().all(|(at, (p, path))| {
        path.len() <= 1 || {
            let next = cycle[(at + 1) % cycle.len()].0;
            let distance = problem.network().distances_from(problem.home(*p));
            path.len() <= distance[problem.home(next).index()] as usize + detour
        }
    })
}

/// A spanning tree: for every router except the root the channel that reached it.
struct LinkTree {
    order: Vec<RouterId>,
    reached_by: Vec<Option<ChannelId>>,
}

impl LinkTree {
    fn grow(network: &Network, root: RouterId, is_broad: bool, rng: &mut Rng) -> Self {
        let mut tree = Self { order: Vec::new(), reached_by: vec![None; network.router_count()] };
        let mut is_reached = vec![false; network.router_count()];
        let mut waiting = std::collections::VecDeque::from([(root, None)]);
        loop {
            let next = if is_broad { waiting.pop_front() } else { waiting.pop_back() };
            let Some((router, channel)) = next else { return tree };
            if std::mem::replace(&mut is_reached[router.index()], true) {
                continue;
            }
            tree.order.push(router);
            tree.reached_by[router.index()] = channel;
            let mut links = network.out_channels(router).to_vec();
            links.retain(|&c| network.opposite(c).is_some());
            rng.shuffle(&mut links);
            waiting.extend(links.into_iter().map(|c| (network.channel(c).head, Some(c))));
        }
    }

    /// The channels to the children of every router, without branches that lead to no member.
    fn pruned(
        &self,
        network: &Network,
        has_member: impl Fn(RouterId) -> bool,
    ) -> Vec<Vec<ChannelId>> {
        let mut is_needed = vec![false; self.reached_by.len()];
        let mut children = vec![Vec::new(); self.reached_by.len()];
        for &router in self.order.iter().rev() {
            if (is_needed[router.index()] || has_member(router))
                && let Some(channel) = self.reached_by[router.index()]
            {
                let parent = network.channel(channel).tail.index();
                is_needed[parent] = true;
                children[parent].push(channel);
            }
        }
        children
    }
}

/// The members in the order of a short round trip: nearest neighbour first, then improved by moving
/// segments.
pub(super) fn short_round_trip(
    problem: &Problem,
    group: &[ProcessorId],
    rng: &mut Rng,
) -> Vec<ProcessorId> {
    if group.len() > LARGEST {
        return group.to_vec();
    }
    let distance: Vec<Vec<u32>> = group
        .iter()
        .map(|&p| {
            let row = problem.network().distances_from(problem.home(p));
            group.iter().map(|&q| row[problem.home(q).index()]).collect()
        })
        .collect();
    let mut order = nearest_first(&distance, rng);
    while improve(&mut order, &distance) {}
    order.into_iter().map(|at| group[at]).collect()
}

fn nearest_first(distance: &[Vec<u32>], rng: &mut Rng) -> Vec<usize> {
    let mut left: Vec<usize> = (0..distance.len()).collect();
    let mut order = vec![left.swap_remove(rng.below(distance.len()))];
    while !left.is_empty() {
        let last = order[order.len() - 1];
        let next = (0..left.len()).min_by_key(|&at| (distance[last][left[at]], rng.bits()));
        order.push(left.swap_remove(next.expect("`left` is not empty")));
    }
    order
}

/// Moves the first segment of up to three members whose move shortens the trip, reversed if that is
/// shorter still (Or-opt).
fn improve(order: &mut [usize], distance: &[Vec<u32>]) -> bool {
    let count = order.len();
    let far = |a: usize, b: usize| i64::from(distance[a][b]);
    for length in 1..=3.min(count.saturating_sub(3)) {
        for start in 0..count {
            order.rotate_left(usize::from(start > 0));
            // The segment is now at the front.
            let (first, last) = (order[0], order[length - 1]);
            let (before, after) = (order[count - 1], order[length]);
            let gain = far(before, first) + far(last, after) - far(before, after);
            let inner: i64 = order[..length].windows(2).map(|w| far(w[0], w[1])).sum();
            let turned: i64 = order[..length].windows(2).map(|w| far(w[1], w[0])).sum();
            for at in length..count - 1 {
                let (a, b) = (order[at], order[at + 1]);
                let straight = far(a, first) + far(last, b) - far(a, b);
                let reversed = far(a, last) + far(first, b) - far(a, b) + turned - inner;
                if straight.min(reversed) < gain {
                    if reversed < straight {
                        order[..length].reverse();
                    }
                    order[..=at].rotate_left(length);
                    return true;
                }
            }
        }
    }
    false
}
