//! Plans for large networks: descent on an exponential potential of the loads, one source at a time.
//! Each step computes a cheapest tree for all commodities of a source, with prices that grow
//! exponentially with the load of a channel, and moves a part of the source's flow to the tree
//! (Leighton, Makedon, Plotkin, Stein, Tardos and Tragoudas, Fast approximation algorithms for
//! multicommodity flow problems, 1995). The prices also give the bound. The more the exponent
//! grows, the closer both come.

use super::bound::{Bound, integers};
use super::distances::Distances;
use super::plan::{Route, Solution};
use super::rounding_flows::Rounding;
use super::setting::{Setting, sources};
use std::ops::Range;

/// The relative distance of time and bound at which to end.
const GAP: f64 = 0.005;
/// The most passes over all sources.
const MOST_PASSES: usize = 400;
/// The number of passes between two computations of the bound.
const PASSES_PER_BOUND: usize = 4;
/// The price of an idle channel compared with that of the busiest one.
const IDLE: f64 = 1e-9;
/// The most numbers in the flows of all sources. Beyond that every commodity gets one path.
const MOST_NUMBERS: usize = 1 << 27;

/// The flows of all sources.
pub(super) struct Flows<'a> {
    pub setting: &'a Setting<'a>,
    pub sources: Vec<(u32, Range<usize>)>,
    /// The flow of each source on each channel.
    pub flows: Vec<Vec<f32>>,
    loads: Vec<f64>,
    inverse: Vec<f64>,
    /// The congestion that prices refer to.
    reference: f64,
    /// How fast prices grow with congestion.
    exponent: f64,
    prices: Vec<f64>,
    distances: Distances,
    /// What enters each router in the present tree.
    entering: Vec<f64>,
    /// The change of load of each channel in the present step.
    change: Vec<f64>,
}

/// The bound and a plan.
pub(super) fn solve(setting: &Setting<'_>, stop: &dyn Fn() -> bool) -> Solution {
    let mut bound = Bound::simple(setting);
    let mut flows = Flows::new(setting);
    if flows.sources.len().saturating_mul(setting.graph.links.len()) > MOST_NUMBERS {
        let routes = flows.single_paths();
        return Solution { bound, scale: 1, routes, is_stopped: false };
    }
    let is_stopped = flows.descend(&mut bound, stop);
    let (scale, routes) = Rounding::new(&flows).routes();
    Solution { bound, scale, routes, is_stopped }
}

impl<'a> Flows<'a> {
    fn new(setting: &'a Setting<'a>) -> Self {
        let links = &setting.graph.links;
        let inverse: Vec<f64> = links.iter().map(|link| 1.0 / link.bandwidth as f64).collect();
        Self {
            setting,
            sources: sources(&setting.commodities),
            flows: Vec::new(),
            loads: vec![0.0; links.len()],
            prices: inverse.clone(),
            inverse,
            reference: 0.0,
            exponent: 0.0,
            distances: Distances::new(setting),
            entering: vec![0.0; setting.graph.routers as usize],
            change: vec![0.0; links.len()],
        }
    }

    /// The largest congestion.
    fn congestion(&self) -> f64 {
        let all = self.loads.iter().zip(&self.inverse).map(|(load, inverse)| load * inverse);
        all.fold(0.0, f64::max)
    }

    fn set_price(&mut self, channel: usize) {
        let relative = self.loads[channel] * self.inverse[channel] / self.reference;
        let growth = (self.exponent * (relative - 1.0)).exp();
        self.prices[channel] = (growth + IDLE) * self.inverse[channel];
    }

    fn set_prices(&mut self) {
        self.reference = self.congestion();
        (0..self.prices.len()).for_each(|channel| self.set_price(channel));
    }

    /// Adds the load of the cheapest tree of a source to `change`.
    fn add_tree(&mut self, source: usize) {
        let (from, commodities) = self.sources[source].clone();
        self.distances.search_floats(self.setting, &self.prices, from);
        for commodity in &self.setting.commodities[commodities] {
            self.entering[commodity.to as usize] += commodity.size as f64;
        }
        for &router in self.distances.order.iter().rev() {
            let amount = std::mem::take(&mut self.entering[router as usize]);
            if router != from && amount > 0.0 {
                let channel = self.distances.last[router as usize] as usize;
                self.change[channel] += amount;
                self.entering[self.setting.graph.links[channel].tail as usize] += amount;
            }
        }
    }

