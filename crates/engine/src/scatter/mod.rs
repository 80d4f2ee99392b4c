//! Engines for private messages, each with exactly one destination: scatter, all-to-all,
//! permutations and lists of such messages.

mod action;
pub mod copies;
pub(crate) mod ejection;
mod layout;
pub mod rounds;
mod routes;
mod row_orbits;
pub mod store_and_forward;
pub mod subtrees;
pub mod wormhole;

use crate::attempt::{Context, Known};
use crate::budget::{Budget, Interrupt};
use crate::prices::prices;
use crate::rng::Rng;
use ejection::Settings;
use layout::Layout;
use pavane_model::{MessageId, Problem};
use rayon::prelude::*;
use routes::Routes;
use std::sync::Arc;

/// What all searches for the same private messages use, worked out by whoever asks first.
#[derive(Debug, Default)]
pub(crate) struct PrivateFacts {
    /// How dear each channel is, 1 on average: the channels that every schedule needs most are
    /// the dearest.
    prices: Known<Vec<f64>>,
    /// What each message pays at least.
    price_distances: Known<Vec<f32>>,
    /// The shortest paths of every message, if they are few enough to keep.
    graphs: Known<Option<Arc<wormhole::Kept>>>,
    /// The exchange that stands for all, where several processors live on every router.
    exchange: Known<Option<Box<copies::Exchange>>>,
}

impl PrivateFacts {
    /// Notes prices that others have worked out.
    pub fn set_prices(&mut self, prices: Vec<f64>) {
        self.prices = Known::from(prices);
    }
}

/// Longest detour that is searched where the rules allow any.
const LONGEST_DETOUR: u32 = 4;

/// What the prices may cost, in edges looked at: search needs them less exactly than bounds do.
const PRICE_EFFORT: u64 = 50_000_000;

/// Cold in the end, and with weights that hardly grow: reaches what has no slack at all, such as
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

/// Hot, and with weights that grow: the better one where messages and channels differ.
const UNEVEN: Settings = Settings {
    price_share: 3.0,
    increment: 0.2,
    decay: 0.45,
    tenure: 0.03,
    hot: 2.5,
    cold: 0.5,
    blur: 0.4,
};

/// Hot at first and cold in the end, with weights that grow slowly and last: the better one where
/// messages and channels differ and there is time.
const PATIENT: Settings = Settings {
    price_share: 3.5,
    increment: 0.03,
    decay: 0.05,
    tenure: 0.02,
    hot: 2.6,
    cold: 0.25,
    blur: 1.0,
};

/// With weights that grow at once: the better one where there is no time to cool down.
const QUICK: Settings = Settings {
    price_share: 3.0,
    increment: 1.0,
    decay: 0.1,
    tenure: 0.014,
    hot: 4.0,
    cold: 0.6,
    blur: 0.03,
};

/// Times that every message is tried below which there is no time to cool down.
const FEW_SWEEPS: u64 = 8;

/// Times that every message is tried from which on there is time to cool down slowly.
const MANY_SWEEPS: u64 = 40;

/// Times that a first search tries every message, on average.
const SWEEPS: u64 = 24;

/// Evaluations that a first search takes at the most, unless one sweep takes more.
const MOST_AT_FIRST: u64 = 150_000_000;

/// The evaluations of a first search.
fn first_quota(problem: &Problem, steps: u32) -> u64 {
    let sweep = sweep(problem, steps);
    (SWEEPS * sweep).min(MOST_AT_FIRST.max(2 * sweep))
}

/// The evaluations of trying every message once.
fn sweep(problem: &Problem, steps: u32) -> u64 {
    problem.messages().len() as u64 * u64::from(steps)
}

/// The searches of one attempt: the settings of each, and how much longer than the shortest its
/// paths may be. They share the budget, which one search uses best where no detours are allowed.
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

/// The iterations of a search that uses up its share of the budget.
fn iterations(budget: &Budget, searches: usize, steps: u32) -> u64 {
    budget.left() / searches.max(1) as u64 / u64::from(steps.max(1)) + 1
}

/// Whether every message has exactly one destination.
fn is_private(problem: &Problem) -> bool {
    problem.messages().ids().all(|message| problem.messages().is_private(message))
}

/// The rows of the grid with the prices of the channels; `None` at an interrupt.
fn layout<'c>(context: &'c Context, interrupt: &Interrupt) -> Option<Layout<'c>> {
    let problem = context.problem();
    let compute = || prices(problem, PRICE_EFFORT, interrupt).map(|found| found.per_channel);
    let prices = context.private().prices.get(compute)?;
    // A channel that the bound leaves free still takes room.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Some(Layout::new(problem, &prices, interrupt))
}

/// How much every message matters, between all alike and its price-distance; `None` at an interrupt.
fn weights(context: &Context, layout: &Layout<'_>, interrupt: &Interrupt) -> Option<Vec<f32>> {
    let distances = price_distances(context, layout, interrupt)?;
    let mean = distances.iter().sum::<f32>() / distances.len().max(1) as f32;
    Some(distances.iter().map(|distance| (distance * mean).sqrt()).collect())
}

/// Every message's price-distance; `None` at an interrupt.
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

/// The price-distances of some messages; `None` at an interrupt.
fn price_distances_of(
    messages: &[MessageId],
    layout: &Layout<'_>,
    interrupt: &Interrupt,
) -> Option<Vec<f32>> {
    let mut routes = Routes::default();
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

/// All messages, those with the largest `weight` first, ties in random order.
fn longest_first(weight: &[f32], rng: &mut Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..weight.len() as u32).collect();
    rng.shuffle(&mut order);
    order.sort_by(|&a, &b| weight[b as usize].total_cmp(&weight[a as usize]));
    order
}
