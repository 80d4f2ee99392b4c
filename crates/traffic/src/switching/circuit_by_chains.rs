//! Circuit switching if every chain of consecutive channels is the path of some message. When a
//! link becomes free, a walk from it over free links, backwards and forwards, finds the messages
//! that can start. Messages that cannot start are never visited.

use super::circuit_records::{CircuitRecords, First, Slots};
use super::circuit_walks::{Set, Walks};
use super::{Case, Priority, Record, Run, State};
use crate::routing::{Chains, Hop};

/// Waiting messages, by pair of routers.
#[derive(Debug, Default)]
struct Waiting<S> {
    walks: Walks<S>,
    slots: Slots,
    circuits: CircuitRecords,
    /// Messages that may start at this instant: rank, then the index of their pair in
    /// `walks.found`.
    candidates: Vec<u64>,
    sorted: Vec<u64>,
    path: Vec<Hop>,
}

/// Buffers for both widths of sets of places.
#[derive(Debug, Default)]
pub(super) struct Waitings {
    narrow: Waiting<u16>,
    wide: Waiting<u64>,
}

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    chains: &Chains,
    state: &mut State,
    record: &mut R,
) -> Run {
    let mut waitings = std::mem::take(&mut state.waitings);
    let run = if chains.places <= u16::BITS as usize {
        run_with(&mut waitings.narrow, case, chains, state, record)
    } else {
        run_with(&mut waitings.wide, case, chains, state, record)
    };
    state.waitings = waitings;
    run
}

fn run_with<S: Set, P: Priority, R: Record>(
    waiting: &mut Waiting<S>,
    case: &Case<'_, P>,
    chains: &Chains,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    waiting.prepare(case, chains);
    while let Some(now) = state.next_instant() {
        while let Some(circuit) = state.next_ended(now) {
            let (message, path) = waiting.circuits.end(circuit);
            waiting.walks.open(chains, &mut state.is_busy, path);
            state.deliver(case, message, now);
        }
        waiting.name_candidates();
        state.gather_entrants(now);
        waiting.enter(chains, case, state, now);
        waiting.sort_candidates(case.mission.len());
        for at in 0..waiting.candidates.len() {
            waiting.try_start(chains, case, state, record, waiting.candidates[at], now);
        }
        waiting.walks.found.clear();
        waiting.candidates.clear();
    }
    Run { end: state.end, events: state.holds }
}

impl<S: Set> Waiting<S> {
    fn prepare<P>(&mut self, case: &Case<'_, P>, chains: &Chains) {
        let messages = case.mission.len();
        let longest = (0..messages as u32).map(|message| case.routes.path(message).len()).max();
        let longest = longest.unwrap_or(0);
        self.slots.prepare(chains.routers * chains.routers);
        self.circuits.prepare(longest);
        self.walks.prepare(chains);
        self.candidates.clear();
    }

    /// Looks up the first message of every pair found, in one pass so that memory accesses overlap.
    #[inline]
    fn name_candidates(&mut self) {
        let slots = &self.slots;
        let named = (0..)
            .zip(&self.walks.found)
            .map(|(at, found): (u64, _)| u64::from(slots.rank((found >> 32) as usize)) << 32 | at);
        self.candidates.extend(named);
    }

    /// Adds the messages that arrive at this instant; messages with an empty path are delivered
    /// immediately.
    fn enter<P>(&mut self, chains: &Chains, case: &Case<'_, P>, state: &mut State, now: u64) {
        let mut at = 0;
        // A delivery may release further messages, so the list can grow.
        while let Some(&message) = state.entrants.get(at) {
            at += 1;
            let channels = case.routes.path(message);
            if channels.is_empty() {
                state.deliver(case, message, now);
                continue;
            }
            let hops = channels.iter().map(|&channel| chains.exits[channel as usize]);
            self.path.clear();
            self.path.extend(hops.map(|exit| chains.hops[exit as usize]));
            let new = First {
                rank: state.ranks[message as usize],
                message,
                length: case.mission.messages()[message as usize].length,
            };
            let (first, last) = (self.path[0], self.path[self.path.len() - 1]);
            let pair = first.tail as usize * chains.routers + last.head as usize;
            if self.walks.add(chains, &self.path, &state.is_busy) {
                self.slots.add_only(pair, new, &self.path)
            } else {
                self.slots.add(pair, new)
            }
            self.candidates.push(u64::from(new.rank) << 32 | self.walks.found.len() as u64);
            self.walks.found.push((pair as u64) << 32 | u64::from(first.link));
        }
        state.entrants.clear();
    }

    /// Sorts candidates by rank. They are distinct, so if there are as many as messages, each rank
    /// is its own index.
    #[inline]
    fn sort_candidates(&mut self, messages: usize) {
        if self.candidates.len() < messages {
            self.candidates.sort_unstable();
            return;
        }
        self.sorted.clear();
        self.sorted.resize(messages, 0);
        for &candidate in &self.candidates {
            self.sorted[(candidate >> 32) as usize] = candidate;
        }
        std::mem::swap(&mut self.candidates, &mut self.sorted);
    }

    /// Starts a candidate if its whole path is free.
    #[inline]
    fn try_start<P: Priority, R: Record>(
        &mut self,
        chains: &Chains,
        case: &Case<'_, P>,
        state: &mut State,
        record: &mut R,
        candidate: u64,
        now: u64,
    ) {
        let found = self.walks.found[candidate as u32 as usize];
        // In most cases a better candidate has already taken the link by which this one was found.
        if state.is_busy[found as u32 as usize] {
            return;
        }
        let pair = (found >> 32) as usize;
        let First { rank, message, length } = self.slots.first(pair);
        // Only the first message of a pair can start. If the candidate is no longer first, it has
        // already been handled.
        let long = || case.routes.path(message);
        if rank != (candidate >> 32) as u32
            || !self.slots.free_path(chains, pair, long, &state.is_busy, &mut self.path)
        {
            return;
        }
        let end = now + length;
        for hop in &self.path {
            state.is_busy[hop.link as usize] = true;
            record.hold(message, hop.channel, now, end);
        }
        state.holds += self.path.len() as u64;
        let by_rank = &state.by_rank;
        let has_next = self.slots.remove_first(pair, |rank| {
            let message = by_rank[rank as usize];
            First { rank, message, length: case.mission.messages()[message as usize].length }
        });
        self.walks.remove(chains, &self.path, !has_next);
        state.will_end(self.circuits.build(message, &self.path), end);
    }
}
