//! Prices of channels: what all messages pay together, and what the channels can collect in a time.

use super::{Bounded, NEVER, fast_parts, latencies, least_time};
use crate::case::{PhaseCase, TimedCase};
use pavane_model::timed::TimeCertificate;
use pavane_model::{ChannelId, Fraction, MessageId, RouterId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// The most sets whose borders are tried as prices.
const MOST_PRICED: usize = 32;

/// The most channels that the shortest paths of all tried prices pass.
const MOST_PASSED: usize = 5_000_000;

/// Prices that often give good bounds: of 1 for the channels that leave routers that copy, if messages
/// have several destinations; of 1 for all, of the time of a byte, and of 1 for the channels that
/// leave a box, the home of a sender, or all routers but the home of a receiver. Under half duplex also
/// for both directions of these.
pub(super) fn offered_prices(case: &TimedCase, phase: &PhaseCase) -> Vec<Vec<u64>> {
    let channels = (0..phase.problem.network().channel_count() as u32).map(ChannelId);
    let is_half = case.resource.iter().zip(channels.clone()).any(|(&link, own)| link != own.0);
    let mut offered = Vec::new();
    if !phase.is_personalised() {
        // How fast the holders of a message can grow in number.
        let leaves_holder = |channel| u64::from(phase.copying[phase.ends(channel).0.index()]);
        offered.push(channels.clone().map(leaves_holder).collect());
    }
    if is_half || phase.is_personalised() {
        offered.push(vec![1; channels.len()]);
        offered.push(channels.map(|channel| case.times.per_byte(channel)).collect());
        let mut sets = fast_parts(case, phase);
        sets.truncate(MOST_PRICED);
        sets.extend(homes(case, phase));
        let most = MOST_PASSED / (phase.routers() * case.resource.len()).max(1);
        for set in sets.iter().take(most.clamp(4, 2 * MOST_PRICED)) {
            let one = border_prices(phase, set);
            if is_half {
                let outside: Vec<bool> = set.iter().map(|inside| !inside).collect();
                let other = border_prices(phase, &outside);
                offered.push(one.iter().zip(other).map(|(one, other)| one + other).collect());
            }
            offered.push(one);
        }
    }
    offered
}

/// The routers one by one, and all but one: those first whose channels need longest for what they send
/// or receive.
fn homes(case: &TimedCase, phase: &PhaseCase) -> Vec<Vec<bool>> {
    let (mut sent, mut received) = (vec![0u64; phase.routers()], vec![0u64; phase.routers()]);
    for (message, &bytes) in phase.sizes.iter().enumerate() {
        let to = phase.wanted_at(message);
        to.iter().for_each(|to| received[to.index()] += bytes);
        sent[phase.origin(message).index()] += if to.is_empty() { 0 } else { bytes };
    }
    let rate = |channels: &[ChannelId]| -> f64 {
        channels.iter().map(|&channel| 1.0 / case.times.per_byte(channel) as f64).sum()
    };
    let mut ranked: Vec<(f64, usize, bool)> = Vec::new();
    for router in (0..phase.routers() as u32).map(RouterId) {
        let at = router.index();
        ranked.push((sent[at] as f64 / rate(phase.outgoing(router)), at, true));
        ranked.push((received[at] as f64 / rate(phase.incoming(router)), at, false));
    }
    ranked.retain(|&(time, ..)| time.is_finite() && time > 0.0);
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let set = |(_, at, is_alone)| (0..phase.routers()).map(|it| (it == at) == is_alone).collect();
    ranked.into_iter().take(MOST_PRICED).map(set).collect()
}

/// A price of 1 for every channel that leaves a set.
fn border_prices(phase: &PhaseCase, inside: &[bool]) -> Vec<u64> {
    let channels = (0..phase.problem.network().channel_count() as u32).map(ChannelId);
    let leaves = |channel| {
        let (from, to) = phase.ends(channel);
        u64::from(inside[from.index()] && !inside[to.index()])
    };
    channels.map(leaves).collect()
}

/// The bound of prices.
pub(super) fn priced(case: &TimedCase, phase: &PhaseCase, prices: &[u64]) -> Option<Bounded> {
    let messages = phase.problem.messages();
    let latency = |channel: ChannelId| case.times.latency(channel);
    let price = |channel: ChannelId| prices[channel.index()];
    let (mut paid, mut entered) = (0u128, 0u128);
    let from_copy = from_copying(phase, prices);
    let cheapest = |router: RouterId| {
        let way = |&it: &ChannelId| from_copy[phase.ends(it).0.index()].saturating_add(price(it));
        phase.incoming(router).iter().map(way).min().filter(|&way| way != NEVER)
    };
    let mut opens = vec![NEVER; phase.routers()];
    let mut by_origin: Vec<Vec<MessageId>> = vec![Vec::new(); phase.routers()];
    let mut is_end = vec![false; phase.routers()];
    for message in messages.ids().filter(|message| phase.sizes[message.index()] > 0) {
        by_origin[phase.origin(message.index()).index()].push(message);
        for &to in messages.destinations(message) {
            is_end[phase.problem.home(to).index()] = true;
        }
    }
    for (origin, group) in by_origin.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
        let origin = RouterId(origin as u32);
        let costs = latencies(phase, origin, None, &price);
        for &message in group {
            let homes = messages.destinations(message).iter().map(|&to| phase.problem.home(to));
            let dearest = homes.map(|home| costs[home.index()]).max()?;
            let bytes = u128::from(phase.sizes[message.index()]);
            paid += u128::from(dearest) * bytes;
            for home in phase.wanted_at(message.index()) {
                entered += u128::from(cheapest(home).unwrap_or(0)) * bytes;
            }
        }
        let least = latencies(phase, origin, None, &latency);
        opens.iter_mut().zip(least).for_each(|(open, time)| *open = (*open).min(time));
    }
    let rests = rests(phase, &is_end, &latency);
    // By channel or half-duplex link: when it opens, the rest of the way, and its rate.
    let mut uses: BTreeMap<u32, (u64, u64, Fraction)> = BTreeMap::new();
    for (number, &price) in prices.iter().enumerate().filter(|(_, price)| **price > 0) {
        let channel = ChannelId(number as u32);
        let (from, to) = phase.ends(channel);
        let (open, rest) = (opens[from.index()], rests[to.index()]);
        if open != NEVER && rest != NEVER {
            let rate = Fraction::new(price.into(), case.times.per_byte(channel).into())?;
            let (open, rest) = (open, rest + latency(channel));
            let all = uses.entry(case.resource[number]).or_insert((open, rest, rate));
            *all = (all.0.min(open), all.1.min(rest), all.2.max(rate));
        }
    }
    let windows = uses.into_values().map(|(open, rest, rate)| (open + rest, Some(rate)));
    let time = least_time(windows.collect(), Fraction::new(paid.max(entered), 1)?)?;
    Some(Bounded { time, certificate: TimeCertificate::Prices { prices: prices.to_vec() } })
}

