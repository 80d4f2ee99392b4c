//! Up*/down* routing: routers are ordered by their distance from a root, then by number. A message
//! first goes up, towards the root, then down, and never up again, so that channel dependencies
//! have no cycle. A path that only goes down is preferred. Of equally long paths, each router takes
//! the channel that carries the least traffic so far. After Autonet (Schroeder and others, 1991).

use super::RoutingTable;
use crate::error::TrafficError;
use pavane_model::{ChannelId, Network, RouterId};

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    super::table::check_size(network)?;
    let order = order(network);
    let is_up = |channel: ChannelId| {
        let ends = network.channel(channel);
        order[ends.head.index()] < order[ends.tail.index()]
    };
    let mut by_order: Vec<RouterId> = network.routers().collect();
    by_order.sort_unstable_by_key(|router| order[router.index()]);
    let mut loads = vec![0u64; network.channel_count()];
    let columns: Vec<Vec<Option<ChannelId>>> =
        network.routers().map(|to| column(network, &by_order, is_up, to, &mut loads)).collect();
    let table = RoutingTable::new("up*/down*", network, |at, to| columns[to.index()][at.index()]);
    table.map_err(|error| match one_way(network) {
        Some(channel) => does_not_fit(network, channel),
        None => error,
    })
}

/// A channel without an opposite; up*/down* requires networks without such channels.
fn one_way(network: &Network) -> Option<ChannelId> {
    let mut channels = (0..network.channel_count() as u32).map(ChannelId);
    channels.find(|channel| {
        let ends = network.channel(*channel);
        network.channels_between(ends.head, ends.tail).next().is_none()
    })
}

fn does_not_fit(network: &Network, channel: ChannelId) -> TrafficError {
    let ends = network.channel(channel);
    let [tail, head] = [ends.tail, ends.head].map(|router| network.router_name(router));
    TrafficError::DoesNotFit {
        routing: "up*/down*",
        network: network.name().to_owned(),
        reason: format!(
            "it needs channels in both directions, and none leads back from {head} to {tail}"
        ),
        advice: "try balanced routing, with a switching that cannot deadlock",
    }
}

/// Order of the routers: hops from the root, then number. The root is the router with the most
/// channels.
fn order(network: &Network) -> Vec<(u32, u32)> {
    let degree = |router: &RouterId| network.out_channels(*router).len();
    let root = network.routers().rev().max_by_key(degree).unwrap_or(RouterId(0));
    let hops = network.distances_from(root);
    network.routers().map(|router| (hops[router.index()], router.0)).collect()
}

/// The next channel of every router towards one destination. Adds the traffic of its paths to
/// `loads`.
fn column(
    network: &Network,
    by_order: &[RouterId],
    is_up: impl Fn(ChannelId) -> bool,
    to: RouterId,
    loads: &mut [u64],
) -> Vec<Option<ChannelId>> {
    const FAR: u32 = u32::MAX;
    let mut cost = vec![FAR; network.router_count()];
    let mut next = vec![None; network.router_count()];
    cost[to.index()] = 0;
    // Paths that only go down, by breadth-first search from the destination.
    let mut queue = vec![to];
    let mut at = 0;
    while let Some(&router) = queue.get(at) {
        at += 1;
        for &channel in network.in_channels(router).iter().filter(|channel| !is_up(**channel)) {
            let tail = network.channel(channel).tail.index();
            if cost[tail] == FAR {
                cost[tail] = cost[router.index()] + 1;
                next[tail] = Some(channel);
                queue.push(network.channel(channel).tail);
            } else if cost[tail] == cost[router.index()] + 1 {
                next[tail] =
                    next[tail].into_iter().chain([channel]).min_by_key(|c| loads[c.index()]);
            }
        }
    }
    // All other routers go up. Routers above them are already complete, because of the order.
    for &router in by_order {
        if cost[router.index()] != FAR {
            continue;
        }
        let ups = network.out_channels(router).iter().copied().filter(|channel| is_up(*channel));
        let ways = ups.map(|channel| {
            (cost[network.channel(channel).head.index()], loads[channel.index()], channel)
        });
        if let Some((least, _, channel)) = ways.filter(|(cost, ..)| *cost != FAR).min() {
            cost[router.index()] = least + 1;
            next[router.index()] = Some(channel);
        }
    }
    let mut flow: Vec<u64> =
        network.routers().map(|router| network.residents(router).len() as u64).collect();
    let mut farthest_first: Vec<RouterId> = network.routers().collect();
    farthest_first.sort_by_key(|router| std::cmp::Reverse(cost[router.index()]));
    for router in farthest_first {
        if let Some(channel) = next[router.index()] {
            loads[channel.index()] += flow[router.index()];
            flow[network.channel(channel).head.index()] += flow[router.index()];
        }
    }
    next
}
