//! Guided ejection from an incomplete schedule, such as one damaged by faults. Messages keep their
//! places unless they block an unplaced message, and return at the end where their places are free
//! again.

use super::super::guided_search::GuidedSearch;
use super::super::layout::Layout;
use super::super::plans::{self, sweep};
use super::board::{SearchPlan, WormholeBoard};
use super::greedy::Placed;
use super::homes::{self, HomeBoard};
use crate::attempt::Attempt;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{Problem, ProcessorId, Schedule};
use rustc_hash::FxHashSet;

/// Sweeps spent on returning more messages to their original places.
const POLISHING: u64 = 60;

/// Evaluations spent on returning more messages to their original places.
pub(super) fn polishing(problem: &Problem, steps: u32) -> u64 {
    POLISHING * sweep(problem, steps)
}

/// Searches for a schedule of the given number of steps in which as many messages as possible have
/// their places of `kept`.
pub(super) fn search<'a>(
    plan: &SearchPlan<'a>,
    board: WormholeBoard<'a, '_>,
    pool: Vec<u32>,
    kept: &[Placed],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Attempt {
    let &SearchPlan { layout, weights, settings, steps } = plan;
    let board = HomeBoard::new(board, kept, weights);
    let mut search = GuidedSearch::new(board, pool, weights, settings);
    // Reserves the evaluations that polishing needs, but at most half of the budget.
    let polishing = polishing(layout.problem, steps);
    let finding = budget.part(budget.left() - polishing.min(budget.left() / 2));
    let iterations = plans::iterations(&finding, steps);
    if !search.run(iterations, u64::from(steps), budget, rng) {
        return Attempt::OutOfBudget;
    }
    homes::polish(&mut search, polishing, u64::from(steps), budget, rng);
    Attempt::Found(search.board.inner.draft().into_schedule(layout))
}

/// The messages of a partial schedule that have a place below `steps`, with a port at each end
/// where ports have rows; none without a schedule. Where faults left too few ports, some messages
/// lose their place.
pub(super) fn kept(start: Option<&Schedule>, layout: &Layout<'_>, steps: u32) -> Vec<Placed> {
    let Some(start) = start else { return Vec::new() };
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
