//! Derives again what the certificate of a bound on an all-reduce proves. Run backwards in time on the
//! reversed network, an all-reduce is one again, with the phases exchanged, so every argument is made in
//! both directions.

use super::least::{Sum, least_steps, sums};
use crate::certificates::cut_queue::Side;
use crate::certificates::queue::{Crossings, most_steps, queue_cost};
use crate::certificates::{BoundError, marked};
use crate::cost::{Cost, Limits, Size, origins, sorting};
use pavane_model::whole::{WholeBound, WholeCertificate, WholeKind};
use pavane_model::{ChannelId, Duplex, Problem, RouterId};
use std::collections::BTreeMap;

/// Checks that the certificate of a bound on an all-reduce proves what the bound claims. Returns the number
/// of steps proved. `proved` are the proved bounds of the phases.
pub fn check_whole_bound(
    phases: [&Problem; 2],
    proved: [u32; 2],
    bound: &WholeBound,
    limits: Limits,
) -> Result<u32, BoundError> {
    let WholeCertificate { kind, routers } = &bound.certificate;
    let reason = kind.name();
    let over_limit = |over| BoundError::OverLimit { reason, over };
    limits.check(cost(phases, &bound.certificate)).map_err(over_limit)?;
    let [one, other] = directions(phases);
    let derived = match kind {
        WholeKind::Entries => Ok(entries(&one)),
        WholeKind::Receives => Ok(receives(&one)),
        WholeKind::Phase => Ok(phase(&one, &other, proved)),
        WholeKind::Queue => {
            queue(&one, routers).and_then(|steps| Ok(steps.max(queue(&other, routers)?)))
        }
    };
    let derived = derived.map_err(|problem| BoundError::Unfit { reason, problem })?;
    if u64::from(bound.steps) <= derived {
        Ok(bound.steps)
    } else {
        Err(BoundError::TooHigh { reason, proved: derived, claimed: bound.steps })
    }
}

/// The bound that follows from those of the phases; their larger one, if that would take too long.
pub(super) fn simple(phases: [&Problem; 2], proved: [u32; 2], limits: Limits) -> u32 {
    let certificate = WholeCertificate { kind: WholeKind::Phase, routers: Vec::new() };
    let most = proved[0].max(proved[1]);
    if limits.check(cost(phases, &certificate)).is_err() {
        return most;
    }
    let [one, other] = directions(phases);
    u32::try_from(phase(&one, &other, proved)).unwrap_or(most)
}

/// An all-reduce read in one direction of time.
struct Reading {
    /// The reduce, read as a broadcast on the reversed network.
    before: Problem,
    /// The broadcast.
    after: Problem,
}

fn directions([reduce, broadcast]: [&Problem; 2]) -> [Reading; 2] {
    let forward = |problem: &Problem| {
        if problem.is_backward() { problem.forward() } else { problem.clone() }
    };
    let (reduce, broadcast) = (forward(reduce), forward(broadcast));
    [
        Reading { before: reduce.clone(), after: broadcast.clone() },
        Reading { before: broadcast, after: reduce },
    ]
}

fn cost(phases: [&Problem; 2], certificate: &WholeCertificate) -> Cost {
    let mut operations = certificate.routers.len() as u64;
    for problem in phases {
        let size = Size::of(problem);
        let searches = origins(problem).saturating_mul(size.search());
        let linear =
            16 * (size.neighbours() + size.search() + size.traffic()) + 8 * size.processors;
        operations = operations.saturating_add(linear).saturating_add(sorting(size.deliveries));
        if matches!(certificate.kind, WholeKind::Phase | WholeKind::Queue) {
            operations = operations.saturating_add(4 * searches);
        }
        if certificate.kind == WholeKind::Queue {
            // Steps before and after are at most the hops there and back.
            let depths = 2 * size.routers + 64;
            let queues = queue_cost(2 * size.messages, depths, depths);
            let sorted = sorting(size.messages).saturating_mul(8);
            operations = operations.saturating_add(4 * queues).saturating_add(sorted);
        }
    }
    Cost::of(operations)
}

