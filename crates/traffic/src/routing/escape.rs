//! Adaptive minimal routing with escape channels (Duato, 1993). A message takes any free virtual
//! channel that brings it closer. If none is free it may take the escape channel: the next hop of a
//! routing table whose own dependency graph has no cycle.
//!
//! Proof: the routing is deadlock-free if the escape channels alone connect every pair and their
//! *extended* dependency graph has no cycle. That graph has an edge from one escape channel to another
//! if a message can use the second after the first, directly or with adaptive channels in between.
//! The constructor builds this graph. If it has a cycle, a message that has taken an escape channel
//! stays on escape channels; then only direct dependencies exist, those of the table from every router
//! at which a message can take its first escape channel.

use super::table::check_size;
use super::{Adaptive, Dependencies, Reach, RoutingTable, TableMaker};
use crate::error::TrafficError;
use fixedbitset::FixedBitSet;
use pavane_model::{Network, RouterId};

/// The extended graph is built for networks with at most this many routers.
const MOST_ROUTERS: usize = 512;

/// Tables for the escape channels, in order of preference.
const ESCAPES: &[&str] = &["e-cube", "dateline", "deadlock-free"];

/// Adaptive minimal routing with escape channels.
#[derive(Debug, Clone)]
pub struct EscapeRouting {
    pub(crate) adaptive: Adaptive,
    pub(crate) escape: RoutingTable,
    /// Whether a message may leave the escape channels again.
    pub(crate) returns: bool,
    dependencies: Dependencies,
}

impl EscapeRouting {
    /// Prepares a network: the escape channels follow dimension order if that cannot deadlock, else
    /// dimension order with datelines, else a deadlock-free table.
    pub fn new(network: &Network) -> Result<Self, TrafficError> {
        let adaptive = Adaptive::new(network, Reach::Closer)?;
        let mut last = None;
        for maker in ESCAPES.iter().filter_map(|name| TableMaker::find(name)) {
            match maker.table(network) {
                Ok(escape) => match direct(network, &adaptive, &escape) {
                    Some(graph) if graph.cycle().is_none() => {
                        return Ok(Self::with_table(network, adaptive, escape, graph));
                    }
                    _ => {}
                },
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| TrafficError::DoesNotFit {
            routing: "escape routing",
            network: network.name().to_owned(),
            reason: "no deadlock-free table was found for the escape channels".to_owned(),
            advice: "try balanced routing, with a switching that cannot deadlock",
        }))
    }

    /// `direct` is the graph of the direct dependencies, which has no cycle.
    fn with_table(
        network: &Network,
        adaptive: Adaptive,
        escape: RoutingTable,
        direct: Dependencies,
    ) -> Self {
        let extended = extended(network, &adaptive, &escape);
        match extended.filter(|graph| graph.cycle().is_none()) {
            Some(dependencies) => Self { adaptive, escape, returns: true, dependencies },
            None => Self { adaptive, escape, returns: false, dependencies: direct },
        }
    }

    /// The table of the escape channels.
    pub fn escape(&self) -> &RoutingTable {
        &self.escape
    }

    /// Whether a message may leave the escape channels again.
    pub fn returns(&self) -> bool {
        self.returns
    }

    /// The dependency graph of the escape channels, extended if messages may leave them. It has no
    /// cycle.
    pub fn dependencies(&self) -> &Dependencies {
        &self.dependencies
    }

    /// Number of virtual channels that every channel needs: one for each escape class, and one
    /// adaptive.
    pub fn lanes_needed(&self) -> u32 {
        self.escape.classes() + 1
    }
}

/// The graph of the direct dependencies between escape channels. A message can take its first escape
/// channel at any router that adaptive channels lead to, also at one without a processor. `None` if
/// the table has no entry for such a router.
fn direct(network: &Network, adaptive: &Adaptive, escape: &RoutingTable) -> Option<Dependencies> {
    let mut graph = Dependencies::empty(network, escape.classes());
    let ends = network.routers().filter(|&router| !network.residents(router).is_empty());
    for to in ends.clone() {
        let mut is_reached = FixedBitSet::with_capacity(network.router_count());
        is_reached.insert(to.index());
        let mut routers: Vec<RouterId> = ends.clone().filter(|&router| router != to).collect();
        routers.iter().for_each(|router| is_reached.insert(router.index()));
        while let Some(at) = routers.pop() {
            let channel = escape.next(at, to)?;
            let head = network.channel(channel).head;
            graph.add(graph.node_of(escape, at, to)?, graph.node_of(escape, head, to));
            let closer = adaptive.closer(at.0, to.0).map(|channel| adaptive.head(channel));
            for next in closer.chain([head.0]) {
                if !is_reached.put(next as usize) {
                    routers.push(RouterId(next));
                }
            }
        }
    }
    graph.sort();
    Some(graph)
}

