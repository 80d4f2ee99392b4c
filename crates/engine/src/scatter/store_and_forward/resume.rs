//! Continues from a partial schedule under store-and-forward: a message keeps its path and its
//! steps unless one of its hops is lost or blocks an unplaced message.

use super::super::ejection::Ejection;
use super::super::layout::Layout;
use super::super::{longest_first, weights};
use super::StoreAndForward;
use super::board::RelayBoard;
use super::greedy::insert_beside;
use super::legs::{Leg, NONE, to_schedule};
use crate::attempt::{Attempt, Context, Engine, Fit, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{MessageId, Problem, Schedule};
use rustc_hash::FxHashSet;

/// Guided ejection from a partial schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resume;

/// A message and its hops.
pub(super) type Kept = (u32, Vec<Leg>);

/// Probability that the search starts as hot as one that starts from an empty schedule.
const HOT_SHARE: f64 = 0.25;

impl Engine for Resume {
    fn describe(&self) -> Traits {
        Traits {
            name: "relay-resume",
            purpose: "guided ejection from an incomplete schedule; personalised messages, store-and-forward",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        StoreAndForward.takes(problem)
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        Fit::useful_if(context.start().is_some())
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = super::super::layout(context, interrupt)?;
        let kept = kept(context.start()?, &layout, u32::MAX);
        let order = open(&kept, &longest_first(&weights(context, &layout, interrupt)?, rng));
        let mut all_legs: Vec<(u32, Leg)> = all(&kept);
        let all = (&kept[..], &order[..]);
        let left = insert_beside(&layout, all, u32::MAX, interrupt, |message, legs| {
            all_legs.extend(legs.iter().map(|&leg| (message, leg)));
            budget.spend(1);
        });
        left.is_empty().then(|| to_schedule(all_legs))
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        super::super::first_quota(problem, steps)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let Some(start) = context.start() else { return Attempt::OutOfBudget };
        let interrupt = &budget.interrupt().clone();
        let Some(layout) = super::super::layout(context, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let Some(weights) = weights(context, &layout, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let kept = kept(start, &layout, steps);
        let plans = super::super::plans(&layout, steps, budget, rng);
        for (at, &(settings, detour)) in plans.iter().enumerate() {
            let settings = if rng.chance(HOT_SHARE) { settings } else { settings.gentle() };
            let order = open(&kept, &longest_first(&weights, rng));
            let priced = (&weights[..], settings.price_share);
            let all = (&kept[..], &order[..]);
            let filled = RelayBoard::filled(&layout, detour, steps, all, priced, interrupt, rng);
            let Some((board, pool)) = filled else { break };
            let mut search = Ejection::new(board, pool, &weights, settings);
            let iterations = super::super::iterations(budget, plans.len() - at, steps);
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

fn all(kept: &[Kept]) -> Vec<(u32, Leg)> {
    kept.iter().flat_map(|(message, legs)| legs.iter().map(|&leg| (*message, leg))).collect()
}

/// The messages of a partial schedule whose hops are complete and below `steps`, with a port at
/// both ends of each hop where ports have rows.
fn kept(start: &Schedule, layout: &Layout<'_>, steps: u32) -> Vec<Kept> {
    let mut legs: Vec<Vec<Leg>> = vec![Vec::new(); layout.problem.messages().len()];
    for step in 0..start.step_count().min(steps) {
        for transfer in start.step(step) {
            let channel = transfer.path.first().map_or(NONE, |channel| channel.0);
            let (from, to) = (transfer.from.0, transfer.to.0);
            let (send_row, receive_row) = (NONE, NONE);
            let leg = Leg { step, from, to, channel, send_row, receive_row };
            legs[transfer.message.index()].push(leg);
        }
    }
    let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
    let whole = (0..).zip(legs).filter(|(message, legs)| is_whole(*message, legs, layout));
    whole
        .filter_map(|(message, legs)| Some((message, with_ports(legs, layout, &mut taken)?)))
        .collect()
}

fn is_whole(message: u32, legs: &[Leg], layout: &Layout<'_>) -> bool {
    let (from, to) = layout.ends(MessageId(message));
    let ends = legs.first().zip(legs.last());
    ends.is_some_and(|(first, last)| first.from == from.0 && last.to == to.0)
        && legs.windows(2).all(|pair| pair[0].to == pair[1].from)
}

/// Assigns free ports to the legs; `None` if faults left too few.
fn with_ports(
    mut legs: Vec<Leg>,
    layout: &Layout<'_>,
    taken: &mut FxHashSet<(u32, u32)>,
) -> Option<Vec<Leg>> {
    for leg in &mut legs {
        let free = |rows: std::ops::Range<u32>| match rows.is_empty() {
            true => Some(NONE),
            false => rows.clone().find(|&row| !taken.contains(&(row, leg.step))),
        };
        leg.send_row = free(layout.send_rows(pavane_model::ProcessorId(leg.from)))?;
        leg.receive_row = free(layout.receive_rows(pavane_model::ProcessorId(leg.to)))?;
    }
    for leg in &legs {
        taken.extend([(leg.send_row, leg.step), (leg.receive_row, leg.step)]);
    }
    Some(legs)
}

/// The messages that are not kept, in the given order.
fn open(kept: &[Kept], order: &[u32]) -> Vec<u32> {
    let mut is_kept = vec![false; order.len()];
    kept.iter().for_each(|(message, _)| is_kept[*message as usize] = true);
    order.iter().copied().filter(|&message| !is_kept[message as usize]).collect()
}
