//! Minimum payment of a message with several destinations: the larger of the price of the cheapest
//! path to its farthest destination, and the sum over its destination routers of the price of the
//! cheapest path from another router with processors.

use crate::budget::Interrupt;
use pavane_model::{Network, Problem, RouterId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Minimum payment of all messages with several destinations at the given channel prices; `None`
/// after an interrupt.
pub fn paid(problem: &Problem, price: &[u64], interrupt: &Interrupt) -> Option<u128> {
    let (messages, network) = (problem.messages(), problem.network());
    if messages.delivery_count() == messages.len() {
        return Some(0);
    }
    let entries: Vec<u128> =
        network.routers().map(|home| nearest_elsewhere(network, home, price)).collect();
    let mut cost: Option<(RouterId, Vec<u64>)> = None;
    let mut paid = 0;
    for message in messages.ids().filter(|&message| !messages.is_personalised(message)) {
        if interrupt.is_raised() {
            return None;
        }
        let from = problem.home(messages.origin(message));
        if cost.as_ref().is_none_or(|(router, _)| *router != from) {
            cost = Some((from, costs_from(network, from, price)));
        }
        let (_, cost) = cost.as_ref().expect("it was set above");
        let mut homes: Vec<RouterId> =
            messages.destinations(message).iter().map(|&to| problem.home(to)).collect();
        homes.sort_unstable();
        homes.dedup();
        homes.retain(|&home| home != from);
        let farthest = homes.iter().map(|home| u128::from(cost[home.index()])).max().unwrap_or(0);
        paid += farthest.max(homes.iter().map(|home| entries[home.index()]).sum());
    }
    Some(paid)
}

/// Price of the cheapest walk to a router from another router with processors.
fn nearest_elsewhere(network: &Network, home: RouterId, price: &[u64]) -> u128 {
    let mut cost = FxHashMap::from_iter([(home, 0)]);
    let mut queue = BinaryHeap::from([(Reverse(0), home)]);
    while let Some((Reverse(reached), router)) = queue.pop() {
        if router != home && !network.residents(router).is_empty() {
            return u128::from(reached);
        }
        for &channel in network.in_channels(router) {
            let (tail, through) = (network.channel(channel).tail, reached + price[channel.index()]);
            if cost.get(&tail).is_none_or(|&known| through < known) {
                cost.insert(tail, through);
                queue.push((Reverse(through), tail));
            }
        }
    }
    0
}

/// Price of the cheapest walk from a router to every other router.
pub fn costs_from(network: &Network, from: RouterId, price: &[u64]) -> Vec<u64> {
    let mut cost = vec![u64::MAX; network.router_count()];
    let mut queue = BinaryHeap::from([(Reverse(0), from)]);
    while let Some((Reverse(reached), router)) = queue.pop() {
        if reached >= cost[router.index()] {
            continue;
        }
        cost[router.index()] = reached;
        for &channel in network.out_channels(router) {
            let next = reached + price[channel.index()];
            queue.push((Reverse(next), network.channel(channel).head));
        }
    }
    cost
}
