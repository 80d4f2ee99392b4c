//! The plan that keeps every valid route and re-routes only the others. Its time is searched for: the
//! shortest one, from the limit upwards, in which the re-routed weight finds room.

use super::carried::Carried;
use super::fill::{Broken, Fill, Piece};
use super::trimmed::{Side, Trimmed};
use crate::answer::Answer;
use crate::integer::gcd;
use pavane_model::throughput::{PlanPhase, Route, ThroughputPlan};
use pavane_model::{ChannelId, Fraction, MessageId};
use std::collections::BTreeMap;

/// The unit of time beyond the smallest one, as a fraction of it, at the end of the search.
const FINEST: u64 = 2048;

/// The first time beyond the smallest one that is tried, in the same unit.
const FIRST: u64 = 32;

/// How often it is doubled.
const MOST_DOUBLINGS: u32 = 40;

/// The largest scale of a plan with pieces. Exact times need denominators of the bandwidths.
const LARGEST_SCALE: u128 = 1 << 53;

/// The least scale of a plan with pieces.
const LEAST_SCALE: u128 = 1000;

/// What a small scale is multiplied by.
const FINER: u64 = 60;

/// The plan that keeps every valid route, and its time. None if the numbers get too large.
pub(super) fn keep_valid(
    carried: &Carried,
    best: &Answer,
    stop: &dyn Fn() -> bool,
) -> Option<(ThroughputPlan, Fraction)> {
    let network = carried.phases.first()?.problem.network();
    let bandwidths = network.bandwidths().ok()?;
    let mut base = vec![0u128; bandwidths.len()];
    let mut broken: Vec<Broken> = Vec::new();
    for (number, phase) in carried.phases.iter().enumerate() {
        for (index, route) in phase.routes.iter().enumerate() {
            add(&mut base, &route.channels, route.weight);
            if !route.is_valid() {
                broken.push((number, index));
            }
        }
    }
    let smallest = best.limit.max(time(&base, carried.scale, &bandwidths)?);
    let factor = factor(carried, smallest, &bandwidths)?;
    let loads = base.iter().map(|load| load.checked_mul(factor.into())).collect::<Option<_>>()?;
    let sides = carried.phases.iter().map(|phase| Side::new(&phase.problem)).collect();
    let fill = Fill { carried, sides, factor, loads, broken };
    let scale = carried.scale.checked_mul(factor)?;
    let within = |more: u64| {
        let later = Fraction::new(u128::from(FINEST + more), FINEST.into())?;
        let time = smallest.checked_mul(later)?;
        let capacity = |&bandwidth: &Fraction| {
            let most = time.checked_mul(bandwidth)?.checked_mul(Fraction::from(scale))?;
            Some(most.numerator() / most.denominator())
        };
        let capacities: Vec<u128> = bandwidths.iter().map(capacity).collect::<Option<_>>()?;
        fill.within(&capacities, stop)
    };
    let pieces = soonest(within, stop)?;
    let plan = assembled(carried, best, factor, pieces)?;
    let mut loads = vec![0u128; bandwidths.len()];
    for route in plan.phases.iter().flat_map(|phase| &phase.routes) {
        add(&mut loads, &route.channels, route.weight);
    }
    let time = time(&loads, plan.scale, &bandwidths)?;
    Some((ThroughputPlan { ns_per_byte: Some(time), ..plan }, time))
}

/// The result for the smallest excess for which there is one, up to the precision of the search.
fn soonest<T>(within: impl Fn(u64) -> Option<T>, stop: &dyn Fn() -> bool) -> Option<T> {
    if let Some(found) = within(0) {
        return Some(found);
    }
    let excess = (0..MOST_DOUBLINGS).map(|doublings| FIRST << doublings);
    let (mut high, mut best) =
        excess.into_iter().find_map(|more| within(more).map(|found| (more, found)))?;
    let mut low = if high == FIRST { 0 } else { high / 2 };
    while high - low > (low / 16).max(1) && !stop() {
        let middle = low.midpoint(high);
        if let Some(found) = within(middle) {
            (high, best) = (middle, found);
        } else {
            low = middle;
        }
    }
    Some(best)
}

fn add(loads: &mut [u128], channels: &[ChannelId], weight: u64) {
    for channel in channels {
        loads[channel.index()] += u128::from(weight);
    }
}

