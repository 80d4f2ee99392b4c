//! Families of nested sets with few channels into them: the sides of the edges of a minimum-cut
//! tree, and the sets that arise when the two most strongly connected sets of routers are merged
//! repeatedly.

use crate::budget::Interrupt;
use crate::flow::Flow;
use pavane_model::{NestedSet, Network, Problem, RouterId, Switching};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Largest product of routers and network size (routers plus channels) for which minimum cuts are
/// computed.
const MOST_LOOKS: usize = 4_000_000;

/// Largest number of routers for which families are built; a tree under wormhole switching may be
/// larger.
const MOST_ROUTERS: usize = 2_000;

/// Nested sets; each set comes before the set that contains it.
#[derive(Debug, Clone)]
pub struct Family {
    /// The sets.
    pub sets: Vec<NestedSet>,
}

/// Families of nested sets, which may depend on the origin of a message.
pub enum Families {
    /// One family per root of a tree of routers: the subtrees below the other routers.
    Tree {
        /// The neighbours of every router in the tree.
        neighbours: Vec<Vec<RouterId>>,
    },
    /// One family for all origins.
    Fixed(Family),
}

/// The families to try on a network, empty if it is too large; `None` after an interrupt.
pub fn all(problem: &Problem, interrupt: &Interrupt) -> Option<Vec<Families>> {
    let network = problem.network();
    // Under store-and-forward, distances are counted for every set.
    let is_small = network.router_count() <= MOST_ROUTERS;
    let is_light = is_small || problem.model().switching == Switching::Wormhole;
    if is_light && network.is_tree() {
        // A tree is its own minimum-cut tree.
        let neighbours = network.routers().map(|r| network.successors(r).to_vec()).collect();
        return Some(vec![Families::Tree { neighbours }]);
    }
    if !is_small {
        return Some(Vec::new());
    }
    let size = network.router_count() + network.channel_count();
    let mut families = vec![Families::Fixed(joined(network))];
    if network.router_count() * size <= MOST_LOOKS {
        families.push(Families::Tree { neighbours: cut_tree(network, interrupt)? });
    }
    Some(families)
}

impl Families {
    /// The family for messages that start at router `root`.
    pub fn rooted(&self, root: RouterId) -> Family {
        let neighbours = match self {
            Self::Fixed(family) => return family.clone(),
            Self::Tree { neighbours } => neighbours,
        };
        let mut order = vec![(root, None)];
        let mut next = 0;
        while next < order.len() {
            let (router, parent) = order[next];
            next += 1;
            let children = neighbours[router.index()].iter().filter(|&&r| Some(r) != parent);
            order.extend(children.map(|&child| (child, Some(router))));
        }
        // Furthest routers first. The root has no set of its own.
        order.reverse();
        order.pop();
        let mut place = vec![None; neighbours.len()];
        for (at, (router, _)) in order.iter().enumerate() {
            place[router.index()] = Some(at as u32);
        }
        let set = |&(router, parent): &(RouterId, Option<RouterId>)| NestedSet {
            routers: vec![router],
            within: parent.and_then(|parent| place[parent.index()]),
        };
        Family { sets: order.iter().map(set).collect() }
    }
}

impl Family {
    /// For each router the smallest set that contains it; the number of sets if none does.
    pub fn homes(&self, routers: usize) -> Vec<usize> {
        let mut homes = vec![self.sets.len(); routers];
        for (number, set) in self.sets.iter().enumerate() {
            set.routers.iter().for_each(|router| homes[router.index()] = number);
        }
        homes
    }

    /// The family without the sets of fewer than `least` routers.
    pub fn coarser(&self, least: usize) -> Self {
        let mut sizes: Vec<usize> = self.sets.iter().map(|set| set.routers.len()).collect();
        for (at, set) in self.sets.iter().enumerate() {
            if let Some(around) = set.within {
                sizes[around as usize] += sizes[at];
            }
        }
        let mut kept = 0;
        let places: Vec<Option<u32>> = sizes
            .iter()
            .map(|&size| {
                kept += u32::from(size >= least);
                (size >= least).then(|| kept - 1)
            })
            .collect();
        let place = |set: Option<u32>| set.and_then(|set| places[set as usize]);
        let mut sets = vec![NestedSet { routers: Vec::new(), within: None }; kept as usize];
        for (at, set) in self.sets.iter().enumerate() {
            if let Some(new) = places[at] {
                sets[new as usize].within = place(set.within);
            }
            let mut around = Some(at as u32);
            while around.is_some() && place(around).is_none() {
                around = self.sets[around.map_or(0, |set| set as usize)].within;
            }
            if let Some(new) = place(around) {
                sets[new as usize].routers.extend_from_slice(&set.routers);
            }
        }
        Self { sets }
    }

