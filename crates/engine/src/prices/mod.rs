//! Channel prices for private messages by multiplicative weights: route every message on its
//! cheapest path, raise the price of what is crowded, repeat. At any prices, what all messages pay
//! at least, over what a step can pay at most, is a lower bound on the steps; the prices tend to
//! those of the multi-commodity-flow linear program. After Plotkin, Shmoys and Tardos, 1995.

mod demand;
mod routes;
#[cfg(test)]
mod tests;

pub(crate) use demand::{Demand, Lanes};
pub(crate) use routes::{Routes, Scratch, spare_of};

use crate::budget::{Budget, Interrupt};
use pavane_model::{Problem, Routing};
use rayon::prelude::*;

/// Edges to look at that give prices within about a thousandth of the optimum on networks of some
/// hundred routers: one or two seconds of one core.
pub const EFFORT: u64 = 200_000_000;

/// The most routers for which prices are sought when paths need not be shortest.
const MOST_WINDING: usize = 5_000;

/// Rounds after which prices hardly change any more.
const ROUNDS: u32 = 3_000;

/// The most edges that are kept in memory from round to round.
const LARGEST: usize = 40_000_000;

/// Edges that are worth handing to another thread: some twenty microseconds.
const CHUNK: usize = 16_000;

/// The most parts that work is cut into.
const CHUNKS: usize = 64;

/// How dear each channel is, and what that says about the steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// A price for every channel, 1 on average: those that every schedule needs most are the
    /// dearest. Under half duplex the channels of a link have the same price.
    pub per_channel: Vec<f64>,
    /// What the private messages pay at least, over what a step can pay at most.
    pub lower: f64,
    /// The load of the busiest channel when messages are split over paths as well as was seen.
    pub upper: f64,
}

/// Prices for the private messages of a problem that runs forwards, within an effort counted in
/// edges looked at; `None` at an interrupt. The same on any number of threads.
pub fn prices(problem: &Problem, effort: u64, interrupt: &Interrupt) -> Option<Prices> {
    let demand = Demand::of(problem);
    let lanes = Lanes::of(problem);
    let mut search = Search::start(&demand, &lanes, interrupt)?;
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

/// The same prices, 1 on average.
pub(crate) fn even_out(mut prices: Vec<f64>) -> Vec<f64> {
    let mean = prices.iter().sum::<f64>() / prices.len().max(1) as f64;
    prices.iter_mut().for_each(|price| *price /= mean);
    prices
}

/// Whether a load that can be reached is no more steps than the bound, give or take what rounding
/// may have done to both.
pub(crate) fn is_settled(lower: f64, upper: f64) -> bool {
    (upper * (1.0 - 1e-9)).ceil() <= (lower * (1.0 - 1e-9)).ceil()
}

/// The best prices so far, and what they and the loads seen so far prove.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    /// What the messages pay where every lane costs 1: their hops.
    pub hops: u64,
    /// The prices of the lanes that gave `lower`.
    pub best: Vec<f64>,
    /// No schedule has fewer steps.
    pub lower: f64,
    /// The messages can be split over paths so that no lane carries more.
    pub upper: f64,
}

impl Search {
    /// All prices equal, and messages split evenly over their shortest paths; `None` at an interrupt.
    pub fn start(demand: &Demand<'_>, lanes: &Lanes, interrupt: &Interrupt) -> Option<Self> {
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
        // In the order of the groups, so that rounding is the same on any number of threads.
        for (part, load) in parts? {
            hops += part;
            total.iter_mut().zip(load).for_each(|(total, load)| *total += load);
        }
        let upper = total.iter().copied().fold(0.0, f64::max);
        let lower = if lanes.count == 0 { 0.0 } else { hops as f64 / lanes.count as f64 };
        Some(Self { hops, best: vec![1.0; lanes.count], lower, upper })
    }

    /// Rounds of pricing and routing until the bound and the load are near enough to each other,
    /// or the effort is spent, or an interrupt comes.
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
            // A new price and the averages of a lane take about as long as four edges.
            spent += outcome.work + 4 * price.len() as u64;
            self.note_prices(&price, &outcome);
            let rate = 1.0 / (1.0 + 0.01 * f64::from(round));
            recent.add(&price, &outcome.load, rate);
            self.upper = self.upper.min(recent.busiest());
            let is_last = round + 1 == ROUNDS || spent >= effort;
            if is_enough(self.lower, self.upper) {
                return;
            }
            // Early rounds spoil the averages: they start anew whenever the rounds double.
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

    fn note_prices(&mut self, price: &[f64], outcome: &Outcome) {
        let lower = outcome.paid / price.iter().sum::<f64>();
        if lower > self.lower {
            self.lower = lower;
            self.best = price.to_vec();
        }
    }
}

/// Averages over the last rounds: prices that bound better than those of any single round, and
/// loads that can be reached.
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

/// Makes what is crowded dearer, and the dearest lane cost 1.
fn raise(price: &mut [f64], load: &[u64], rate: f64) {
    let most = load.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut dearest = 0.0f64;
    for (price, &load) in price.iter_mut().zip(load) {
        *price *= (rate * load as f64 / most).exp();
        dearest = dearest.max(*price);
    }
    price.iter_mut().for_each(|price| *price /= dearest);
}

/// The routes of every group; `None` if they are too many to keep, or at an interrupt.
pub(crate) fn all_routes(
    problem: &Problem,
    demand: &Demand<'_>,
    lanes: &Lanes,
    interrupt: &Interrupt,
) -> Option<Vec<Routes>> {
    let spare = spare_of(problem.model().routing, problem.network());
    let channels = demand.network.channel_count() * (spare.unwrap_or(0) as usize + 1);
    // Free routing has cycles, and a sweep over them may go round as often as there are routers.
    let is_winding =
        problem.model().routing != Routing::Minimal && demand.network.router_count() > MOST_WINDING;
    if is_winding || channels.saturating_mul(demand.groups.len()) > LARGEST {
        return None;
    }
    let of_group =
        |group| (!interrupt.is_raised()).then(|| Routes::new(&demand.network, lanes, group, spare));
    demand.groups.par_iter().map(of_group).collect()
}

/// How many groups one thread takes at a time: enough to be worth it, and not so few that the
/// loads of all parts fill the memory. Never by the number of threads, which may differ.
fn chunk_size(groups: usize, edges: usize) -> usize {
    groups.div_ceil((edges / CHUNK).clamp(1, CHUNKS)).max(1)
}

/// What came of routing every message on its cheapest path.
struct Outcome {
    paid: f64,
    load: Vec<u64>,
    work: u64,
}

/// Routes every message on its cheapest path; `None` at an interrupt.
fn route_all(routes: &[Routes], price: &[f64], interrupt: &Interrupt) -> Option<Outcome> {
    let edges: usize = routes.iter().map(Routes::edge_count).sum();
    let parts: Option<Vec<Outcome>> = routes
        .par_chunks(chunk_size(routes.len(), edges))
        .map(|routes| {
            let mut part = Outcome { paid: 0.0, load: vec![0; price.len()], work: 0 };
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
    // In the order of the groups, so that rounding is the same on any number of threads.
    let mut all = Outcome { paid: 0.0, load: vec![0; price.len()], work: 0 };
    for part in parts? {
        all.paid += part.paid;
        all.work += part.work;
        all.load.iter_mut().zip(part.load).for_each(|(all, load)| *all += load);
    }
    Some(all)
}
