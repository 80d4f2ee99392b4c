//! Engines for personalised messages, which have exactly one destination: scatter, all-to-all,
//! permutations and explicit lists of such messages.

mod action;
pub mod copies;
mod exchange;
pub(crate) mod guided_search;
mod layout;
pub mod rounds;
mod routes;
mod row_orbits;
pub mod store_and_forward;
pub mod subtrees;
pub mod wormhole;

use crate::attempt::{Context, Engine, Known};
use crate::budget::{Budget, Interrupt};
use crate::prices::prices;
use crate::rng::Rng;
use guided_search::Settings;
use layout::Layout;
use pavane_model::{MessageId, Problem};
use rayon::prelude::*;
use routes::MessageRoutes;
use std::sync::Arc;

/// The engines that solve any problem of personalised messages that they take, without a reduction,
/// in order of preference.
static ENGINES: &[&dyn Engine] = &[
    &subtrees::Subtrees,
    &rounds::Rounds,
    &wormhole::Orbits,
    &wormhole::Ejection,
    &store_and_forward::RelayOrbits,
    &store_and_forward::RelayEjection,
    &store_and_forward::RelayMatching,
];

/// Facts about a problem of personalised messages that all its searches share. Each is computed on
/// first use.
#[derive(Debug, Default)]
pub(crate) struct PrivateFacts {
    /// Price of each channel, 1 on average. The channels that limit every schedule have the highest
    /// prices.
    prices: Known<Vec<f64>>,
    /// Per message, the price of its cheapest path.
    price_distances: Known<Vec<f32>>,
    /// The shortest paths of every message, if they fit in memory.
    graphs: Known<Option<Arc<wormhole::KeptGraphs>>>,
    /// The exchange between one processor per router that stands for the whole problem, if every
    /// router with processors has several.
    exchange: Known<Option<Box<exchange::RouterExchange>>>,
}

impl PrivateFacts {
    /// Sets the prices, unless they have been computed already.
    pub fn set_prices(&self, prices: Vec<f64>) {
        self.prices.set(prices);
    }
}

/// Longest detour that is searched when the routing allows any path.
const LONGEST_DETOUR: u32 = 4;

/// Work limit for computing prices, in edges visited. Search needs less precise prices than bounds.
const PRICE_EFFORT: u64 = 50_000_000;

/// Ends cold, with weights that hardly grow. Solves instances without any slack, such as
/// hypercubes.
const TIGHT: Settings = Settings {
    price_share: 0.48,
    increment: 0.0135,
    decay: 0.5,
    tenure: 0.07,
    hot: 1.94,
    cold: 0.243,
    blur: 0.78,
};

/// Stays hot, with weights that grow. Better where messages and channels differ.
const UNEVEN: Settings = Settings {
    price_share: 3.0,
    increment: 0.2,
    decay: 0.45,
    tenure: 0.03,
    hot: 2.5,
    cold: 0.5,
    blur: 0.4,
};

/// Starts hot and ends cold, with weights that grow slowly and persist. Better where messages and
/// channels differ and the budget is large.
const PATIENT: Settings = Settings {
    price_share: 3.5,
    increment: 0.03,
    decay: 0.05,
    tenure: 0.02,
    hot: 2.6,
    cold: 0.25,
    blur: 1.0,
};

/// Weights grow quickly. Better where the budget is too small for cooling.
const QUICK: Settings = Settings {
    price_share: 3.0,
    increment: 1.0,
    decay: 0.1,
    tenure: 0.014,
    hot: 4.0,
    cold: 0.6,
    blur: 0.03,
};

/// Sweeps (tries per message) below which the budget is too small for cooling.
const FEW_SWEEPS: u64 = 8;

/// Sweeps from which the budget is large enough for slow cooling.
const MANY_SWEEPS: u64 = 40;

/// Probability that a search from an incomplete schedule starts as hot as one from an empty schedule.
const HOT_SHARE: f64 = 0.25;

/// Average tries per message in a first search.
const SWEEPS: u64 = 24;

/// Evaluation limit of a first search, unless two sweeps need more.
const MOST_AT_FIRST: u64 = 150_000_000;

/// Evaluations granted to a first search.
fn first_quota(problem: &Problem, steps: u32) -> u64 {
    let sweep = sweep(problem, steps);
    (SWEEPS * sweep).min(MOST_AT_FIRST.max(2 * sweep))
}

/// Evaluations needed to try every message once.
fn sweep(problem: &Problem, steps: u32) -> u64 {
    problem.messages().len() as u64 * u64::from(steps)
}

