//! Prices of channels: all words pay for their cheapest routes, and a slot can pay at most the sum of all
//! prices. For shortest routes, they come from a smooth dual ascent; otherwise from multiplicative weights
//! (Arora, Hazan and Kale 2012): in every round all words take their cheapest routes, and busy channels
//! become dearer. Both approach the dual of the linear programme of least congestion.

use super::ascent::{Ascent, Pace};
use super::{load_of_period, period_of_load};
use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{Network, RouterId, Routing, TdmProblem};
use pavane_search::Interrupt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds, and the work of all of them together.
const ROUNDS: usize = 3200;
const MOST_WORK: usize = 400_000_000;
/// The same for the prices that guide a search.
const GUIDE_ROUNDS: usize = 400;
const MOST_GUIDE_WORK: usize = 40_000_000;
/// Rounds after which their mean is tried.
const AVERAGED: usize = 25;
/// Ascents for the bound, if there is time for many rounds and if not, and for prices that guide a search: the
/// most rounds, and the work of a round in units of one of multiplicative weights. Many rounds come within a
/// thousandth of the optimum.
const LONG_PACE: Pace = Pace { rounds: 1000, spread: (0.5, 0.01), momentum: 0.98 };
const PACE: Pace = Pace { rounds: 500, spread: (0.5, 0.05), momentum: 0.95 };
const GUIDE_PACE: Pace = Pace { rounds: 100, spread: (0.5, 0.1), momentum: 0.9 };
const LEAST_ROUNDS: usize = 8;
const ASCENT_WORK: usize = 8;
/// Rounds of an ascent after which the bound is computed.
const TRIED: usize = 10;
/// The largest price in a certificate.
const LARGEST: f64 = 1e6;

/// The bound, if it is above `enough`, which other bounds prove.
pub(super) fn bound(problem: &TdmProblem, enough: u32, interrupt: &Interrupt) -> Option<TdmBound> {
    let channels = problem.network().channel_count();
    if channels == 0 {
        return None;
    }
    let market = Market::new(problem);
    let found = if problem.rules().routing == Routing::Minimal {
        market.ascend(enough, interrupt)
    } else {
        market.weigh(channels, interrupt)
    };
    let (period, prices) = found.filter(|(period, _)| *period > enough)?;
    Some(TdmBound { period, certificate: TdmCertificate::Prices { prices } })
}

/// A period and the prices that prove it.
type Proved = (u32, Vec<u64>);

impl Market<'_> {
    /// Rounds of an ascent that are affordable.
    fn paced(&self, pace: Pace, most: usize) -> Pace {
        let affordable = most / self.work.saturating_mul(ASCENT_WORK).max(1);
        Pace { rounds: affordable.clamp(LEAST_ROUNDS, pace.rounds), ..pace }
    }

    /// The best bound of a smooth ascent. Ends early if none is above `enough`.
    fn ascend(&self, enough: u32, interrupt: &Interrupt) -> Option<Proved> {
        let long = self.paced(LONG_PACE, MOST_WORK);
        let is_long = long.rounds > PACE.rounds;
        let pace = if is_long { long } else { self.paced(PACE, MOST_WORK) };
        let mut best: Option<Proved> = None;
        let mut ascent = Ascent::new(self.problem.network(), &self.sources, &self.trees);
        let enough = load_of_period(self.problem, enough);
        ascent.run(pace, enough, interrupt, |round, prices| {
            if (round + 1).is_multiple_of(TRIED) || round + 1 == pace.rounds {
                let visited = self.visit(prices).map(|(period, whole, _)| (period, whole));
                best = best.take().into_iter().chain(visited).max_by_key(|(period, _)| *period);
            }
        });
        best
    }

    /// The best bound of multiplicative weights.
    fn weigh(&self, channels: usize, interrupt: &Interrupt) -> Option<Proved> {
        let market = self;
        let rounds = (MOST_WORK / market.work.max(1)).clamp(8, ROUNDS);
        let mut prices = vec![1.0; channels];
        let mut sums = vec![0.0; channels];
        let mut best: Option<Proved> = None;
        for round in 0..rounds {
            if interrupt.is_raised() {
                break;
            }
            let (period, whole, loads) = market.visit(&prices)?;
            if best.as_ref().is_none_or(|(most, _)| period > *most) {
                best = Some((period, whole));
            }
            let all: f64 = prices.iter().sum();
            sums.iter_mut().zip(&prices).for_each(|(sum, price)| *sum += price / all);
            raise(&mut prices, &loads, round);
            // The mean of the later rounds is nearer to the optimum than each of them.
            if round + 1 == rounds || (round + 1) % AVERAGED == 0 {
                let (period, whole, _) = market.visit(&sums)?;
                if best.as_ref().is_none_or(|(most, _)| period > *most) {
                    best = Some((period, whole));
                }
                if (round + 1).is_power_of_two() || (round + 1) % (8 * AVERAGED) == 0 {
                    sums.fill(0.0);
                }
            }
        }
        best
    }
}

