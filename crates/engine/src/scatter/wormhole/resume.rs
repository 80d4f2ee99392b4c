//! Continues from a partial schedule, such as one damaged by faults. Messages keep their places
//! unless they block an unplaced message, and return at the end where their places are free again.

use super::super::ejection::Ejection;
use super::super::layout::Layout;
use super::super::{longest_first, sweep, weights};
use super::Wormhole;
use super::board::WormholeBoard;
use super::draft::Draft;
use super::graph::Graphs;
use super::greedy::{self, Placed};
use super::homes::{self, HomeBoard};
use crate::attempt::{Attempt, Context, Engine, Fit, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{Problem, ProcessorId, Schedule};
use rustc_hash::FxHashSet;

/// Guided ejection from a partial schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resume;

/// Sweeps spent on returning more messages to their original places.
const POLISHING: u64 = 60;

/// Probability that the search starts as hot as one that starts from an empty schedule.
const HOT_SHARE: f64 = 0.25;

impl Engine for Resume {
    fn describe(&self) -> Traits {
        Traits {
            name: "resume",
            purpose: "guided ejection from an incomplete schedule; personalised messages, wormhole",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        Wormhole.takes(problem)
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        Fit::useful_if(context.start().is_some())
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let layout = super::super::layout(context, interrupt)?;
        let mut graphs = Graphs::new(context, &layout, 0, interrupt);
        let kept = kept(context.start()?, &layout, u32::MAX);
        let order = open(&kept, &longest_first(&weights(context, &layout, interrupt)?, rng));
        let mut draft = Draft::default();
        kept.iter().for_each(|placed| draft.push(placed.message, placed.step, &placed.path));
        let (all, limit) = ((&kept[..], &order[..]), u32::MAX);
        let left = greedy::insert_beside(&layout, &mut graphs, all, limit, interrupt, |placed| {
            draft.push(placed.message, placed.step, &placed.path);
            budget.spend(1);
        });
        left.is_empty().then(|| draft.into_schedule(&layout))
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        super::super::first_quota(problem, steps) + POLISHING * sweep(problem, steps)
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
        let kept = kept(start, &layout, steps);
        let Some(weights) = weights(context, &layout, interrupt) else {
            return Attempt::OutOfBudget;
        };
        let order = open(&kept, &longest_first(&weights, rng));
        let plans = super::super::plans(&layout, steps, budget, rng);
        for (at, &(settings, detour)) in plans.iter().enumerate() {
            let settings = if rng.chance(HOT_SHARE) { settings } else { settings.gentle() };
            let mut graphs = Graphs::new(context, &layout, detour, interrupt);
            let resumed = WormholeBoard::resumed(
                &layout,
                &mut graphs,
                steps,
                (&kept, &order),
                (&weights, settings.price_share),
                interrupt,
                rng,
            );
            let Some((board, pool)) = resumed else { break };
            let board = HomeBoard::new(board, &kept, &weights);
            let mut search = Ejection::new(board, pool, &weights, settings);
            // Reserves the evaluations that polishing needs, but at most half of the budget.
            let polishing = POLISHING * sweep(layout.problem, steps);
            let finding = budget.part(budget.left() - polishing.min(budget.left() / 2));
            let iterations = super::super::iterations(&finding, plans.len() - at, steps);
            if search.run(iterations, u64::from(steps), budget, rng) {
                homes::polish(&mut search, polishing, u64::from(steps), budget, rng);
                return Attempt::Found(search.board.inner.draft().into_schedule(&layout));
            }
            if budget.is_over() {
                break;
            }
        }
        Attempt::OutOfBudget
    }
}

/// The messages of a partial schedule that have a place below `steps`, with a port at each end
/// where ports have rows. Where faults left too few ports, some messages lose their place.
fn kept(start: &Schedule, layout: &Layout<'_>, steps: u32) -> Vec<Placed> {
    let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut kept = Vec::new();
    for step in 0..start.step_count().min(steps) {
        for transfer in start.step(step) {
            // Skips transfers that are not direct: a message that lost destinations to faults may
            // have been forwarded by another processor.
            if layout.ends(transfer.message) != (transfer.from, transfer.to) {
                continue;
            }
            let mut port = |rows: std::ops::Range<u32>, is_needed: bool| {
                let row = rows.clone().find(|&row| !taken.contains(&(row, step)));
                if let Some(row) = row {
                    taken.insert((row, step));
                }
                (row, !is_needed || row.is_some())
            };
            let (from, to): (ProcessorId, ProcessorId) = (transfer.from, transfer.to);
            let (sends, receives) = (layout.send_rows(from), layout.receive_rows(to));
            let (has_sends, has_receives) = (!sends.is_empty(), !receives.is_empty());
            let (send, can_send) = port(sends, has_sends);
            let (receive, can_receive) = port(receives, has_receives);
            if can_send && can_receive {
                let channels = transfer.path.iter().map(|channel| channel.0);
                let path = send.into_iter().chain(channels).chain(receive).collect();
                kept.push(Placed { message: transfer.message.0, step, path });
            }
        }
    }
    kept
}

/// The messages that are not kept, in the given order.
fn open(kept: &[Placed], order: &[u32]) -> Vec<u32> {
    let mut is_kept = vec![false; order.len()];
    kept.iter().for_each(|placed| is_kept[placed.message as usize] = true);
    order.iter().copied().filter(|&message| !is_kept[message as usize]).collect()
}
