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
use crate::prices::load_at;
use crate::rng::Rng;
use pavane_model::{Model, Ports, Problem, Routing, Schedule, Switching};
use std::sync::Arc;

/// The engines for the exchange, in order of preference: those that solve any problem of personalised
/// messages that they take, without a reduction.
static ENGINES: &[&dyn Engine] = &[
    &subtrees::Subtrees,
    &rounds::Rounds,
    &wormhole::Orbits,
    &wormhole::Ejection,
    &store_and_forward::RelayMatching,
    &store_and_forward::RelayOrbits,
    &store_and_forward::RelayEjection,
];

/// The engines that quickly come close to the bound of an exchange on any network.
static QUICK_ENGINES: &[&dyn Engine] = &[&wormhole::Ejection, &store_and_forward::RelayMatching];

/// Steps to spare, relative to the load of the channels, with which a quick search usually succeeds,
/// and its average tries per message.
const SLACK: f64 = 0.007;
const QUICK_SWEEPS: u64 = 6;

/// The same for ports under wormhole switching, which leave less freedom than channels.
const PORT_SLACK: f64 = 0.04;

/// Evaluations of a sweep over all messages up to which an exchange is searched quickly: with one
/// message per pair, and with more.
const MOST_QUICK: [f64; 2] = [40e6, 15e6];

/// Number of messages of an exchange up to which engines that need symmetries construct schedules.
const FEW: usize = 20_000;

/// Tolerance for rounding errors in loads.
const ROUNDING: f64 = 1e-6;

/// Most messages per pair of routers in an exchange.
const MOST_PER_PAIR: u32 = 4;

/// Average tries per message in a first search; exchanges without slack need many.
const SWEEPS: u64 = 96;

/// Evaluation limit of a first search, unless two sweeps need more.
const MOST_AT_FIRST: u64 = 300_000_000;

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// Probability that an attempt takes the smallest exchange that may fit.
const SMALLEST: f64 = 0.7;

/// From this number of messages on, searching the whole problem cannot beat copies: under wormhole
/// switching, and under store-and-forward.
const LARGE: [usize; 2] = [50_000, 200_000];

/// Share of the steps that rounding may waste in the exchange for which an attempt is granted
/// evaluations.
const WASTE: f64 = 0.005;

/// Order from which a group of automorphisms makes searching whole orbits worthwhile, and the
/// probability of choosing among engines that include that search.
const SYMMETRIC: usize = 8;
const WHOLE_ORBITS: f64 = 0.3;

