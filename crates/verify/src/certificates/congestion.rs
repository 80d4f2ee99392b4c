//! Congestion: every channel has a price. A step uses channels worth at most the sum of all prices,
//! and every message needs at least its cheapest path. The quotient bounds the number of steps.

use super::{Argument, Claim, Refusal, for_each_origin};
use crate::cost::{Cost, Size, origins, sorting};
use crate::distance::UNREACHABLE;
use pavane_model::{Certificate, ChannelId, Duplex, Messages, Problem, RouterId, Routing};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::Congestion { prices } = claim.certificate else { return None };
    Some(Box::new(Congestion { prices }))
}

struct Congestion<'a> {
    prices: &'a [u64],
}

impl Argument for Congestion<'_> {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        Cost::of(prices_cost(problem, size).saturating_add(self.prices.len() as u64))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem, self.prices)?)
    }
}

/// Operations of a check that prices the paths of all messages.
pub(super) fn prices_cost(problem: &Problem, size: &Size) -> u64 {
    let needs = Needs::of(problem.messages());
    let dijkstra = size.routers + sorting(size.channels);
    // The search by layers visits a channel once for every length that a path through it may have.
    let layers = match problem.model().routing {
        Routing::Minimal | Routing::Any => 1,
        Routing::Detour(extra) => (u64::from(extra) + 1).min(size.routers),
    };
    let straight = match problem.model().routing {
        Routing::Any => dijkstra,
        _ => (8 * size.routers).saturating_add(layers.saturating_mul(3 * size.channels)),
    };
    let of_origin = size
        .search()
        .saturating_add(if needs.straight { straight } else { 0 })
        .saturating_add(if needs.anyway { dijkstra } else { 0 });
    let entries = if needs.anyway { 3 * dijkstra } else { 0 };
    origins(problem)
        .saturating_mul(of_origin)
        .saturating_add(size.neighbours())
        .saturating_add(entries)
        .saturating_add(2 * size.traffic() + 2 * sorting(size.deliveries))
}

/// Which paths must be priced: `straight` for personalised messages, `anyway` (walks of any length)
/// for messages with several destinations.
#[derive(Clone, Copy)]
pub(super) struct Needs {
    pub straight: bool,
    pub anyway: bool,
}

impl Needs {
    pub fn of(messages: &Messages) -> Self {
        let is_any = |counts: fn(usize) -> bool| {
            messages.ids().any(|message| counts(messages.destinations(message).len()))
        };
        Self { straight: is_any(|count| count == 1), anyway: is_any(|count| count > 1) }
    }

    /// Cheapest cost to every router for a personalised message, and by a walk of any length. A
    /// list that is not needed is empty.
    pub fn paths(
        self,
        problem: &Problem,
        prices: &[u64],
        origin: RouterId,
        hops: &[u32],
    ) -> (Vec<u128>, Vec<u128>) {
        let straight = self.straight.then(|| cheapest_straight(problem, prices, origin, hops));
        let anyway = self.anyway.then(|| cheapest_anyway(problem, prices, origin));
        (straight.unwrap_or_default(), anyway.unwrap_or_default())
    }
}

fn derive(problem: &Problem, prices: &[u64]) -> Result<u64, String> {
    let network = problem.network();
    if prices.len() != network.channel_count() {
        let channels = network.channel_count();
        return Err(format!("{} prices for {channels} channels", prices.len()));
    }
    let messages = problem.messages();
    let needs = Needs::of(messages);
    let entries = if needs.anyway { entries(problem, prices) } else { Vec::new() };
    let mut paid = 0u128;
    for_each_origin(problem, |origin, group, hops| {
        let (straight, anyway) = needs.paths(problem, prices, origin, hops);
        for &message in group {
            paid += match messages.destinations(message) {
                [to] => straight[problem.home(*to).index()],
                several => {
                    let homes: Vec<RouterId> = several.iter().map(|&to| problem.home(to)).collect();
                    for_several(origin, &anyway, &entries, homes)
                }
            };
        }
    });
    match most_per_step(problem, prices) {
        0 => Err("all prices are zero".to_owned()),
        most => Ok(u64::try_from(paid.div_ceil(most)).unwrap_or(u64::MAX)),
    }
}

/// Maximum price of the channels that one step can use: under half duplex, one channel per link.
pub(super) fn most_per_step(problem: &Problem, prices: &[u64]) -> u128 {
    let price_of = |channel: ChannelId| u128::from(prices[channel.index()]);
    let all = (0..prices.len() as u32).map(ChannelId);
    all.map(|channel| match (problem.model().duplex, problem.network().opposite(channel)) {
        (Duplex::Half, Some(other)) if other < channel => 0,
        (Duplex::Half, Some(other)) => price_of(channel).max(price_of(other)),
        _ => price_of(channel),
    })
    .sum()
}

