//! All-to-all on fat nodes: reduces the problem to an exchange between routers (`RouterExchange`),
//! which the engines for personalised messages solve like any other problem, and expands their
//! schedules to all processors.

use super::exchange::{RouterExchange, places};
use super::weights::is_personalised;
use super::{plans, rounds, store_and_forward, subtrees, wormhole};
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::bounds;
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

/// Most messages per pair of routers in an exchange.
const MOST_PER_PAIR: u32 = 4;

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// Probability that an attempt takes the smallest exchange that may fit.
const SMALLEST: f64 = 0.7;

/// From this number of messages on, searching the whole problem cannot beat copies.
const LARGE: usize = 200_000;

/// An exchange between routers, repeated until every pair of processors has a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Suitability for Copies {
    fn takes(&self, problem: &Problem) -> bool {
        is_personalised(problem) && places(problem).is_some()
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        let is_sufficient = context.problem().messages().len() >= LARGE
            && exchange(context, interrupt).is_some_and(|exchange| exchange.is_tight());
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
        let engines = engines_for(&exchange.single, interrupt);
        let found =
            engines.iter().find_map(|engine| engine.construct(&exchange.single, budget, rng))?;
        exchange.routers.expand(context.problem(), 1, &found)
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
        let fitting = exchange.fitting(steps);
        if fitting.is_empty() {
            return Attempt::OutOfBudget;
        }
        // The smallest exchange is the quickest to search; a larger one wastes less by rounding.
        let at = if rng.chance(SMALLEST) { 0 } else { rng.below(fitting.len()) };
        let (count, share) = fitting[at];
        let Some(reduced) = exchange.context(count, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let engines = engines_for(reduced, interrupt);
        let chosen = (rng.unit() * engines.len() as f64) as usize;
        let Some(engine) = engines.iter().rev().nth(chosen) else { return Attempt::OutOfBudget };
        let (Attempt::Found(found) | Attempt::Longer(found)) =
            engine.attempt(reduced, share, budget, rng)
        else {
            return Attempt::OutOfBudget;
        };
        match exchange.routers.expand(context.problem(), count, &found) {
            Some(schedule) if schedule.step_count() > steps => Attempt::Longer(schedule),
            Some(schedule) => Attempt::Found(schedule),
            None => Attempt::OutOfBudget,
        }
    }
}

/// The exchange that stands for the whole problem, with its bounds.
#[derive(Debug)]
struct ReducedProblem {
    routers: RouterExchange,
    /// The exchange with one message per pair of routers.
    single: Context,
    /// Larger exchanges, with their number of messages per pair.
    larger: Vec<(u32, Known<Context>)>,
    /// The best bound of the exchange with one message per pair.
    bound: u32,
    /// Whether channels, not ports, limit the exchange.
    lacks_channels: bool,
}

impl ReducedProblem {
    /// Reduces a problem; `None` if it has no exchange, or on interrupt.
    fn new(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
        let routers = RouterExchange::new(problem)?;
        let bounds = bounds::all_until(&routers.single, interrupt, &|_| {}).ok()?;
        let single = Context::new(routers.single.clone());
        single.set_prices(bounds.prices.as_deref());
        let about_channels = ["distance", "cut", "congestion"];
        let lacks_channels = about_channels.contains(&bounds.best.reason.as_str());
        let most = if routers.is_forwarding() { 1 } else { MOST_PER_PAIR };
        let larger = (2..=most).filter(|&count| routers.copies().is_multiple_of(count));
        let larger = larger.map(|count| (count, Known::default())).collect();
        Some(Self { routers, single, larger, bound: bounds.best.steps, lacks_channels })
    }

    /// Whether a shortest schedule of the exchange, repeated, wastes at most some rounding.
    fn is_tight(&self) -> bool {
        self.lacks_channels || !self.routers.is_forwarding()
    }

    /// The exchanges that may have a schedule which, repeated, takes at most `steps` steps: their
    /// number of messages per pair and the steps of one repetition.
    fn fitting(&self, steps: u32) -> Vec<(u32, u32)> {
        let copies = u64::from(self.routers.copies());
        let counts = std::iter::once(1).chain(self.larger.iter().map(|&(count, _)| count));
        let share = |count: u32| (u64::from(steps) * u64::from(count) / copies) as u32;
        // On average, a message of a pair needs more than `bound - 1` steps.
        let is_enough = |&(count, share): &(u32, u32)| share > (self.bound - 1) * count;
        counts.map(|count| (count, share(count))).filter(is_enough).collect()
    }

    /// The exchange with `count` messages per pair; `None` on interrupt.
    fn context(&self, count: u32, interrupt: &Interrupt) -> Option<&Context> {
        let Some((_, known)) = self.larger.iter().find(|larger| larger.0 == count) else {
            return Some(&self.single);
        };
        known.get(|| {
            let context = Context::new(self.routers.multiplied(count)?);
            context.set_prices(Some(self.single.prices(interrupt)?));
            Some(context)
        })
    }
}

/// The exchange, once it is known.
#[derive(Debug, Default)]
struct SharedExchange(Known<Option<Arc<ReducedProblem>>>);

/// The exchange of a problem; `None` if it has none, or on interrupt.
fn exchange(context: &Context, interrupt: &Interrupt) -> Option<Arc<ReducedProblem>> {
    let find = || ReducedProblem::new(context.problem(), interrupt).map(Arc::new);
    context.facts_of::<SharedExchange>().0.get_until(interrupt, find)?.clone()
}

/// The engines that have anything to offer for the exchange, in order of preference.
fn engines_for(exchange: &Context, interrupt: &Interrupt) -> Vec<&'static dyn Engine> {
    let is_useful = |engine: &&dyn Engine| {
        engine.takes(exchange.problem()) && engine.fit(exchange, interrupt) != Fit::Useless
    };
    ENGINES.iter().copied().filter(is_useful).collect()
}
