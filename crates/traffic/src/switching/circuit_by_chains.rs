//! Circuit switching where every chain of channels that follow each other is somebody's path: then the
//! messages that can start when a link becomes free are found by walking from it over free links, back
//! and forth, and nobody who cannot start is looked at.

use super::{Case, Priority, Record, Run, State};
use crate::routing::Chains;

/// No message.
const NONE: u32 = u32::MAX;

/// Messages that wait, by pair of routers, and what a walk finds.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// For every pair of routers the rank of its first message that waits.
    first: Vec<u32>,
    /// All that is needed of a message, by rank.
    slots: Vec<Slot>,
    /// Channels that a walk has come to, and where the row of pairs of each one's tail begins.
    reached: Vec<u32>,
    rows: Vec<u32>,
    /// Messages that may start at this instant: rank, then the link by which they were found.
    candidates: Vec<u64>,
    /// For every channel how many waiting messages want it.
    wanted: Vec<u32>,
    /// For every router the channels that enter it, and that leave it, which are free and wanted.
    enterable: Vec<u64>,
    leavable: Vec<u64>,
}

/// A message and its path, kept together because they are looked up at random.
#[derive(Debug, Clone, Copy)]
struct Slot {
    message: u32,
    /// The rank of the next message of the same pair.
    following: u32,
    /// Where its path begins and ends among those of all messages.
    start: u32,
    end: u32,
}

impl Slot {
    #[inline]
    fn path<'a, P>(&self, case: &Case<'a, P>) -> &'a [u32] {
        &case.routes.channels[self.start as usize..self.end as usize]
    }
}

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    chains: &Chains,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    let mut waiting = std::mem::take(&mut state.waiting);
    waiting.prepare(chains, case, &state.by_rank);
    while let Some(now) = state.next_instant() {
        waiting.candidates.clear();
        while let Some(message) = state.next_ended(now) {
            for &channel in case.routes.path(message) {
                state.free.push(case.links.of_number(channel));
            }
            state.deliver(case, message, now);
        }
        state.gather_entrants(now);
        for at in 0..state.free.len() {
            // A link stays busy until it is walked, so that no pair is found twice.
            let link = state.free[at];
            state.is_busy[link as usize] = false;
            waiting.open(chains, link);
            waiting.walk(chains, link);
        }
        state.free.clear();
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            match case.routes.path(message).is_empty() {
                true => state.deliver(case, message, now),
                false => {
                    let rank = state.ranks[message as usize];
                    waiting.add(chains, case, &state.is_busy, rank, message);
                }
            }
            at += 1;
        }
        state.entrants.clear();
        waiting.candidates.sort_unstable();
        for at in 0..waiting.candidates.len() {
            let candidate = waiting.candidates[at];
            // Most have lost the link by which they were found to a better one.
            let link = candidate as u32 as usize;
            if state.is_busy[link] {
                continue;
            }
            let rank = (candidate >> 32) as u32;
            let slot = waiting.slots[rank as usize];
            if start(case, state, record, &slot, now) {
                waiting.close(chains, case, &slot);
                waiting.remove(chains, case, rank, &slot);
            }
        }
    }
    state.waiting = waiting;
    Run { end: state.end, events: state.holds }
}

/// Starts a message if its whole path is free.
fn start<P: Priority, R: Record>(
    case: &Case<'_, P>,
    state: &mut State,
    record: &mut R,
    slot: &Slot,
    now: u64,
) -> bool {
    let (message, path) = (slot.message, slot.path(case));
    if path.iter().any(|&channel| state.is_busy[case.links.of_number(channel) as usize]) {
        return false;
    }
    let end = now + state.places[message as usize].length;
    for &channel in path {
        state.is_busy[case.links.of_number(channel) as usize] = true;
        state.holds += 1;
        record.hold(message, channel, now, end);
    }
    state.will_end(message, end);
    true
}

impl Waiting {
    /// The pair of routers of a message.
    fn pair(chains: &Chains, path: &[u32]) -> usize {
        let (first, last) = (path[0] as usize, path[path.len() - 1] as usize);
        chains.tails[first] as usize * chains.routers + chains.heads[last] as usize
    }

    /// A message waits, and is to be tried at this instant.
    fn add<P>(
        &mut self,
        chains: &Chains,
        case: &Case<'_, P>,
        is_busy: &[bool],
        rank: u32,
        message: u32,
    ) {
        let link = case.links.of_number(case.routes.path(message)[0]);
        self.candidates.push(u64::from(rank) << 32 | u64::from(link));
        for &channel in case.routes.path(message) {
            self.wanted[channel as usize] += 1;
            if !is_busy[case.links.of_number(channel) as usize] {
                self.set_open(chains, channel, true);
            }
        }
        let first = &mut self.first[Self::pair(chains, case.routes.path(message))];
        if *first >= rank {
            self.slots[rank as usize].following = std::mem::replace(first, rank);
            return;
        }
        let mut earlier = *first as usize;
        while self.slots[earlier].following < rank {
            earlier = self.slots[earlier].following as usize;
        }
        let later = std::mem::replace(&mut self.slots[earlier].following, rank);
        self.slots[rank as usize].following = later;
    }

