//! The weights of personalised messages, by the prices of the channels that they use.

use super::layout::Layout;
use super::routes::{MessageRoutes, PART};
use crate::attempt::Context;
use crate::budget::{Budget, Interrupt};
use crate::facts::Known;
use crate::rng::Rng;
use pavane_model::{MessageId, Problem};
use rayon::prelude::*;
use std::sync::Arc;

/// Per message, the price of its cheapest path.
#[derive(Debug, Default)]
struct PriceDistances(Known<Arc<[f32]>>);

/// Whether every message has exactly one destination.
pub(super) fn is_personalised(problem: &Problem) -> bool {
    // Every message has a destination, so counting is enough.
    problem.messages().delivery_count() == problem.messages().len()
}

/// Builds the rows of the grid, with the prices of the channels; `None` on interrupt.
pub(super) fn priced_layout<'c>(context: &'c Context, interrupt: &Interrupt) -> Option<Layout<'c>> {
    let problem = context.problem();
    let prices = context.prices(interrupt)?;
    // A channel with price zero still limits the schedule, so it must not be free.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Some(Layout::new(problem, &prices, interrupt))
}

/// Weight of every message: the geometric mean of its price-distance and the average
/// price-distance. `None` on interrupt.
pub(super) fn weights(
    context: &Context,
    layout: &Layout<'_>,
    interrupt: &Interrupt,
) -> Option<Vec<f32>> {
    let distances = price_distances(context, layout, interrupt)?;
    let mean = distances.iter().sum::<f32>() / distances.len().max(1) as f32;
    Some(distances.iter().map(|distance| (distance * mean).sqrt()).collect())
}

/// The price-distance of every message: the price of its cheapest shortest path, including its
/// ports. `None` on interrupt.
pub(super) fn price_distances(
    context: &Context,
    layout: &Layout<'_>,
    interrupt: &Interrupt,
) -> Option<Arc<[f32]>> {
    let compute = || {
        crate::threads::start_threads();
        let all = 0..layout.message_count() as u32;
        let messages: Vec<MessageId> = all.map(MessageId).collect();
        let parts = messages.par_chunks(PART);
        let parts: Option<Vec<Vec<f32>>> =
            parts.map(|part| price_distances_of(part, layout, interrupt)).collect();
        parts.map(|parts| parts.concat().into())
    };
    context.facts_of::<PriceDistances>().0.get(compute).cloned()
}

/// The price-distances of some messages; `None` on interrupt.
pub(super) fn price_distances_of(
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
pub(super) fn longest_first(weight: &[f32], rng: &mut Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..weight.len() as u32).collect();
    rng.shuffle(&mut order);
    order.sort_by(|&a, &b| weight[b as usize].total_cmp(&weight[a as usize]));
    order
}
