//! Personalised messages under store-and-forward: every message follows one path, one channel per
//! step, and may wait at every processor on the way. Guided ejection, as under wormhole switching,
//! but the place of a message is a path and a step for each of its channels.

mod board;
mod graph;
mod greedy;
mod grid;
mod legs;
mod matching;
mod orbits;
mod resume;

pub use matching::Matching;
pub use orbits::Orbits;
pub use resume::Resume;

use super::ejection::Ejection;
use super::{is_personalised, longest_first, price_distances, weights};
use crate::attempt::{Attempt, Context, Engine, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use board::RelayBoard;
use greedy::insert_all;
use legs::to_schedule;
use pavane_model::{Problem, Schedule, Switching};

/// Guided ejection for personalised messages under store-and-forward.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoreAndForward;

impl Engine for StoreAndForward {
    fn describe(&self) -> Traits {
        Traits {
            name: "relay-ejection",
            purpose: "guided ejection with channel prices; personalised messages, store-and-forward",
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::StoreAndForward && is_personalised(problem)
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = super::layout(context, interrupt)?;
        let order = longest_first(price_distances(context, &layout, interrupt)?, rng);
        let mut all_legs = Vec::new();
        let left = insert_all(&layout, &order, u32::MAX, interrupt, |message, legs| {
            all_legs.extend(legs.iter().map(|&leg| (message, leg)));
            budget.spend(1);
        });
        left.is_empty().then(|| to_schedule(all_legs))
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
        for (at, &(settings, detour)) in plans.iter().enumerate() {
            let order = longest_first(&weights, rng);
            let priced = (&weights[..], settings.price_share);
            let filled =
                RelayBoard::filled(&layout, detour, steps, (&[], &order), priced, interrupt, rng);
            let Some((board, pool)) = filled else { break };
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = super::iterations(budget, plans.len() - at, steps);
            if search.run(iterations, u64::from(steps), budget, rng) {
                return Attempt::Found(to_schedule(search.board.all_legs()));
            }
            if budget.is_over() {
                break;
            }
        }
        Attempt::OutOfBudget
    }
}
