//! Store-and-forward: every hop holds its link for the length of the message. The next router then
//! stores the whole message, which joins the queue there.

use super::{Case, Priority, Record, Run, State};

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            let place = state.places[message as usize];
            let link = case.links.of_number(case.routes.channels[place.next as usize - 1]);
            state.is_busy[link as usize] = false;
            state.free.push(link);
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
        while let Some(link) = state.free.pop() {
            give_out(case, state, record, link, now);
        }
    }
    Run { end: state.end, events: state.holds }
}

/// Assigns a link to the first message of its queue.
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
    record.hold(message, case.routes.channels[place.next as usize], now, end);
    place.next += 1;
    state.is_busy[link as usize] = true;
    state.holds += 1;
    state.will_end(message, end);
}
