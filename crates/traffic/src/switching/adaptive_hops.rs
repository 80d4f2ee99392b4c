//! Message switching and virtual cut-through under adaptive routing: a message waits at a router
//! for all channels that bring it closer and takes the lowest free one. Free links are assigned in
//! order of keys. Under depth-first routing, a message that arrives at a router and finds none of
//! them free takes another free channel to a router that it has not visited.

use super::{AdaptiveCase, Priority, Record, Run, State};
use crate::heap::Heap;
use crate::routing::Reach;

/// Buffers in addition to [`State`].
#[derive(Debug, Default)]
pub(super) struct Hops {
    /// Current router of each message, its destination, and its turn in the queues; `u32::MAX` if
    /// it is not waiting.
    at: Vec<u32>,
    to: Vec<u32>,
    turn: Vec<u32>,
    /// The channels that each message holds.
    held: Vec<Vec<u32>>,
    /// The routers that each message has visited.
    seen: Vec<Vec<u32>>,
    /// The best waiting message of every link to be assigned, by key.
    best: Heap,
    turns: u32,
}

const NOWHERE: u32 = u32::MAX;

pub(super) fn run<P: Priority, R: Record>(
    case: &AdaptiveCase<'_, P>,
    cuts_through: bool,
    state: &mut State,
    record: &mut R,
) -> Run {
    state.prepare_adaptive(case);
    let mut hops = std::mem::take(&mut state.hops);
    hops.prepare(case);
    while let Some(now) = state.next_instant() {
        while let Some(message) = state.next_ended(now) {
            for channel in hops.held[message as usize].drain(..) {
                let link = case.links.of_number(channel);
                state.is_busy[link as usize] = false;
                state.free.push(link);
            }
            state.entrants.push(message);
        }
        state.gather_entrants(now);
        let mut at = 0;
        while let Some(&message) = state.entrants.get(at) {
            if hops.at[message as usize] == hops.to[message as usize] {
                state.deliver_any(case.mission, message, now)
            } else {
                hops.join(case, state, message)
            }
            at += 1;
        }
        hops.give_out(case, cuts_through, state, record, now);
        if case.adaptive.reach == Reach::Detours {
            hops.send_round(case, state, record, now);
        }
        state.entrants.clear();
    }
    state.hops = hops;
    Run { end: state.end, events: state.holds }
}

impl Hops {
    fn prepare<P: Priority>(&mut self, case: &AdaptiveCase<'_, P>) {
        let messages = case.mission.messages();
        let home = |processor| {
            let home = case.network.home(processor);
            home.expect("the mission was checked against the network").0
        };
        self.at.clear();
        self.at.extend(messages.iter().map(|message| home(message.source)));
        self.to.clear();
        self.to.extend(messages.iter().map(|message| home(message.destination)));
        self.turn.clear();
        self.turn.resize(messages.len(), NOWHERE);
        for lists in [&mut self.held, &mut self.seen] {
            lists.iter_mut().for_each(Vec::clear);
            lists.resize_with(messages.len(), Vec::new);
        }
        self.best.clear();
        self.turns = 0;
    }

    /// The order of a message at its current router.
    fn order<P: Priority>(&self, case: &AdaptiveCase<'_, P>, message: u32) -> u64 {
        let entry = case.mission.messages()[message as usize];
        let left = case.adaptive.distance(self.at[message as usize], self.to[message as usize]);
        case.priority.order(0, entry.length, left, entry.arrival)
    }

    /// Lets a message wait for every channel that brings it closer.
    fn join<P: Priority>(&mut self, case: &AdaptiveCase<'_, P>, state: &mut State, message: u32) {
        let number = message as usize;
        let order = self.order(case, message);
        let turn = self.turns;
        self.turns += 1;
        self.turn[number] = turn;
        let key = u128::from(order) << 64 | u128::from(turn) << 32 | u128::from(message);
        for channel in case.adaptive.closer(self.at[number], self.to[number]) {
            let link = case.links.of_number(channel);
            state.queues[link as usize].push(key);
            if !state.is_busy[link as usize] {
                state.free.push(link);
            }
        }
    }