/// By router: the latency to the nearest router where a message ends, by relaxation against the
/// direction of the channels.
fn rests(phase: &PhaseCase, is_end: &[bool], latency: &dyn Fn(ChannelId) -> u64) -> Vec<u64> {
    let mut rests = vec![NEVER; phase.routers()];
    let mut queue: BinaryHeap<Reverse<(u64, RouterId)>> = BinaryHeap::new();
    for end in (0..phase.routers() as u32).map(RouterId).filter(|end| is_end[end.index()]) {
        rests[end.index()] = 0;
        queue.push(Reverse((0, end)));
    }
    while let Some(Reverse((time, router))) = queue.pop() {
        if time > rests[router.index()] {
            continue;
        }
        for &channel in phase.incoming(router) {
            let (from, _) = phase.ends(channel);
            let time = time + latency(channel);
            if time < rests[from.index()] {
                rests[from.index()] = time;
                queue.push(Reverse((time, from)));
            }
        }
    }
    rests
}

/// By router: the price of the cheapest way from a router that copies. A switch that does not copy
/// sends on every copy once.
fn from_copying(phase: &PhaseCase, prices: &[u64]) -> Vec<u64> {
    let mut least: Vec<u64> =
        phase.copying.iter().map(|&copies| if copies { 0 } else { NEVER }).collect();
    let all = (0..phase.routers() as u32).map(RouterId);
    let mut changed: VecDeque<RouterId> = all.filter(|r| phase.copying[r.index()]).collect();
    while let Some(router) = changed.pop_front() {
        for &channel in phase.outgoing(router) {
            let (from, to) = phase.ends(channel);
            let price = least[from.index()].saturating_add(prices[channel.index()]);
            if price < least[to.index()] {
                least[to.index()] = price;
                changed.push_back(to);
            }
        }
    }
    least
}
