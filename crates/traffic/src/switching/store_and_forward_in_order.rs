//! Store-and-forward link by link, if the links have an order: every link is a single server with a
//! queue, and its arrivals are known once the links before it are done.

use super::flow::ApproachingMessage;
use super::{Case, Priority, Record, Run, State};

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    order: &[u32],
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare_flow(case);
    for &link in order {
        serve(case, link, state, record);
    }
    Run { end: state.end, events: case.routes.channels.len() as u64 }
}

/// Simulates everything that happens at a link.
fn serve<P: Priority, R: Record>(case: &Case<'_, P>, link: u32, state: &mut State, record: &mut R) {
    let flow = &mut state.flow;
    flow.sort(link, |entry| u128::from(entry.time) << 32 | u128::from(entry.message));
    let mut now = 0;
    let mut at = 0;
    loop {
        if flow.queue.is_empty() {
            let Some(&key) = flow.sorted.get(at) else { break };
            now = now.max((key >> 64) as u64);
        }
        while let Some(&key) = flow.sorted.get(at).filter(|key| (*key >> 64) as u64 <= now) {
            let entry = &flow.entries[key as u32 as usize];
            let birth = case.birth(entry.message);
            let order = case.priority.order(entry.hop, entry.length, entry.left, birth);
            // Ties go to the earlier arrival, by its index in order of time.
            flow.queue.push(u128::from(order) << 64 | (at as u128) << 32 | u128::from(key as u32));
            at += 1;
        }
        let Some(key) = flow.queue.pop() else { break };
        let entry = flow.entries[key as u32 as usize];
        let end = now + entry.length;
        record.hold(entry.message, case.routes.channels[entry.hop as usize], now, end);
        if entry.left == 1 {
            state.completions[entry.message as usize] = end;
            state.end = state.end.max(end);
        } else {
            let hop = entry.hop + 1;
            let next = case.links.of_number(case.routes.channels[hop as usize]);
            flow.send(next, ApproachingMessage { time: end, hop, left: entry.left - 1, ..entry });
        }
        now = end;
    }
}
