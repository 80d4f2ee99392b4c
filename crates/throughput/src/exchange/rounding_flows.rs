//! Paths with integer weights from the floating-point flows of all sources. Every commodity is
//! traced back from its receiver over the channels with most flow left, in whole units. Channels
//! that have got more than their flow so far are avoided, so that errors do not add up.

use super::descent::Flows;
use super::distances::Distances;
use super::plan::Route;

/// The number of units in all commodities to aim at.
const UNITS: usize = 1 << 23;
/// The smallest and the largest scale.
const SCALES: (usize, usize) = (8, 1 << 12);
/// How much an error of one unit counts against one unit of flow.
const ERROR_WEIGHT: f64 = 0.05;

/// The state of the rounding.
pub(super) struct Rounding<'a> {
    flows: &'a Flows<'a>,
    scale: u64,
    /// What each channel got so far beyond its flow, in units.
    errors: Vec<f64>,
    /// The flow of the present source that is left, in units.
    left: Vec<f64>,
    /// Position of each router in the present path plus 1, or 0.
    visited: Vec<u32>,
}

impl<'a> Rounding<'a> {
    pub fn new(flows: &'a Flows<'a>) -> Self {
        let graph = flows.setting.graph;
        let scale = UNITS / flows.setting.commodities.len().max(1);
        let scale = scale.clamp(SCALES.0, SCALES.1).next_power_of_two() as u64;
        let channels = graph.links.len();
        let visited = vec![0; graph.routers as usize];
        let (errors, left) = (vec![0.0; channels], vec![0.0; channels]);
        Self { flows, scale, errors, left, visited }
    }

    /// The scale, and routes whose weights add up to it times the size of each commodity.
    pub fn routes(mut self) -> (u128, Vec<Route>) {
        let mut routes = Vec::new();
        let mut distances = Distances::new(self.flows.setting);
        for source in 0..self.flows.sources.len() {
            let (from, commodities) = self.flows.sources[source].clone();
            let mut has_distances = false;
            for (channel, &flow) in self.flows.flows[source].iter().enumerate() {
                self.left[channel] = f64::from(flow) * self.scale as f64;
                self.errors[channel] -= self.left[channel];
            }
            let start = routes.len();
            for commodity in commodities {
                let found = self.flows.setting.commodities[commodity];
                let mut missing = self.scale * found.size;
                while missing > 0 {
                    let (mut channels, mut amount) = self.trace(from, found.to, missing);
                    if channels.is_empty() {
                        // No flow is left, because of rounding errors.
                        if !has_distances {
                            self.search_left(from, &mut distances);
                            has_distances = true;
                        }
                        (channels, amount) =
                            (distances.path(self.flows.setting, found.to), missing);
                    }
                    for &channel in &channels {
                        self.left[channel as usize] -= amount as f64;
                        self.errors[channel as usize] += amount as f64;
                    }
                    missing -= amount;
                    let (commodity, weight) = (commodity as u32, amount.into());
                    routes.push(Route { commodity, weight, channels });
                }
            }
            merge(&mut routes, start);
        }
        (self.scale.into(), routes)
    }

    /// Traces a commodity back to its source. Returns the channels of the path and the number of
    /// units that take it; no channels if the flow ends somewhere else.
    fn trace(&mut self, from: u32, to: u32, missing: u64) -> (Vec<u32>, u64) {
        let links = &self.flows.setting.graph.links;
        let mut channels: Vec<u32> = Vec::new();
        let mut router = to;
        self.visited[to as usize] = 1;
        while router != from {
            let score = |&&channel: &&u32| {
                self.left[channel as usize] - ERROR_WEIGHT * self.errors[channel as usize].max(0.0)
            };
            let open = self.flows.incoming[router as usize].iter();
            let open = open.filter(|&&channel| self.left[channel as usize] > 1e-3);
            let best = open.max_by(|one, other| score(one).total_cmp(&score(other))).copied();
            let Some(channel) = best else {
                self.forget(to, &channels);
                return (Vec::new(), 0);
            };
            channels.push(channel);
            router = links[channel as usize].tail;
            let seen = self.visited[router as usize] as usize;
            if seen > 0 {
                self.cancel(&mut channels, seen - 1);
            } else {
                self.visited[router as usize] = channels.len() as u32 + 1;
            }
        }
        self.forget(to, &channels);
        let least = channels.iter().map(|&channel| self.left[channel as usize]);
        let least = least.fold(f64::INFINITY, f64::min);
        channels.reverse();
        (channels, (least.round().max(1.0) as u64).min(missing))
    }

    /// Marks the routers of a path, listed from its end, as not visited.
    fn forget(&mut self, to: u32, channels: &[u32]) {
        self.visited[to as usize] = 0;
        for &channel in channels {
            self.visited[self.flows.setting.graph.links[channel as usize].tail as usize] = 0;
        }
    }

    /// Removes the cycle at the end of a path, from a position on, and its flow.
    fn cancel(&mut self, channels: &mut Vec<u32>, position: usize) {
        let cycle = &channels[position..];
        let least = cycle.iter().map(|&channel| self.left[channel as usize]);
        let least = least.fold(f64::INFINITY, f64::min);
        for &channel in cycle {
            self.left[channel as usize] -= least;
        }
        let links = &self.flows.setting.graph.links;
        for &channel in &cycle[..cycle.len() - 1] {
            self.visited[links[channel as usize].tail as usize] = 0;
        }
        channels.truncate(position);
    }

    /// Cheapest paths that prefer channels with flow of the present source.
    fn search_left(&self, from: u32, distances: &mut Distances) {
        let links = &self.flows.setting.graph.links;
        let price = |(link, error): (&crate::graph::Link, &f64)| {
            (1.0 + error.max(0.0)) / link.bandwidth as f64
        };
        let prices: Vec<f64> = links.iter().zip(&self.errors).map(price).collect();
        distances.search_floats(self.flows.setting, &prices, from);
    }
}

/// Merges equal routes of the same commodity, from a position on.
fn merge(routes: &mut Vec<Route>, start: usize) {
    let mut tail = routes.split_off(start);
    tail.sort_by(|one, other| {
        (one.commodity, &one.channels).cmp(&(other.commodity, &other.channels))
    });
    for route in tail {
        match routes.last_mut() {
            Some(last) if last.commodity == route.commodity && last.channels == route.channels => {
                last.weight += route.weight;
            }
            _ => routes.push(route),
        }
    }
}