    /// The first message that still waits for a link. Discards outdated entries.
    fn first(&self, queue: &mut Heap) -> Option<u128> {
        while let Some(key) = queue.least() {
            if self.turn[key as u32 as usize] == (key >> 32) as u32 {
                return Some(key);
            }
            queue.pop();
        }
        None
    }

    /// Assigns the free links, the best message first.
    fn give_out<P: Priority, R: Record>(
        &mut self,
        case: &AdaptiveCase<'_, P>,
        cuts_through: bool,
        state: &mut State,
        record: &mut R,
        now: u64,
    ) {
        self.best.clear();
        while let Some(link) = state.free.pop() {
            if !state.is_busy[link as usize]
                && let Some(key) = self.first(&mut state.queues[link as usize])
            {
                self.best.push(key);
            }
        }
        while let Some(key) = self.best.pop() {
            let message = key as u32;
            if self.turn[message as usize] != (key >> 32) as u32 {
                continue;
            }
            let (at, to) = (self.at[message as usize], self.to[message as usize]);
            let is_free = |channel: &u32| !state.is_busy[case.links.of_number(*channel) as usize];
            let Some(channel) = case.adaptive.closer(at, to).find(is_free) else { continue };
            self.turn[message as usize] = NOWHERE;
            // The other links that this message waited for are still free, so the next in their
            // queues gets a chance.
            for other in case.adaptive.closer(at, to).filter(|other| *other != channel) {
                let link = case.links.of_number(other);
                if !state.is_busy[link as usize]
                    && let Some(key) = self.first(&mut state.queues[link as usize])
                {
                    self.best.push(key);
                }
            }
            self.take(case, state, record, message, channel, now);
            while cuts_through
                && self.at[message as usize] != to
                && let Some(channel) = self.unwanted(case, state, message)
            {
                self.take(case, state, record, message, channel, now);
            }
            state.will_end(message, now + case.mission.messages()[message as usize].length);
        }
    }

    /// A free channel that brings a message closer and that no other message waits for.
    fn unwanted<P>(
        &self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        message: u32,
    ) -> Option<u32> {
        let (at, to) = (self.at[message as usize], self.to[message as usize]);
        case.adaptive.closer(at, to).find(|&channel| {
            let link = case.links.of_number(channel) as usize;
            !state.is_busy[link] && self.first(&mut state.queues[link]).is_none()
        })
    }

    /// Lets a message take a channel.
    fn take<P, R: Record>(
        &mut self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        record: &mut R,
        message: u32,
        channel: u32,
        now: u64,
    ) {
        let number = message as usize;
        if case.adaptive.reach == Reach::Detours {
            self.seen[number].push(self.at[number]);
        }
        state.is_busy[case.links.of_number(channel) as usize] = true;
        state.holds += 1;
        let end = now + case.mission.messages()[number].length;
        record.hold(message, channel, now, end);
        self.held[number].push(channel);
        self.at[number] = case.adaptive.head(channel);
    }

    /// Lets messages that arrived now and still wait take detours over free channels, in order of
    /// keys.
    fn send_round<P: Priority, R: Record>(
        &mut self,
        case: &AdaptiveCase<'_, P>,
        state: &mut State,
        record: &mut R,
        now: u64,
    ) {
        let still = state.entrants.iter().filter(|m| self.turn[**m as usize] != NOWHERE);
        let mut waiting: Vec<(u64, u32)> = still.map(|&m| (self.order(case, m), m)).collect();
        waiting.sort_unstable();
        for (_, message) in waiting {
            let (at, to) = (self.at[message as usize], self.to[message as usize]);
            let is_new = |channel: &u32| {
                !state.is_busy[case.links.of_number(*channel) as usize]
                    && !self.seen[message as usize].contains(&case.adaptive.head(*channel))
            };
            let channel = case.adaptive.others(at, to).find(is_new);
            if let Some(channel) = channel {
                self.turn[message as usize] = NOWHERE;
                self.take(case, state, record, message, channel, now);
                state.will_end(message, now + case.mission.messages()[message as usize].length);
            }
        }
    }
}
