//! Tables of shortest paths without a cycle of channel dependencies, if one exists. Next channels
//! are chosen one by one, nearest pairs first, such that the dependency graph stays acyclic, with
//! limited backtracking. If all choices are exhausted, there is provably no such table. If the
//! search fails or gives up, up*/down* is used instead. Under half duplex, the nodes of the graph are
//! links.

use super::{Dependencies, RoutingTable, TableMaker, up_down};
use crate::error::TrafficError;
use crate::links::Links;
use crate::rng::TrafficRng;
use pavane_model::{ChannelId, Duplex, Network, RouterId};

/// Number of choices per attempt, and of attempts with different orders of choices.
const CHOICES: u64 = 20_000;
const ATTEMPTS: u64 = 12;

/// The search is skipped for networks with more routers.
const MOST_ROUTERS: usize = 512;

/// Result of the search for deadlock-free shortest paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Minimal {
    /// A table of them.
    Table(RoutingTable),
    /// Provably, there is none.
    Impossible,
    /// None was found.
    NotFound,
}

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    let no_minimal = match minimal_table(network, Duplex::Full) {
        Minimal::Table(table) => return Ok(table),
        Minimal::Impossible => "no table of shortest paths without a cycle exists",
        Minimal::NotFound => "no table of shortest paths without a cycle was found",
    };
    up_down::make(network).map_err(|error| match error {
        TrafficError::DoesNotFit { network, reason, advice, .. } => TrafficError::DoesNotFit {
            routing: "deadlock-free routing",
            network,
            reason: format!("{no_minimal}; up*/down*: {reason}"),
            advice,
        },
        other => other,
    })
}

/// Searches for a table of shortest paths without a cycle of dependencies, for messages from any
/// router to routers with processors. Under half duplex, messages hold both channels of a link.
pub fn minimal_table(network: &Network, duplex: Duplex) -> Minimal {
    let links = Links::new(network, duplex);
    let dimension_order = TableMaker::find("e-cube").and_then(|maker| maker.table(network).ok());
    if let Some(table) = dimension_order
        && is_minimal(network, &table)
        && !Dependencies::new(network, &table).has_cycle_of_links(&links)
    {
        return Minimal::Table(table);
    }
    if network.router_count() > MOST_ROUTERS {
        return Minimal::NotFound;
    }
    for attempt in 0..ATTEMPTS {
        let mut search = RoutingTableSearch::new(network, &links, attempt);
        match search.run() {
            Some(true) => {
                let next = search.next;
                let routers = network.router_count();
                let find = |at: RouterId, to: RouterId| next[to.index() * routers + at.index()];
                return match RoutingTable::new("deadlock-free", network, find) {
                    Ok(table) => Minimal::Table(table),
                    Err(_) => Minimal::NotFound,
                };
            }
            Some(false) => return Minimal::Impossible,
            None => {}
        }
    }
    Minimal::NotFound
}

/// Whether all paths between routers with processors are shortest paths.
pub(crate) fn is_minimal(network: &Network, table: &RoutingTable) -> bool {
    let ends = network.routers().filter(|&router| !network.residents(router).is_empty());
    let mut path = Vec::new();
    for to in ends.clone() {
        let hops = network.distances_to(to);
        for from in ends.clone() {
            path.clear();
            table.path(network, from, to, &mut path);
            if path.len() != hops[from.index()] as usize {
                return false;
            }
        }
    }
    true
}

/// A router, a destination, and the possible next channels.
struct Pair {
    at: RouterId,
    to: RouterId,
    options: Vec<ChannelId>,
}

struct RoutingTableSearch<'a> {
    network: &'a Network,
    links: &'a Links,
    /// Pairs, nearest first.
    pairs: Vec<Pair>,
    /// Indexed by destination, then router.
    next: Vec<Option<ChannelId>>,
    /// For every link, the links that depend on it and the number of pairs that use each edge.
    edges: Vec<Vec<(u32, u32)>>,
    choices: u64,
    seen: Vec<u32>,
    round: u32,
}

impl<'a> RoutingTableSearch<'a> {
    fn new(network: &'a Network, links: &'a Links, attempt: u64) -> Self {
        let mut rng = TrafficRng::stream(attempt, 0xDF);
        let mut pairs = Vec::new();
        let ends = network.routers().filter(|&router| !network.residents(router).is_empty());
        for to in ends {
            let hops = network.distances_to(to);
            for at in network.routers().filter(|&at| at != to && hops[at.index()] != u32::MAX) {
                let here = hops[at.index()];
                let leaving = network.out_channels(at).iter().copied();
                let is_closer = |c: &ChannelId| hops[network.channel(*c).head.index()] < here;
                let mut options: Vec<ChannelId> = leaving.filter(is_closer).collect();
                if attempt > 0 {
                    rng.shuffle(&mut options);
                }
                pairs.push((here, Pair { at, to, options }));
            }
        }
        if attempt > 1 {
            rng.shuffle(&mut pairs);
        }
        pairs.sort_by_key(|(hops, pair)| (*hops, pair.options.len()));
        let routers = network.router_count();
        Self {
            network,
            links,
            pairs: pairs.into_iter().map(|(_, pair)| pair).collect(),
            next: vec![None; routers * routers],
            edges: vec![Vec::new(); links.count()],
            choices: CHOICES.max(8 * (routers * routers) as u64),
            seen: vec![0; links.count()],
            round: 0,
        }
    }

