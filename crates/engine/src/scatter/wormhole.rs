//! Private messages under wormhole: guided ejection with channel prices. Every message travels in
//! one step along one path; the search decides which.

use super::graph::Graphs;
use super::greedy;
use super::is_private;
use super::layout::Layout;
use super::search::{Search, Settings, to_schedule};
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Schedule, Switching};

/// Guided ejection for private messages under wormhole.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wormhole;

impl Engine for Wormhole {
    fn name(&self) -> &'static str {
        "ejection"
    }

    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_private(problem)
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        greedy(context, budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let layout = layout(context);
        let weights = weights(&layout);
        let longest = layout.most_detour().min(LONGEST_DETOUR);
        for round in 0.. {
            let detour = (round / 2).min(longest);
            let mut settings = if round % 2 == 0 { GUIDED } else { ANNEALED };
            settings.sweeps *= 2f32.powi(round as i32 / 2);
            let graphs = Graphs::new(&layout, detour);
            let mut search = Search::new(&layout, graphs, detour, &weights, steps, settings, rng);
            search.fill(rng);
            if search.run(budget, rng) {
                return Attempt::Found(search.schedule());
            }
            if budget.is_over() {
                break;
            }
        }
        Attempt::OutOfBudget
    }
}

/// Longest detour that is searched where the rules allow any.
const LONGEST_DETOUR: u32 = 4;

/// Every insertion is accepted: quick where there is slack.
const GUIDED: Settings = Settings {
    gamma: 0.5,
    increment: 0.02,
    tenure: 0.3,
    hot: 0.0,
    cold: 0.0,
    sweeps: 30.0,
    decay: 0.0,
};

/// Insertions are annealed: slower, and the only way where there is no slack.
const ANNEALED: Settings = Settings {
    gamma: 0.3,
    increment: 0.01,
    tenure: 0.05,
    hot: 2.0,
    cold: 0.3,
    sweeps: 60.0,
    decay: 0.1,
};

fn layout(context: &Context) -> Layout<'_> {
    let channels = context.problem().network().channel_count();
    let prices = context.prices(|| vec![1.0; channels]);
    // A channel that the bound leaves free still takes room.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Layout::new(context.problem(), &prices)
}

/// Every message's price-distance, which is how much it matters.
fn weights(layout: &Layout<'_>) -> Vec<f32> {
    let mut graphs = Graphs::new(layout, 0);
    let mut best: Vec<f32> = Vec::new();
    let messages = layout.problem.messages();
    let price_distance = messages.ids().map(|message| {
        let graph = graphs.of(message.0);
        best.clear();
        for edge in graph.edges {
            let before = best[edge.before()].iter().copied().min_by(f32::total_cmp).unwrap_or(0.0);
            best.push(before + layout.price[edge.row as usize]);
        }
        best[graph.last..].iter().copied().min_by(f32::total_cmp).unwrap_or(0.0)
    });
    price_distance.collect()
}

/// A schedule of as many steps as longest-first insertion needs; `None` only if the budget ends.
fn greedy(context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let layout = layout(context);
    let order = greedy::longest_first(&weights(&layout), rng);
    let mut graphs = Graphs::new(&layout, 0);
    let mut placed: Vec<(u32, u32, u32)> = Vec::with_capacity(order.len());
    let mut resources: Vec<u32> = Vec::new();
    let mut steps = 0;
    let left = greedy::insert_all(&layout, &mut graphs, &order, u32::MAX, |one| {
        steps = steps.max(one.step + 1);
        resources.extend_from_slice(&one.path);
        placed.push((one.message, one.step, resources.len() as u32));
        budget.spend(1)
    });
    if !left.is_empty() {
        return None;
    }
    let starts = std::iter::once(0).chain(placed.iter().map(|&(_, _, end)| end));
    let paths = placed.iter().zip(starts).map(|(&(message, step, end), start)| {
        (message, step, &resources[start as usize..end as usize])
    });
    Some(to_schedule(&layout, steps, paths))
}
