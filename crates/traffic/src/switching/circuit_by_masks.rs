//! Circuit switching on a network with few links: a path is a bit mask, and one pass over the masks
//! of all waiting messages, in order, finds those that can start.

use super::{Case, Priority, Record, Run, State};

/// Every start scans all waiting messages, so the time is quadratic in their number.
const MOST_MESSAGES: usize = 4096;

/// Whether every link has a bit in the mask and there are few messages.
pub(super) fn takes<P>(case: &Case<'_, P>) -> bool {
    case.links.count() <= u64::BITS as usize && case.mission.len() <= MOST_MESSAGES
}

/// Waiting messages in order of their ranks.
#[derive(Debug, Default)]
pub(super) struct Masks {
    /// For every message, the links of its path.
    of_messages: Vec<u64>,
    /// Ranks of the waiting messages (`waiting`), and the links of their paths (`links`).
    waiting: Vec<u32>,
    links: Vec<u64>,
    sorted: Vec<(u32, u64)>,
}

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    let mut masks = std::mem::take(&mut state.masks);
    masks.prepare(case);
    let mut busy = 0;
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            busy &= !masks.of_messages[message as usize];
            state.deliver(case, message, now);
        }
        state.gather_entrants(now);
        masks.add_entrants(case, state, now);
        let mut at = 0;
        while let Some(next) = first_free(&masks.links[at..], busy) {
            // Links only become busy here, so messages before this one need not be scanned again.
            at += next;
            busy |= masks.links.remove(at);
            let rank = masks.waiting.remove(at);
            start(case, state, record, state.by_rank[rank as usize], now);
        }
    }
    state.masks = masks;
    Run { end: state.end, events: state.holds }
}

/// The first path without a busy link. Most paths are blocked, so they are tested twelve at a time.
fn first_free(paths: &[u64], busy: u64) -> Option<usize> {
    let is_free = |path: &u64| path & busy == 0;
    let some_free = |paths: &[u64]| paths.iter().fold(false, |found, path| found | is_free(path));
    let chunks = paths.chunks_exact(12).position(some_free);
    let from = chunks.unwrap_or(paths.len() / 12) * 12;
    Some(from + paths[from..].iter().position(is_free)?)
}

fn start<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
    message: u32,
    now: u64,
) {
    let end = now + case.mission.messages()[message as usize].length;
    let path = case.routes.path(message);
    state.holds += path.len() as u64;
    for &channel in path {
        record.hold(message, channel, now, end);
    }
    state.will_end(message, end);
}

impl Masks {
    fn prepare<P>(&mut self, case: &Case<'_, P>) {
        self.waiting.clear();
        self.links.clear();
        self.of_messages.clear();
        self.of_messages.extend((0..case.mission.len() as u32).map(|message| {
            let links = case.routes.path(message).iter().map(|&c| case.links.of_number(c));
            links.fold(0, |mask, link| mask | 1 << link)
        }));
    }

    /// Adds the messages that arrive; those with an empty path are delivered immediately.
    fn add_entrants<P>(&mut self, case: &Case<'_, P>, state: &mut State, now: u64) {
        if state.entrants.is_empty() {
            return;
        }
        self.sorted.clear();
        self.sorted.extend(self.waiting.drain(..).zip(self.links.drain(..)));
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            match self.of_messages[message as usize] {
                0 => state.deliver(case, message, now),
                path => self.sorted.push((state.ranks[message as usize], path)),
            }
            at += 1;
        }
        state.entrants.clear();
        self.sorted.sort_unstable_by_key(|&(rank, _)| rank);
        self.waiting.extend(self.sorted.iter().map(|&(rank, _)| rank));
        self.links.extend(self.sorted.iter().map(|&(_, path)| path));
    }
}