/// Every message of either phase enters each router of its destinations over a channel of its own (in
/// the reduce, it leaves that router), which is a channel at a router with processors.
fn entries(reading: &Reading) -> u64 {
    let mut count = 0u64;
    for problem in [&reading.before, &reading.after] {
        let messages = problem.messages();
        for message in messages.ids() {
            let mut homes: Vec<RouterId> =
                messages.destinations(message).iter().map(|&to| problem.home(to)).collect();
            homes.sort_unstable();
            homes.dedup();
            let origin = problem.home(messages.origin(message));
            count += homes.iter().filter(|&&home| home != origin).count() as u64;
        }
    }
    let problem = &reading.after;
    let network = problem.network();
    let has_processors = |router: RouterId| !network.residents(router).is_empty();
    let is_half_duplex = problem.model().duplex == Duplex::Half;
    let is_counted = |&channel: &ChannelId| {
        let ends = network.channel(channel);
        let is_second = network.opposite(channel).is_some_and(|other| other < channel);
        (has_processors(ends.tail) || has_processors(ends.head)) && !(is_half_duplex && is_second)
    };
    let room = (0..network.channel_count() as u32).map(ChannelId).filter(is_counted).count() as u64;
    if room == 0 { 0 } else { count.div_ceil(room) }
}

/// Every processor receives every sum that it wants, and sends every contribution that it makes.
fn receives(reading: &Reading) -> u64 {
    let deliveries = |problem: &Problem| problem.messages().delivery_count() as u64;
    let count = deliveries(&reading.before) + deliveries(&reading.after);
    let problem = &reading.after;
    let processors = || problem.network().living_processors();
    let sends: u64 = processors().map(|p| u64::from(problem.send_ports(p))).sum();
    let receives: u64 = processors().map(|p| u64::from(problem.receive_ports(p))).sum();
    let room = sends.min(receives);
    if room == 0 { 0 } else { count.div_ceil(room) }
}

/// No sum can be sent before the first one is complete, and no contribution after the last step from
/// which some sum can still spread.
fn phase(one: &Reading, other: &Reading, proved: [u32; 2]) -> u64 {
    let first = |reading: &Reading| least_steps(&reading.before).into_iter().min().unwrap_or(0);
    let [reduce, broadcast] = proved.map(u64::from);
    (first(one) + broadcast).max(first(other) + reduce)
}

/// The queue at the channels into a set; under half duplex, also that at its links.
fn queue(reading: &Reading, routers: &[RouterId]) -> Result<u64, String> {
    let problem = &reading.after;
    let is_inside = marked(problem, routers)?;
    let least = LeastSteps { reduce: by_sum(&reading.before), broadcast: by_sum(&reading.after) };
    let inward = Side::inward(problem, &is_inside);
    let mut crossings = least.crossings(reading, &inward)?;
    let steps = most_steps(&crossings, inward.room())?;
    if problem.model().duplex == Duplex::Full {
        return Ok(steps);
    }
    let outward = Side::outward(problem, &is_inside);
    crossings.append(&least.crossings(reading, &outward)?);
    let is_alone = |channel: &&ChannelId| problem.network().opposite(**channel).is_none();
    let alone = outward.channels().iter().filter(is_alone).count() as u64;
    Ok(steps.max(most_steps(&crossings, inward.channels().len() as u64 + alone)?))
}

/// The least steps of the reduce, and of the broadcast, of each sum.
struct LeastSteps {
    reduce: BTreeMap<Sum, u64>,
    broadcast: BTreeMap<Sum, u64>,
}

fn by_sum(problem: &Problem) -> BTreeMap<Sum, u64> {
    sums(problem).into_iter().zip(least_steps(problem)).collect()
}

impl LeastSteps {
    /// The sums that enter from roots outside, and for each root inside the furthest contribution from
    /// outside.
    fn crossings(&self, reading: &Reading, side: &Side<'_>) -> Result<Crossings, String> {
        let (to_border, from_border) = side.steps_at_border();
        let other_sums = || "the phases have different sums".to_owned();
        let mut crossings = Crossings::default();
        let (problem, messages) = (&reading.after, reading.after.messages());
        for (message, sum) in messages.ids().zip(sums(problem)) {
            let home = problem.home(sum.0);
            if side.has(home) {
                continue;
            }
            let homes = messages.destinations(message).iter().map(|&to| problem.home(to));
            let inside = homes.filter(|&home| side.has(home)).map(|home| from_border[home.index()]);
            if let Some(furthest) = inside.max() {
                let complete = self.reduce.get(&sum).ok_or_else(other_sums)?;
                crossings.push((complete + to_border[home.index()], furthest));
            }
        }
        let (problem, messages) = (&reading.before, reading.before.messages());
        for (message, sum) in messages.ids().zip(sums(problem)) {
            let home = problem.home(sum.0);
            if !side.has(home) {
                continue;
            }
            let homes = messages.destinations(message).iter().map(|&to| problem.home(to));
            let outside = homes.filter(|&home| !side.has(home)).map(|home| to_border[home.index()]);
            if let Some(furthest) = outside.max() {
                let spread = self.broadcast.get(&sum).ok_or_else(other_sums)?;
                crossings.push((furthest, from_border[home.index()] + spread));
            }
        }
        Ok(crossings)
    }
}
