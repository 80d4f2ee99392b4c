//! Prices: every message pays at least the cheapest path to its dearest destination, and all channels
//! together carry at most the time times the sum of bandwidth times price.

use super::{LimitError, capacity, ratio};
use crate::cost::{Size, origins, sorting};
use crate::throughput::view::View;
use pavane_model::words::counted;
use pavane_model::{Fraction, RouterId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Operations to check prices.
pub(super) fn cost(views: &[View<'_>]) -> u64 {
    let of = |view: &View<'_>| {
        let problem = &view.phase.problem;
        let size = Size::of(problem);
        let search = size.routers.saturating_add(sorting(size.channels));
        let all = origins(problem).saturating_mul(search);
        all.saturating_add(size.traffic()).saturating_add(sorting(size.messages))
    };
    views.iter().map(of).fold(0, u64::saturating_add)
}

pub(super) fn derive(
    prices: &[u64],
    views: &[View<'_>],
    bandwidths: &[Fraction],
) -> Result<Fraction, LimitError> {
    if prices.len() != bandwidths.len() {
        let (found, channels) = (prices.len(), bandwidths.len());
        return Err(LimitError::Wrong(format!(
            "{} for {channels} channels",
            counted(found, "price")
        )));
    }
    let mut sum = 0u128;
    for &view in views {
        let part = paid(view, prices)?;
        sum = sum.checked_add(part).ok_or(LimitError::Arithmetic)?;
    }
    let prices: Vec<u128> = prices.iter().map(|&price| price.into()).collect();
    ratio(sum, capacity(bandwidths, &prices)?)
}

/// What the messages of a phase pay at least.
pub(crate) fn paid(view: View<'_>, prices: &[u64]) -> Result<u128, LimitError> {
    let problem = &view.phase.problem;
    let messages = problem.messages();
    let mut ids: Vec<_> = messages.ids().collect();
    ids.sort_by_key(|&message| view.root(message));
    let mut paid = 0u128;
    for group in ids.chunk_by(|&one, &other| view.root(one) == view.root(other)) {
        let costs = cheapest(view, prices, view.root(group[0]));
        for &message in group {
            let to = messages.destinations(message).iter();
            let cost = to.map(|&to| costs[problem.home(to).index()]).max().unwrap_or(0);
            // No path: the problem was checked, so this does not happen.
            let cost = if cost == u128::MAX { None } else { Some(cost) };
            let part = cost.and_then(|cost| cost.checked_mul(view.phase.size(message).into()));
            let sum = part.and_then(|part| paid.checked_add(part));
            paid = sum.ok_or(LimitError::Arithmetic)?;
        }
    }
    Ok(paid)
}

/// The price of the cheapest path from a router to every other one; the maximum if there is none.
/// Prices have 64 bits and paths at most 2^25 channels, so sums fit.
fn cheapest(view: View<'_>, prices: &[u64], from: RouterId) -> Vec<u128> {
    let mut costs = vec![u128::MAX; view.phase.problem.network().router_count()];
    costs[from.index()] = 0;
    let mut queue = BinaryHeap::from([Reverse((0u128, from))]);
    while let Some(Reverse((cost, router))) = queue.pop() {
        if cost > costs[router.index()] {
            continue;
        }
        for &channel in view.outgoing(router) {
            let (_, to) = view.ends(channel);
            let next = cost + u128::from(prices[channel.index()]);
            if next < costs[to.index()] {
                costs[to.index()] = next;
                queue.push(Reverse((next, to)));
            }
        }
    }
    costs
}