    /// Whether there is a table; `None` if the search gave up.
    fn run(&mut self) -> Option<bool> {
        // For every decided pair, its options in order and the index of the next one to try.
        let mut decided: Vec<(Vec<ChannelId>, usize)> = Vec::new();
        loop {
            if decided.len() == self.pairs.len() {
                return Some(true);
            }
            let mut options = self.ranked(decided.len());
            let mut from = 0;
            // Backtracks to the last pair with another option.
            loop {
                if self.choices == 0 {
                    return None;
                }
                self.choices -= 1;
                if let Some(place) = self.choose(decided.len(), &options, from) {
                    decided.push((options, place + 1));
                    break;
                }
                let Some((last, place)) = decided.pop() else { return Some(false) };
                self.undo(decided.len());
                (options, from) = (last, place);
            }
        }
    }

    /// The options of a pair, those that add no new dependency first.
    fn ranked(&self, number: usize) -> Vec<ChannelId> {
        let mut options = self.pairs[number].options.clone();
        options.sort_by_key(|&channel| match self.following(number, channel) {
            Some(next) => self.users(self.links.of(channel), next) == 0,
            None => false,
        });
        options
    }

    /// The link that follows an option of a pair.
    fn following(&self, number: usize, channel: ChannelId) -> Option<u32> {
        let to = self.pairs[number].to.index();
        let head = self.network.channel(channel).head.index();
        let next = self.next[to * self.network.router_count() + head];
        next.map(|next| self.links.of(next))
    }

    fn users(&self, from: u32, to: u32) -> u32 {
        let edges = &self.edges[from as usize];
        edges.iter().find(|(next, _)| *next == to).map_or(0, |(_, users)| *users)
    }

    /// Takes the first option, from index `from`, that closes no cycle.
    fn choose(&mut self, number: usize, options: &[ChannelId], from: usize) -> Option<usize> {
        for (place, &channel) in options.iter().enumerate().skip(from) {
            if let Some(next) = self.following(number, channel) {
                let link = self.links.of(channel);
                if self.users(link, next) == 0 && self.reaches(next, link) {
                    continue;
                }
                let edges = &mut self.edges[link as usize];
                match edges.iter_mut().find(|(to, _)| *to == next) {
                    Some((_, users)) => *users += 1,
                    None => edges.push((next, 1)),
                }
            }
            let Pair { at, to, .. } = self.pairs[number];
            self.next[to.index() * self.network.router_count() + at.index()] = Some(channel);
            return Some(place);
        }
        None
    }

    fn undo(&mut self, number: usize) {
        let Pair { at, to, .. } = self.pairs[number];
        let place = to.index() * self.network.router_count() + at.index();
        let Some(channel) = self.next[place].take() else { return };
        if let Some(next) = self.following(number, channel) {
            let edges = &mut self.edges[self.links.of(channel) as usize];
            if let Some((_, users)) = edges.iter_mut().find(|(to, _)| *to == next) {
                *users -= 1;
            }
            edges.retain(|(_, users)| *users > 0);
        }
    }

    /// Whether there is a chain of dependencies from one link to another.
    fn reaches(&mut self, from: u32, to: u32) -> bool {
        self.round += 1;
        let mut stack = vec![from];
        while let Some(link) = stack.pop() {
            if link == to {
                return true;
            }
            if std::mem::replace(&mut self.seen[link as usize], self.round) != self.round {
                stack.extend(self.edges[link as usize].iter().map(|(next, _)| *next));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::Fault;
    use pavane_networks::topology;

    /// Networks with and without deadlock-free shortest paths.
    #[test]
    fn shortest_paths_without_deadlock() {
        let possible =
            ["hypercube:4", "mesh:3x4", "ring:4", "torus:4x4", "amp:8", "tree:2,3", "fat-tree:4"];
        for name in possible {
            let network = topology::build(name).unwrap();
            let Minimal::Table(table) = minimal_table(&network, Duplex::Full) else {
                panic!("{name}: no table")
            };
            assert_eq!(Dependencies::new(&network, &table).cycle(), None, "{name}");
            assert!(is_minimal(&network, &table), "{name}");
        }
        for name in ["ring:5", "ring:7", "torus:5x5", "octagon:8", "kautz:2,2"] {
            let network = topology::build(name).unwrap();
            assert_eq!(minimal_table(&network, Duplex::Full), Minimal::Impossible, "{name}");
        }
    }

    #[test]
    fn networks_for_which_no_table_is_made_say_why() {
        let claims = [
            ("kautz:2,3", "up-down", "up*/down* does not fit kautz:2,3: it needs channels in both"),
            ("kautz:2,3", "deadlock-free", "no table of shortest paths without a cycle"),
        ];
        for (name, maker, expected) in claims {
            let network = topology::build(name).unwrap();
            let error = TableMaker::find(maker).unwrap().table(&network).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let faults =
            [(0, 1), (2, 3)].map(|(one, other)| Fault::Link(RouterId(one), RouterId(other)));
        let parts = topology::build("ring:4").unwrap().without(&faults).unwrap();
        let error = TableMaker::find("deadlock-free").unwrap().table(&parts).unwrap_err();
        assert!(error.to_string().contains(": the network has none"), "{error}");
    }

    #[test]
    fn up_down_never_deadlocks() {
        for name in ["ring:5", "torus:5x5", "petersen", "dragonfly:2,4,2", "fat-tree:4", "dgx-1v"] {
            let network = topology::build(name).unwrap();
            let table = TableMaker::find("up-down").unwrap().table(&network).unwrap();
            assert_eq!(Dependencies::new(&network, &table).cycle(), None, "{name}");
        }
    }

    #[test]
    fn shortest_paths_of_a_ring_can_deadlock() {
        let network = topology::build("ring:5").unwrap();
        let table = TableMaker::find("shortest").unwrap().table(&network).unwrap();
        let cycle = Dependencies::new(&network, &table).cycle().unwrap();
        assert_eq!(cycle.len(), 5);
    }
}
