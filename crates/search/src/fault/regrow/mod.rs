//! Continues from an incomplete schedule in which messages are passed on. Receptions lost to faults
//! return from any processor that has the message in time, and those that depend on them stay.

mod board;
mod table;
mod ways;

use crate::attempt::{Attempt, Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::gossip;
use crate::rng::Rng;
use crate::scatter::guided_search::{GuidedSearch, Settings};
use board::Receptions;
use pavane_model::{MessageId, Problem, ProcessorId, Schedule, Switching};
use table::NONE;

/// Maximum number of pairs of a message and a processor.
const MOST: usize = 1 << 26;

/// Weights grow slowly, and little deterioration is accepted.
const GENTLE: Settings = Settings {
    price_share: 0.0,
    increment: 0.1,
    decay: 0.3,
    tenure: 0.1,
    hot: 0.3,
    cold: 0.1,
    blur: 0.5,
};

/// Weight of a reception that is placed; one that is not weighs 1.
const STAYING: f32 = 1.3;

/// Broadcasts and mixed lists, continued from an incomplete schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Regrow;

impl Suitability for Regrow {
    fn takes(&self, problem: &Problem) -> bool {
        let messages = problem.messages();
        let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
        let has_personalised = messages.ids().any(|message| messages.is_personalised(message));
        let has_shared = messages.ids().any(|message| !messages.is_personalised(message));
        let size = messages.len().saturating_mul(problem.network().processor_count());
        has_shared && !(is_store_and_forward && has_personalised) && size <= MOST
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        Fit::useful_if(context.start().is_some())
    }
}

impl Engine for Regrow {
    fn describe(&self) -> Traits {
        Traits {
            name: "regrow",
            purpose: "guided ejection from an incomplete schedule; messages with several destinations",
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let start = context.start()?;
        let mut board = wanted(context.problem(), start, rng);
        board.grow(start.step_count());
        let open = fill(&mut board, start);
        insert(&mut board, open, budget)?;
        Some(board.schedule())
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let Some(start) = context.start() else { return Attempt::OutOfBudget };
        let mut board = wanted(context.problem(), start, rng);
        board.grow(steps);
        let pool = fill(&mut board, start);
        let mut weights = vec![STAYING; board.all.len()];
        pool.iter().for_each(|&number| weights[number as usize] = 1.0);
        let work = u64::from(steps);
        let iterations = budget.left() / work.max(1) + 1;
        let mut search = GuidedSearch::new(board, pool, &weights, GENTLE);
        if search.run(iterations, work, budget, rng) {
            Attempt::Found(search.board.schedule())
        } else {
            Attempt::OutOfBudget
        }
    }
}

/// A board of all deliveries, of the processors that passed messages on, and, under
/// store-and-forward, of the intermediate processors without which others cannot be reached.
fn wanted<'a>(problem: &'a Problem, start: &Schedule, rng: &mut Rng) -> Receptions<'a> {
    let messages = problem.messages();
    let destinations = messages
        .ids()
        .flat_map(|message| messages.destinations(message).iter().map(move |&to| (message, to)));
    let steps = 0..start.step_count();
    // A processor that passes a message on may have lost its own reception.
    let takers = steps
        .flat_map(|step| start.step(step).flat_map(|t| [(t.message, t.to), (t.message, t.from)]));
    let relays: Vec<(MessageId, ProcessorId)> =
        if problem.model().switching == Switching::StoreAndForward {
            gossip::relays(problem, rng)
        } else {
            Vec::new()
        };
    Receptions::new(problem, destinations.chain(takers).chain(relays))
}

/// Places the receptions of the start schedule as far as they fit into the steps of the board.
/// Returns those that are still open.
fn fill(board: &mut Receptions<'_>, start: &Schedule) -> Vec<u32> {
    for step in 0..start.step_count().min(board.steps()) {
        for transfer in start.step(step) {
            let (from, to) = (transfer.from.0, transfer.to.0);
            // If faults left too few ports, some receptions lose their place.
            if let Some(number) = board.find(transfer.message.0, to)
                && board.is_free(step, from, to, transfer.path)
                && board.arrival(transfer.message.0, to) == NONE
            {
                board.place(number, step, from, transfer.path);
            }
        }
    }
    let is_open =
        |&number: &u32| board.all[number as usize].step == NONE && board.is_wanted(number);
    (0..board.all.len() as u32).filter(is_open).collect()
}

/// Places open receptions where channels and ports are free. Those that depend on one and would
/// then be too early become open too. Adds steps as needed. Returns `None` if the budget runs out
/// or no open reception can be placed.
fn insert(board: &mut Receptions<'_>, open: Vec<u32>, budget: &mut Budget) -> Option<()> {
    let mut is_firm = vec![false; board.all.len()];
    let mut open = open;
    for message in 0..board.problem.messages().len() as u32 {
        firm_up(board, message, &mut is_firm);
    }
    while !open.is_empty() {
        let mut left = Vec::new();
        let mut is_idle = true;
        // Receptions whose receiver has to send on first come first.
        open.sort_by_key(|&number| board.deadline(number));
        for number in open {
            if !budget.spend(u64::from(board.steps())) {
                return None;
            }
            if insert_one(board, number, &mut is_firm, &mut left) {
                is_idle = false
            } else {
                left.push(number)
            }
        }
        if is_idle {
            return None;
        }
        open = left;
    }
    Some(())
}

/// Places one reception and returns whether it succeeded. Those that its receiver sent too early
/// are removed and added to `left`.
fn insert_one(
    board: &mut Receptions<'_>,
    number: u32,
    is_firm: &mut [bool],
    left: &mut Vec<u32>,
) -> bool {
    let message = board.all[number as usize].message;
    let origin = board.problem.messages().origin(MessageId(message)).0;
    let may_send = |board: &Receptions<'_>, from: u32| {
        let is_holder = |found: u32| is_firm[found as usize];
        from == origin || board.find(message, from).is_some_and(is_holder)
    };
    let steps = board.steps();
    let mut found = board.first_free(number, 0..steps, may_send);
    if found.is_none() {
        board.grow(steps + 1);
        found = board.first_free(number, steps..steps + 1, may_send);
    }
    let Some((step, from, path)) = found else { return false };
    let early: Vec<u32> = board.early_children(number, step);
    for child in early {
        board.remove(child);
        left.push(child);
    }
    board.place(number, step, from, &path);
    firm_up(board, message, is_firm);
    true
}

/// Marks the receptions of a message with an unbroken chain from the origin.
fn firm_up(board: &Receptions<'_>, message: u32, is_firm: &mut [bool]) {
    let mut order: Vec<u32> = board.of_message(message).to_vec();
    order.sort_by_key(|&number| board.all[number as usize].step);
    let origin = board.problem.messages().origin(MessageId(message)).0;
    for number in order {
        let reception = &board.all[number as usize];
        is_firm[number as usize] = match reception.step {
            NONE => false,
            _ if reception.from == origin => true,
            _ => board.find(message, reception.from).is_some_and(|p| is_firm[p as usize]),
        };
    }
}
