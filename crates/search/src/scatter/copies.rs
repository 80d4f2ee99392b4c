//! All-to-all on fat nodes: reduces the problem to one exchange between routers
//! (`RouterExchange`), which the engines for personalised messages solve like any other problem,
//! and expands their schedules to all processors.

use super::exchange::{RouterExchange, places};
use super::weights::is_personalised;
use super::{plans, rounds, store_and_forward, subtrees, wormhole};
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::facts::Known;
use crate::rng::Rng;
use pavane_model::{Problem, Schedule};
use std::sync::Arc;

/// The engines for the exchange, in order of preference: those that solve any problem of personalised
/// messages that they take, without a reduction.
static ENGINES: &[&dyn Engine] = &[
    &subtrees::Subtrees,
    &rounds::Rounds,
    &wormhole::Orbits,
    &wormhole::Ejection,
    &store_and_forward::RelayOrbits,
    &store_and_forward::RelayEjection,
    &store_and_forward::RelayMatching,
];

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// From this number of messages on, searching the whole problem cannot beat copies.
const LARGE: usize = 200_000;

/// One exchange, repeated for every pair of places on a router.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Suitability for Copies {
    fn takes(&self, problem: &Problem) -> bool {
        is_personalised(problem) && places(problem).is_some()
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        let is_sufficient = context.problem().messages().len() >= LARGE
            && exchange(context, interrupt).is_some_and(|exchange| exchange.lacks_channels);
        if is_sufficient { Fit::Sufficient } else { Fit::Useful }
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let copies = places(problem).map_or(1, |places| (places * places) as u32);
        // The exchange has `copies` times fewer messages and `copies` times fewer steps.
        plans::first_quota(problem, steps / copies) / u64::from(copies) + LEAST_QUOTA
    }
}

impl Engine for Copies {
    fn describe(&self) -> Traits {
        Traits {
            name: "copies",
            purpose: "one exchange between routers, repeated for all their processors; all-to-all with several processors per router",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let exchange = exchange(context, interrupt)?;
        let engines = engines_for(&exchange.context, interrupt);
        let found =
            engines.iter().find_map(|engine| engine.construct(&exchange.context, budget, rng))?;
        exchange.expand(context.problem(), &found)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let Some(exchange) = exchange(context, interrupt) else { return Attempt::OutOfBudget };
        let share = steps / exchange.copies();
        if share < exchange.bound {
            return Attempt::OutOfBudget;
        }
        let engines = engines_for(&exchange.context, interrupt);
        let chosen = (rng.unit() * engines.len() as f64) as usize;
        let Some(engine) = engines.iter().rev().nth(chosen) else { return Attempt::OutOfBudget };
        match engine.attempt(&exchange.context, share, budget, rng) {
            Attempt::Found(found) => match exchange.expand(context.problem(), &found) {
                // Messages within routers may need extra steps.
                Some(schedule) if schedule.step_count() > steps => Attempt::Longer(schedule),
                Some(schedule) => Attempt::Found(schedule),
                None => Attempt::OutOfBudget,
            },
            _ => Attempt::OutOfBudget,
        }
    }
}

/// The exchange that stands for the whole problem, if every router with processors has several.
#[derive(Debug, Default)]
struct SharedExchange(Known<Option<Arc<RouterExchange>>>);

/// The exchange of a problem; `None` if it has none, or on interrupt.
fn exchange(context: &Context, interrupt: &Interrupt) -> Option<Arc<RouterExchange>> {
    let find = || RouterExchange::new(context.problem(), interrupt).map(Arc::new);
    context.facts_of::<SharedExchange>().0.get_until(interrupt, find)?.clone()
}

/// The engines that have anything to offer for the exchange, in order of preference.
fn engines_for(exchange: &Context, interrupt: &Interrupt) -> Vec<&'static dyn Engine> {
    let is_useful = |engine: &&dyn Engine| {
        engine.takes(exchange.problem()) && engine.fit(exchange, interrupt) != Fit::Useless
    };
    ENGINES.iter().copied().filter(is_useful).collect()
}
