//! Plans for large networks: descent on an exponential potential of the loads, one source at a time.
//! Each pass computes a cheapest tree for every source, with prices that grow exponentially with the
//! load of a channel, and shifts flow to it. The prices also give the bound. The more the exponent
//! grows, the closer both come, but the slower flows and prices settle. So it grows slowly, which
//! gives good prices, and from time to time a copy of the flows is finished with an exponent that
//! grows quickly, which gives a good plan.
//!
//! The groups of a batch of sources are shifted in parallel, each with its own copy of the prices.
//! Batches and groups do not depend on the number of threads.

use super::bound::{Bound, integers};
use super::congestion::Congestion;
use super::distances::Distances;
use super::plan::{Route, Solution};
use super::rounding_flows;
use super::setting::{Setting, sources};
use super::shift::Shifter;
use super::sweep::best_cut;
use rayon::prelude::*;
use std::ops::Range;

/// The relative distance of time and bound at which to end.
const GAP: f64 = 0.005;
/// The most passes over all sources.
const MOST_PASSES: usize = 500;
/// The number of passes between two computations of the bound.
const PASSES_PER_BOUND: usize = 4;
/// How much of the average prices a pass remembers.
const REMEMBERED: f64 = 0.85;
/// The number of passes with a slowly growing exponent until a copy of the flows is finished first.
const FIRST_SLOW_PASSES: f64 = 16.0;
/// The number of passes that finish a copy.
const QUICK_PASSES: usize = 12;
/// The smallest growth of the exponent in each of the first slow passes.
const SLOW_GROWTH: f64 = 1.0;
/// The factor by which the number of slow passes, and their growth, increase.
const MORE: f64 = 1.5;
/// The factor by which the exponent grows in a quick pass.
const QUICK_GROWTH: f64 = 1.3;
/// The least product of exponent and gap, in units of the logarithm of the number of channels.
const SHARPNESS: f64 = 0.35;
/// The number of sources after which the shifters exchange their loads.
const BATCH: usize = 16;
/// The number of sources for each shifter, and the most shifters. With more shifters, more threads can
/// work, but flows settle more slowly.
const SOURCES_PER_SHIFTER: usize = 512;
const MOST_SHIFTERS: usize = 4;
/// The most numbers in the flows of all sources. Beyond that every commodity gets one path.
const MOST_NUMBERS: usize = 1 << 27;

/// The flows of all sources, and the best found so far.
pub(super) struct Flows<'a> {
    pub setting: &'a Setting<'a>,
    pub sources: Vec<(u32, Range<usize>)>,
    /// The channels into each router.
    pub incoming: &'a [Vec<u32>],
    /// The flow of each source on each channel.
    pub flows: Vec<Vec<f32>>,
    congestion: Congestion,
    /// The trees of a batch, for the bound.
    trees: Vec<Distances>,
    /// The routers by their cost from each source, at the prices of the last pass.
    orders: Vec<Vec<u32>>,
    shifters: Vec<Shifter<'a>>,
    passes: usize,
    /// The prices of the slow passes, averaged: they settle sooner than those of one pass.
    average: Vec<f64>,
    /// The best bound so far and its prices.
    value: f64,
    prices: Option<Vec<f64>>,
    /// The time of the best plan so far.
    time: f64,
}

/// How a pass ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Ended,
    /// Time and bound are close.
    Close,
    Stopped,
}

/// The bound and a plan.
pub(super) fn solve(setting: &Setting<'_>, stop: &dyn Fn() -> bool) -> Solution {
    let mut bound = Bound::simple(setting);
    let incoming = setting.incoming();
    let mut flows = Flows::new(setting, &incoming);
    if flows.sources.len().saturating_mul(setting.graph.links.len()) > MOST_NUMBERS {
        let routes = flows.single_paths();
        return Solution { bound, scale: 1, routes, is_stopped: false };
    }
    let is_stopped = flows.descend(&mut bound, stop);
    let (scale, routes) = rounding_flows::routes(&flows);
    Solution { bound, scale, routes, is_stopped }
}

