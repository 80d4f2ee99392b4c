//! Channel prices for personalised messages by multiplicative weights: route every message on its
//! cheapest path, raise the prices of crowded channels, repeat. At any prices, the total cost of
//! all messages on their cheapest paths, divided by the total price of all channels, is a lower
//! bound on the number of steps. The prices converge to an optimal dual solution of the
//! multi-commodity flow linear program. After Plotkin, Shmoys and Tardos, 1995.

mod demand;
mod routes;
#[cfg(test)]
mod tests;

pub(crate) use demand::{Demand, Lanes};
pub(crate) use routes::{Routes, Scratch, spare_of};

use crate::budget::{Budget, Interrupt};
use pavane_model::{Problem, Routing};
use rayon::prelude::*;

/// Work limit, in edges visited, that gives prices within about a thousandth of the optimum on
/// networks with a few hundred routers: one or two seconds on one core.
pub const EFFORT: u64 = 200_000_000;

/// Maximum number of routers for which prices are computed under non-minimal routing.
const MOST_WINDING: usize = 5_000;

/// Maximum number of rounds; after it, prices hardly change.
const ROUNDS: u32 = 3_000;

/// Maximum number of edges stored from round to round.
const LARGEST: usize = 40_000_000;

/// Minimum number of edges per parallel task: about twenty microseconds of work.
const CHUNK: usize = 16_000;

/// Maximum number of parallel tasks.
const CHUNKS: usize = 64;

/// The price of each channel, and the bounds on the number of steps that follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// The price of every channel, 1 on average. The channels that limit every schedule have the
    /// highest prices. Under half duplex, both channels of a link have the same price.
    pub per_channel: Vec<f64>,
    /// Lower bound on the number of steps: the cost of all personalised messages on their cheapest
    /// paths, divided by the total price of all lanes.
    pub lower: f64,
    /// The load of the busiest channel in the best fractional routing found.
    pub upper: f64,
}

/// Computes prices for the personalised messages of a forward problem, with at most `effort` edges
/// visited; `None` on interrupt. The result does not depend on the number of threads.
pub fn prices(problem: &Problem, effort: u64, interrupt: &Interrupt) -> Option<Prices> {
    let demand = Demand::of(problem);
    let lanes = Lanes::of(problem);
    let mut search = PriceSearch::start(&demand, &lanes, interrupt)?;
    let is_close = |lower: f64, upper: f64| upper - lower <= 1e-3 * upper;
    if !is_close(search.lower, search.upper)
        && let Some(routes) = all_routes(problem, &demand, &lanes, interrupt)
    {
        search.improve(&routes, effort, is_close, interrupt);
    }
    if interrupt.is_raised() {
        return None;
    }
    let best = even_out(search.best);
    Some(Prices { per_channel: lanes.spread(&best), lower: search.lower, upper: search.upper })
}

/// The lower bound on the number of steps at given prices of the channels, not rounded; 0 if there
/// are too many routes to store. `None` on interrupt.
pub(crate) fn load_at(problem: &Problem, prices: &[f64], interrupt: &Interrupt) -> Option<f64> {
    let demand = Demand::of(problem);
    let lanes = Lanes::of(problem);
    let mut of_lane = vec![0.0; lanes.count];
    for (&lane, &price) in lanes.of_channel.iter().zip(prices) {
        of_lane[lane as usize] = price;
    }
    let Some(routes) = all_routes(problem, &demand, &lanes, interrupt) else {
        return (!interrupt.is_raised()).then_some(0.0);
    };
    let total: f64 = of_lane.iter().sum();
    let routed = route_all(&routes, &of_lane, interrupt)?;
    Some(if total > 0.0 { routed.paid / total } else { 0.0 })
}

/// Scales prices to an average of 1.
pub(crate) fn even_out(mut prices: Vec<f64>) -> Vec<f64> {
    let mean = prices.iter().sum::<f64>() / prices.len().max(1) as f64;
    prices.iter_mut().for_each(|price| *price /= mean);
    prices
}