    /// Routes one source after the other, each on the cheapest tree under the loads so far.
    fn start(&mut self, mut visit: impl FnMut(&Self, usize)) {
        let total: u64 = self.setting.commodities.iter().map(|commodity| commodity.size).sum();
        let mut routed = 0;
        for source in 0..self.sources.len() {
            self.change.fill(0.0);
            self.add_tree(source);
            for (load, change) in self.loads.iter_mut().zip(&self.change) {
                *load += change;
            }
            visit(self, source);
            let (_, commodities) = self.sources[source].clone();
            routed += self.setting.commodities[commodities].iter().map(|c| c.size).sum::<u64>();
            // Prices that double as a channel comes near the congestion expected in the end.
            let expected = self.congestion() / routed as f64 * total as f64;
            for channel in 0..self.prices.len() {
                let relative = self.loads[channel] * self.inverse[channel] / expected;
                self.prices[channel] = (1.0 + 4.0 * relative) * self.inverse[channel];
            }
        }
    }

    /// One path for each commodity.
    fn single_paths(&mut self) -> Vec<Route> {
        let mut routes = Vec::new();
        self.start(|flows, source| {
            for commodity in flows.sources[source].1.clone() {
                let found = flows.setting.commodities[commodity];
                let channels = flows.distances.path(flows.setting, found.to);
                let (commodity, weight) = (commodity as u32, found.size.into());
                routes.push(Route { commodity, weight, channels });
            }
        });
        routes
    }

    /// Descends until time and bound are close. Returns whether the caller asked to stop.
    fn descend(&mut self, bound: &mut Bound, stop: &dyn Fn() -> bool) -> bool {
        let mut flows = Vec::new();
        self.start(|found, _| flows.push(found.change.iter().map(|&load| load as f32).collect()));
        self.flows = flows;
        let mut best = *bound.limit.numer() as f64 / *bound.limit.denom() as f64;
        let mut prices = None;
        let channels = (self.prices.len() as f64).max(2.0);
        let mut is_stopped = false;
        for pass in 0..MOST_PASSES {
            let gap = self.congestion() / best - 1.0;
            if gap < GAP || is_stopped {
                break;
            }
            self.exponent = self.exponent.max(2.0 * channels.ln() / gap.clamp(GAP, 1.0));
            self.set_prices();
            is_stopped = self.pass(stop);
            if pass % PASSES_PER_BOUND == PASSES_PER_BOUND - 1 && !is_stopped {
                self.set_prices();
                let value = self.value(stop);
                if value > best {
                    best = value;
                    prices = Some(self.prices.clone());
                }
            }
        }
        let found = prices.and_then(|prices| Bound::new(self.setting, integers(&prices, 1 << 32)));
        bound.improve(found);
        is_stopped
    }

    /// Improves the flow of every source once. Returns whether the caller asked to stop.
    fn pass(&mut self, stop: &dyn Fn() -> bool) -> bool {
        for source in 0..self.sources.len() {
            if stop() {
                return true;
            }
            for (change, &flow) in self.change.iter_mut().zip(&self.flows[source]) {
                *change = -f64::from(flow);
            }
            self.add_tree(source);
            let step = self.step();
            if step <= 0.0 {
                continue;
            }
            for channel in 0..self.loads.len() {
                let change = step * self.change[channel];
                if change != 0.0 {
                    self.loads[channel] += change;
                    let flow = &mut self.flows[source][channel];
                    *flow = (*flow + change as f32).max(0.0);
                    self.set_price(channel);
                }
            }
        }
        false
    }

    /// How much of the change to make: Newton's step, but no price may grow by more than e.
    fn step(&self) -> f64 {
        let (mut slope, mut curvature, mut fastest) = (0.0, 0.0, 0.0f64);
        let growth = self.exponent / self.reference;
        for ((&change, &price), &inverse) in self.change.iter().zip(&self.prices).zip(&self.inverse)
        {
            if change != 0.0 {
                let rate = growth * inverse * change;
                slope += price * change;
                curvature += price * change * rate;
                fastest = fastest.max(rate);
            }
        }
        if slope >= 0.0 || curvature <= 0.0 {
            return 0.0;
        }
        (-slope / curvature).min(1.0 / fastest.max(1e-300)).min(1.0)
    }

    /// The bound that the present prices give; 0 if the caller asks to stop.
    fn value(&mut self, stop: &dyn Fn() -> bool) -> f64 {
        let mut paid = 0.0;
        for (from, commodities) in &self.sources {
            if stop() {
                return 0.0;
            }
            self.distances.search_floats(self.setting, &self.prices, *from);
            for commodity in &self.setting.commodities[commodities.clone()] {
                paid += commodity.size as f64 * self.distances.float(commodity.to);
            }
        }
        let links = self.setting.graph.links.iter().zip(&self.prices);
        let useful = links.filter(|(link, _)| link.tail != link.head);
        paid / useful.map(|(link, price)| link.bandwidth as f64 * price).sum::<f64>()
    }
}
