//! Store-and-forward broadcast with few ports. Every processor has an order of its neighbours: in
//! each step it sends the message to the first ones that do not have it yet. These orders determine
//! the whole broadcast but its last step, which is a matching. Simulated annealing swaps two
//! neighbours in an order, and repeats only the steps after the swap.

mod calls;
mod graph;
mod last_step;

use super::one_message::{OneMessage, Send, is_one_message};
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use calls::Calls;
use graph::CallGraph;
use last_step::LastStep;
use pavane_model::{Problem, ProcessorId, Schedule, Switching};

/// Simulated annealing of the orders in which processors call their neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallOrders;

/// Temperature at the start and at the end of an attempt, in processors that stay without the
/// message.
const HOT: f64 = 0.5;
const COLD: f64 = 0.1;

/// Moves between two changes of the temperature.
const PACE: u64 = 64;

/// Evaluations of a first attempt: per squared number of processors, and at least.
const FIRST: u64 = 40;
const LEAST_QUOTA: u64 = 1_000_000;

impl Suitability for CallOrders {
    fn takes(&self, problem: &Problem) -> bool {
        is_one_message(problem) && problem.model().switching == Switching::StoreAndForward && {
            let task = OneMessage::new(problem);
            let network = task.network;
            let holders = || task.candidates.iter().copied().chain([task.origin]);
            // With all ports, a flood is as short as the longest shortest path.
            let is_limited = |p: ProcessorId| {
                (task.ports[p.index()] as usize) < network.out_channels(task.home(p)).len()
            };
            task.destinations.len() == task.candidates.len()
                && holders().all(|p| network.residents(task.home(p)).len() == 1)
                && holders().any(is_limited)
        }
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        let processors = problem.network().processor_count() as u64;
        (FIRST * processors * processors).max(LEAST_QUOTA)
    }
}

impl Engine for CallOrders {
    fn describe(&self) -> Traits {
        Traits {
            name: "call-orders",
            purpose: "one message for all processors, store-and-forward with few ports",
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
        if steps == 0 || budget.is_stopped() {
            return Attempt::OutOfBudget;
        }
        let task = OneMessage::new(context.problem());
        let graph = CallGraph::new(&task);
        let mut calls = Calls::new(&graph, steps - 1, rng);
        let mut last = LastStep::new(&graph);
        if anneal(&mut calls, &mut last, budget, rng) {
            Attempt::Found(schedule(&task, &calls, &last))
        } else {
            Attempt::OutOfBudget
        }
    }
}

/// Changes the calls until all processors receive the message; false if the budget ends first.
fn anneal(
    calls: &mut Calls<'_>,
    last: &mut LastStep<'_>,
    budget: &mut Budget,
    rng: &mut Rng,
) -> bool {
    let quota = budget.left() as f64;
    let mut temperature = HOT;
    let Some(mut missing) = last.missing(calls, usize::MAX) else { return false };
    last.keep();
    for moves in 1_u64.. {
        if missing == 0 {
            return true;
        }
        if moves % PACE == 0 {
            let share = 1.0 - budget.left() as f64 / quota;
            temperature = HOT * (COLD / HOT).powf(share);
        }
        let work = calls.change(rng);
        if !budget.spend(work.max(1)) {
            return false;
        }
        if work == 0 {
            continue;
        }
        let tolerated = -temperature * (1.0 - rng.unit()).ln();
        match last.missing(calls, missing + tolerated as usize) {
            Some(now) => {
                last.keep();
                missing = now;
            }
            None => calls.undo(),
        }
    }
    false
}

fn schedule(task: &OneMessage<'_>, calls: &Calls<'_>, last: &LastStep<'_>) -> Schedule {
    let network = task.network;
    let send = |(from, to): (u32, u32)| {
        let (from, to) = (ProcessorId(from), ProcessorId(to));
        let is_between = |channel: &&_| network.channel(**channel).tail == task.home(from);
        let channel = network.in_channels(task.home(to)).iter().find(is_between);
        Send { from, to, path: channel.copied().into_iter().collect() }
    };
    let mut steps: Vec<Vec<Send>> =
        calls.by_step().map(|calls| calls.map(send).collect()).collect();
    steps.push(last.calls().map(send).collect());
    task.schedule(steps)
}

#[cfg(test)]
mod tests;
