//! From routes of commodities to paths of demands, with the time that they take.

use super::bound::Bound;
use super::setting::Setting;
use super::{Exchange, Path};
use crate::graph::Ratio;

/// A part of a commodity that takes one path.
pub(super) struct Route {
    pub commodity: u32,
    pub weight: u128,
    pub channels: Vec<u32>,
}

/// A bound, and routes whose weights add up to `scale` times the size of each commodity.
pub(super) struct Solution {
    pub bound: Bound,
    pub scale: u128,
    pub routes: Vec<Route>,
    pub is_stopped: bool,
}

impl Solution {
    /// The time that the routes take.
    pub fn time(&self, setting: &Setting<'_>) -> Ratio {
        let links = &setting.graph.links;
        let mut loads = vec![0u128; links.len()];
        for route in &self.routes {
            for &channel in &route.channels {
                loads[channel as usize] += route.weight;
            }
        }
        time(&loads, links.iter().map(|link| link.bandwidth), self.scale)
    }
}

/// The largest load divided by scale and bandwidth.
pub(super) fn time(loads: &[u128], bandwidths: impl Iterator<Item = u64>, scale: u128) -> Ratio {
    let mut largest = (0u128, 1u64);
    for (&load, bandwidth) in loads.iter().zip(bandwidths) {
        // Loads have at most 75 bits, bandwidths 48.
        if load * u128::from(largest.1) > largest.0 * u128::from(bandwidth) {
            largest = (load, bandwidth);
        }
    }
    Ratio::new(largest.0, 1) / Ratio::new(scale, 1) / Ratio::new(largest.1.into(), 1)
}

/// Divides the routes of each commodity among its demands.
pub(super) fn assemble(setting: &Setting<'_>, mut solution: Solution) -> Exchange {
    let time = solution.time(setting);
    solution.routes.sort_by_key(|route| route.commodity);
    let mut paths = Vec::with_capacity(solution.routes.len());
    let mut routes = solution.routes.into_iter().peekable();
    for commodity in 0..setting.commodities.len() {
        let mut members = setting.members(commodity).iter().copied();
        let need = |demand: u32| solution.scale * u128::from(setting.demands[demand as usize].size);
        let mut open = members.next().map(|demand| (demand, need(demand)));
        while let Some(mut route) = routes.next_if(|route| route.commodity as usize == commodity) {
            while let Some((demand, missing)) = open.filter(|_| route.weight > 0) {
                let weight = missing.min(route.weight);
                route.weight -= weight;
                open = if missing > weight {
                    Some((demand, missing - weight))
                } else {
                    members.next().map(|demand| (demand, need(demand)))
                };
                let is_last = route.weight == 0;
                let channels = if is_last {
                    std::mem::take(&mut route.channels)
                } else {
                    route.channels.clone()
                };
                paths.push(Path { demand: demand as usize, weight, channels });
            }
        }
    }
    paths.sort_by_key(|path| path.demand);
    let Bound { limit, prices } = solution.bound;
    let (scale, is_stopped) = (solution.scale, solution.is_stopped);
    Exchange { limit, prices, time, scale, paths, is_stopped }
}
