//! Converts transfers into a schedule. Drops empty steps and transfers to processors that already
//! have the message or neither want it nor pass it on.

use pavane_model::{MessageId, Problem, ProcessorId, Schedule, Transfer};

/// The schedule of transfers with their steps, without empty steps.
pub(super) fn without_empty_steps(mut transfers: Vec<(u32, Transfer<'_>)>) -> Schedule {
    let mut used: Vec<u32> = transfers.iter().map(|&(step, _)| step).collect();
    used.sort_unstable();
    used.dedup();
    let mut new_number = vec![0; used.last().map_or(0, |&last| last as usize + 1)];
    for (number, &step) in used.iter().enumerate() {
        new_number[step as usize] = number as u32;
    }
    for (step, _) in &mut transfers {
        *step = new_number[*step as usize];
    }
    Schedule::from_transfers(used.len() as u32, &transfers)
}

/// Removes useless transfers of one message and sorts the others by step.
pub(super) fn drop_useless<'t>(
    problem: &Problem,
    message: MessageId,
    transfers: &mut Vec<(u32, Transfer<'t>)>,
) {
    let processors = problem.network().processor_count();
    let mut has_it = vec![false; processors];
    has_it[problem.messages().origin(message).index()] = true;
    transfers.sort_by_key(|&(step, _)| step);
    transfers.retain(|(_, transfer)| !std::mem::replace(&mut has_it[transfer.to.index()], true));
    let mut is_needed = vec![false; processors];
    let mark = |is_needed: &mut Vec<bool>, p: ProcessorId| is_needed[p.index()] = true;
    for &to in problem.messages().destinations(message) {
        mark(&mut is_needed, to);
    }
    transfers.reverse();
    transfers.retain(|(_, transfer)| {
        let is_kept = is_needed[transfer.to.index()];
        if is_kept {
            mark(&mut is_needed, transfer.from);
        }
        is_kept
    });
    transfers.reverse();
}
