//! Personalised messages under wormhole switching: guided ejection with channel prices. Every
//! message travels in one step along one path; the search chooses both.

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

use super::ejection::{Ejection, Settings};
use super::layout::Layout;
use super::{is_personalised, longest_first, price_distances, weights};
use crate::attempt::{Attempt, Context, Engine, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use board::WormholeBoard;
use draft::Draft;
use graph::Graphs;
pub(crate) use graph::{Kept, PART};
use greedy::Placed;
use pavane_model::{Problem, Schedule, Switching};

/// One in this many iterations is reserved for placing leftover messages.
const FINISHING: u64 = 10;

/// Guided ejection for personalised messages under wormhole switching.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wormhole;

impl Engine for Wormhole {
    fn describe(&self) -> Traits {
        Traits {
            name: "ejection",
            purpose: "guided ejection with channel prices; personalised messages, wormhole",
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_personalised(problem)
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = super::layout(context, interrupt)?;
        let mut graphs = Graphs::new(context, &layout, 0, interrupt);
        let order = longest_first(price_distances(context, &layout, interrupt)?, rng);
        let mut draft = Draft::default();
        let left =
            greedy::insert_all(&layout, &mut graphs, &order, u32::MAX, interrupt, |placed| {
                draft.push(placed.message, placed.step, &placed.path);
                budget.spend(1);
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
        let interrupt = &budget.interrupt().clone();
        let Some(layout) = super::layout(context, interrupt) else { return Attempt::OutOfBudget };
        let Some(weights) = weights(context, &layout, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let plans = super::plans(&layout, steps, budget, rng);
        let mut best: Option<Schedule> = None;
        for (at, &(settings, detour)) in plans.iter().enumerate() {
            let mut graphs = Graphs::new(context, &layout, detour, interrupt);
            let priced = (&weights[..], settings.price_share);
            let order = longest_first(&weights, rng);
            let filled =
                WormholeBoard::filled(&layout, &mut graphs, steps, &order, priced, interrupt, rng);
            let Some((board, pool)) = filled else { break };
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = super::iterations(budget, plans.len() - at, steps);
            let more = iterations / FINISHING;
            if search.run(iterations - more, u64::from(steps), budget, rng) {
                return Attempt::Found(search.board.draft().into_schedule(&layout));
            }
            let run = (more, u64::from(steps));
            let longer =
                with_more_steps(search, (&layout, priced), settings.cold(), run, budget, rng);
            if let Some(schedule) = longer
                && best.as_ref().is_none_or(|best| schedule.step_count() < best.step_count())
            {
                best = Some(schedule);
            }
            if budget.is_over() {
                break;
            }
        }
        best.map_or(Attempt::OutOfBudget, Attempt::Longer)
    }
}

/// Builds a longer schedule than requested from a search that left messages unplaced: searches with
/// one step more, then adds steps for the messages that are still unplaced. `None` if that takes
/// too long after the deadline.
fn with_more_steps<'a>(
    mut search: Ejection<WormholeBoard<'a, '_>>,
    (layout, priced): (&'a Layout<'a>, (&[f32], f32)),
    settings: Settings,
    (iterations, work): (u64, u64),
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let interrupt = &budget.interrupt().with_grace();
    let steps = work as u32;
    let pool = std::mem::take(&mut search.pool);
    let kept: Vec<Placed> = search
        .board
        .placed()
        .map(|(message, step, path)| Placed { message, step, path: path.to_vec() })
        .collect();
    let graphs = search.board.into_graphs();
    let (board, pool) =
        WormholeBoard::resumed(layout, graphs, steps + 1, (&kept, &pool), priced, interrupt, rng)?;
    let mut search = Ejection::new(board, pool, priced.0, settings);
    search.run(iterations, work, budget, rng);
    let mut draft = search.board.draft();
    let pool = std::mem::take(&mut search.pool);
    let graphs = search.board.into_graphs();
    let left = greedy::insert_all(layout, graphs, &pool, u32::MAX, interrupt, |placed| {
        draft.push(placed.message, steps + 1 + placed.step, &placed.path);
    });
    left.is_empty().then(|| draft.into_schedule(layout))
}
