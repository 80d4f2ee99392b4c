//! Virtual cut-through link by link, if the links have an order: a message that starts on one link
//! offers itself to the next at the same instant. The next link accepts it if it is free and no
//! message waits; otherwise the message joins its queue after its length.

use super::flow::{ApproachingMessage, Flow};
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
    state.flow.sort(link, |entry| u128::from(entry.time) << 32 | u128::from(entry.origin));
    let mut offers = 0;
    let mut turns = 0;
    let mut free_at = 0;
    // Messages that start at this link make no offer; they join the queue when they arrive.
    let flow = &mut state.flow;
    for at in 0..flow.sorted.len() {
        let key = flow.sorted[at];
        let entry = &flow.entries[key as u32 as usize];
        if entry.origin == link {
            let joins = u128::from(entry.time) << 64 | u128::from(entry.message) << 32;
            flow.refused.push(joins | u128::from(key as u32));
        } else {
            flow.sorted[offers] = key;
            offers += 1;
        }
    }
    flow.sorted.truncate(offers);
    let mut at = 0;
    loop {
        at = flow.refuse_before(at, free_at);
        let offer = flow.sorted.get(at).map(|key| (key >> 64) as u64);
        let joins = flow.refused.least().map(|key| (key >> 64) as u64);
        let now = match (flow.queue.is_empty(), joins, offer) {
            (false, _, _) => free_at,
            (true, Some(joins), Some(offer)) => joins.min(offer).max(free_at),
            (true, Some(time), None) | (true, None, Some(time)) => time.max(free_at),
            (true, None, None) => break,
        };
        while let Some(key) = flow.refused.least().filter(|key| (key >> 64) as u64 <= now) {
            flow.refused.pop();
            let entry = &flow.entries[key as u32 as usize];
            let birth = case.birth(entry.message);
            let order = case.priority.order(entry.hop, entry.length, entry.left, birth);
            flow.queue.push(u128::from(order) << 64 | turns << 32 | u128::from(key as u32));
            turns += 1;
        }
        let (entry, origin) = match flow.queue.pop() {
            Some(key) => {
                // An offer at this time finds the link taken.
                at = flow.refuse_before(at, now + 1);
                (flow.entries[key as u32 as usize], link)
            }
            None => {
                let entry = flow.entries[flow.sorted[at] as u32 as usize];
                at += 1;
                (entry, entry.origin)
            }
        };
        let end = now + entry.length;
        record.hold(entry.message, case.routes.channels[entry.hop as usize], now, end);
        if entry.left == 1 {
            state.completions[entry.message as usize] = end;
            state.end = state.end.max(end);
        } else {
            let hop = entry.hop + 1;
            let next = case.links.of_number(case.routes.channels[hop as usize]);
            flow.send(
                next,
                ApproachingMessage { time: now, hop, left: entry.left - 1, origin, ..entry },
            );
        }
        free_at = end;
    }
}

impl Flow {
    /// Refuses the offers before a time. Returns the index of the first remaining one.
    #[inline]
    fn refuse_before(&mut self, mut at: usize, time: u64) -> usize {
        while let Some(&key) = self.sorted.get(at).filter(|key| ((*key >> 64) as u64) < time) {
            let entry = &self.entries[key as u32 as usize];
            let joins = u128::from(entry.time + entry.length) << 64;
            self.refused.push(joins | u128::from(entry.message) << 32 | u128::from(key as u32));
            at += 1;
        }
        at
    }
}
