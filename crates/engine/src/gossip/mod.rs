//! Many-to-many broadcast and mixed lists: several messages, of which some have several
//! destinations. Everything spreads step by step; tight cases are repaired.

mod bits;
mod board;
mod demand;
mod log;
mod matching;
mod private;
mod search;
mod stepper;

use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use matching::Spread;
use pavane_model::{Duplex, Model, Ports, Problem, Schedule, Switching};
use stepper::{Habits, Stepper};

/// The engine for several messages of which some have several destinations.
#[derive(Debug, Clone, Copy)]
pub struct Gossip;

impl Engine for Gossip {
    fn name(&self) -> &'static str {
        "gossip"
    }

    fn takes(&self, problem: &Problem) -> bool {
        let messages = problem.messages();
        messages.len() > 1 && messages.ids().any(|message| !messages.is_private(message))
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        if can_spread(problem) {
            let hopping = hopping(problem)?;
            let mut spread = Spread::new(&hopping);
            let is_complete = spread.run(u32::MAX, 0, budget, rng) == 0;
            return is_complete.then(|| spread.log().schedule(problem));
        }
        let mut stepper = Stepper::new(problem);
        let is_complete = stepper.run(u32::MAX, Habits::first(problem), budget, rng);
        is_complete.then(|| stepper.log().schedule(problem))
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let problem = context.problem();
        let found = match hopping(problem).filter(can_spread) {
            Some(hopping) => spread(&hopping, steps, budget, rng),
            None => step(problem, steps, budget, rng),
        };
        found.map_or(Attempt::OutOfBudget, Attempt::Found)
    }
}

/// A schedule of as many steps as it takes, for any list of messages under any rules.
pub fn greedy(context: &Context, rng: &mut Rng) -> Schedule {
    let problem = context.problem();
    let mut stepper = Stepper::new(problem);
    let mut no_limit = Budget::evaluations(u64::MAX);
    stepper.run(u32::MAX, Habits::first(problem), &mut no_limit, rng);
    stepper.log().schedule(problem)
}

fn spread(problem: &Problem, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let mut spread = Spread::new(problem);
    for run in 0.. {
        if spread.run(steps, run, budget, rng) == 0 {
            return Some(spread.log().schedule(problem));
        }
        if budget.is_over() {
            break;
        }
    }
    None
}

fn step(problem: &Problem, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let mut stepper = Stepper::new(problem);
    let mut habits = Habits::first(problem);
    while !budget.is_over() {
        if stepper.run(steps, habits, budget, rng) {
            return Some(stepper.log().schedule(problem));
        }
        habits = Habits::random(problem, rng);
    }
    None
}

/// Whether a store-and-forward step splits by receiver: nothing but channels is limited, and
/// every channel leads to one processor. Messages for one destination must not be passed on.
fn can_spread(problem: &Problem) -> bool {
    let network = problem.network();
    let model = problem.model();
    model.ports == Ports::All
        && model.duplex == Duplex::Full
        && network.routers().all(|r| network.is_lost(r) || network.residents(r).len() == 1)
        && problem.messages().ids().all(|m| !problem.messages().is_private(m))
}

/// The problem under store-and-forward, whose schedules are valid under wormhole too if no
/// message is private; `None` where that is not defined.
fn hopping(problem: &Problem) -> Option<Problem> {
    problem.under(Model { switching: Switching::StoreAndForward, ..problem.model() }).ok()
}

#[cfg(test)]
mod tests;
