//! Parts of a network that belong together and are drawn in a frame: the pods of a fat tree, the groups of
//! a dragonfly or a Slim Fly, and boxes, which are the first half of names such as `box0/gpu3`.

use pavane_model::Network;
use std::collections::BTreeMap;

/// Routers that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// What it is called: `pod 3`.
    pub name: String,
    /// The same for small pictures: `3`, or `g3` where a number would be taken for a router.
    pub number: String,
    /// Its routers.
    pub routers: Vec<usize>,
    /// Whether its frame is a circle.
    pub is_round: bool,
}

/// The groups of a network; none if its routers do not form any.
pub(crate) fn groups(network: &Network) -> Vec<Group> {
    let (family, numbers) = super::family_and_numbers(network);
    let routers = network.router_count();
    match (family, &numbers[..]) {
        ("fat-tree", &[ports]) if super::fat_tree::has_routers(ports, routers) => pods(ports),
        ("dragonfly", &[_, in_group, _]) if in_group > 1 && routers.is_multiple_of(in_group) => {
            equal(routers, in_group, true, |at| at.to_string())
        }
        ("slim-fly", &[order]) if order > 1 && routers == 2 * order * order => {
            equal(routers, order, false, |at| format!("{},{}", at / order, at % order))
        }
        _ => boxes(network),
    }
}

/// Groups of consecutive routers.
fn equal(
    routers: usize,
    size: usize,
    is_round: bool,
    number: impl Fn(usize) -> String,
) -> Vec<Group> {
    let group = |at: usize| {
        let (number, routers) = (number(at), (at * size..(at + 1) * size).collect());
        Group { name: format!("group {number}"), number: format!("g{number}"), routers, is_round }
    };
    (0..routers / size).map(group).collect()
}

fn pods(ports: usize) -> Vec<Group> {
    let half = ports / 2;
    let (hosts, edges) = (ports * half * half, ports * half);
    let pod = |at: usize| {
        let mut routers: Vec<usize> = (at * half * half..(at + 1) * half * half).collect();
        for first in [hosts, hosts + edges] {
            routers.extend(first + at * half..first + (at + 1) * half);
        }
        Group { name: format!("pod {at}"), number: at.to_string(), routers, is_round: false }
    };
    (0..ports).map(pod).collect()
}

/// Routers whose names begin with the same word before a slash, if there are several such words.
fn boxes(network: &Network) -> Vec<Group> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for router in network.routers() {
        if let Some((name, _)) = network.router_name(router).rsplit_once('/') {
            found.entry(name.to_owned()).or_default().push(router.index());
        }
    }
    if found.len() < 2 {
        return Vec::new();
    }
    let group = |(name, routers): (String, Vec<usize>)| Group {
        number: name.clone(),
        name,
        routers,
        is_round: false,
    };
    found.into_iter().map(group).collect()
}
