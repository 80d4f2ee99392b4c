//! Guided ejection with channel prices for personalised messages under store-and-forward. If the
//! context has an incomplete schedule, such as one damaged by faults, the search starts from it.

use super::super::guided_search::GuidedSearch;
use super::super::plans::{self, starting_settings, without};
use super::super::weights::{
    is_personalised, longest_first, price_distances, priced_layout, weights,
};
use super::board::RelayBoard;
use super::greedy::insert_beside;
use super::legs::{Leg, to_schedule};
use super::start;
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, Schedule, Switching};

/// Guided ejection for personalised messages under store-and-forward.
#[derive(Debug, Clone, Copy, Default)]
pub struct RelayEjection;

impl Suitability for RelayEjection {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::StoreAndForward && is_personalised(problem)
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        2
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        plans::first_quota(problem, steps)
    }
}

impl Engine for RelayEjection {
    fn describe(&self) -> Traits {
        Traits {
            name: "relay-ejection",
            purpose: "guided ejection with channel prices; personalised messages, store-and-forward",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = priced_layout(context, interrupt)?;
        let order = longest_first(&price_distances(context, &layout, interrupt)?, rng);
        let kept = start::kept(context.start(), &layout, u32::MAX);
        let order = without(order, kept.iter().map(|(message, _)| *message));
        let mut all_legs: Vec<(u32, Leg)> = kept
            .iter()
            .flat_map(|(message, legs)| legs.iter().map(|&leg| (*message, leg)))
            .collect();
        let all = (&kept[..], &order[..]);
        let left = insert_beside(&layout, all, u32::MAX, interrupt, |message, legs| {
            all_legs.extend(legs.iter().map(|&leg| (message, leg)));
            budget.spend(1);
        });
        left.is_empty().then(|| to_schedule(all_legs))
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
        let order = longest_first(&weights, rng);
        let open = without(order, kept.iter().map(|(message, _)| *message));
        let (all, priced) = ((&kept[..], &open[..]), (&weights[..], settings.price_share));
        let filled = RelayBoard::filled(&layout, detour, steps, all, priced, interrupt, rng);
        let Some((board, pool)) = filled else { return Attempt::OutOfBudget };
        let mut search = GuidedSearch::new(board, pool, &weights, settings);
        if search.run(plans::iterations(budget, steps), u64::from(steps), budget, rng) {
            return Attempt::Found(to_schedule(search.board.all_legs()));
        }
        Attempt::OutOfBudget
    }
}
