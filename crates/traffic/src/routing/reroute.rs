//! Changes of single entries of a routing table.

use super::RoutingTable;
use crate::error::TrafficError;
use pavane_model::{Network, RouterId};

/// The table after a change of one entry: with `2-7:6`, messages at 2 for 7 go to 6 next. Routers are given by
/// name or number.
pub fn reroute(
    network: &Network,
    table: &RoutingTable,
    text: &str,
) -> Result<RoutingTable, TrafficError> {
    let wrong = |problem: String| TrafficError::Entry { text: text.to_owned(), problem };
    let parts = text.split_once(':').and_then(|(pair, via)| {
        let (from, to) = pair.split_once('-')?;
        Some([from, to, via])
    });
    let parts = parts.ok_or_else(|| wrong("not an entry".to_owned()))?;
    let router = |name: &str| -> Result<RouterId, TrafficError> {
        let found = network.find_router(name);
        found.ok_or_else(|| wrong(format!("the network has no router {name:?}")))
    };
    let (from, to, via) = (router(parts[0])?, router(parts[1])?, router(parts[2])?);
    let channel = network.channels_between(from, via).next();
    let channel = channel.ok_or_else(|| {
        let [from, via] = [from, via].map(|router| network.router_name(router));
        wrong(format!("there is no channel from {from} to {via}"))
    })?;
    let next = |at: RouterId, destination: RouterId| {
        if (at, destination) == (from, to) { Some(channel) } else { table.next(at, destination) }
    };
    let changed = RoutingTable::new(table.name(), network, next)?;
    if table.classes() == 1 {
        return Ok(changed);
    }
    let class = |_: &RoutingTable, at, to| table.class(at, to) as u8;
    Ok(changed.with_classes(network, table.classes(), class))
}