/// An exchange between routers, repeated until every pair of processors has a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Suitability for Copies {
    fn takes(&self, problem: &Problem) -> bool {
        is_personalised(problem) && places(problem).is_some()
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        let problem = context.problem();
        let is_forwarding = problem.model().switching == Switching::StoreAndForward;
        let is_large = problem.messages().len() >= LARGE[usize::from(is_forwarding)];
        if is_large { Fit::Sufficient } else { Fit::Useful }
    }

    fn cost(&self, _: &Problem, _: u32) -> u64 {
        2
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let copies = places(problem).map_or(1, |places| (places * places) as u32);
        let share = |count: u32| (u64::from(steps) * u64::from(count) / u64::from(copies)) as u32;
        let used = |count: u32| share(count) * (copies / count);
        let least = f64::from(steps) * (1.0 - WASTE);
        let mut counts = (1..=MOST_PER_PAIR).filter(|&count| copies.is_multiple_of(count));
        let count = counts.find(|&count| f64::from(used(count)) >= least).unwrap_or(1);
        let messages = problem.messages().len() as u64 / u64::from(copies) * u64::from(count);
        let sweep = messages * u64::from(share(count));
        (SWEEPS * sweep).min(MOST_AT_FIRST.max(2 * sweep)) + LEAST_QUOTA
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
        let (problem, model) = (context.problem(), context.problem().model());
        let (count, found) = if model.routing == Routing::Minimal {
            let exchange = exchange(context, interrupt)?;
            exchange.construct(exchange.load(context, interrupt)?, budget, rng)?
        } else {
            // Detours are for attempts: shortest paths alone are nearly as good, and found sooner.
            let shortest = problem.under(Model { routing: Routing::Minimal, ..model }).ok()?;
            let exchange = ReducedProblem::new(&shortest)?;
            let load = exchange.load(&Context::new(shortest), interrupt)?;
            exchange.construct(load, budget, rng)?
        };
        RouterExchange::new(problem)?.expand(problem, count, &found)
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
        let Some(load) = exchange.load(context, interrupt) else { return Attempt::OutOfBudget };
        let fitting = exchange.fitting(steps, load, interrupt);
        if fitting.is_empty() {
            return Attempt::OutOfBudget;
        }
        // The smallest exchange is the quickest to search; a larger one wastes less by rounding.
        let at = if rng.chance(SMALLEST) { 0 } else { rng.below(fitting.len()) };
        let (count, share) = fitting[at];
        let Some((reduced, _)) = exchange.context(count, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let mut engines = engines_for(reduced, interrupt);
        let is_symmetric =
            reduced.free_group(interrupt).is_some_and(|group| group.order() >= SYMMETRIC);
        if engines.len() > 1 && !(is_symmetric && rng.chance(WHOLE_ORBITS)) {
            engines.retain(|engine| engine.name() != wormhole::Orbits.name());
        }
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

/// The exchanges that stand for the whole problem.
#[derive(Debug)]
struct ReducedProblem {
    routers: RouterExchange,
    /// By number of messages per pair of routers: the exchange, and its best simple bound.
    exchanges: Vec<(u32, Known<(Context, u32)>)>,
    /// The steps that the channels need for one message per pair, not rounded, and the prices of the
    /// channels that show it.
    load: Known<(f64, Vec<f64>)>,
}

impl ReducedProblem {
    /// Reduces a problem; `None` if it has no exchange.
    fn new(problem: &Problem) -> Option<Self> {
        let routers = RouterExchange::new(problem)?;
        let counts = (1..=MOST_PER_PAIR).filter(|&count| routers.copies().is_multiple_of(count));
        let exchanges = counts.map(|count| (count, Known::default())).collect();
        Some(Self { routers, exchanges, load: Known::default() })
    }

    /// The exchange with `count` messages per pair, and its best simple bound; `None` on interrupt,
    /// or before the load is known.
    fn context(&self, count: u32, interrupt: &Interrupt) -> Option<&(Context, u32)> {
        let (_, known) = self.exchanges.iter().find(|exchange| exchange.0 == count)?;
        known.get(|| {
            let problem = self.routers.multiplied(count)?;
            let bound = bounds::simple(&problem, interrupt).ok()?.best.steps;
            let context = Context::new(problem);
            let (_, prices) = self.load.get(|| None)?;
            context.set_prices(Some(prices));
            (!interrupt.is_raised()).then_some((context, bound))
        })
    }

    /// The steps that the channels need for one message per pair, at the prices of the whole
    /// problem. The exchanges get the same prices, because their channels are the same, and all
    /// demands are divided by the same number. `None` on interrupt.
    fn load(&self, whole: &Context, interrupt: &Interrupt) -> Option<f64> {
        let find = || {
            let prices = whole.prices(interrupt)?;
            Some((load_at(&self.routers.single, prices, interrupt)?, prices.to_vec()))
        };
        self.load.get(find).map(|(load, _)| *load)
    }

    /// A short schedule of an exchange, with its number of messages per pair: the result of a quick
    /// search with hardly more steps than the bound, or a constructed one; `None` on interrupt.
    fn construct(&self, load: f64, budget: &mut Budget, rng: &mut Rng) -> Option<(u32, Schedule)> {
        let interrupt = &budget.interrupt().clone();
        let messages = self.routers.single.messages().len() as f64;
        let is_quick = |&count: &u32| {
            let sweep = f64::from(count).powi(2) * load * messages;
            sweep <= MOST_QUICK[usize::from(count > 1)]
        };
        let counts = self.exchanges.iter().map(|&(count, _)| count).filter(is_quick);
        let goals: Option<Vec<QuickGoal>> =
            counts.map(|count| self.goal(count, load, interrupt)).collect();
        let whole = |goal: &QuickGoal| goal.steps * (self.routers.copies() / goal.count);
        let goal = goals?.into_iter().min_by_key(|goal| (whole(goal), goal.count));
        let found = goal.and_then(|goal| self.search_quickly(goal, budget, rng));
        let (single, _) = self.context(1, interrupt)?;
        let is_small = single.problem().messages().len() <= FEW;
        let is_enough = |steps: u32| goal.is_some_and(|goal| steps <= goal.least) || !is_small;
        if found.as_ref().is_some_and(|found| is_enough(self.whole_steps(found))) {
            return found;
        }
        let engines = engines_for(single, interrupt);
        let built = engines.iter().find_map(|engine| engine.construct(single, budget, rng));
        let both = found.into_iter().chain(built.map(|built| (1, built)));
        both.min_by_key(|found| self.whole_steps(found))
    }

    /// Steps of all repetitions of a schedule with so many messages per pair.
    fn whole_steps(&self, (count, found): &(u32, Schedule)) -> u32 {
        found.step_count() * (self.routers.copies() / count)
    }

    /// A schedule near the aim; `None` if no engine takes the exchange, or on interrupt.
    fn search_quickly(
        &self,
        goal: QuickGoal,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<(u32, Schedule)> {
        let (context, _) = self.context(goal.count, budget.interrupt())?;
        let engine = QUICK_ENGINES.iter().find(|engine| engine.takes(context.problem()))?;
        let quota = engine.first_quota(context.problem(), goal.steps);
        let mut part = budget.part(quota.min(QUICK_SWEEPS * goal.sweep));
        let attempt = engine.attempt(context, goal.steps, &mut part, rng);
        budget.spend(part.spent());
        match attempt {
            Attempt::Found(found) | Attempt::Longer(found) => Some((goal.count, found)),
            _ => None,
        }
    }

    /// What a quick search aims at in an exchange; `None` on interrupt.
    fn goal(&self, count: u32, load: f64, interrupt: &Interrupt) -> Option<QuickGoal> {
        let (context, bound) = self.context(count, interrupt)?;
        let load = load * f64::from(count);
        let model = context.problem().model();
        let of_ports = match (model.ports, model.switching) {
            (Ports::All, _) => *bound,
            (_, Switching::Wormhole) => (f64::from(*bound) * (1.0 + PORT_SLACK)).ceil() as u32,
            (_, Switching::StoreAndForward) => bound + 1,
        };
        let steps = of_ports.max((load * (1.0 + SLACK)).ceil() as u32);
        let least = (*bound).max((load - ROUNDING).ceil() as u32);
        let least = least * (self.routers.copies() / count);
        Some(QuickGoal { count, steps, least, sweep: plans::sweep(context.problem(), steps) })
    }

    /// The exchanges that may have a schedule which, repeated, takes at most `steps` steps: their
    /// number of messages per pair and the steps of one repetition. Empty on interrupt.
    fn fitting(&self, steps: u32, load: f64, interrupt: &Interrupt) -> Vec<(u32, u32)> {
        let copies = u64::from(self.routers.copies());
        let counts = self.exchanges.iter().map(|&(count, _)| count);
        let share = |count: u32| (u64::from(steps) * u64::from(count) / copies) as u32;
        let is_enough = |&(count, share): &(u32, u32)| {
            self.context(count, interrupt).is_some_and(|&(_, bound)| share >= bound)
                && f64::from(share) >= load * f64::from(count) - ROUNDING
        };
        counts.map(|count| (count, share(count))).filter(is_enough).collect()
    }
}

/// The aim of a quick search.
#[derive(Debug, Clone, Copy)]
struct QuickGoal {
    /// Messages per pair of routers.
    count: u32,
    steps: u32,
    /// Fewest steps that all repetitions together can take.
    least: u32,
    /// Evaluations of a sweep over all messages.
    sweep: u64,
}

/// The exchange, once it is known.
#[derive(Debug, Default)]
struct SharedExchange(Known<Option<Arc<ReducedProblem>>>);

/// The exchange of a problem; `None` if it has none, or on interrupt.
fn exchange(context: &Context, interrupt: &Interrupt) -> Option<Arc<ReducedProblem>> {
    let find = || ReducedProblem::new(context.problem()).map(Arc::new);
    context.facts_of::<SharedExchange>().0.get_until(interrupt, find)?.clone()
}

/// The engines that have anything to offer for the exchange, in order of preference.
fn engines_for(exchange: &Context, interrupt: &Interrupt) -> Vec<&'static dyn Engine> {
    let is_useful = |engine: &&dyn Engine| {
        engine.takes(exchange.problem()) && engine.fit(exchange, interrupt) != Fit::Useless
    };
    ENGINES.iter().copied().filter(is_useful).collect()
}
