//! Circuit switching: a message holds all links of its path at once, for its length. After every
//! batch of events the waiting messages are tried in order of their keys, and a message starts if
//! its whole path is free. A blocked message is queued at that one of its busy links that becomes
//! free last, because it cannot start before.

use super::{Case, Priority, Record, Run, State};

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    let mut busy_until = vec![0u64; case.links.count()];
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            for &channel in case.routes.path(message) {
                let link = case.links.of_number(channel);
                state.is_busy[link as usize] = false;
                state.free.push(link);
            }
            state.deliver(case, message, now);
        }
        state.gather_entrants(now);
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            if case.routes.path(message).is_empty() {
                state.deliver(case, message, now);
            }
            at += 1;
        }
        let mut candidates: Vec<u64> = Vec::new();
        for at in 0..state.entrants.len() {
            let message = state.entrants[at];
            if !case.routes.path(message).is_empty() {
                candidates
                    .push(u64::from(state.ranks[message as usize]) << 32 | u64::from(message));
            }
        }
        state.entrants.clear();
        candidates.sort_unstable();
        let mut next = candidates.iter().copied().peekable();
        loop {
            // The best of the new messages and of those queued at links that are now free.
            let mut best: Option<(u64, u32)> = None;
            for &link in &state.free {
                if state.is_busy[link as usize] {
                    continue;
                }
                if let Some(key) = state.queues[link as usize].least() {
                    let key = key as u64;
                    if best.is_none_or(|(other, _)| key < other) {
                        best = Some((key, link));
                    }
                }
            }
            let message = match (best, next.peek().copied()) {
                (Some((key, link)), new) if new.is_none_or(|new| key < new) => {
                    state.queues[link as usize].pop();
                    key as u32
                }
                (_, Some(_)) => next.next().unwrap_or_default() as u32,
                _ => break,
            };
            try_start(case, state, record, &mut busy_until, message, now);
        }
        state.free.clear();
    }
    Run { end: state.end, events: state.holds }
}

fn try_start<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
    busy_until: &mut [u64],
    message: u32,
    now: u64,
) {
    let path = case.routes.path(message);
    let mut last: Option<(u64, u32)> = None;
    for &channel in path {
        let link = case.links.of_number(channel);
        if state.is_busy[link as usize] {
            last = last.max(Some((busy_until[link as usize], link)));
        }
    }
    if let Some((_, link)) = last {
        let key = u64::from(state.ranks[message as usize]) << 32 | u64::from(message);
        state.queues[link as usize].push(u128::from(key));
        return;
    }
    let end = now + state.places[message as usize].length;
    for &channel in path {
        let link = case.links.of_number(channel);
        state.is_busy[link as usize] = true;
        busy_until[link as usize] = end;
        state.holds += 1;
        record.hold(message, channel, now, end);
    }
    state.will_end(message, end);
}
