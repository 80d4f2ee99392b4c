//! Engines for private messages, each with exactly one destination: scatter, all-to-all,
//! permutations and lists of such messages.

mod ejection;
mod layout;
mod routes;
pub mod store_and_forward;
pub mod wormhole;

use crate::attempt::Context;
use crate::prices::prices;
use crate::rng::Rng;
use ejection::Settings;
use layout::Layout;
use pavane_model::Problem;
use routes::Routes;

/// Longest detour that is searched where the rules allow any.
const LONGEST_DETOUR: u32 = 4;

/// What the prices may cost, in edges looked at: search needs them less exactly than bounds do.
const PRICE_EFFORT: u64 = 50_000_000;

/// Every insertion is accepted: quick where there is slack.
const GUIDED: Settings =
    Settings { price_share: 0.5, increment: 0.02, tenure: 0.3, hot: 0.0, cold: 0.0, decay: 0.0 };

/// Insertions are annealed: slower, and the only way where there is no slack.
const ANNEALED: Settings =
    Settings { price_share: 0.3, increment: 0.01, tenure: 0.05, hot: 2.0, cold: 0.3, decay: 0.1 };

/// Whether every message has exactly one destination.
fn is_private(problem: &Problem) -> bool {
    problem.messages().ids().all(|message| problem.messages().is_private(message))
}

fn layout(context: &Context) -> Layout<'_> {
    let prices = context.prices(|| prices(context.problem(), PRICE_EFFORT).per_channel);
    // A channel that the bound leaves free still takes room.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Layout::new(context.problem(), &prices)
}

/// Every message's price-distance, which is how much it matters.
fn price_distances(layout: &Layout<'_>) -> Vec<f32> {
    let mut routes = Routes::default();
    let mut best: Vec<f32> = Vec::new();
    let price_distance = layout.problem.messages().ids().map(|message| {
        let (from, to) = layout.ends(message);
        let source = layout.problem.home(from);
        let ports = layout.port_price(from, to);
        if source == layout.problem.home(to) {
            return ports;
        }
        routes.find(layout, source, to, 0);
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
        best.last().copied().unwrap_or(ports)
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
