//! Circuit switching under adaptive routing: waiting messages are tried in order of their keys. A
//! message starts if a depth-first search finds a path of free channels. Otherwise it is recorded
//! at all busy links that blocked it, and tried again when one of them becomes free.

use super::{AdaptiveCase, Priority, Record, Run, State};
use crate::routing::FreePathSearch;

/// Buffers in addition to [`State`].
#[derive(Debug, Default)]
pub(super) struct AdaptiveCircuits {
    search: FreePathSearch,
    /// For every link, the ranks of the messages that it blocks, with the number of the attempt
    /// that it blocked.
    blocked: Vec<Vec<(u32, u32)>>,
    /// For every rank, the number of its last attempt.
    tries: Vec<u32>,
    /// For every message, the channels that it holds.
    held: Vec<Vec<u32>>,
    candidates: Vec<u32>,
}

pub(super) fn run<P: Priority, R: Record>(
    case: &AdaptiveCase<'_, P>,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare_adaptive(case);
    let mut circuits = std::mem::take(&mut state.circuits);
    circuits.prepare(case);
    while let Some(now) = state.next_instant() {
        circuits.candidates.clear();
        while let Some(message) = state.next_ended(now) {
            for channel in circuits.held[message as usize].drain(..) {
                let link = case.links.of_number(channel);
                state.is_busy[link as usize] = false;
                state.free.push(link);
            }
            state.deliver_any(case.mission, message, now);
        }
        state.gather_entrants(now);
        while let Some(link) = state.free.pop() {
            for (rank, attempt) in circuits.blocked[link as usize].drain(..) {
                if circuits.tries[rank as usize] == attempt {
                    circuits.candidates.push(rank);
                }
            }
        }
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            let entry = case.mission.messages()[message as usize];
            if case.network.home(entry.source) == case.network.home(entry.destination) {
                state.deliver_any(case.mission, message, now)
            } else {
                circuits.candidates.push(state.ranks[message as usize])
            }
            at += 1;
        }
        state.entrants.clear();
        circuits.candidates.sort_unstable();
        circuits.candidates.dedup();
        for at in 0..circuits.candidates.len() {
            circuits.attempt(case, state, record, circuits.candidates[at], now);
        }
    }
    state.circuits = circuits;
    Run { end: state.end, events: state.holds }
}

impl AdaptiveCircuits {
    fn prepare<P>(&mut self, case: &AdaptiveCase<'_, P>) {
        self.blocked.iter_mut().for_each(Vec::clear);
        self.blocked.resize_with(case.links.count(), Vec::new);
        self.tries.clear();
        self.tries.resize(case.mission.len(), 0);
        self.held.iter_mut().for_each(Vec::clear);
        self.held.resize_with(case.mission.len(), Vec::new);
    }

    /// Starts a message if there is a free path; otherwise records it at the links that block it.
    fn attempt<P, R: Record>(
        &mut self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        record: &mut R,
        rank: u32,
        now: u64,
    ) {
        let message = state.by_rank[rank as usize];
        let entry = case.mission.messages()[message as usize];
        let homes = case.network.home(entry.source).zip(case.network.home(entry.destination));
        let (from, to) = homes.expect("the mission was checked against the network");
        let is_free = |channel: u32| !state.is_busy[case.links.of_number(channel) as usize];
        self.tries[rank as usize] += 1;
        if !case.adaptive.free_path(from, to, is_free, &mut self.search) {
            let attempt = self.tries[rank as usize];
            for &channel in &self.search.busy {
                self.blocked[case.links.of_number(channel) as usize].push((rank, attempt));
            }
            return;
        }
        let end = now + entry.length;
        for &channel in &self.search.path {
            state.is_busy[case.links.of_number(channel) as usize] = true;
            state.holds += 1;
            record.hold(message, channel, now, end);
            self.held[message as usize].push(channel);
        }
        state.will_end(message, end);
    }
}
