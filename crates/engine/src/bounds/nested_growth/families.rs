//! Families of nested sets with few channels into them: the two sides of every edge of a tree of
//! minimum cuts, and what comes of joining the routers that hang together most, pair by pair.

use crate::budget::Interrupt;
use crate::flow::Flow;
use pavane_model::{NestedSet, Network, Problem, RouterId, Switching};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Routers times routers and channels up to which minimum cuts are sought.
const MOST_LOOKS: usize = 4_000_000;

/// Routers up to which a network that is no tree is parted.
const MOST_ROUTERS: usize = 2_000;

/// Nested sets, those inside another one before it.
#[derive(Debug, Clone)]
pub struct Family {
    /// The sets.
    pub sets: Vec<NestedSet>,
}

/// Families, some of which depend on where a message starts.
pub enum Families {
    /// One for every root of a tree of routers: what is below each other router.
    Tree {
        /// The neighbours of every router in the tree.
        neighbours: Vec<Vec<RouterId>>,
    },
    /// The same for all.
    Fixed(Family),
}

/// The families that are tried on a network, none if it is too large for what it is; `None` at an
/// interrupt.
pub fn all(problem: &Problem, interrupt: &Interrupt) -> Option<Vec<Families>> {
    let network = problem.network();
    // Hop by hop, distances are counted for every set.
    let is_small = network.router_count() <= MOST_ROUTERS;
    let is_light = is_small || problem.model().switching == Switching::Wormhole;
    if is_light && network.is_tree() {
        // It is the tree of its own minimum cuts.
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
    /// The family for messages that start at a router.
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
        // The furthest first, and the root has no set of its own.
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
    /// The smallest set that each router is in; the number of sets where there is none.
    pub fn homes(&self, routers: usize) -> Vec<usize> {
        let mut homes = vec![self.sets.len(); routers];
        for (number, set) in self.sets.iter().enumerate() {
            set.routers.iter().for_each(|router| homes[router.index()] = number);
        }
        homes
    }

    /// The family without its sets of fewer routers than that.
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

/// A tree on the routers whose edges part it as minimum cuts part the network. After Gusfield, SIAM
/// J. Comput. 19, 1990. `None` at an interrupt.
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

/// Joins sets of routers, from single ones on, each time the two with the most channels between
/// them for their sizes, until no channels are left between any.
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
