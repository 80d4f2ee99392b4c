//! Prices: every message pays at least the cheapest path to its dearest destination, and at least the
//! cheapest way into each of its destinations from a router that copies. A channel is of use only
//! between the first moment at which a byte can reach it and the last from which one can still reach a
//! destination. Under half duplex, the two directions of a link share this time.

use super::latency::UNREACHED;
use super::window::{Window, least_time};
use super::{BoundCase, TimeBoundError};
use crate::cost::{Cost, Limits, Size, origins, sorting};
use crate::throughput::{View, paid};
use pavane_model::words::counted;
use pavane_model::{ChannelId, Duplex, Fraction, RouterId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A channel or half-duplex link.
struct LinkUse {
    /// The first moment at which a byte can reach it.
    open: u128,
    /// The time from its start to the nearest destination, without transmission.
    rest: u128,
    /// What it carries per nanosecond, times its price.
    rate: Fraction,
}

pub(super) fn derive(
    case: &BoundCase<'_>,
    prices: &[u64],
    limits: Limits,
) -> Result<Fraction, TimeBoundError> {
    let [view] = case.views else {
        return Err(TimeBoundError::Wrong("prices do not apply to an all-reduce".to_owned()));
    };
    let problem = &view.phase.problem;
    let network = problem.network();
    let channels = network.channel_count();
    if prices.len() != channels {
        let found = counted(prices.len(), "price");
        return Err(TimeBoundError::Wrong(format!("{found} for {channels} channels")));
    }
    let size = Size::of(problem);
    let search = size.routers.saturating_add(sorting(size.channels));
    let searches = origins(problem).saturating_add(2 * size.routers);
    let cost = searches.saturating_mul(search).saturating_add(sorting(size.traffic()));
    limits.check(Cost::of(cost.saturating_add(sorting(size.messages))))?;
    let paid = paid(*view, prices)?.max(entries(*view, prices)?);
    let messages = problem.messages();
    // The smallest latency from any origin, and to any destination.
    let mut opens = vec![UNREACHED; network.router_count()];
    let mut rests = vec![UNREACHED; network.router_count()];
    let (mut is_origin, mut is_end) = (vec![false; opens.len()], vec![false; opens.len()]);
    for message in messages.ids().filter(|&message| view.phase.size(message) > 0) {
        is_origin[view.root(message).index()] = true;
        for &to in messages.destinations(message) {
            is_end[problem.home(to).index()] = true;
        }
    }
    let routers = |wanted: Vec<bool>| {
        (0..wanted.len() as u32).map(RouterId).filter(move |router| wanted[router.index()])
    };
    for origin in routers(is_origin) {
        let least = case.latencies.from(*view, origin, None);
        opens.iter_mut().zip(least).for_each(|(open, time)| *open = (*open).min(time));
    }
    for end in routers(is_end) {
        let least = case.latencies.to(*view, end);
        rests.iter_mut().zip(least).for_each(|(rest, time)| *rest = (*rest).min(time));
    }
    let mut uses: BTreeMap<ChannelId, LinkUse> = BTreeMap::new();
    for channel in (0..channels as u32).map(ChannelId) {
        let (from, to) = view.ends(channel);
        let (open, rest) = (opens[from.index()], rests[to.index()]);
        let price = prices[channel.index()];
        if price > 0 && open != UNREACHED && rest != UNREACHED {
            let rate = case.bandwidths[channel.index()].checked_mul(Fraction::from(price));
            let rate = rate.ok_or(TimeBoundError::Arithmetic)?;
            let rest = rest + case.latencies.of(channel);
            let opposite = network.opposite(channel).filter(|_| case.duplex == Duplex::Half);
            let link = opposite.map_or(channel, |other| other.min(channel));
            let all = uses.entry(link).or_insert(LinkUse { open, rest, rate });
            // One direction of a link is in use at a time.
            *all = LinkUse {
                open: all.open.min(open),
                rest: all.rest.min(rest),
                rate: all.rate.max(rate),
            };
        }
    }
    let window = |it: LinkUse| Window { idle: it.open + it.rest, rate: it.rate };
    let needed = Fraction::new(paid, 1).ok_or(TimeBoundError::Arithmetic)?;
    least_time(uses.into_values().map(window).collect(), needed, case.latencies.ticks_per_ns)
}

/// What all messages pay at least to enter their destinations. A switch that does not copy sends on
/// every copy once, so that every destination alone pays the way from the last router that copied.
fn entries(view: View<'_>, prices: &[u64]) -> Result<u128, TimeBoundError> {
    let problem = &view.phase.problem;
    let messages = problem.messages();
    let from_copy = from_copying(view, prices);
    let cheapest = |router: RouterId| {
        let into = view.incoming(router).iter();
        let ways = into.filter_map(|&channel| {
            let before = from_copy[view.ends(channel).0.index()];
            (before != UNREACHED).then(|| before + u128::from(prices[channel.index()]))
        });
        ways.min().unwrap_or(0)
    };
    let entry: Vec<u128> = problem.network().routers().map(cheapest).collect();
    let mut sum = 0u128;
    for message in messages.ids() {
        let to = messages.destinations(message).iter().map(|&to| problem.home(to));
        let mut homes: Vec<RouterId> = to.filter(|&home| home != view.root(message)).collect();
        homes.sort_unstable();
        homes.dedup();
        for home in homes {
            let part = entry[home.index()].checked_mul(view.phase.size(message).into());
            let next = part.and_then(|part| sum.checked_add(part));
            sum = next.ok_or(TimeBoundError::Arithmetic)?;
        }
    }
    Ok(sum)
}

/// By router: the price of the cheapest way from a router that copies, 0 for such a router itself.
fn from_copying(view: View<'_>, prices: &[u64]) -> Vec<u128> {
    let mut least = vec![UNREACHED; view.phase.problem.network().router_count()];
    let mut queue = BinaryHeap::new();
    for router in view.phase.problem.network().routers().filter(|&router| view.is_copying(router)) {
        least[router.index()] = 0;
        queue.push(Reverse((0u128, router)));
    }
    while let Some(Reverse((price, router))) = queue.pop() {
        if price > least[router.index()] {
            continue;
        }
        for &channel in view.outgoing(router) {
            let next = view.ends(channel).1;
            let price = price + u128::from(prices[channel.index()]);
            if price < least[next.index()] {
                least[next.index()] = price;
                queue.push(Reverse((price, next)));
            }
        }
    }
    least
}
