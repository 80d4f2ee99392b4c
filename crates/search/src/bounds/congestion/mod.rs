//! Congestion bound: the least possible load of the busiest channel over all allowed paths. Prices
//! of the channels prove it: every message pays at least the price of its cheapest path, and one
//! step pays at most the sum of all prices.

mod program;
pub(super) mod shared;
#[cfg(test)]
mod tests;

use super::finding::Finding;
use super::words;
use crate::budget::{Budget, Interrupt};
use crate::prices::{self, Demand, Lanes, PriceSearch, Routes, Scratch};
use pavane_model::{Certificate, Duplex, Problem};

/// Edges up to which the linear program takes well under half a second.
const LARGEST_PROGRAM: usize = 1_000;

/// Rounds of multiplicative weights tried first; they often make the linear program unnecessary.
const ROUNDS_BEFORE_PROGRAM: u64 = 200;

/// At most 1/`IMPROVING` of the remaining time is for improving the prices: a search needs the rest.
const IMPROVING: u32 = 5;

/// Largest product of channels and destination routers for which the bound is tried.
const LARGEST: usize = 2_000_000_000;

/// Scales for rounding prices to integers: the rounded price of the most expensive lane. Small
/// integers often suffice and are easier to follow.
const SCALES: &[f64] = &[1.0, 2.0, 3.0, 4.0, 6.0, 12.0, 60.0, 1e3, 1e6, 1e9];

/// Integer prices of the lanes, and what they prove.
struct PriceProof {
    method: &'static str,
    price: Vec<u64>,
    /// Minimum payment of all messages.
    paid: u128,
    /// Maximum payment of one step.
    limit: u128,
}

impl PriceProof {
    fn steps(&self) -> u128 {
        self.paid.div_ceil(self.limit)
    }
}

/// Finds the prices that prove the most steps: by linear programming where that is quick, by
/// multiplicative weights otherwise. The prices are optimised for personalised messages only; other
/// messages are charged their minimum at these prices. An interrupt returns the best bound so far.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let demand = Demand::of(problem);
    if demand.groups.is_empty() {
        return at_the_ends(problem, interrupt);
    }
    let channels = problem.network().channel_count();
    if demand.groups.len().saturating_mul(channels) > LARGEST {
        let why = format!(
            "it would examine {} once for each of {}",
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
        "with {}, all messages cost at least {} and a step provides at most {}, so at least {}",
        best.method,
        best.paid,
        best.limit,
        words::steps(steps),
    );
    let certificate = Certificate::Congestion { prices: lanes.spread(&best.price) };
    let Finding::Proved(bound) = Finding::proved(steps, certificate, explanation) else {
        unreachable!("`proved` returns `Proved`")
    };
    match prices {
        Some(prices) => Finding::Priced(bound, lanes.spread(&prices)),
        None => Finding::Proved(bound),
    }
}

/// Bound for problems without personalised messages. Under half duplex the links at the processors
/// may be scarce, because every transfer uses one at each of its ends.
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
        "every transfer uses a link at each of its ends, all messages need at least {} and a step \
         provides at most {limit}, so at least {}",
        words::counted(paid, "such use"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Congestion { prices }, explanation)
}

/// Returns the best proof, and the prices before rounding, scaled to 1 on average. After an
/// interrupt it returns the best proof so far without prices, or `None`.
fn best_proof(
    problem: &Problem,
    demand: &Demand<'_>,
    lanes: &Lanes,
    interrupt: &Interrupt,
) -> Option<(PriceProof, Option<Vec<f64>>)> {
    let mut search = PriceSearch::start(demand, lanes, interrupt)?;
    let equal = vec![1; lanes.count];
    let shared = shared::paid(problem, &lanes.spread(&equal), interrupt)?;
    let paid = u128::from(search.hops) + shared;
    let limit = lanes.count as u128;
    let mut best = PriceProof { method: "equal channel prices", price: equal, paid, limit };
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
    search.improve(&routes, effort, prices::is_settled, &interrupt.after_part(IMPROVING));
    let mut found = vec![("channel prices from multiplicative weights", search.best.clone())];
    if has_program
        && !prices::is_settled(search.lower, search.upper)
        && let Some(optimum) = program::best_prices(&routes, lanes.count)
    {
        found.push(("channel prices from linear programming", optimum));
    }
    for (method, price) in found {
        let dearest = price.iter().copied().fold(0.0, f64::max);
        for scale in SCALES {
            let price: Vec<u64> =
                price.iter().map(|price| (price / dearest * scale).round() as u64).collect();
            let personalised = personalised_paid(&routes, &price, interrupt);
            let shared = shared::paid(problem, &lanes.spread(&price), interrupt);
            let (Some(personalised), Some(shared)) = (personalised, shared) else {
                return Some((best, None));
            };
            let paid = personalised + shared;
            let limit = price.iter().map(|&price| u128::from(price)).sum();
            let proof = PriceProof { method, price, paid, limit };
            if proof.steps() > best.steps() {
                best = proof;
            }
        }
    }
    Some((best, (!interrupt.is_raised()).then(|| prices::even_out(search.best))))
}

/// Minimum payment of the personalised messages over their allowed paths; `None` after an
/// interrupt.
fn personalised_paid(routes: &[Routes], price: &[u64], interrupt: &Interrupt) -> Option<u128> {
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
