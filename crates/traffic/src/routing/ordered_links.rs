//! Tables that cannot deadlock under half duplex either, where a message without buffers holds both
//! channels of its links: every message takes links in one common order.
//!
//! Shortest paths with such an order are searched first. Otherwise two spanning trees without a common
//! link are joined at a root: messages go up the first tree, its deepest links first, until they are
//! above their destination in the second tree, and then down that tree. A 4-cycle can be the root, since
//! its four links, taken in two rounds, connect all of its routers; two trees then need three links
//! less. Fewer are impossible: an order of the links that connects all pairs is a way to gossip with one
//! call per link, and gossip among n > 3 takes 2n − 4 calls (Tijdeman, 1971; Baker and Shostak, 1972).

use super::deadlock_free::{Minimal, is_minimal, minimal_table};
use super::two_forests::two_spanning_trees;
use super::{Dependencies, RoutingTable, TableMaker};
use crate::error::TrafficError;
use crate::links::Links;
use pavane_model::{ChannelId, Duplex, Network, RouterId};

/// The name of the tables.
pub(crate) const NAME: &str = "ordered-links";

/// Number of roots that are tried.
const ROOTS: usize = 200;

/// The search is skipped for networks with more routers.
const MOST_ROUTERS: usize = 512;

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    super::table::check_size(network)?;
    let links = Links::new(network, Duplex::Half);
    let is_free =
        |table: &RoutingTable| !Dependencies::new(network, table).has_cycle_of_links(&links);
    // The paths of `dateline` differ from those of `e-cube` where both ways around are equally long.
    let known =
        ["e-cube", "dateline", "balanced", "up-down"].into_iter().filter_map(TableMaker::find);
    let mut known = known.filter_map(|maker| maker.table(network).ok());
    if let Some(table) = known.find(|table| is_free(table) && is_minimal(network, table)) {
        return named(network, |at, to| table.next(at, to));
    }
    if let Some(reason) = impossible(network, &links) {
        return Err(does_not_fit(network, reason));
    }
    if let Minimal::Table(table) = minimal_table(network, Duplex::Half) {
        return named(network, |at, to| table.next(at, to));
    }
    let not_found = || does_not_fit(network, "no order of the links was found".to_owned());
    if network.router_count() > MOST_ROUTERS {
        return Err(not_found());
    }
    let trees = roots(network).into_iter().find_map(|root| Trees::new(network, &links, &root));
    let trees = trees.ok_or_else(not_found)?;
    named(network, |at, to| trees.next(at, to)).ok().filter(is_free).ok_or_else(not_found)
}

fn named(
    network: &Network,
    next: impl Fn(RouterId, RouterId) -> Option<ChannelId>,
) -> Result<RoutingTable, TrafficError> {
    RoutingTable::new(NAME, network, next)
}

/// Why no routing can take links in one order, if that is known.
fn impossible(network: &Network, links: &Links) -> Option<String> {
    let routers: Vec<RouterId> = network.routers().filter(|&it| !network.is_lost(it)).collect();
    let all_send = routers.iter().all(|&router| !network.residents(router).is_empty());
    let needed = if routers.len() > 3 { 2 * routers.len() - 4 } else { 2 * routers.len() - 3 };
    (routers.len() > 1 && all_send && links.count() < needed).then(|| {
        format!(
            "{} routers need at least {needed} links, as many as gossip needs calls, and there are {}",
            routers.len(),
            links.count()
        )
    })
}

fn does_not_fit(network: &Network, reason: String) -> TrafficError {
    TrafficError::DoesNotFit {
        routing: "ordered-links routing",
        network: network.name().to_owned(),
        reason,
        advice: "try full duplex, buffers, or a switching that cannot deadlock",
    }
}

/// Roots to try: 4-cycles, and the router with the most channels.
fn roots(network: &Network) -> Vec<Vec<RouterId>> {
    let degree = |router: &RouterId| network.out_channels(*router).len();
    let Some(middle) = network.routers().rev().max_by_key(degree) else { return Vec::new() };
    let next = |router: RouterId| {
        let channels = network.out_channels(router).iter();
        channels.map(|&channel| network.channel(channel).head)
    };
    let mut roots = vec![vec![middle]];
    for first in network.routers() {
        for second in next(first).filter(|&second| second > first) {
            for third in next(second).filter(|&third| third > first && third != second) {
                for fourth in next(third).filter(|&fourth| fourth > second && fourth != third) {
                    if next(fourth).any(|router| router == first) {
                        roots.push(vec![first, second, third, fourth]);
                    }
                    if roots.len() == ROOTS {
                        return roots;
                    }
                }
            }
        }
    }
    roots
}

/// Two trees that are joined at a root.
struct Trees<'a> {
    network: &'a Network,
    /// A router, or four routers around a cycle.
    root: Vec<RouterId>,
    /// By router: the channel up the first tree; `None` at the root.
    up: Vec<Option<ChannelId>>,
    /// By router: the channel that leads to it down the second tree; `None` at the root.
    down: Vec<Option<ChannelId>>,
}

