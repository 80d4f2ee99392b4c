//! Virtual cut-through: a message continues to the next link at the same instant if that link is
//! free and no message waits for it. Otherwise it is completely stored at the router after its
//! length, and joins the queue there. Every link is held for the length, from its own start.

use super::{Case, Priority, Record, Run, State};

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_held();
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            let place = state.places[message as usize];
            for hop in state.held_from[message as usize]..place.next {
                let link = case.links.of_number(case.routes.channels[hop as usize]);
                state.is_busy[link as usize] = false;
                state.free.push(link);
            }
            if place.next == place.end {
                state.deliver(case, message, now)
            } else {
                state.entrants.push(message)
            }
        }
        state.gather_entrants(now);
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            let place = state.places[message as usize];
            if place.next == place.end {
                state.deliver(case, message, now)
            } else {
                state.enqueue(case, message)
            }
            at += 1;
        }
        state.entrants.clear();
        // A message that cuts through takes links without a queue, so the order of the links must
        // be fixed.
        if state.free.len() > 1 {
            state.free.sort_unstable();
        }
        for at in 0..state.free.len() {
            let link = state.free[at];
            give_out(case, state, record, link, now);
        }
        state.free.clear();
    }
    Run { end: state.end, events: state.holds }
}

/// Assigns a link to the first message of its queue, along with all following links that are free
/// and without a queue.
#[inline]
fn give_out<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
    link: u32,
    now: u64,
) {
    if state.is_busy[link as usize] {
        return;
    }
    let Some(key) = state.queues[link as usize].pop() else { return };
    let message = key as u32;
    let place = &mut state.places[message as usize];
    let end = now + place.length;
    state.held_from[message as usize] = place.next;
    let mut link = link;
    loop {
        state.is_busy[link as usize] = true;
        state.holds += 1;
        record.hold(message, case.routes.channels[place.next as usize], now, end);
        place.next += 1;
        if place.next == place.end {
            break;
        }
        link = case.links.of_number(case.routes.channels[place.next as usize]);
        if state.is_busy[link as usize] || !state.queues[link as usize].is_empty() {
            break;
        }
    }
    state.will_end(message, end);
}
