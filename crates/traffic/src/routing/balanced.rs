//! Balanced shortest paths: of the channels that bring a message closer, each router takes the one
//! that carries the least traffic when every processor sends the same amount to every other. The
//! tables of all destinations are improved in turn, each with the loads of the others in place, and
//! the best of a few rounds by the largest channel load is kept.

use super::RoutingTable;
use super::table::check_size;
use crate::error::TrafficError;
use pavane_model::{ChannelId, Network, RouterId};

/// Number of rounds over all destinations.
const ROUNDS: usize = 6;

/// Networks with more routers get one round.
const MANY_ROUTERS: usize = 1024;

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    check_size(network)?;
    let mut loads = vec![0u64; network.channel_count()];
    let mut columns: Vec<Column> = network.routers().map(|to| Column::new(network, to)).collect();
    let rounds = if network.router_count() > MANY_ROUTERS { 1 } else { ROUNDS };
    let mut best: Option<(u64, Vec<Vec<Option<ChannelId>>>)> = None;
    for _ in 0..rounds {
        for column in &mut columns {
            column.reroute(network, &mut loads);
        }
        let largest = loads.iter().copied().max().unwrap_or(0);
        if best.as_ref().is_none_or(|(least, _)| largest < *least) {
            best = Some((largest, columns.iter().map(|column| column.next.clone()).collect()));
        }
    }
    let (_, next) = best.unwrap_or_default();
    RoutingTable::new("balanced shortest paths", network, |at, to| next[to.index()][at.index()])
}

/// The next channels of all routers towards one destination.
struct Column {
    to: RouterId,
    hops: Vec<u32>,
    /// The routers that reach the destination, farthest first.
    order: Vec<RouterId>,
    next: Vec<Option<ChannelId>>,
    /// Traffic that each router forwards.
    flow: Vec<u64>,
}

impl Column {
    fn new(network: &Network, to: RouterId) -> Self {
        let hops = network.distances_to(to);
        let is_source = |router: &RouterId| *router != to && hops[router.index()] != u32::MAX;
        let mut order: Vec<RouterId> = network.routers().filter(is_source).collect();
        order.sort_by_key(|router| std::cmp::Reverse(hops[router.index()]));
        let routers = network.router_count();
        Self { to, hops, order, next: vec![None; routers], flow: vec![0; routers] }
    }

    /// Chooses all channels again, given the loads by other destinations.
    fn reroute(&mut self, network: &Network, loads: &mut [u64]) {
        for router in &self.order {
            if let Some(channel) = self.next[router.index()] {
                loads[channel.index()] -= self.flow[router.index()];
            }
        }
        let weight = network.residents(self.to).len() as u64;
        for router in network.routers() {
            self.flow[router.index()] = weight * network.residents(router).len() as u64;
        }
        for &router in &self.order {
            let here = self.hops[router.index()];
            let leaving = network.out_channels(router).iter().copied();
            let closer = leaving.filter(|&c| self.hops[network.channel(c).head.index()] < here);
            let Some(channel) = closer.min_by_key(|&c| (loads[c.index()], c)) else { continue };
            let flow = self.flow[router.index()];
            loads[channel.index()] += flow;
            self.flow[network.channel(channel).head.index()] += flow;
            self.next[router.index()] = Some(channel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableMaker;
    use pavane_model::Network;
    use pavane_networks::topology;

    /// The largest number of pairs whose path uses the same channel.
    fn largest_load(network: &Network, routing: &str) -> usize {
        let table = TableMaker::find(routing).unwrap().table(network).unwrap();
        let mut loads = vec![0; network.channel_count()];
        let mut path = Vec::new();
        for from in network.routers().filter(|&router| !network.residents(router).is_empty()) {
            for to in network.routers().filter(|&router| !network.residents(router).is_empty()) {
                path.clear();
                table.path(network, from, to, &mut path);
                let hops = network.distances_to(to)[from.index()] as usize;
                assert_eq!(path.len(), hops, "{routing}: not a shortest path");
                path.iter().for_each(|channel| loads[channel.index()] += 1);
            }
        }
        loads.into_iter().max().unwrap()
    }

    #[test]
    fn the_busiest_channel_carries_less_than_with_the_lowest_channel_first() {
        for name in ["fat-tree:4", "dragonfly:2,4,2", "random-regular:20,4,1", "ring:6"] {
            let network = topology::build(name).unwrap();
            let (plain, balanced) =
                (largest_load(&network, "shortest"), largest_load(&network, "balanced"));
            assert!(balanced < plain, "{name}: {balanced} {plain}");
        }
    }
}
