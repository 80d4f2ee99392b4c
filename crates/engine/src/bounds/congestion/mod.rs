//! Congestion bound: the least possible load of the busiest channel over all allowed paths. Prices
//! prove it: every message pays at least its cheapest path, a step no more than all prices.

mod program;
pub(super) mod shared;
#[cfg(test)]
mod tests;

use super::{Finding, words};
use crate::budget::{Budget, Interrupt};
use crate::prices::{self, Demand, Lanes, Routes, Scratch, Search};
use pavane_model::{Certificate, Duplex, Problem};

/// Edges up to which the linear program takes well under half a second.
const LARGEST_PROGRAM: usize = 1_000;

/// Rounds of multiplicative weights that often make the linear program unnecessary.
const ROUNDS_BEFORE_PROGRAM: u64 = 200;

/// Channels to look at, once for every router that messages go to, that are too many.
const LARGEST: usize = 2_000_000_000;

/// The dearest lane's price in the whole numbers that prices are rounded to. Small ones often
/// fit, and are easier to follow.
const SCALES: &[f64] = &[1.0, 2.0, 3.0, 4.0, 6.0, 12.0, 60.0, 1e3, 1e6, 1e9];

/// Whole prices of the lanes, and what they prove.
struct Proof {
    method: &'static str,
    price: Vec<u64>,
    /// What all messages pay at least.
    paid: u128,
    /// What a step can pay at most.
    limit: u128,
}

impl Proof {
    fn steps(&self) -> u128 {
        self.paid.div_ceil(self.limit)
    }
}

/// The prices that prove the most: by linear programming where that is quick, by multiplicative
/// weights otherwise; at an interrupt those found so far. They are sought for private messages; the
/// others pay what they must.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let demand = Demand::of(problem);
    if demand.groups.is_empty() {
        return at_the_ends(problem, interrupt);
    }
    let channels = problem.network().channel_count();
    if demand.groups.len().saturating_mul(channels) > LARGEST {
        let why = format!(
            "it would look at {} once for each of {}",
            words::counted(channels, "channel"),
            words::counted(demand.groups.len(), "router"),
        );
        return Finding::Skipped { reason: "congestion", why };
    }
    let lanes = Lanes::of(problem);
    let Some((best, prices)) = best_proof(problem, &demand, &lanes, interrupt) else {
        return Finding::out_of_time("congestion", "some of the shortest paths");
    };
    let steps = u64::try_from(best.steps()).unwrap_or(u64::MAX);
    let explanation = format!(
        "at {}, all messages pay at least {} and a step can pay at most {}: {steps}",
        best.method, best.paid, best.limit,
    );
    let certificate = Certificate::Congestion { prices: lanes.spread(&best.price) };
    let Finding::Proved(bound) = Finding::proved(steps, certificate, explanation) else {
        unreachable!("that is what it makes")
    };
    match prices {
        Some(prices) => Finding::Priced(bound, lanes.spread(&prices)),
        None => Finding::Proved(bound),
    }
}

/// Where all messages are for several and a link is for one at a time, what is scarce may be the
/// links at the processors, which every transfer takes at both of its ends.
fn at_the_ends(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let network = problem.network();
    let looks = problem.messages().len().saturating_mul(network.channel_count());
    if problem.model().duplex == Duplex::Full || looks > LARGEST {
        return Finding::NotApplicable;
    }
    let is_end = |router| u64::from(!network.residents(router).is_empty());
    let priced = network.channels().iter();
    let prices: Vec<u64> = priced.map(|c| is_end(c.tail) + is_end(c.head)).collect();
    let lanes = Lanes::of(problem);
    let mut of_lane = vec![0; lanes.count];
    for (&lane, &price) in lanes.of_channel.iter().zip(&prices) {
        of_lane[lane as usize] = price;
    }
    let Some(paid) = shared::paid(problem, &prices, interrupt) else {
        return Finding::out_of_time("congestion", "some of the messages");
    };
    let limit = of_lane.iter().sum::<u64>();
    if limit == 0 {
        return Finding::NotApplicable;
    }
    let steps = u64::try_from(paid.div_ceil(u128::from(limit))).unwrap_or(u64::MAX);
    let explanation = format!(
        "every transfer takes a link at each of its ends, all messages {paid} of them at least, and \
         a step has {limit}: {steps}"
    );
    Finding::proved(steps, Certificate::Congestion { prices }, explanation)
}

/// The best proof, and the prices before they were rounded to prove it, 1 on average. An interrupt
/// leaves the best proof so far and no prices, or nothing.
fn best_proof(
    problem: &Problem,
    demand: &Demand<'_>,
    lanes: &Lanes,
    interrupt: &Interrupt,
) -> Option<(Proof, Option<Vec<f64>>)> {
    let mut search = Search::start(demand, lanes, interrupt)?;
    let equal = vec![1; lanes.count];
    let shared = shared::paid(problem, &lanes.spread(&equal), interrupt)?;
    let paid = u128::from(search.hops) + shared;
    let limit = lanes.count as u128;
    let mut best = Proof { method: "equal prices", price: equal, paid, limit };
    if prices::is_settled(search.lower, search.upper) {
        return Some((best, Some(prices::even_out(search.best))));
    }
    let Some(routes) = prices::all_routes(problem, demand, lanes, interrupt) else {
        let prices = (!interrupt.is_raised()).then(|| prices::even_out(search.best));
        return Some((best, prices));
    };
    let size: usize = routes.iter().map(Routes::edge_count).sum();
    let has_program = size <= LARGEST_PROGRAM;
    let effort = if has_program { ROUNDS_BEFORE_PROGRAM * size as u64 } else { prices::EFFORT };
    search.improve(&routes, effort, prices::is_settled, interrupt);
    let mut found = vec![("prices found by multiplicative weights", search.best.clone())];
    if has_program
        && !prices::is_settled(search.lower, search.upper)
        && let Some(optimum) = program::best_prices(&routes, lanes.count)
    {
        found.push(("prices found by linear programming", optimum));
    }
    for (method, price) in found {
        let dearest = price.iter().copied().fold(0.0, f64::max);
        for scale in SCALES {
            let price: Vec<u64> =
                price.iter().map(|price| (price / dearest * scale).round() as u64).collect();
            let private = private_paid(&routes, &price, interrupt);
            let shared = shared::paid(problem, &lanes.spread(&price), interrupt);
            let (Some(private), Some(shared)) = (private, shared) else {
                return Some((best, None));
            };
            let paid = private + shared;
            let limit = price.iter().map(|&price| u128::from(price)).sum();
            let proof = Proof { method, price, paid, limit };
            if proof.steps() > best.steps() {
                best = proof;
            }
        }
    }
    Some((best, (!interrupt.is_raised()).then(|| prices::even_out(search.best))))
}

/// What the private messages pay at least for paths that they are allowed; `None` at an interrupt.
fn private_paid(routes: &[Routes], price: &[u64], interrupt: &Interrupt) -> Option<u128> {
    let mut scratch = Scratch::default();
    let mut pace = Budget::unlimited(interrupt);
    let mut paid = 0;
    for routes in routes {
        if !pace.spend(routes.edge_count() as u64) {
            return None;
        }
        routes.sweep(price, &mut scratch);
        let payments = routes.payments(&scratch);
        paid += payments.map(|(cost, count)| u128::from(cost) * u128::from(count)).sum::<u128>();
    }
    Some(paid)
}