/// The bound that prices prove.
pub(crate) fn bound_of(problem: &TdmProblem, prices: &[f64]) -> Option<TdmBound> {
    let (period, prices, _) = Market::new(problem).visit(prices)?;
    Some(TdmBound { period, certificate: TdmCertificate::Prices { prices } })
}

/// Prices of the channels near those of the best bound, with a mean of 1. Words on cheapest routes load the
/// channels almost evenly.
pub(crate) fn channel_prices(problem: &TdmProblem, interrupt: &Interrupt) -> Vec<f64> {
    let channels = problem.network().channel_count();
    let market = Market::new(problem);
    if problem.rules().routing == Routing::Minimal {
        let pace = market.paced(GUIDE_PACE, MOST_GUIDE_WORK);
        let mut ascent = Ascent::new(problem.network(), &market.sources, &market.trees);
        ascent.run(pace, 0.0, interrupt, |_, _| {});
        return ascent.prices;
    }
    let rounds = (MOST_GUIDE_WORK / market.work.max(1)).clamp(8, GUIDE_ROUNDS);
    let mut prices = vec![1.0; channels];
    let mut sums = vec![0.0; channels];
    for round in 0..rounds {
        if interrupt.is_raised() {
            break;
        }
        let Some((_, _, loads)) = market.visit(&prices) else { break };
        if (round + 1).is_power_of_two() {
            sums.fill(0.0);
        }
        let all: f64 = prices.iter().sum();
        sums.iter_mut().zip(&prices).for_each(|(sum, price)| *sum += price / all);
        raise(&mut prices, &loads, round);
    }
    let all: f64 = sums.iter().sum();
    let is_known = all > 0.0;
    sums.iter().map(|sum| if is_known { sum / all * channels as f64 } else { 1.0 }).collect()
}

/// Makes busy channels dearer.
fn raise(prices: &mut [f64], loads: &[u64], round: usize) {
    let busiest = loads.iter().copied().max().unwrap_or(0).max(1) as f64;
    let largest = prices.iter().copied().fold(0.0, f64::max);
    let rate = 0.5 / (1.0 + round as f64).sqrt();
    for (price, &load) in prices.iter_mut().zip(loads) {
        *price = (*price / largest * (1.0 + rate * load as f64 / busiest)).max(1e-12);
    }
}

/// The words of a problem and their routes.
struct Market<'a> {
    problem: &'a TdmProblem,
    sources: Vec<Source>,
    trees: Vec<Tree>,
    /// The operations of one round, about.
    work: usize,
}

impl<'a> Market<'a> {
    fn new(problem: &'a TdmProblem) -> Self {
        let network = problem.network();
        let sources = sources(problem);
        let is_minimal = problem.rules().routing == Routing::Minimal;
        let trees = sources.iter().map(|source| Tree::new(network, source.router)).collect();
        let size = network.channel_count() + network.router_count();
        let work = sources.len() * size * if is_minimal { 1 } else { 8 };
        Self { problem, sources, trees, work }
    }

    /// The period that some prices prove, the prices as whole numbers, and the load of every channel if all
    /// words take their cheapest routes.
    fn visit(&self, prices: &[f64]) -> Option<(u32, Vec<u64>, Vec<u64>)> {
        let network = self.problem.network();
        let largest = prices.iter().copied().fold(0.0, f64::max);
        let whole: Vec<u64> =
            prices.iter().map(|price| (price / largest * LARGEST).round() as u64).collect();
        let mut loads = vec![0u64; whole.len()];
        let mut paid = 0u128;
        for (source, tree) in self.sources.iter().zip(&self.trees) {
            let routes = match self.problem.rules().routing {
                Routing::Minimal => tree.cheapest(network, &whole),
                Routing::Detour(_) | Routing::Any => any(network, &whole, source.router),
            };
            paid += routes.pay(network, source, &mut loads);
        }
        let all = whole.iter().map(|&price| u128::from(price)).sum::<u128>();
        Some((period_of_load(self.problem, paid, all)?, whole, loads))
    }
}

