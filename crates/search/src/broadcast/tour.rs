//! Splits processors into groups of neighbours. A minimum spanning tree over them is walked such
//! that consecutive processors are at most three tree links apart (Sekanina, Publ. Fac. Sci. Univ.
//! Brno 412, 1960), and the walk is cut into pieces. On any network, each tree link lies in few
//! pieces.

use super::one_message::OneMessage;
use pavane_model::{ProcessorId, RouterId};

/// Owner of a router that was not reached.
const NONE: u32 = u32::MAX;

/// A holder and the processors that it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServedGroup {
    pub holder: ProcessorId,
    /// Nearest to the holder on the walk first.
    pub others: Vec<ProcessorId>,
}

/// Builds `count` groups of equal size (within one), one of them led by the origin. Returns `None`
/// if some group has no processor with enough ports to lead it. `members` does not contain the
/// origin.
pub(super) fn groups(
    task: &OneMessage<'_>,
    members: &[ProcessorId],
    count: usize,
) -> Option<Vec<ServedGroup>> {
    let walk = walk(task, members);
    let cut = |number: usize| number * walk.len() / count;
    (0..count).map(|number| group(task, &walk[cut(number)..cut(number + 1)])).collect()
}

/// Builds a group led by the origin if it contains it, else by the processor nearest to the middle
/// that has enough ports.
fn group(task: &OneMessage<'_>, piece: &[ProcessorId]) -> Option<ServedGroup> {
    let middle = piece.len() / 2;
    let has_ports = |place: &usize| task.ports[piece[*place].index()] as usize + 1 >= piece.len();
    let able = (0..piece.len()).filter(has_ports);
    let leader = match piece.iter().position(|&p| p == task.origin) {
        Some(place) => has_ports(&place).then_some(place)?,
        None => able.min_by_key(|place| place.abs_diff(middle))?,
    };
    let mut places: Vec<usize> = (0..piece.len()).filter(|&place| place != leader).collect();
    places.sort_by_key(|place| place.abs_diff(leader));
    let others = places.into_iter().map(|place| piece[place]).collect();
    Some(ServedGroup { holder: piece[leader], others })
}

/// The members and the origin, each near its predecessor.
fn walk(task: &OneMessage<'_>, members: &[ProcessorId]) -> Vec<ProcessorId> {
    let network = task.network;
    let mut is_member = vec![false; network.processor_count()];
    let mut homes = Vec::new();
    let mut has_member = vec![false; network.router_count()];
    for &processor in members.iter().chain([&task.origin]) {
        is_member[processor.index()] = true;
        let home = task.home(processor);
        if !std::mem::replace(&mut has_member[home.index()], true) {
            homes.push(home);
        }
    }
    let tree = spanning_tree(task, &homes);
    let residents = |home: u32| network.residents(homes[home as usize]).iter().copied();
    let homes_in_order = order(homes.len(), &tree);
    homes_in_order.into_iter().flat_map(residents).filter(|p| is_member[p.index()]).collect()
}

/// A minimum spanning tree over the routers `homes`, as pairs of indices. Every other router is
/// assigned to the nearest home, and a channel between two such regions is a possible tree link.
fn spanning_tree(task: &OneMessage<'_>, homes: &[RouterId]) -> Vec<(u32, u32)> {
    let network = task.network;
    let mut owner = vec![(NONE, 0u32); network.router_count()];
    let mut queue = homes.to_vec();
    for (place, home) in homes.iter().enumerate() {
        owner[home.index()] = (place as u32, 0);
    }
    let mut at = 0;
    while at < queue.len() {
        let router = queue[at];
        at += 1;
        let (place, hops) = owner[router.index()];
        for &next in network.successors(router).iter().chain(network.predecessors(router)) {
            if owner[next.index()].0 == NONE {
                owner[next.index()] = (place, hops + 1);
                queue.push(next);
            }
        }
    }
    let link = |channel: &pavane_model::Channel| {
        let (from, to) = (owner[channel.tail.index()], owner[channel.head.index()]);
        let (low, high) = (from.0.min(to.0), from.0.max(to.0));
        (low != high && high != NONE).then_some((from.1 + to.1, low, high))
    };
    let mut links: Vec<(u32, u32, u32)> = network.channels().iter().filter_map(link).collect();
    links.sort_unstable();
    links.dedup();
    let mut roots: Vec<u32> = (0..homes.len() as u32).collect();
    let mut joins = |&(_, a, b): &(u32, u32, u32)| {
        let (a, b) = (root(&mut roots, a), root(&mut roots, b));
        roots[a as usize] = b;
        a != b
    };
    links.into_iter().filter(|link| joins(link)).map(|(_, a, b)| (a, b)).collect()
}

