//! Shortest-path tables: of the channels that bring a message closer, the one with the lowest
//! number.

use super::RoutingTable;
use crate::error::TrafficError;
use pavane_model::{Network, RouterId};

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    let distances: Vec<Vec<u32>> = network.routers().map(|to| network.distances_to(to)).collect();
    RoutingTable::new("shortest", network, |at, to| {
        let distance = |router: RouterId| distances[to.index()][router.index()];
        let mut leaving = network.out_channels(at).iter().copied();
        let here = distance(at);
        leaving.find(|&c| here != u32::MAX && distance(network.channel(c).head) < here)
    })
}