/// Plans the searches of one attempt: for each, its settings and its longest detour. The searches
/// share the budget. Without detours there is only one.
fn plans(layout: &Layout<'_>, steps: u32, budget: &Budget, rng: &mut Rng) -> Vec<(Settings, u32)> {
    let mut detours: Vec<u32> = (0..=layout.most_detour().min(LONGEST_DETOUR)).collect();
    rng.shuffle(&mut detours);
    let sweeps = budget.left() / sweep(layout.problem, steps).max(1) / detours.len() as u64;
    let settings = |rng: &mut Rng| match sweeps {
        0..FEW_SWEEPS => QUICK,
        _ if rng.chance(if layout.is_even() { 0.9 } else { 0.2 }) => TIGHT,
        FEW_SWEEPS..MANY_SWEEPS => UNEVEN,
        _ => PATIENT,
    };
    detours.into_iter().map(|detour| (settings(rng), detour)).collect()
}

/// The settings of a search: from an incomplete schedule most searches start close to the final
/// temperature, so that messages keep their places.
fn starting_settings(context: &Context, settings: Settings, rng: &mut Rng) -> Settings {
    match context.start() {
        Some(_) if !rng.chance(HOT_SHARE) => settings.gentle(),
        _ => settings,
    }
}

/// The messages of `order` without the placed ones.
fn without(mut order: Vec<u32>, placed: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut is_placed = vec![false; order.len()];
    placed.for_each(|message| is_placed[message as usize] = true);
    order.retain(|&message| !is_placed[message as usize]);
    order
}

/// Iterations of a search that uses up its share of the budget.
fn iterations(budget: &Budget, searches: usize, steps: u32) -> u64 {
    budget.left() / searches.max(1) as u64 / u64::from(steps.max(1)) + 1
}

/// Whether every message has exactly one destination.
fn is_personalised(problem: &Problem) -> bool {
    problem.messages().ids().all(|message| problem.messages().is_personalised(message))
}

/// Builds the rows of the grid, with the prices of the channels; `None` on interrupt.
fn layout<'c>(context: &'c Context, interrupt: &Interrupt) -> Option<Layout<'c>> {
    let problem = context.problem();
    let compute = || prices(problem, PRICE_EFFORT, interrupt).map(|found| found.per_channel);
    let prices = context.private().prices.get(compute)?;
    // A channel with price zero still limits the schedule, so it must not be free.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Some(Layout::new(problem, &prices, interrupt))
}

/// Weight of every message: the geometric mean of its price-distance and the average
/// price-distance. `None` on interrupt.
fn weights(context: &Context, layout: &Layout<'_>, interrupt: &Interrupt) -> Option<Vec<f32>> {
    let distances = price_distances(context, layout, interrupt)?;
    let mean = distances.iter().sum::<f32>() / distances.len().max(1) as f32;
    Some(distances.iter().map(|distance| (distance * mean).sqrt()).collect())
}

/// The price-distance of every message: the price of its cheapest shortest path, including its
/// ports. `None` on interrupt.
fn price_distances<'c>(
    context: &'c Context,
    layout: &Layout<'_>,
    interrupt: &Interrupt,
) -> Option<&'c [f32]> {
    let compute = || {
        let messages: Vec<MessageId> = layout.problem.messages().ids().collect();
        let parts = messages.par_chunks(wormhole::PART);
        let parts: Option<Vec<Vec<f32>>> =
            parts.map(|part| price_distances_of(part, layout, interrupt)).collect();
        parts.map(|parts| parts.concat())
    };
    Some(context.private().price_distances.get(compute)?)
}

/// The price-distances of some messages; `None` on interrupt.
fn price_distances_of(
    messages: &[MessageId],
    layout: &Layout<'_>,
    interrupt: &Interrupt,
) -> Option<Vec<f32>> {
    let mut routes = MessageRoutes::default();
    let mut best: Vec<f32> = Vec::new();
    let mut pace = Budget::unlimited(interrupt);
    let price_distance = messages.iter().map(|&message| {
        let (from, to) = layout.ends(message);
        let source = layout.problem.home(from);
        let ports = layout.port_price(from, to);
        if source == layout.problem.home(to) {
            return Some(ports);
        }
        routes.find(layout, source, to, 0);
        if !pace.spend(1 + routes.entries.len() as u64) {
            return None;
        }
        best.clear();
        best.push(ports);
        for state in &routes.states[1..] {
            let entries = &routes.entries[state.entries.start as usize..state.entries.end as usize];
            let through = entries.iter().map(|entry| {
                best[entry.tail as usize] + layout.price[layout.row(entry.channel.0) as usize]
            });
            let least = through.min_by(f32::total_cmp).unwrap_or(0.0);
            best.push(least);
        }
        Some(best.last().copied().unwrap_or(ports))
    });
    price_distance.collect()
}

/// All messages, largest `weight` first, with ties in random order.
fn longest_first(weight: &[f32], rng: &mut Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..weight.len() as u32).collect();
    rng.shuffle(&mut order);
    order.sort_by(|&a, &b| weight[b as usize].total_cmp(&weight[a as usize]));
    order
}
