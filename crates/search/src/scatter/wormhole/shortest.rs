//! Personalised messages under wormhole switching and non-minimal routing: searches among shortest
//! paths only. Where hops are the bottleneck, a detour takes channels away from others, and the
//! searches are faster without detours.

use super::super::weights::is_personalised;
use super::ejection::Ejection;
use super::orbits::Orbits;
use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::exact::Exact;
use crate::facts::{Known, PRICE_EFFORT};
use crate::prices::prices;
use crate::rng::Rng;
use pavane_model::{Model, Problem, Routing, Switching};

/// Messages up to which it is used on symmetric networks.
const MOST_MESSAGES: usize = 20_000;

/// The other engines for personalised messages, restricted to shortest paths.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shortest;

/// The same problem under minimal routing, and the engines for it.
#[derive(Debug)]
struct Restricted {
    context: Context,
    is_symmetric: bool,
    /// Fewest steps that the congestion under minimal routing allows.
    least: u32,
}

#[derive(Debug, Default)]
struct SharedRestriction(Known<Option<Restricted>>);

impl Suitability for Shortest {
    fn takes(&self, problem: &Problem) -> bool {
        let model = problem.model();
        model.switching == Switching::Wormhole
            && model.routing != Routing::Minimal
            && is_personalised(problem)
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        // On large symmetric networks `orbits` needs the time, and tries shortest paths itself.
        let is_small = context.problem().messages().len() <= MOST_MESSAGES;
        Fit::useful_if(is_small || Orbits.fit(context, interrupt) == Fit::Useless)
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        Ejection.first_quota(problem, steps)
    }
}

impl Engine for Shortest {
    fn describe(&self) -> Traits {
        Traits {
            name: "shortest",
            purpose: "the engines for personalised messages on shortest paths only; wormhole, non-minimal routing",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let shared = context.facts_of::<SharedRestriction>();
        let find = || Restricted::new(context.problem(), interrupt);
        let Some(Some(restricted)) = shared.0.get_until(interrupt, find) else {
            return Attempt::OutOfBudget;
        };
        if steps < restricted.least {
            return Attempt::OutOfBudget;
        }
        let inner = &restricted.context;
        let mut engines: Vec<&dyn Engine> = vec![&Ejection];
        if restricted.is_symmetric {
            engines.push(&Orbits);
        }
        if steps <= Exact.proof_limits(inner.problem()).affordable {
            engines.push(&Exact);
        }
        match engines[rng.below(engines.len())].attempt(inner, steps, budget, rng) {
            // Detours may still make it possible.
            Attempt::Impossible(_) => Attempt::OutOfBudget,
            other => other,
        }
    }
}

impl Restricted {
    fn new(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
        let model = Model { routing: Routing::Minimal, ..problem.model() };
        let context = Context::new(problem.under(model).ok()?);
        let found = prices(context.problem(), PRICE_EFFORT, interrupt)?;
        context.set_prices(Some(&found.per_channel));
        // Rounding errors must not exclude a possible number of steps.
        let least = (found.lower * (1.0 - 1e-9)).ceil() as u32;
        let is_symmetric = Orbits.fit(&context, interrupt) != Fit::Useless;
        Some(Self { context, is_symmetric, least })
    }
}
