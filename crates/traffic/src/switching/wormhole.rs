//! Wormhole switching, modelled as circuit switching with blocking in place: the header takes one
//! link after another, and while the next is busy the message keeps those behind it. When the
//! header has reached the destination, the links carry the message for its length and are all
//! released. With virtual channels several messages may hold a link; of those whose headers have
//! arrived, the link carries one at a time, in order of rank.

use super::{Case, Priority, Record, Run, State};

/// Buffers in addition to [`State`].
#[derive(Debug, Default)]
pub(super) struct Worms {
    /// For every link, the number of virtual channels held.
    held: Vec<u32>,
    /// For every message, when it took each of its links, from the first hop.
    taken: Vec<Vec<u64>>,
    /// Ranks of messages whose headers have arrived but which are not being carried yet.
    ready: Vec<u32>,
    /// Links whose queues must be checked.
    open: Vec<u32>,
}

pub(super) fn run<P: Priority, R: Record>(
    case: &Case<'_, P>,
    lanes: u32,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare(case);
    state.prepare_ranks(case);
    let mut worms = std::mem::take(&mut state.worms);
    worms.prepare(case);
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            worms.give_back(case, state, record, message, now);
            state.deliver(case, message, now);
        }
        state.gather_entrants(now);
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            let place = state.places[message as usize];
            if place.next == place.end {
                state.deliver(case, message, now)
            } else {
                worms.ask(case, state, message)
            }
            at += 1;
        }
        state.entrants.clear();
        worms.advance(case, lanes, state, now);
        worms.carry(case, state, now);
    }
    state.worms = worms;
    Run { end: state.end, events: state.holds }
}

impl Worms {
    fn prepare<P>(&mut self, case: &Case<'_, P>) {
        self.held.clear();
        self.held.resize(case.links.count(), 0);
        self.taken.iter_mut().for_each(Vec::clear);
        self.taken.resize_with(case.mission.len(), Vec::new);
        self.ready.clear();
        self.open.clear();
    }

    /// Lets the header of a message wait for its next link.
    fn ask<P: Priority>(&mut self, case: &Case<'_, P>, state: &mut State, message: u32) {
        let hop = state.places[message as usize].next;
        state.enqueue(case, message);
        state.free.clear();
        self.open.push(case.links.of_number(case.routes.channels[hop as usize]));
    }

    /// Advances headers as far as possible.
    fn advance<P: Priority>(
        &mut self,
        case: &Case<'_, P>,
        lanes: u32,
        state: &mut State,
        now: u64,
    ) {
        self.open.sort_unstable();
        let mut at = 0;
        while let Some(&link) = self.open.get(at) {
            at += 1;
            while self.held[link as usize] < lanes
                && let Some(key) = state.queues[link as usize].pop()
            {
                let message = key as u32;
                self.held[link as usize] += 1;
                self.taken[message as usize].push(now);
                let place = &mut state.places[message as usize];
                place.next += 1;
                if place.next == place.end {
                    self.ready.push(state.ranks[message as usize])
                } else {
                    self.ask(case, state, message)
                }
            }
        }
        self.open.clear();
    }

    /// Starts to carry messages whose headers have arrived and whose links carry no other message.
    fn carry<P>(&mut self, case: &Case<'_, P>, state: &mut State, now: u64) {
        self.ready.sort_unstable();
        self.ready.retain(|&rank| {
            let message = state.by_rank[rank as usize];
            let path = case.routes.path(message);
            let link = |channel: u32| case.links.of_number(channel) as usize;
            if path.iter().any(|&channel| state.is_busy[link(channel)]) {
                return true;
            }
            path.iter().for_each(|&channel| state.is_busy[link(channel)] = true);
            state.will_end(message, now + case.mission.messages()[message as usize].length);
            false
        });
    }

    /// Ends a message and releases its links.
    fn give_back<P, R: Record>(
        &mut self,
        case: &Case<'_, P>,
        state: &mut State,
        record: &mut R,
        message: u32,
        now: u64,
    ) {
        for (&channel, &since) in
            case.routes.path(message).iter().zip(&self.taken[message as usize])
        {
            let link = case.links.of_number(channel);
            state.is_busy[link as usize] = false;
            state.holds += 1;
            self.held[link as usize] -= 1;
            self.open.push(link);
            record.hold(message, channel, since, now);
        }
    }
}
