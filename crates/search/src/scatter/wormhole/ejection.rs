//! Guided ejection with channel prices for personalised messages under wormhole switching. If the
//! context has an incomplete schedule, such as one damaged by faults, the search starts from it.

use super::super::guided_search::GuidedSearch;
use super::super::plans::{self, starting_settings, without};
use super::super::weights::{
    is_personalised, longest_first, price_distances, priced_layout, weights,
};
use super::board::{SearchPlan, WormholeBoard};
use super::draft::Draft;
use super::graph::Graphs;
use super::greedy::{self, Placed};
use super::start;
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Schedule, Switching};

/// One in this many iterations is reserved for placing leftover messages.
const FINISHING: u64 = 10;

/// Guided ejection for personalised messages under wormhole switching.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ejection;

impl Suitability for Ejection {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole && is_personalised(problem)
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        plans::first_quota(problem, plans::priced_steps(steps))
    }

    fn repair_quota(&self, problem: &Problem, steps: u32) -> u64 {
        self.first_quota(problem, steps) + start::polishing(problem, steps)
    }
}

impl Engine for Ejection {
    fn describe(&self) -> Traits {
        Traits {
            name: "ejection",
            purpose: "guided ejection with channel prices; personalised messages, wormhole",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = priced_layout(context, interrupt)?;
        let mut graphs = Graphs::new(context, &layout, 0, interrupt);
        let order = longest_first(&price_distances(context, &layout, interrupt)?, rng);
        let kept = start::kept(context.start(), &layout, u32::MAX);
        let order = without(order, kept.iter().map(|placed| placed.message));
        let mut draft = Draft::default();
        kept.iter().for_each(|placed| draft.push(placed.message, placed.step, &placed.path));
        let (all, limit) = ((&kept[..], &order[..]), u32::MAX);
        let left = greedy::insert_beside(&layout, &mut graphs, all, limit, interrupt, |placed| {
            draft.push(placed.message, placed.step, &placed.path);
            budget.spend(1);
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
        let interrupt = &budget.interrupt().clone();
        let Some(layout) = priced_layout(context, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let Some(weights) = weights(context, &layout, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let kept = start::kept(context.start(), &layout, steps);
        let (settings, detour) = plans::plan(&layout, steps, budget, rng);
        let settings = starting_settings(context, settings, rng);
        let mut graphs = Graphs::new(context, &layout, detour, interrupt);
        let open = without(longest_first(&weights, rng), kept.iter().map(|placed| placed.message));
        let (all, priced) = ((&kept[..], &open[..]), (&weights[..], settings.price_share));
        let filled =
            WormholeBoard::filled(&layout, &mut graphs, steps, all, priced, interrupt, rng);
        let Some((board, pool)) = filled else { return Attempt::OutOfBudget };
        let plan = SearchPlan { layout: &layout, weights: &weights, settings, steps };
        match context.start() {
            Some(_) => start::search(&plan, board, pool, &kept, budget, rng),
            None => search(&plan, board, pool, budget, rng),
        }
    }
}

/// Searches for a schedule of the given number of steps; a longer one if that fails.
fn search<'a>(
    plan: &SearchPlan<'a>,
    board: WormholeBoard<'a, '_>,
    pool: Vec<u32>,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Attempt {
    let mut search = GuidedSearch::new(board, pool, plan.weights, plan.settings);
    let work = plans::priced_steps(plan.steps);
    let iterations = plans::iterations(budget, work);
    let more = iterations / FINISHING;
    if search.run(iterations - more, u64::from(work), budget, rng) {
        return Attempt::Found(search.board.draft().into_schedule(plan.layout));
    }
    with_more_steps(plan, search, more, budget, rng).map_or(Attempt::OutOfBudget, Attempt::Longer)
}

/// Builds a longer schedule than requested from a search that left messages unplaced: searches with
/// one step more, then adds steps for the messages that are still unplaced. `None` if that takes
/// too long after the deadline.
fn with_more_steps<'a>(
    plan: &SearchPlan<'a>,
    mut search: GuidedSearch<WormholeBoard<'a, '_>>,
    iterations: u64,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let &SearchPlan { layout, weights, settings, steps, .. } = plan;
    let interrupt = &budget.interrupt().with_grace();
    let pool = std::mem::take(&mut search.pool);
    let kept: Vec<Placed> = search
        .board
        .placed()
        .map(|(message, step, path)| Placed { message, step, path: path.to_vec() })
        .collect();
    let graphs = search.board.into_graphs();
    let (all, priced) = ((&kept[..], &pool[..]), (weights, settings.price_share));
    let (board, pool) =
        WormholeBoard::filled(layout, graphs, steps + 1, all, priced, interrupt, rng)?;
    let mut search = GuidedSearch::new(board, pool, weights, settings.cold());
    search.run(iterations, u64::from(plans::priced_steps(steps)), budget, rng);
    let mut draft = search.board.draft();
    let pool = std::mem::take(&mut search.pool);
    let graphs = search.board.into_graphs();
    let left = greedy::insert_all(layout, graphs, &pool, u32::MAX, interrupt, |placed| {
        draft.push(placed.message, steps + 1 + placed.step, &placed.path);
    });
    left.is_empty().then(|| draft.into_schedule(layout))
}