    /// The family without one of its sets.
    pub fn without(&self, left_out: usize) -> Self {
        let mut sets = self.sets.clone();
        let NestedSet { mut routers, within: around } = sets.remove(left_out);
        let shifted = |number: u32| number - u32::from(number as usize > left_out);
        for set in &mut sets {
            set.within = match set.within {
                Some(number) if number as usize == left_out => around.map(shifted),
                other => other.map(shifted),
            };
        }
        if let Some(around) = around {
            sets[shifted(around) as usize].routers.append(&mut routers);
        }
        Self { sets }
    }
}

/// A tree on the routers whose edges split it as minimum cuts split the network. After Gusfield,
/// SIAM J. Comput. 19, 1990. `None` after an interrupt.
fn cut_tree(network: &Network, interrupt: &Interrupt) -> Option<Vec<Vec<RouterId>>> {
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let arcs: Vec<_> = network.channels().iter().map(|c| (c.tail.0, c.head.0, 1)).collect();
    let mut flow = Flow::new(network.router_count(), &arcs);
    let first = routers[0];
    let mut parent = vec![first; network.router_count()];
    for &router in &routers[1..] {
        if interrupt.is_raised() {
            return None;
        }
        let other = parent[router.index()];
        flow.clear();
        flow.push(router.index(), other.index(), u64::MAX);
        let side = flow.side_of(router.index());
        for &moved in &routers {
            if moved != router && side[moved.index()] && parent[moved.index()] == other {
                parent[moved.index()] = router;
            }
        }
        if other != first && side[parent[other.index()].index()] {
            parent[router.index()] = parent[other.index()];
            parent[other.index()] = router;
        }
    }
    let mut neighbours = vec![Vec::new(); network.router_count()];
    for &router in &routers[1..] {
        neighbours[router.index()].push(parent[router.index()]);
        neighbours[parent[router.index()].index()].push(router);
    }
    Some(neighbours)
}

/// Merges sets of routers, starting from single routers: each time the two with the most channels
/// between them relative to their sizes, until no two sets are connected.
fn joined(network: &Network) -> Family {
    let living: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let mut number = vec![0; network.router_count()];
    for (at, router) in living.iter().enumerate() {
        number[router.index()] = at;
    }
    let mut sets: Vec<NestedSet> =
        living.iter().map(|&r| NestedSet { routers: vec![r], within: None }).collect();
    let mut sizes = vec![1u64; sets.len()];
    let mut between: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); sets.len()];
    for channel in network.channels() {
        let (tail, head) = (number[channel.tail.index()], number[channel.head.index()]);
        *between[tail].entry(head).or_default() += 1;
        *between[head].entry(tail).or_default() += 1;
    }
    let score = |channels: u64, one: u64, other: u64| (channels << 32) / (one * other);
    let mut queue = BinaryHeap::new();
    for (one, others) in between.iter().enumerate() {
        let later = others.range(one + 1..);
        queue.extend(
            later.map(|(&other, &channels)| (score(channels, 1, 1), Reverse((one, other)))),
        );
    }
    while let Some((_, Reverse((one, other)))) = queue.pop() {
        if sets[one].within.is_some() || sets[other].within.is_some() {
            continue;
        }
        let new = sets.len();
        sets[one].within = Some(new as u32);
        sets[other].within = Some(new as u32);
        sets.push(NestedSet { routers: Vec::new(), within: None });
        sizes.push(sizes[one] + sizes[other]);
        let mut around = std::mem::take(&mut between[one]);
        for (third, channels) in std::mem::take(&mut between[other]) {
            *around.entry(third).or_default() += channels;
        }
        around.retain(|&third, _| third != one && third != other);
        for (&third, &channels) in &around {
            between[third].remove(&one);
            between[third].remove(&other);
            between[third].insert(new, channels);
            queue.push((score(channels, sizes[third], sizes[new]), Reverse((third, new))));
        }
        between.push(around);
    }
    Family { sets }
}
