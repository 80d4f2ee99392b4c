//! All-to-all on fat nodes: reduces the problem to one exchange between routers
//! (`RouterExchange`), which the engines for personalised messages solve like any other problem,
//! and expands their schedules to all processors.

use super::exchange::{RouterExchange, places};
use super::is_personalised;
use crate::attempt::{Attempt, Context, Engine, Fit, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{Problem, Schedule};

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// From this number of messages on, searching the whole problem cannot beat copies.
const LARGE: usize = 200_000;

/// One exchange, repeated for every pair of places on a router.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Engine for Copies {
    fn describe(&self) -> Traits {
        Traits {
            name: "copies",
            purpose: "one exchange between routers, repeated for all their processors; all-to-all with several processors per router",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

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
        super::first_quota(problem, steps / copies) / u64::from(copies) + LEAST_QUOTA
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
        let engines = engines_for(&exchange.context, interrupt);
        if share < exchange.bound || engines.is_empty() {
            return Attempt::OutOfBudget;
        }
        let engine = engines[rng.below(engines.len())];
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

/// The exchange of a problem; `None` if it has none, or on interrupt.
fn exchange<'c>(context: &'c Context, interrupt: &Interrupt) -> Option<&'c RouterExchange> {
    let find = || RouterExchange::new(context.problem(), interrupt).map(Box::new);
    context.private().exchange.get_until(interrupt, find)?.as_deref()
}

/// The engines that have anything to offer for the exchange, in order of preference.
fn engines_for(exchange: &Context, interrupt: &Interrupt) -> Vec<&'static dyn Engine> {
    let is_useful = |engine: &&dyn Engine| {
        engine.takes(exchange.problem()) && engine.fit(exchange, interrupt) != Fit::Useless
    };
    super::ENGINES.iter().copied().filter(is_useful).collect()
}