impl<'a> Trees<'a> {
    fn new(network: &'a Network, links: &Links, root: &[RouterId]) -> Option<Self> {
        // All routers of the root are one vertex, the vertex of its first router.
        let vertex = |router: RouterId| {
            if root.contains(&router) { root[0].index() } else { router.index() }
        };
        let lost = network.routers().filter(|&router| network.is_lost(router)).count();
        let numbers = compact(network, vertex);
        let channels: Vec<ChannelId> = near_first(network, links, root[0]);
        let edges: Vec<(usize, usize)> = channels
            .iter()
            .map(|&channel| {
                let ends = network.channel(channel);
                (numbers[vertex(ends.tail)], numbers[vertex(ends.head)])
            })
            .collect();
        let [first, second] =
            two_spanning_trees(network.router_count() - lost - (root.len() - 1), &edges)?;
        let towards = |tree: Vec<usize>| {
            let tree: Vec<ChannelId> = tree.into_iter().map(|edge| channels[edge]).collect();
            from_root(network, root, &tree)
        };
        let up = towards(first).into_iter();
        let up = up.map(|channel| channel.and_then(|channel| network.opposite(channel)));
        Some(Self { network, root: root.to_vec(), up: up.collect(), down: towards(second) })
    }

    /// The next channel from one router to another.
    fn next(&self, at: RouterId, to: RouterId) -> Option<ChannelId> {
        let mut above = to;
        while let Some(channel) = self.down[above.index()] {
            let tail = self.network.channel(channel).tail;
            if tail == at {
                return Some(channel);
            }
            above = tail;
        }
        match self.root.iter().position(|&router| router == at) {
            // `above` is in the root, too.
            Some(place) => self.around(place, self.root.iter().position(|&it| it == above)?),
            None => self.up[at.index()],
        }
    }

    /// The next channel around the root. The links 0-1 and 2-3 come before 1-2 and 3-0.
    fn around(&self, from: usize, to: usize) -> Option<ChannelId> {
        let next = if (from + 2) % 4 == to { from ^ 1 } else { to };
        self.network.channels_between(self.root[from], self.root[next]).next()
    }
}

/// Numbers of the vertices without gaps, by router.
fn compact(network: &Network, vertex: impl Fn(RouterId) -> usize) -> Vec<usize> {
    let mut numbers = vec![0; network.router_count()];
    let living = network.routers().filter(|&router| !network.is_lost(router));
    let own = living.filter(|&router| vertex(router) == router.index());
    own.enumerate().for_each(|(number, router)| numbers[router.index()] = number);
    numbers
}

/// A channel of every link that has two, those near a router first, so that trees are shallow.
fn near_first(network: &Network, links: &Links, root: RouterId) -> Vec<ChannelId> {
    let hops = network.distances_from(root);
    let channels = (0..links.count() as u32).map(|link| links.channel(link));
    let mut channels: Vec<ChannelId> =
        channels.filter(|&channel| network.opposite(channel).is_some()).collect();
    channels.sort_by_key(|&channel| {
        let ends = network.channel(channel);
        hops[ends.tail.index()].min(hops[ends.head.index()])
    });
    channels
}

/// For every router, the channel of a tree that leads to it from the root.
fn from_root(network: &Network, root: &[RouterId], tree: &[ChannelId]) -> Vec<Option<ChannelId>> {
    let mut channels = vec![Vec::new(); network.router_count()];
    for &channel in tree {
        for channel in [channel].into_iter().chain(network.opposite(channel)) {
            channels[network.channel(channel).tail.index()].push(channel);
        }
    }
    let mut to = vec![None; network.router_count()];
    let mut reached: Vec<RouterId> = root.to_vec();
    let mut at = 0;
    while let Some(&router) = reached.get(at) {
        at += 1;
        for &channel in &channels[router.index()] {
            let head = network.channel(channel).head;
            if to[head.index()].is_none() && !root.contains(&head) {
                to[head.index()] = Some(channel);
                reached.push(head);
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn links_are_taken_in_one_order() {
        // (network, whether all paths are shortest)
        let claims = [
            ("ring:4", true),
            ("hypercube:4", true),
            ("complete:6", true),
            ("torus:4x4", true),
            ("torus:5x5", false),
            ("octagon:8", false),
            ("random-regular:32,4,1", false),
        ];
        for (name, is_shortest) in claims {
            let network = topology::build(name).unwrap();
            let table = make(&network).unwrap_or_else(|error| panic!("{error}"));
            let links = Links::new(&network, Duplex::Half);
            assert!(!Dependencies::new(&network, &table).has_cycle_of_links(&links), "{name}");
            assert_eq!(is_minimal(&network, &table), is_shortest, "{name}");
        }
    }

    #[test]
    fn too_few_links_have_no_order() {
        for name in ["ring:5", "path:4", "mesh:4x4", "petersen", "star:5"] {
            let network = topology::build(name).unwrap();
            let error = make(&network).unwrap_err().to_string();
            assert!(error.contains("as many as gossip needs calls"), "{name}: {error}");
        }
    }
}
