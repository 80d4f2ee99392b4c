//! Private messages under wormhole: guided ejection with channel prices. Every message travels in
//! one step along one path; the search decides which.

mod board;
mod draft;
mod graph;
mod greedy;
mod grid;
mod homes;
mod orbits;
mod resume;
mod step_choice;

pub use orbits::Orbits;
pub use resume::Resume;

use super::ejection::Ejection;
use super::{is_private, longest_first, price_distances, weights};
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use board::WormholeBoard;
use draft::Draft;
use graph::Graphs;
pub(crate) use graph::{Kept, PART};
use greedy::Placed;
use pavane_model::{Problem, Schedule, Switching};

/// One of so many iterations is kept for what is left over.
const FINISHING: u64 = 10;

/// Guided ejection for private messages under wormhole.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wormhole;

impl Engine for Wormhole {
    fn name(&self) -> &'static str {
        "ejection"
    }

    fn purpose(&self) -> &'static str {
        "guided ejection with channel prices; private messages, wormhole"
    }

    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_private(problem)
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let layout = super::layout(context);
        let mut graphs = Graphs::new(context, &layout, 0);
        let order = longest_first(price_distances(context, &layout), rng);
        let mut draft = Draft::default();
        let left = greedy::insert_all(&layout, &mut graphs, &order, u32::MAX, |placed| {
            draft.push(placed.message, placed.step, &placed.path);
            budget.spend(1)
        });
        left.is_empty().then(|| draft.into_schedule(&layout))
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        super::first_quota(problem, steps)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let layout = super::layout(context);
        let weights = weights(context, &layout);
        let plans = super::plans(&layout, steps, budget, rng);
        let mut best: Option<Schedule> = None;
        for (at, &(settings, detour)) in plans.iter().enumerate() {
            let mut graphs = Graphs::new(context, &layout, detour);
            let share = settings.price_share;
            let order = longest_first(&weights, rng);
            let (board, pool) =
                WormholeBoard::filled(&layout, &mut graphs, steps, &order, &weights, share, rng);
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = super::iterations(budget, plans.len() - at, steps);
            let more = iterations / FINISHING;
            if search.run(iterations - more, u64::from(steps), budget, rng) {
                return Attempt::Found(search.board.draft().into_schedule(&layout));
            }
            // With one step more, what is left over may still find room.
            let pool = std::mem::take(&mut search.pool);
            let kept: Vec<Placed> = search
                .board
                .placed()
                .map(|(message, step, path)| Placed { message, step, path: path.to_vec() })
                .collect();
            drop(search);
            let (board, pool) = WormholeBoard::resumed(
                &layout,
                &mut graphs,
                steps + 1,
                (&kept, &pool),
                &weights,
                share,
                rng,
            );
            let mut search = Ejection::new(board, pool, &weights, settings.cold());
            search.run(more, u64::from(steps), budget, rng);
            let mut draft = search.board.draft();
            // The rest goes into steps of its own.
            let pool = std::mem::take(&mut search.pool);
            drop(search);
            greedy::insert_all(&layout, &mut graphs, &pool, u32::MAX, |placed| {
                draft.push(placed.message, steps + 1 + placed.step, &placed.path);
                true
            });
            let schedule = draft.into_schedule(&layout);
            if best.as_ref().is_none_or(|best| schedule.step_count() < best.step_count()) {
                best = Some(schedule);
            }
            if budget.is_over() {
                break;
            }
        }
        best.map_or(Attempt::OutOfBudget, Attempt::Longer)
    }
}