/// Whether the achievable load needs no more steps than the bound, allowing for rounding errors.
pub(crate) fn is_settled(lower: f64, upper: f64) -> bool {
    (upper * (1.0 - 1e-9)).ceil() <= (lower * (1.0 - 1e-9)).ceil()
}

/// The best prices so far, and the bounds from all prices and loads so far.
#[derive(Debug, Clone)]
pub(crate) struct PriceSearch {
    /// Total length of the shortest paths of all messages, in channels.
    pub hops: u64,
    /// The prices of the lanes that gave `lower`.
    pub best: Vec<f64>,
    /// Lower bound on the number of steps.
    pub lower: f64,
    /// Load of the busiest lane in the best fractional routing so far.
    pub upper: f64,
}

impl PriceSearch {
    /// Starts with equal prices and with messages split evenly over their shortest paths; `None` on
    /// interrupt.
    pub fn start(demand: &Demand<'_>, lanes: &Lanes, interrupt: &Interrupt) -> Option<Self> {
        crate::threads::start_threads();
        let channels = demand.network.channel_count();
        let parts: Option<Vec<(u64, Vec<f64>)>> = demand
            .groups
            .par_chunks(chunk_size(demand.groups.len(), channels * demand.groups.len()))
            .map(|groups| {
                let mut load = vec![0.0; lanes.count];
                let mut hops = 0;
                let mut scratch = Scratch::default();
                for group in groups {
                    if interrupt.is_raised() {
                        return None;
                    }
                    let routes = Routes::new(&demand.network, lanes, group, Some(0));
                    routes.sweep(&vec![1u64; lanes.count], &mut scratch);
                    hops +=
                        routes.payments(&scratch).map(|(hops, count)| hops * count).sum::<u64>();
                    routes.load_evenly(&mut load);
                }
                Some((hops, load))
            })
            .collect();
        let mut total = vec![0.0; lanes.count];
        let mut hops = 0;
        // Sums in the order of the groups, so that rounding does not depend on the number of
        // threads.
        for (part, load) in parts? {
            hops += part;
            total.iter_mut().zip(load).for_each(|(total, load)| *total += load);
        }
        let upper = total.iter().copied().fold(0.0, f64::max);
        let lower = if lanes.count == 0 { 0.0 } else { hops as f64 / lanes.count as f64 };
        Some(Self { hops, best: vec![1.0; lanes.count], lower, upper })
    }

    /// Repeats pricing and routing until the bound and the load are close enough, the effort is
    /// spent, or an interrupt is raised.
    pub fn improve(
        &mut self,
        routes: &[Routes],
        effort: u64,
        is_enough: fn(f64, f64) -> bool,
        interrupt: &Interrupt,
    ) {
        let mut price = vec![1.0; self.best.len()];
        let mut recent = Recent::new(price.len());
        let mut spent = 0;
        for round in 0..ROUNDS {
            let Some(outcome) = route_all(routes, &price, interrupt) else { return };
            // Updating the price and the averages of a lane takes about as long as visiting four
            // edges.
            spent += outcome.work + 4 * price.len() as u64;
            self.note_prices(&price, &outcome);
            let rate = 1.0 / (1.0 + 0.01 * f64::from(round));
            recent.add(&price, &outcome.load, rate);
            self.upper = self.upper.min(recent.busiest());
            let is_last = round + 1 == ROUNDS || spent >= effort;
            if is_enough(self.lower, self.upper) {
                return;
            }
            // Early rounds distort the averages, so they restart whenever the number of rounds
            // doubles.
            if is_last || round.is_power_of_two() {
                let Some(outcome) = route_all(routes, &recent.price, interrupt) else { return };
                spent += outcome.work;
                self.note_prices(&recent.price, &outcome);
                recent = Recent::new(price.len());
            }
            if is_last || is_enough(self.lower, self.upper) {
                return;
            }
            raise(&mut price, &outcome.load, rate);
        }
    }

    fn note_prices(&mut self, price: &[f64], outcome: &RoutedMessages) {
        let lower = outcome.paid / price.iter().sum::<f64>();
        if lower > self.lower {
            self.lower = lower;
            self.best = price.to_vec();
        }
    }
}

