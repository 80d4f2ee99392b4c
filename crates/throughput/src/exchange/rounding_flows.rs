//! Paths with integer weights from the floating-point flows of all sources. The flow of a source is
//! rounded to whole units, what then lacks or exceeds at a router is corrected along a tree of large
//! flows, and the flow is taken apart: every commodity is traced back from its receiver over the
//! channels with most flow left. As no flow is lost, the loads of the paths are those of the flows up
//! to a few units.

use super::descent::Flows;
use super::distances::Distances;
use super::plan::Route;
use rayon::prelude::*;

/// The number of units in all commodities to aim at.
const UNITS: usize = 1 << 23;
/// The smallest and the largest scale.
const SCALES: (usize, usize) = (1 << 8, 1 << 12);
/// The price of a channel without flow; one with a single unit costs 1.
const WITHOUT_FLOW: f64 = 1e6;

/// The scale, and routes whose weights add up to it times the size of each commodity.
pub(super) fn routes(flows: &Flows<'_>) -> (u128, Vec<Route>) {
    let scale = UNITS / flows.setting.commodities.len().max(1);
    let scale = scale.clamp(SCALES.0, SCALES.1).next_power_of_two() as u64;
    let room = || Decomposition::new(flows, scale);
    let all = (0..flows.sources.len()).into_par_iter();
    let routes = all.map_init(room, |decomposition, source| decomposition.routes(source));
    let routes: Vec<Vec<Route>> = routes.collect();
    (scale.into(), routes.into_iter().flatten().collect())
}

/// The flow of one source while it is taken apart.
struct Decomposition<'a> {
    flows: &'a Flows<'a>,
    scale: u64,
    /// The flow on each channel that no path has yet, in units.
    left: Vec<i64>,
    /// What must enter each router beyond what does.
    missing: Vec<i64>,
    /// Cheapest paths where channels with much flow are cheap.
    tree: Distances,
    /// Position of each router in the present path plus 1, or 0.
    visited: Vec<u32>,
}

impl<'a> Decomposition<'a> {
    fn new(flows: &'a Flows<'a>, scale: u64) -> Self {
        let graph = flows.setting.graph;
        let routers = graph.routers as usize;
        Self {
            flows,
            scale,
            left: vec![0; graph.links.len()],
            missing: vec![0; routers],
            tree: Distances::new(flows.setting),
            visited: vec![0; routers],
        }
    }

    /// The paths of one source.
    fn routes(&mut self, source: usize) -> Vec<Route> {
        let (from, commodities) = self.flows.sources[source].clone();
        let mut routes = Vec::with_capacity(commodities.len());
        self.balance(source);
        for commodity in commodities {
            let found = self.flows.setting.commodities[commodity];
            let start = routes.len();
            let mut missing = (self.scale * found.size) as i64;
            while missing > 0 {
                let (mut channels, mut amount) = self.trace(from, found.to, missing);
                if channels.is_empty() {
                    // No flow is left: a correction was larger than the flow of a channel.
                    channels = self.tree.path(self.flows.setting, found.to);
                    amount = missing;
                }
                for &channel in &channels {
                    self.left[channel as usize] -= amount;
                }
                missing -= amount;
                let (commodity, weight) = (commodity as u32, amount as u128);
                let mut others = routes[start..].iter_mut();
                match others.find(|other: &&mut Route| other.channels == channels) {
                    Some(same) => same.weight += weight,
                    None => routes.push(Route { commodity, weight, channels }),
                }
            }
        }
        routes
    }

    /// Rounds the flow of a source, and corrects what enters each router, the farthest first.
    fn balance(&mut self, source: usize) {
        let links = &self.flows.setting.graph.links;
        let (from, commodities) = self.flows.sources[source].clone();
        self.missing.fill(0);
        for (channel, &flow) in self.flows.flows[source].iter().enumerate() {
            let amount = (f64::from(flow) * self.scale as f64).round() as i64;
            self.left[channel] = amount;
            self.missing[links[channel].tail as usize] += amount;
            self.missing[links[channel].head as usize] -= amount;
        }
        for commodity in &self.flows.setting.commodities[commodities] {
            self.missing[commodity.to as usize] += (self.scale * commodity.size) as i64;
        }
        let price = |&left: &i64| if left > 0 { 1.0 / left as f64 } else { WITHOUT_FLOW };
        let prices: Vec<f64> = self.left.iter().map(price).collect();
        self.tree.search_floats(self.flows.setting, &prices, from);
        for &router in self.tree.order.iter().skip(1).rev() {
            let channel = self.tree.last[router as usize] as usize;
            let change = self.missing[router as usize].max(-self.left[channel]);
            self.left[channel] += change;
            self.missing[links[channel].tail as usize] += change;
        }
    }

