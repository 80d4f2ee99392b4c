//! Prices: every word pays at least the price of its cheapest allowed route, and all channels together
//! are paid at most the sum of their prices per slot.

use super::{TdmBoundError, homes, period_of_load, senders, size};
use crate::distance::Neighbours;
use pavane_model::words::counted;
use pavane_model::{RouterId, Routing, TdmProblem};

/// The price of a router that cannot be reached.
const NONE: u128 = u128::MAX;

/// Operations to check prices: for every sender one pass over all channels per allowed hop.
pub(super) fn cost(problem: &TdmProblem) -> u64 {
    let passes = problem.network().router_count() as u64;
    let search = size(problem).saturating_mul(2).saturating_mul(match problem.rules().routing {
        // The passes of minimal routing visit every channel once in all.
        Routing::Minimal => 2,
        Routing::Detour(_) | Routing::Any => passes,
    });
    let all = senders(problem).saturating_mul(search);
    all.saturating_add(problem.messages().len() as u64)
}

pub(super) fn derive(problem: &TdmProblem, prices: &[u64]) -> Result<u64, TdmBoundError> {
    let channels = problem.network().channel_count();
    if prices.len() != channels {
        let found = counted(prices.len(), "price");
        return Err(TdmBoundError::Wrong(format!("{found} for {channels} channels")));
    }
    let mut paid = 0u128;
    for group in problem.messages().chunk_by(|one, other| one.from == other.from) {
        let (from, _) = homes(problem, &group[0])?;
        let cheapest = match problem.rules().routing {
            Routing::Minimal => cheapest_shortest(problem, prices, from),
            Routing::Detour(more) => cheapest_within(problem, prices, from, u64::from(more)),
            Routing::Any => cheapest_within(problem, prices, from, u64::MAX),
        };
        for message in group {
            let price = cheapest[homes(problem, message)?.1.index()];
            // Words have 50 bits, prices 64 and paths 25, so products may overflow: at the largest
            // numbers the sum saturates, which would prove too much.
            let part = price.checked_mul(message.weight.into());
            let sum = part.and_then(|part| paid.checked_add(part));
            let too_large = || TdmBoundError::Wrong("its prices are too large".to_owned());
            paid = sum.filter(|sum| *sum < NONE >> 32).ok_or_else(too_large)?;
        }
    }
    let all: u128 = prices.iter().map(|&price| u128::from(price)).sum();
    period_of_load(problem, paid, all)
}

/// The cheapest of the shortest paths to every router: each pass extends paths by one hop.
fn cheapest_shortest(problem: &TdmProblem, prices: &[u64], from: RouterId) -> Vec<u128> {
    let network = problem.network();
    let distances = Neighbours::along(network).distances([from]);
    let mut order: Vec<RouterId> = network.routers().collect();
    order.sort_by_key(|router| distances[router.index()]);
    let mut cheapest = vec![NONE; network.router_count()];
    cheapest[from.index()] = 0;
    for &router in &order {
        let so_far = cheapest[router.index()];
        if so_far == NONE {
            continue;
        }
        for &channel in network.out_channels(router) {
            let head = network.channel(channel).head.index();
            if distances[head] == distances[router.index()] + 1 {
                let price = so_far + u128::from(prices[channel.index()]);
                cheapest[head] = cheapest[head].min(price);
            }
        }
    }
    cheapest
}

/// The cheapest walk to every router with at most `more` hops more than the shortest path. A simple
/// path is a walk, so no path is cheaper.
fn cheapest_within(problem: &TdmProblem, prices: &[u64], from: RouterId, more: u64) -> Vec<u128> {
    let network = problem.network();
    let distances = Neighbours::along(network).distances([from]);
    let mut cheapest = vec![NONE; network.router_count()];
    cheapest[from.index()] = 0;
    let mut last = cheapest.clone();
    // A walk of more hops than routers contains a cycle, which does not make it cheaper.
    for hops in 1..network.router_count() as u64 {
        let mut next = last.clone();
        for (channel, ends) in network.channels().iter().enumerate() {
            let so_far = last[ends.tail.index()];
            if so_far != NONE {
                let price = so_far + u128::from(prices[channel]);
                next[ends.head.index()] = next[ends.head.index()].min(price);
            }
        }
        for router in 0..next.len() {
            let distance = distances[router];
            if distance != u32::MAX && hops <= u64::from(distance).saturating_add(more) {
                cheapest[router] = next[router];
            }
        }
        if next == last {
            break;
        }
        last = next;
    }
    cheapest
}