impl<'a> Flows<'a> {
    pub fn new(setting: &'a Setting<'a>, incoming: &'a [Vec<u32>]) -> Self {
        let sources = sources(&setting.commodities);
        let shifters = (sources.len() / SOURCES_PER_SHIFTER).clamp(1, MOST_SHIFTERS);
        Self {
            setting,
            sources,
            incoming,
            flows: Vec::new(),
            orders: Vec::new(),
            congestion: Congestion::new(setting),
            shifters: (0..shifters).map(|_| Shifter::new(setting, incoming)).collect(),
            trees: (0..BATCH).map(|_| Distances::new(setting)).collect(),
            passes: 0,
            average: Vec::new(),
            value: 0.0,
            prices: None,
            time: f64::INFINITY,
        }
    }

    /// Routes one source after the other, each on the cheapest tree under the loads so far.
    fn start(&mut self, mut visit: impl FnMut(&Self, usize, &[f64])) {
        let total: u64 = self.setting.commodities.iter().map(|commodity| commodity.size).sum();
        let mut routed = 0;
        let mut loads = vec![0.0; self.setting.graph.links.len()];
        let mut entering = vec![0.0; self.setting.graph.routers as usize];
        for source in 0..self.sources.len() {
            let (from, commodities) = self.sources[source].clone();
            let tree = &mut self.trees[0];
            tree.search_floats(self.setting, &self.congestion.prices, from);
            for commodity in &self.setting.commodities[commodities] {
                entering[commodity.to as usize] += commodity.size as f64;
                routed += commodity.size;
            }
            loads.fill(0.0);
            for &router in tree.order.iter().rev() {
                let amount = std::mem::take(&mut entering[router as usize]);
                if router != from && amount > 0.0 {
                    let channel = tree.last[router as usize] as usize;
                    loads[channel] += amount;
                    self.congestion.loads[channel] += amount;
                    entering[self.setting.graph.links[channel].tail as usize] += amount;
                }
            }
            visit(self, source, &loads);
            let expected = self.congestion.largest() / routed as f64 * total as f64;
            self.congestion.set_gentle(expected);
        }
    }

    /// One path for each commodity.
    fn single_paths(&mut self) -> Vec<Route> {
        let mut routes = Vec::new();
        self.start(|flows, source, _| {
            for commodity in flows.sources[source].1.clone() {
                let found = flows.setting.commodities[commodity];
                let channels = flows.trees[0].path(flows.setting, found.to);
                let (commodity, weight) = (commodity as u32, found.size.into());
                routes.push(Route { commodity, weight, channels });
            }
        });
        routes
    }

    /// Descends until time and bound are close. Returns whether the caller asked to stop.
    pub fn descend(&mut self, bound: &mut Bound, stop: &dyn Fn() -> bool) -> bool {
        let (mut flows, mut orders) = (Vec::new(), Vec::new());
        self.start(|start, _, loads| {
            flows.push(loads.iter().map(|&load| load as f32).collect());
            orders.push(start.trees[0].order.clone());
        });
        (self.flows, self.orders) = (flows, orders);
        self.value = *bound.limit.numer() as f64 / *bound.limit.denom() as f64;
        let mut best = Vec::new();
        let ended = self.rounds(&mut best, stop);
        if self.congestion.largest() > self.time {
            self.flows = best;
        }
        let prices = self.prices.take();
        bound.improve(prices.and_then(|it| Bound::new(self.setting, integers(&it, 1 << 32))));
        ended == Pass::Stopped
    }

    /// Alternates slow passes with quick ones on a copy. `best` gets the flows of the best plan, unless
    /// the present ones are better.
    fn rounds(&mut self, best: &mut Vec<Vec<f32>>, stop: &dyn Fn() -> bool) -> Pass {
        let channels = (self.setting.graph.links.len() as f64).max(2.0);
        let least = SHARPNESS * channels.ln();
        let (mut exponent, mut slow_passes) = (0.0f64, FIRST_SLOW_PASSES);
        let mut growth = SLOW_GROWTH;
        while self.passes < MOST_PASSES {
            for _ in 0..slow_passes as usize {
                let gap = (self.congestion.largest() / self.value - 1.0).max(GAP);
                exponent = (exponent + growth).max(least / gap);
                let ended = self.pass(exponent, stop);
                if ended != Pass::Ended {
                    return ended;
                }
                if !self.bound_by_average(stop) {
                    return Pass::Stopped;
                }
            }
            self.bound_by_cut();
            let kept = (self.flows.clone(), self.congestion.loads.clone());
            let mut quick = exponent;
            for _ in 0..QUICK_PASSES {
                quick *= QUICK_GROWTH;
                let ended = self.pass(quick, stop);
                if ended != Pass::Ended {
                    return ended;
                }
            }
            let time = self.congestion.largest();
            let (flows, loads) = kept;
            let found = std::mem::replace(&mut self.flows, flows);
            self.congestion.loads = loads;
            if time < self.time {
                (self.time, *best) = (time, found);
            }
            slow_passes *= MORE;
            growth *= MORE;
        }
        Pass::Ended
    }