    /// A message waits no longer.
    fn remove<P>(&mut self, chains: &Chains, case: &Case<'_, P>, rank: u32, slot: &Slot) {
        let path = slot.path(case);
        for &channel in path {
            self.wanted[channel as usize] -= 1;
        }
        let following = self.slots[rank as usize].following;
        let first = &mut self.first[Self::pair(chains, path)];
        if *first == rank {
            *first = following;
            return;
        }
        let mut at = *first as usize;
        while self.slots[at].following != rank {
            at = self.slots[at].following as usize;
        }
        self.slots[at].following = following;
    }

    fn prepare<P>(&mut self, chains: &Chains, case: &Case<'_, P>, by_rank: &[u32]) {
        let refill = |numbers: &mut Vec<u32>, count, number| {
            numbers.clear();
            numbers.resize(count, number);
        };
        refill(&mut self.first, chains.routers * chains.routers, NONE);
        self.slots.clear();
        self.slots.extend(by_rank.iter().map(|&message| Slot {
            message,
            following: NONE,
            start: case.routes.starts[message as usize],
            end: case.routes.starts[message as usize + 1],
        }));
        refill(&mut self.wanted, chains.tails.len(), 0);
        for sets in [&mut self.enterable, &mut self.leavable] {
            sets.clear();
            sets.resize(chains.routers, 0);
        }
    }

    /// Says of a channel whether it is free and wanted.
    #[inline]
    fn set_open(&mut self, chains: &Chains, channel: u32, is_open: bool) {
        let channel = channel as usize;
        let entering = &mut self.enterable[chains.heads[channel] as usize];
        let leaving = &mut self.leavable[chains.tails[channel] as usize];
        let (place_in, place_out) = (1 << chains.place_in[channel], 1 << chains.place_out[channel]);
        match is_open {
            true => (*entering, *leaving) = (*entering | place_in, *leaving | place_out),
            false => (*entering, *leaving) = (*entering & !place_in, *leaving & !place_out),
        }
    }

    /// A link has become free.
    fn open(&mut self, chains: &Chains, link: u32) {
        for &channel in &chains.of_link[link as usize] {
            if self.wanted[channel as usize] > 0 {
                self.set_open(chains, channel, true);
            }
        }
    }

    /// The links of a message have become busy.
    fn close<P>(&mut self, chains: &Chains, case: &Case<'_, P>, slot: &Slot) {
        for &channel in slot.path(case) {
            for &channel in &chains.of_link[case.links.of_number(channel) as usize] {
                self.set_open(chains, channel, false);
            }
        }
    }

    /// Finds the waiting messages whose paths lead over a link that has become free and are free
    /// altogether. Of several messages of one pair only the first can start.
    fn walk(&mut self, chains: &Chains, link: u32) {
        let Self { first, reached, rows, candidates, wanted, enterable, leavable, .. } = self;
        for &channel in &chains.of_link[link as usize] {
            if wanted[channel as usize] == 0 {
                continue;
            }
            reached.clear();
            rows.clear();
            reached.push(channel);
            let mut at = 0;
            while let Some(&channel) = reached.get(at) {
                at += 1;
                let tail = chains.tails[channel as usize] as usize;
                rows.push((tail * chains.routers) as u32);
                let entering = &chains.entering[tail * chains.places..][..chains.places];
                let mut set = enterable[tail] & chains.before[channel as usize];
                while set != 0 {
                    reached.push(entering[set.trailing_zeros() as usize]);
                    set &= set - 1;
                }
            }
            reached.clear();
            reached.push(channel);
            let mut at = 0;
            while let Some(&channel) = reached.get(at) {
                at += 1;
                let head = chains.heads[channel as usize] as usize;
                for &row in &rows[..] {
                    let rank = first[row as usize + head];
                    if rank != NONE {
                        candidates.push(u64::from(rank) << 32 | u64::from(link));
                    }
                }
                let leaving = &chains.leaving[head * chains.places..][..chains.places];
                let mut set = leavable[head] & chains.after[channel as usize];
                while set != 0 {
                    reached.push(leaving[set.trailing_zeros() as usize]);
                    set &= set - 1;
                }
            }
        }
    }
}
