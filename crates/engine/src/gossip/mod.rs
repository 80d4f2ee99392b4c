//! Many-to-many broadcast (such as all-gather) and mixed lists: several messages, some with several
//! destinations. Messages spread step by step; blocked transfers are rearranged.

mod bits;
mod board;
mod choice;
mod demand;
mod hamilton;
mod log;
mod matching;
mod possession;
mod private;
mod rotation;
mod run;
mod search;
mod stepper;
mod tour;
mod trees;

use crate::attempt::{Attempt, Context, Engine, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use matching::Spread;
use pavane_model::{Duplex, MessageId, Model, Ports, Problem, ProcessorId, Schedule, Switching};
use run::Run;
use stepper::Stepper;

/// Number of deliveries from which symmetry is tried before everything else.
const MANY: usize = 1 << 17;

/// The engine for several messages, some of which have several destinations.
#[derive(Debug, Clone, Copy)]
pub struct Gossip;

impl Engine for Gossip {
    fn describe(&self) -> Traits {
        Traits {
            name: "gossip",
            purpose: "matching step by step; several messages, some with several destinations",
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        let messages = problem.messages();
        messages.len() > 1 && messages.ids().any(|message| !messages.is_personalised(message))
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        construct(context, budget, rng)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let problem = context.problem();
        let found = rotation::find(problem, steps, budget, rng)
            .or_else(|| find(context, steps, budget, rng));
        found.map_or(Attempt::OutOfBudget, Attempt::Found)
    }
}

/// Builds a schedule without a limit on steps, for any list of messages under any rules.
pub fn greedy(context: &Context, rng: &mut Rng) -> Schedule {
    let problem = context.problem();
    let mut stepper = Stepper::new(problem);
    let mut no_limit = Budget::evaluations(u64::MAX);
    stepper.begin(0, rng);
    stepper.advance(u32::MAX, &mut no_limit, rng);
    stepper.log().schedule(problem)
}

/// Messages with the processors that must receive them: the destinations and, under
/// store-and-forward, processors on the way. Empty if every message is for all processors.
pub(crate) fn relays(problem: &Problem, rng: &mut Rng) -> Vec<(MessageId, ProcessorId)> {
    if !demand::has_bystanders(problem) {
        return Vec::new();
    }
    let demanded = demand::demanded(problem, 0, rng);
    let living = problem.network().living_processors();
    let rows = living.flat_map(|p| bits::ones(demanded.row(p.index())).map(move |m| (m, p)));
    rows.map(|(message, p)| (MessageId(message as u32), p)).collect()
}

fn construct(context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let problem = context.problem();
    if problem.model().ports == Ports::Limited(1)
        && let Some(schedule) = rotation::find(problem, u32::MAX, budget, rng)
    {
        return Some(schedule);
    }
    if problem.messages().delivery_count() >= MANY
        && let Some(schedule) = trees::find(context, budget, rng)
    {
        return Some(schedule);
    }
    let hopping = hopping(problem);
    let run: &mut dyn Run = match &hopping {
        Some(hopping) if can_spread(hopping) => &mut Spread::new(hopping),
        _ => &mut Stepper::new(problem),
    };
    let first = build(problem, run, budget, rng)?;
    let hopping = hopping.filter(|hopping| is_hopping_worthwhile(problem, hopping));
    let second = hopping.and_then(|h| build(problem, &mut Stepper::new(&h), budget, rng));
    let shorter = second.filter(|second| second.step_count() < first.step_count());
    Some(shorter.unwrap_or(first))
}

fn build(
    problem: &Problem,
    run: &mut dyn Run,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    run.begin(0, rng);
    let is_complete = run.advance(u32::MAX, budget, rng) == 0;
    is_complete.then(|| run.log().schedule(problem))
}

/// Whether store-and-forward steps may beat longer paths under wormhole switching, in a case where
/// `Spread` does not apply.
fn is_hopping_worthwhile(problem: &Problem, hopping: &Problem) -> bool {
    let messages = problem.messages();
    problem.model().switching == Switching::Wormhole
        && messages.delivery_count() < MANY
        && !can_spread(hopping)
        && messages.ids().all(|message| !messages.is_personalised(message))
}

/// Restarts until a schedule fits, alternating between store-and-forward and, under wormhole
/// switching, longer paths.
fn find(context: &Context, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let problem = context.problem();
    let hopping = hopping(problem);
    let mut runs: Vec<Box<dyn Run + '_>> = Vec::new();
    if let Some(hopping) = hopping.as_ref().filter(|hopping| can_spread(hopping)) {
        runs.push(Box::new(Spread::new(hopping)));
    }
    if runs.is_empty() || problem.model().switching == Switching::Wormhole {
        runs.push(Box::new(Stepper::new(problem)));
    }
    if let Some(hopping) = hopping.as_ref().filter(|h| is_hopping_worthwhile(problem, h)) {
        runs.push(Box::new(Stepper::new(hopping)));
    }
    let half = budget.left() / 2;
    let mut is_symmetry_untried = true;
    for number in 0.. {
        if is_symmetry_untried && budget.left() <= half {
            is_symmetry_untried = false;
            let schedule = trees::find(context, budget, rng);
            if let Some(schedule) = schedule.filter(|schedule| schedule.step_count() <= steps) {
                return Some(schedule);
            }
        }
        for run in &mut runs {
            if run::find(run.as_mut(), steps, number..number + 1, budget, rng) {
                return Some(run.log().schedule(problem));
            }
            if budget.is_over() {
                return None;
            }
        }
    }
    None
}

/// Whether a store-and-forward step splits by receiver: only channels are limited, and every
/// channel leads to one processor. Personalised messages are excluded, because they must not be
/// passed on freely.
fn can_spread(problem: &Problem) -> bool {
    let network = problem.network();
    let model = problem.model();
    model.ports == Ports::All
        && model.duplex == Duplex::Full
        && network.routers().all(|r| network.is_lost(r) || network.residents(r).len() == 1)
        && problem.messages().ids().all(|m| !problem.messages().is_personalised(m))
}

/// The problem under store-and-forward, if that is defined. Its schedules are also valid under
/// wormhole switching if no message is personalised.
fn hopping(problem: &Problem) -> Option<Problem> {
    problem.under(Model { switching: Switching::StoreAndForward, ..problem.model() }).ok()
}

#[cfg(test)]
mod tests;
