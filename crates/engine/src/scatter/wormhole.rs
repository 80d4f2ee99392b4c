//! Private messages under wormhole: guided ejection with channel prices. Every message travels in
//! one step along one path; the search decides which.

mod board;
mod draft;
mod graph;
mod greedy;
mod grid;

use super::ejection::{Ejection, Settings};
use super::is_private;
use super::layout::Layout;
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use board::WormholeBoard;
use draft::Draft;
use graph::Graphs;
use pavane_model::{Problem, Schedule, Switching};

/// Longest detour that is searched where the rules allow any.
const LONGEST_DETOUR: u32 = 4;

/// Every insertion is accepted: quick where there is slack.
const GUIDED: Settings =
    Settings { price_share: 0.5, increment: 0.02, tenure: 0.3, hot: 0.0, cold: 0.0, decay: 0.0 };

/// Insertions are annealed: slower, and the only way where there is no slack.
const ANNEALED: Settings =
    Settings { price_share: 0.3, increment: 0.01, tenure: 0.05, hot: 2.0, cold: 0.3, decay: 0.1 };

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
        let layout = layout(context);
        let mut graphs = Graphs::new(&layout, 0);
        let order = greedy::longest_first(&weights(&layout, &mut graphs), rng);
        let mut draft = Draft::default();
        let left = greedy::insert_all(&layout, &mut graphs, &order, u32::MAX, |placed| {
            draft.push(placed.message, placed.step, &placed.path);
            budget.spend(1)
        });
        left.is_empty().then(|| draft.into_schedule(&layout))
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let layout = layout(context);
        let longest = layout.most_detour().min(LONGEST_DETOUR);
        for round in 0.. {
            let detour = (round / 2).min(longest);
            let settings = if round % 2 == 0 { GUIDED } else { ANNEALED };
            let sweeps = 30 << (round / 2);
            let mut graphs = Graphs::new(&layout, detour);
            let weights = weights(&layout, &mut graphs);
            let (board, pool) = WormholeBoard::filled(
                &layout,
                &mut graphs,
                steps,
                &weights,
                settings.price_share,
                rng,
            );
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = weights.len() as u32 * sweeps;
            if search.run(iterations, u64::from(steps), budget, rng) {
                let mut draft = Draft::default();
                for (message, step, path) in search.board.placed() {
                    draft.push(message, step, path);
                }
                return Attempt::Found(draft.into_schedule(&layout));
            }
            if budget.is_over() {
                break;
            }
        }
        Attempt::OutOfBudget
    }
}

fn layout(context: &Context) -> Layout<'_> {
    let channels = context.problem().network().channel_count();
    let prices = context.prices(|| vec![1.0; channels]);
    // A channel that the bound leaves free still takes room.
    let prices: Vec<f64> = prices.iter().map(|price| 0.8 * price + 0.2).collect();
    Layout::new(context.problem(), &prices)
}

/// Every message's price-distance, which is how much it matters.
fn weights(layout: &Layout<'_>, graphs: &mut Graphs<'_>) -> Vec<f32> {
    let mut best: Vec<f32> = Vec::new();
    let price_distance = layout.problem.messages().ids().map(|message| {
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
