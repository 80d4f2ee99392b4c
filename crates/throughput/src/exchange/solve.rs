//! Solves a small program exactly: the simplex method, then the equations of its last basis. If the
//! exact weights or prices are out of range, rounded ones take their place.

use super::bound::{Bound, LARGEST_PRICE, rounded};
use super::exact::{Equations, Weights};
use super::group::Group;
use super::plan::{Route, Solution, time};
use super::program::PathProgram;
use super::rounding;
use super::setting::Setting;
use super::simplex::{Ended, PathColumn, PathSimplex};
use crate::graph::Ratio;
use crate::integer::gcd;

/// Relative sizes of the perturbations to try, with their seeds.
const ATTEMPTS: [(f64, u64); 5] = [(1e-6, 1), (1e-8, 2), (1e-5, 3), (1e-7, 4), (0.0, 5)];

/// A plan for one commodity of each orbit.
struct Found {
    time: Ratio,
    scale: u128,
    routes: Vec<(PathColumn, u128)>,
}

/// The bound and plan of a program.
pub(super) fn solve(
    setting: &Setting<'_>,
    program: &PathProgram,
    group: &Group,
    stop: &dyn Fn() -> bool,
) -> Solution {
    let mut bound = Bound::simple(setting);
    let mut best: Option<Found> = None;
    let mut is_stopped = false;
    for (perturbation, seed) in ATTEMPTS {
        let mut simplex = PathSimplex::new(setting, program, perturbation, seed);
        let ended = simplex.run(stop);
        is_stopped = ended == Ended::Stopped;
        let equations =
            if ended == Ended::Optimal { Equations::new(program, &simplex) } else { None };
        let prices = equations.as_ref().and_then(|equations| equations.prices());
        let exact = prices.and_then(|prices| exact_bound(setting, program, &prices));
        let rough = || {
            let prices =
                program.channel_prices(&simplex.prices(), 0.0, |price, times| price * times as f64);
            rounded(setting, &prices, if is_stopped { 1 } else { 12 })
        };
        bound.improve(exact.or_else(rough));
        let weights = equations.as_ref().and_then(|equations| equations.weights());
        let weights = weights.unwrap_or_else(|| rounding::rounded(program, &simplex));
        let found = Found::new(program, &simplex, weights);
        if best.as_ref().is_none_or(|best| found.time < best.time) {
            best = Some(found);
        }
        let is_optimal = best.as_ref().is_some_and(|best| best.time == bound.limit);
        if is_optimal || is_stopped {
            break;
        }
    }
    let (scale, routes) =
        best.map(|best| best.expanded(setting, program, group)).unwrap_or_default();
    Solution { bound, scale, routes, is_stopped }
}

/// The bound of exact prices of the rows; `None` if they are too large.
fn exact_bound(setting: &Setting<'_>, program: &PathProgram, rows: &[u128]) -> Option<Bound> {
    let divisor = rows.iter().copied().fold(0, gcd).max(1);
    let rows: Vec<u128> = rows.iter().map(|price| price / divisor).collect();
    let prices = program.channel_prices(&rows, 0, |price, times| price * u128::from(times));
    let fitting = |price: u128| u64::try_from(price).ok().filter(|&price| price <= LARGEST_PRICE);
    let prices = prices.into_iter().map(fitting).collect::<Option<_>>()?;
    Bound::new(setting, prices)
}

impl Found {
    fn new(program: &PathProgram, simplex: &PathSimplex<'_>, weights: Weights) -> Self {
        let mut loads = vec![0u128; program.bandwidths.len()];
        let mut routes = Vec::new();
        for (column, weight) in weights.weights {
            let column = simplex.columns[column as usize].clone();
            for &(row, load) in &column.load {
                loads[row as usize] += weight * load as u128;
            }
            routes.push((column, weight));
        }
        let time = time(&loads, program.bandwidths.iter().copied(), weights.scale);
        Self { time, scale: weights.scale, routes }
    }

    /// The images of all routes.
    fn expanded(
        self,
        setting: &Setting<'_>,
        program: &PathProgram,
        group: &Group,
    ) -> (u128, Vec<Route>) {
        let mut routes = Vec::with_capacity(self.routes.len() * group.elements.len());
        for element in &group.elements {
            for (column, weight) in &self.routes {
                let commodity = program.commodities[column.commodity as usize];
                let [from, to] =
                    [commodity.from, commodity.to].map(|router| element.routers[router as usize]);
                let channels = column.channels.iter().map(|&c| element.channels[c as usize]);
                let (channels, weight) = (channels.collect(), *weight);
                // Every element maps commodities to commodities.
                if let Some(commodity) = setting.find(from, to) {
                    routes.push(Route { commodity: commodity as u32, weight, channels });
                }
            }
        }
        (self.scale, routes)
    }
}