    /// Traces a commodity back to its source. Returns the channels of the path and the number of
    /// units that take it; no channels if the flow ends somewhere else.
    fn trace(&mut self, from: u32, to: u32, missing: i64) -> (Vec<u32>, i64) {
        let links = &self.flows.setting.graph.links;
        let mut channels: Vec<u32> = Vec::new();
        let mut router = to;
        self.visited[to as usize] = 1;
        while router != from {
            let incoming = self.flows.incoming[router as usize].iter().copied();
            let best = incoming.max_by_key(|&channel| self.left[channel as usize]);
            let Some(channel) = best.filter(|&channel| self.left[channel as usize] > 0) else {
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
        channels.reverse();
        let least = self.least(&channels);
        (channels, least.min(missing))
    }

    /// The smallest flow left on some channels.
    fn least(&self, channels: &[u32]) -> i64 {
        channels.iter().map(|&channel| self.left[channel as usize]).min().unwrap_or_default()
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
        let links = &self.flows.setting.graph.links;
        let least = self.least(&channels[position..]);
        let cycle = channels.split_off(position);
        for &channel in &cycle {
            self.left[channel as usize] -= least;
        }
        for &channel in &cycle[..cycle.len() - 1] {
            self.visited[links[channel as usize].tail as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Demand;
    use super::super::bound::Bound;
    use super::super::setting::Setting;
    use super::{Flows, routes};
    use crate::graph::{Graph, Link};

    /// A torus of 5 × 5 routers whose channels have the bandwidths 1 to 7 in turn.
    fn torus() -> Graph {
        let mut links = Vec::new();
        for router in 0..25 {
            let [x, y] = [router % 5, router / 5];
            for head in [y * 5 + (x + 1) % 5, (y + 1) % 5 * 5 + x] {
                for (tail, head) in [(router, head), (head, router)] {
                    let bandwidth = links.len() as u64 * 3 % 7 + 1;
                    links.push(Link { tail, head, bandwidth });
                }
            }
        }
        Graph { routers: 25, links }
    }

    /// Checks the routes of an exchange in which the first router sends and receives messages of
    /// another size than the others. Returns the largest excess of the load of the routes over that
    /// of the flows, relative to the largest load. There may be less load, as cycles are removed.
    fn largest_excess(size: u64) -> f64 {
        let graph = torus();
        let all = (0..25).flat_map(|from| (0..25).map(move |to| (from, to)));
        let size = |(from, to)| if from == 0 || to == 0 { size } else { 1 };
        let demands = all.map(|(from, to)| Demand { from, to, size: size((from, to)) });
        let demands: Vec<Demand> = demands.collect();
        let setting = Setting::new(&graph, &demands).unwrap();
        let incoming = setting.incoming();
        let mut flows = Flows::new(&setting, &incoming);
        flows.descend(&mut Bound::simple(&setting), &|| false);
        let (scale, routes) = routes(&flows);
        let mut loads = vec![0.0; graph.links.len()];
        let mut weights = vec![0; setting.commodities.len()];
        for route in &routes {
            let found = setting.commodities[route.commodity as usize];
            let mut router = found.from;
            for &channel in &route.channels {
                assert_eq!(graph.links[channel as usize].tail, router);
                router = graph.links[channel as usize].head;
                loads[channel as usize] += route.weight as f64 / scale as f64;
            }
            assert_eq!(router, found.to);
            weights[route.commodity as usize] += route.weight;
        }
        for (weight, commodity) in weights.iter().zip(&setting.commodities) {
            assert_eq!(*weight, scale * u128::from(commodity.size));
        }
        let expected =
            |channel: usize| flows.flows.iter().map(move |flow| f64::from(flow[channel]));
        let excesses = (0..loads.len()).map(|at| loads[at] - expected(at).sum::<f64>());
        excesses.fold(0.0, f64::max) / loads.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn paths_load_no_channel_more_than_the_flows() {
        assert!(largest_excess(1) < 1e-3);
        assert!(largest_excess(1_000_000_000) < 1e-3);
    }
}