    /// Shifts the flow of every source once.
    fn pass(&mut self, exponent: f64, stop: &dyn Fn() -> bool) -> Pass {
        self.passes += 1;
        self.congestion.set_exponent(exponent);
        let group = BATCH.div_ceil(self.shifters.len());
        let batches = self.sources.chunks(BATCH).zip(self.flows.chunks_mut(BATCH));
        for ((batch, flows), orders) in batches.zip(self.orders.chunks_mut(BATCH)) {
            if stop() {
                return Pass::Stopped;
            }
            let count = batch.len().div_ceil(group);
            let (shifters, congestion) = (&mut self.shifters[..count], &self.congestion);
            let groups = batch.par_chunks(group).zip(flows.par_chunks_mut(group));
            let groups = shifters.par_iter_mut().zip(groups).zip(orders.par_chunks_mut(group));
            groups.for_each(|((shifter, (sources, flows)), orders)| {
                let sources = sources.iter().zip(flows).zip(orders);
                shifter.shift(
                    (congestion, count),
                    sources.map(|((it, flow), order)| (it, flow, order)),
                );
            });
            self.congestion.merge(shifters.iter().map(|shifter| &shifter.congestion));
        }
        self.congestion.set_exponent(exponent);
        let time = self.congestion.largest().min(self.time);
        if time / self.value - 1.0 < GAP { Pass::Close } else { Pass::Ended }
    }

    /// Adds the present prices to the average, and now and then computes the bound that the average
    /// gives. Returns whether to go on.
    fn bound_by_average(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let links = self.setting.graph.links.iter().zip(&self.congestion.prices);
        let scale: f64 = links.map(|(link, price)| link.bandwidth as f64 * price).sum();
        self.average.resize(self.congestion.prices.len(), 0.0);
        for (average, price) in self.average.iter_mut().zip(&self.congestion.prices) {
            *average = REMEMBERED * *average + price / scale.max(f64::MIN_POSITIVE);
        }
        if !self.passes.is_multiple_of(PASSES_PER_BOUND) {
            return true;
        }
        let prices = std::mem::take(&mut self.average);
        let value = self.priced(&prices, stop);
        if value.is_some_and(|value| value > self.value) {
            self.value = value.unwrap_or_default();
            self.prices = Some(prices.clone());
        }
        self.average = prices;
        value.is_some()
    }

    /// Computes the bound of cuts around the routers that are close to sources at present.
    fn bound_by_cut(&mut self) {
        if let Some((value, prices)) = best_cut(self.setting, &self.orders)
            && value > self.value
        {
            (self.value, self.prices) = (value, Some(prices));
        }
    }

    /// The bound that prices give; `None` if the caller asks to stop.
    fn priced(&mut self, prices: &[f64], stop: &dyn Fn() -> bool) -> Option<f64> {
        let setting = self.setting;
        let mut paid = 0.0;
        for (batch, orders) in self.sources.chunks(BATCH).zip(self.orders.chunks_mut(BATCH)) {
            if stop() {
                return None;
            }
            let trees = self.trees.par_iter_mut().zip(batch).zip(orders);
            let sums = trees.map(|((tree, (from, commodities)), order)| {
                tree.search_again(setting, prices, (*from, order));
                let commodities = &setting.commodities[commodities.clone()];
                commodities.iter().map(|it| it.size as f64 * tree.float(it.to)).sum::<f64>()
            });
            paid += sums.collect::<Vec<f64>>().iter().sum::<f64>();
        }
        let links = setting.graph.links.iter().zip(prices);
        let useful = links.filter(|(link, _)| link.tail != link.head);
        Some(paid / useful.map(|(link, price)| link.bandwidth as f64 * price).sum::<f64>())
    }
}