/// The words that start at a router, by their destination.
pub(super) struct Source {
    pub router: RouterId,
    pub words: Vec<u64>,
}

fn sources(problem: &TdmProblem) -> Vec<Source> {
    let network = problem.network();
    let mut words = vec![Vec::new(); network.router_count()];
    for message in problem.messages() {
        let (Some(from), Some(to)) = (network.home(message.from), network.home(message.to)) else {
            continue;
        };
        let row: &mut Vec<u64> = &mut words[from.index()];
        row.resize(network.router_count(), 0);
        row[to.index()] += u64::from(message.weight);
    }
    let source = |(router, words): (usize, Vec<u64>)| {
        (!words.is_empty()).then_some(Source { router: RouterId(router as u32), words })
    };
    words.into_iter().enumerate().filter_map(source).collect()
}

/// The routers by distance from a source.
pub(super) struct Tree {
    pub distances: Vec<u32>,
    pub order: Vec<RouterId>,
}

/// The cheapest way to every router: price, last channel, and an order in which ways only grow.
struct Cheapest {
    prices: Vec<u128>,
    last: Vec<Option<u32>>,
    order: Vec<RouterId>,
}

impl Tree {
    pub fn new(network: &Network, source: RouterId) -> Self {
        let distances = network.distances_from(source);
        let reached = |router: &RouterId| distances[router.index()] != u32::MAX;
        let mut order: Vec<RouterId> = network.routers().filter(reached).collect();
        order.sort_by_key(|router| distances[router.index()]);
        Self { distances, order }
    }

    /// The cheapest of the shortest paths.
    fn cheapest(&self, network: &Network, prices: &[u64]) -> Cheapest {
        let mut found = vec![u128::MAX; network.router_count()];
        let mut last = vec![None; network.router_count()];
        found[self.order[0].index()] = 0;
        for &router in &self.order {
            let hops = self.distances[router.index()];
            for (&channel, &head) in
                network.out_channels(router).iter().zip(network.successors(router))
            {
                let price = found[router.index()] + u128::from(prices[channel.index()]);
                if self.distances[head.index()] == hops + 1 && price < found[head.index()] {
                    found[head.index()] = price;
                    last[head.index()] = Some(channel.0);
                }
            }
        }
        Cheapest { prices: found, last, order: self.order.clone() }
    }
}

/// The cheapest of all paths, after Dijkstra.
fn any(network: &Network, prices: &[u64], source: RouterId) -> Cheapest {
    let mut found = vec![u128::MAX; network.router_count()];
    let mut last = vec![None; network.router_count()];
    let mut order = Vec::new();
    let mut is_done = vec![false; network.router_count()];
    found[source.index()] = 0;
    let mut queue = BinaryHeap::from([Reverse((0u128, source))]);
    while let Some(Reverse((so_far, router))) = queue.pop() {
        if std::mem::replace(&mut is_done[router.index()], true) {
            continue;
        }
        order.push(router);
        for (&channel, &head) in network.out_channels(router).iter().zip(network.successors(router))
        {
            let price = so_far + u128::from(prices[channel.index()]);
            if price < found[head.index()] {
                found[head.index()] = price;
                last[head.index()] = Some(channel.0);
                queue.push(Reverse((price, head)));
            }
        }
    }
    Cheapest { prices: found, last, order }
}

impl Cheapest {
    /// What the words of a source pay; adds them to the loads.
    fn pay(&self, network: &Network, source: &Source, loads: &mut [u64]) -> u128 {
        let mut through = source.words.clone();
        let mut paid = 0;
        for &router in self.order.iter().rev() {
            let at = router.index();
            if source.words[at] > 0 {
                paid += u128::from(source.words[at]) * self.prices[at];
            }
            if let Some(channel) = self.last[at] {
                loads[channel as usize] += through[at];
                let tail = network.channels()[channel as usize].tail;
                through[tail.index()] += through[at];
            }
        }
        paid
    }
}