/// Union-find root, with path halving.
fn root(roots: &mut [u32], mut place: u32) -> u32 {
    while roots[place as usize] != place {
        let above = roots[place as usize];
        roots[place as usize] = roots[above as usize];
        place = above;
    }
    place
}

/// All places of a forest: those at even depth before their descendants, those at odd depth after.
fn order(places: usize, tree: &[(u32, u32)]) -> Vec<u32> {
    let mut neighbours = vec![Vec::new(); places];
    for &(a, b) in tree {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut order = Vec::with_capacity(places);
    let mut is_seen = vec![false; places];
    for start in 0..places as u32 {
        let mut trail = Vec::new();
        let mut entered = (!is_seen[start as usize]).then_some(start);
        loop {
            if let Some(place) = entered {
                is_seen[place as usize] = true;
                if trail.len() % 2 == 0 {
                    order.push(place);
                }
                trail.push(place);
            }
            let Some(&place) = trail.last() else { break };
            entered = neighbours[place as usize].pop().filter(|&n| !is_seen[n as usize]);
            if entered.is_none() && neighbours[place as usize].is_empty() {
                trail.pop();
                if trail.len() % 2 == 1 {
                    order.push(place);
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{Model, NetworkBuilder, Problem};

    #[test]
    fn a_channel_in_one_direction_joins_two_homes() {
        for (tail, head) in [(0, 1), (1, 0)] {
            let mut builder = NetworkBuilder::new("one way", 2);
            builder.channel(tail, head).processor_on_each_router();
            let network = builder.build().unwrap();
            let groups = Groups { root: Some(tail.to_string()), ..Groups::default() };
            let phases = collective::build("oab", &network, &groups).unwrap();
            let problem = Problem::new(network, phases[0].clone(), Model::default()).unwrap();
            let task = OneMessage::new(&problem);
            let homes = [RouterId(0), RouterId(1)];
            assert_eq!(spanning_tree(&task, &homes), [(0, 1)], "from {tail} to {head}");
        }
    }

    #[test]
    fn successors_are_at_most_three_links_apart() {
        let mut rng = Rng::seeded(1);
        for _ in 0..200 {
            let places = 1 + rng.below(40);
            let tree: Vec<(u32, u32)> =
                (1..places).map(|place| (place as u32, rng.below(place) as u32)).collect();
            let order = order(places, &tree);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..places as u32).collect::<Vec<_>>(), "{tree:?}");
            for pair in order.windows(2) {
                assert!(
                    hops(places, &tree, pair[0])[pair[1] as usize] <= 3,
                    "{pair:?} in {tree:?}"
                );
            }
        }
    }

    fn hops(places: usize, tree: &[(u32, u32)], from: u32) -> Vec<u32> {
        let mut hops = vec![u32::MAX; places];
        hops[from as usize] = 0;
        for round in 1..places as u32 {
            for &(a, b) in tree.iter().chain(&tree.iter().map(|t| (t.1, t.0)).collect::<Vec<_>>()) {
                if hops[a as usize] == round - 1 && hops[b as usize] == u32::MAX {
                    hops[b as usize] = round;
                }
            }
        }
        hops
    }
}