/// Averages over the latest rounds: their prices bound better than those of any single round, and
/// their loads are achievable by a fractional routing.
struct Recent {
    price: Vec<f64>,
    load: Vec<f64>,
    weight: f64,
}

impl Recent {
    fn new(lanes: usize) -> Self {
        Self { price: vec![0.0; lanes], load: vec![0.0; lanes], weight: 0.0 }
    }

    fn add(&mut self, price: &[f64], load: &[u64], rate: f64) {
        let total: f64 = price.iter().sum();
        for lane in 0..price.len() {
            self.price[lane] += price[lane] / total;
            self.load[lane] += rate * load[lane] as f64;
        }
        self.weight += rate;
    }

    fn busiest(&self) -> f64 {
        self.load.iter().copied().fold(0.0, f64::max) / self.weight
    }
}

/// Raises the prices of loaded lanes, then scales the highest price to 1.
fn raise(price: &mut [f64], load: &[u64], rate: f64) {
    let most = load.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut dearest = 0.0f64;
    for (price, &load) in price.iter_mut().zip(load) {
        *price *= (rate * load as f64 / most).exp();
        dearest = dearest.max(*price);
    }
    price.iter_mut().for_each(|price| *price /= dearest);
}

/// The routes of every group; `None` if there are too many to store, or on interrupt.
pub(crate) fn all_routes(
    problem: &Problem,
    demand: &Demand<'_>,
    lanes: &Lanes,
    interrupt: &Interrupt,
) -> Option<Vec<Routes>> {
    let spare = spare_of(problem.model().routing, problem.network());
    let channels = demand.network.channel_count() * (spare.unwrap_or(0) as usize + 1);
    // Non-minimal routing has cycles, and computing cheapest paths may take as many sweeps as there
    // are routers.
    let is_winding =
        problem.model().routing != Routing::Minimal && demand.network.router_count() > MOST_WINDING;
    if is_winding || channels.saturating_mul(demand.groups.len()) > LARGEST {
        return None;
    }
    let of_group =
        |group| (!interrupt.is_raised()).then(|| Routes::new(&demand.network, lanes, group, spare));
    crate::threads::start_threads();
    demand.groups.par_iter().map(of_group).collect()
}

/// Number of groups per parallel task: enough work per task, but few enough tasks that their loads
/// fit in memory. It must not depend on the number of threads, so that results are reproducible.
fn chunk_size(groups: usize, edges: usize) -> usize {
    groups.div_ceil((edges / CHUNK).clamp(1, CHUNKS)).max(1)
}

/// Result of routing every message on its cheapest path.
struct RoutedMessages {
    paid: f64,
    load: Vec<u64>,
    work: u64,
}

/// Routes every message on its cheapest path; `None` on interrupt.
fn route_all(routes: &[Routes], price: &[f64], interrupt: &Interrupt) -> Option<RoutedMessages> {
    let edges: usize = routes.iter().map(Routes::edge_count).sum();
    let parts: Option<Vec<RoutedMessages>> = routes
        .par_chunks(chunk_size(routes.len(), edges))
        .map(|routes| {
            let mut part = RoutedMessages { paid: 0.0, load: vec![0; price.len()], work: 0 };
            let mut scratch = Scratch::default();
            let mut pace = Budget::unlimited(interrupt);
            for routes in routes {
                if !pace.spend(routes.edge_count() as u64) {
                    return None;
                }
                part.work += routes.sweep(price, &mut scratch);
                part.paid +=
                    routes.payments(&scratch).map(|(cost, count)| cost * count as f64).sum::<f64>();
                routes.load_cheapest(&mut scratch, &mut part.load);
            }
            Some(part)
        })
        .collect();
    // Sums in the order of the groups, so that rounding does not depend on the number of threads.
    let mut all = RoutedMessages { paid: 0.0, load: vec![0; price.len()], work: 0 };
    for part in parts? {
        all.paid += part.paid;
        all.work += part.work;
        all.load.iter_mut().zip(part.load).for_each(|(all, load)| *all += load);
    }
    Some(all)
}