/// The extended dependency graph of the escape channels; `None` if the network is too large, or if
/// an escape path is longer than the shortest, because a message could then return to a router.
fn extended(network: &Network, adaptive: &Adaptive, escape: &RoutingTable) -> Option<Dependencies> {
    check_size(network).ok()?;
    let routers = network.router_count();
    if routers > MOST_ROUTERS {
        return None;
    }
    let mut graph = Dependencies::empty(network, escape.classes());
    let nodes = network.channel_count() * escape.classes() as usize;
    let mut edges: Vec<Option<FixedBitSet>> = vec![None; nodes];
    for to in network.routers().filter(|&router| !network.residents(router).is_empty()) {
        let mut order: Vec<RouterId> = network.routers().filter(|router| *router != to).collect();
        order.retain(|at| escape.next(*at, to).is_some());
        order.sort_by_key(|at| adaptive.distance(at.0, to.0));
        // For every router, the nodes that a message can take from it, after any number of
        // adaptive hops.
        let mut ahead: Vec<FixedBitSet> = vec![FixedBitSet::new(); routers];
        for at in order {
            let channel = escape.next(at, to)?;
            let head = network.channel(channel).head;
            if adaptive.distance(head.0, to.0) >= adaptive.distance(at.0, to.0) {
                return None;
            }
            let node = graph.node_of(escape, at, to)?;
            let next =
                edges[node as usize].get_or_insert_with(|| FixedBitSet::with_capacity(nodes));
            next.union_with(&ahead[head.index()]);
            let mut reached = FixedBitSet::with_capacity(nodes);
            reached.insert(node as usize);
            for closer in adaptive.closer(at.0, to.0) {
                reached.union_with(&ahead[adaptive.head(closer) as usize]);
            }
            ahead[at.index()] = reached;
        }
    }
    for (node, next) in (0..).zip(edges) {
        if let Some(next) = next {
            graph.set_successors(node, next.ones().map(|next| next as u32).collect());
        }
    }
    Some(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn escape_channels_have_no_cycle() {
        // (network, table of the escape channels, whether messages may leave them again)
        let claims = [
            ("mesh:4x5", "dimension order", true),
            ("hypercube:4", "dimension order", true),
            ("torus:5x5", "dateline", true),
            ("torus:4x6", "dateline", true),
            ("ring:7", "dateline", true),
            ("octagon:8", "up*/down*", false),
            ("petersen", "up*/down*", false),
        ];
        for (name, table, returns) in claims {
            let network = topology::build(name).unwrap();
            let routing = EscapeRouting::new(&network).unwrap();
            assert_eq!(routing.dependencies().cycle(), None, "{name}");
            assert_eq!((routing.escape().name(), routing.returns()), (table, returns), "{name}");
        }
    }

    #[test]
    fn messages_can_enter_escape_channels_at_routers_without_processors() {
        // All paths of the table from processors avoid some routers of the fat tree.
        let network = topology::build("fat-tree:4").unwrap();
        let routing = EscapeRouting::new(&network).unwrap();
        assert_eq!(routing.dependencies().cycle(), None);
        let direct = direct(&network, &routing.adaptive, routing.escape()).unwrap();
        let from_processors = Dependencies::new(&network, routing.escape());
        assert!(direct.edge_count() > from_processors.edge_count());
    }

    #[test]
    fn the_extended_graph_has_more_edges_than_the_table() {
        let network = topology::build("mesh:4x4").unwrap();
        let routing = EscapeRouting::new(&network).unwrap();
        let direct = Dependencies::new(&network, routing.escape());
        assert!(routing.dependencies().edge_count() > direct.edge_count());
    }
}
