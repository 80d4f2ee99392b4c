//! Private messages under wormhole: guided ejection with channel prices. Every message travels in
//! one step along one path; the search decides which.

mod board;
mod draft;
mod graph;
mod greedy;
mod grid;

use super::ejection::Ejection;
use super::{is_private, longest_first, price_distances};
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use board::WormholeBoard;
use draft::Draft;
use graph::Graphs;
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
        let layout = super::layout(context);
        let mut graphs = Graphs::new(&layout, 0);
        let order = longest_first(&price_distances(&layout), rng);
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
        let layout = super::layout(context);
        let weights = price_distances(&layout);
        let longest = layout.most_detour().min(super::LONGEST_DETOUR);
        for round in 0.. {
            let detour = (round / 2).min(longest);
            let settings = if round % 2 == 0 { super::GUIDED } else { super::ANNEALED };
            let mut graphs = Graphs::new(&layout, detour);
            let (board, pool) = WormholeBoard::filled(
                &layout,
                &mut graphs,
                steps,
                &weights,
                settings.price_share,
                rng,
            );
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = weights.len() as u64 * (30 << (round / 2));
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