/// The largest ratio of load to bandwidth.
fn time(loads: &[u128], scale: u64, bandwidths: &[Fraction]) -> Option<Fraction> {
    let mut largest = Fraction::ZERO;
    for (&load, &bandwidth) in loads.iter().zip(bandwidths) {
        let load = Fraction::new(load, scale.into())?;
        largest = largest.max(load.checked_div(bandwidth)?);
    }
    Some(largest)
}

/// The factor by which weights are multiplied, so that whole weights can fill every channel in the
/// smallest time, if the scale does not get too large.
fn factor(carried: &Carried, smallest: Fraction, bandwidths: &[Fraction]) -> Option<u64> {
    let scale = u128::from(carried.scale);
    let exact = bandwidths.iter().try_fold(1u128, |factor, &bandwidth| {
        let most = smallest.checked_mul(bandwidth)?.checked_mul(Fraction::from(carried.scale))?;
        let factor = (factor / gcd(factor, most.denominator())).checked_mul(most.denominator())?;
        (factor.checked_mul(scale)? <= LARGEST_SCALE).then_some(factor)
    });
    let mut factor: u64 = exact.unwrap_or(1).try_into().ok()?;
    if u128::from(factor) * scale < LEAST_SCALE {
        factor *= FINER;
    }
    let weights = carried.phases.iter().flat_map(|phase| &phase.routes).map(|route| route.weight);
    weights.max().unwrap_or(1).checked_mul(factor)?;
    Some(factor)
}

/// The plan of the valid routes and the pieces, with equal routes merged and the smallest scale.
fn assembled(
    carried: &Carried,
    best: &Answer,
    factor: u64,
    pieces: Vec<(Broken, Vec<Piece>)>,
) -> Option<ThroughputPlan> {
    let mut pieces: BTreeMap<Broken, Vec<Piece>> = pieces.into_iter().collect();
    let mut phases = Vec::new();
    for (number, phase) in carried.phases.iter().enumerate() {
        let mut merged = Merged::new(phase.problem.is_backward());
        for (index, route) in phase.routes.iter().enumerate() {
            let Trimmed { message, weight, channels, .. } = route;
            match pieces.remove(&(number, index)) {
                None => merged.add(*message, weight.checked_mul(factor)?, channels.clone())?,
                Some(pieces) => {
                    for Piece { weight, added } in pieces {
                        merged.add(*message, weight, [&channels[..], &added].concat())?;
                    }
                }
            }
        }
        let (problem, sizes) = (phase.problem.clone(), phase.sizes.clone());
        phases.push(PlanPhase { problem, sizes, routes: merged.routes });
    }
    let scale = carried.scale.checked_mul(factor)?;
    let weights = phases.iter().flat_map(|phase| &phase.routes).map(|route| route.weight);
    let unit = weights.fold(u128::from(scale), |unit, weight| gcd(unit, weight.into())) as u64;
    for route in phases.iter_mut().flat_map(|phase| &mut phase.routes) {
        route.weight /= unit;
    }
    Some(ThroughputPlan {
        name: best.plan.name.clone(),
        phases,
        scale: scale / unit,
        ns_per_byte: None,
        limit: best.plan.limit.clone(),
    })
}

/// Routes of which no two have the same message and channels.
struct Merged {
    is_backward: bool,
    routes: Vec<Route>,
    index_of: BTreeMap<(MessageId, Vec<ChannelId>), usize>,
}

impl Merged {
    fn new(is_backward: bool) -> Self {
        Self { is_backward, routes: Vec::new(), index_of: BTreeMap::new() }
    }

    /// Adds a route with its channels from the root outwards. None if the weight gets too large.
    fn add(&mut self, message: MessageId, weight: u64, mut channels: Vec<ChannelId>) -> Option<()> {
        let mut sorted = channels.clone();
        sorted.sort_unstable();
        if self.is_backward {
            channels.reverse();
        }
        let next = self.routes.len();
        let index = *self.index_of.entry((message, sorted)).or_insert(next);
        if index == next {
            self.routes.push(Route { message, weight, channels });
        } else {
            self.routes[index].weight = self.routes[index].weight.checked_add(weight)?;
        }
        Some(())
    }
}