/// Price of a message with several destinations. It travels from its origin to each destination, on
/// any route, and enters the home of each destination by a separate transfer from a processor on
/// another router.
fn for_several(
    origin: RouterId,
    anyway: &[u128],
    entries: &[u128],
    mut homes: Vec<RouterId>,
) -> u128 {
    homes.sort_unstable();
    homes.dedup();
    let dearest = homes.iter().map(|home| anyway[home.index()]).max().unwrap_or(0);
    let others = homes.iter().filter(|&&home| home != origin);
    dearest.max(others.map(|home| entries[home.index()]).sum())
}

/// For every router, the minimum price of a transfer to it from a processor on another router; 0 if
/// there is none. Runs Dijkstra's algorithm from all routers with processors at once and keeps the
/// two nearest sources of each router, because one of them may be the router itself.
fn entries(problem: &Problem, prices: &[u64]) -> Vec<u128> {
    let network = problem.network();
    let mut nearest: Vec<Vec<(u128, RouterId)>> = vec![Vec::new(); network.router_count()];
    let sources = network.routers().filter(|&router| !network.residents(router).is_empty());
    let mut queue: BinaryHeap<_> = sources.map(|source| Reverse((0u128, source, source))).collect();
    while let Some(Reverse((so_far, router, source))) = queue.pop() {
        let found = &mut nearest[router.index()];
        if found.len() == 2 || found.iter().any(|&(_, other)| other == source) {
            continue;
        }
        found.push((so_far, source));
        for &channel in network.out_channels(router) {
            let price = u128::from(prices[channel.index()]);
            queue.push(Reverse((so_far + price, network.channel(channel).head, source)));
        }
    }
    let entry = |(router, found): (RouterId, Vec<(u128, RouterId)>)| {
        found.into_iter().find(|&(_, source)| source != router).map_or(0, |(price, _)| price)
    };
    network.routers().zip(nearest).map(entry).collect()
}

/// Cheapest cost to every router along paths that a personalised message may take.
fn cheapest_straight(
    problem: &Problem,
    prices: &[u64],
    origin: RouterId,
    hops: &[u32],
) -> Vec<u128> {
    match problem.model().routing {
        Routing::Any => cheapest_anyway(problem, prices, origin),
        Routing::Minimal => cheapest_within(problem, prices, origin, hops, 0),
        Routing::Detour(extra) => cheapest_within(problem, prices, origin, hops, extra),
    }
}

/// Cheapest walk of any length to every router (Dijkstra, 1959).
fn cheapest_anyway(problem: &Problem, prices: &[u64], origin: RouterId) -> Vec<u128> {
    let network = problem.network();
    let mut cost = vec![u128::MAX; network.router_count()];
    cost[origin.index()] = 0;
    let mut queue = BinaryHeap::from([Reverse((0u128, origin))]);
    while let Some(Reverse((so_far, router))) = queue.pop() {
        if so_far > cost[router.index()] {
            continue;
        }
        for &channel in network.out_channels(router) {
            let head = network.channel(channel).head;
            let through = so_far + u128::from(prices[channel.index()]);
            if through < cost[head.index()] {
                cost[head.index()] = through;
                queue.push(Reverse((through, head)));
            }
        }
    }
    cost
}

/// Cheapest walk to every router with at most `extra` channels more than a shortest path. Walks
/// that visit a router twice are not valid paths, but including them can only lower the bound.
fn cheapest_within(
    problem: &Problem,
    prices: &[u64],
    origin: RouterId,
    hops: &[u32],
    extra: u32,
) -> Vec<u128> {
    let network = problem.network();
    let furthest = hops.iter().filter(|&&h| h != UNREACHABLE).max().copied().unwrap_or(0);
    // No walk needs more channels than there are routers.
    let longest = furthest.saturating_add(extra).min(network.router_count() as u32);
    let mut cost = vec![u128::MAX; network.router_count()];
    let mut layer = vec![(origin, 0u128)];
    cost[origin.index()] = 0;
    let mut next = vec![u128::MAX; network.router_count()];
    for length in 1..=longest {
        let mut reached = Vec::new();
        for &(router, so_far) in &layer {
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                // A walk that is already too long for this router stays too long for every later
                // one.
                if u64::from(length) > u64::from(hops[head.index()]) + u64::from(extra) {
                    continue;
                }
                if next[head.index()] == u128::MAX {
                    reached.push(head);
                }
                let through = so_far + u128::from(prices[channel.index()]);
                next[head.index()] = next[head.index()].min(through);
            }
        }
        layer.clear();
        for router in reached {
            let walk = std::mem::replace(&mut next[router.index()], u128::MAX);
            cost[router.index()] = cost[router.index()].min(walk);
            layer.push((router, walk));
        }
    }
    cost
}
