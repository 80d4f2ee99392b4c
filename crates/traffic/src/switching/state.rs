//! State of a running simulation, in memory that is reused for the next mission: events, queues,
//! arrivals and busy links.

use super::adaptive_circuit::AdaptiveCircuits;
use super::adaptive_hops::Hops;
use super::circuit_by_chains::Waitings;
use super::circuit_by_masks::Masks;
use super::flow::Flow;
use super::wormhole::Worms;
use super::{AdaptiveCase, Case, Priority};
use crate::heap::Heap;
use crate::links::Links;
use crate::mission::Mission;

/// Position of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub length: u64,
    /// Its next hop, numbered across all paths.
    pub next: u32,
    /// The hop after its last one.
    pub end: u32,
}

/// Memory of a simulator.
#[derive(Debug, Default)]
pub struct State {
    /// Delivery time of each message, in ticks.
    pub completions: Vec<u64>,
    pub(super) places: Vec<Place>,
    /// For every link, the messages that wait for it: order, then turn, then message.
    pub(super) queues: Vec<Heap>,
    pub(super) is_busy: Vec<bool>,
    /// Ends of holds: time, then message.
    events: Heap,
    /// Messages that have not arrived yet, the earliest last.
    coming: Vec<(u64, u32)>,
    /// Messages that join a queue at this instant.
    pub(super) entrants: Vec<u32>,
    /// Links to be assigned at this instant.
    pub(super) free: Vec<u32>,
    /// Number of times that a message has joined a queue.
    turns: u32,
    /// For every message, the number of deliveries that it still waits for.
    waits: Vec<u32>,
    /// For every message, the first hop that it holds.
    pub(super) held_from: Vec<u32>,
    /// For every message, its rank in the order of all messages, under circuit switching.
    pub(super) ranks: Vec<u32>,
    /// The messages in order of rank.
    pub(super) by_rank: Vec<u32>,
    rank_keys: Vec<(u64, u64, u32)>,
    short_keys: Vec<u128>,
    pub(super) flow: Flow,
    pub(super) waitings: Waitings,
    pub(super) masks: Masks,
    pub(super) hops: Hops,
    pub(super) circuits: AdaptiveCircuits,
    pub(super) worms: Worms,
    pub(super) end: u64,
    pub(super) holds: u64,
}

impl State {
    /// Prepares a mission with fixed paths.
    pub(super) fn prepare<P: Priority>(&mut self, case: &Case<'_, P>) {
        self.prepare_any(case.mission, case.links);
        let ends = case.routes.starts.windows(2);
        self.places.clear();
        let messages = case.mission.messages().iter();
        self.places.extend(messages.zip(ends).map(|(message, ends)| Place {
            length: message.length,
            next: ends[0],
            end: ends[1],
        }));
    }

    /// Prepares a mission with adaptive routing.
    pub(super) fn prepare_adaptive<P: Priority>(&mut self, case: &AdaptiveCase<'_, P>) {
        self.prepare_any(case.mission, case.links);
        self.rank(case.mission, |message| {
            let entry = case.mission.messages()[message as usize];
            let homes = case.network.home(entry.source).zip(case.network.home(entry.destination));
            let (from, to) = homes.expect("the mission was checked against the network");
            let left = case.adaptive.distance(from.0, to.0);
            case.priority.order(0, entry.length, left, entry.arrival)
        });
    }

    fn prepare_any(&mut self, mission: &Mission, links: &Links) {
        self.completions.clear();
        self.completions.resize(mission.len(), u64::MAX);
        for queue in &mut self.queues {
            queue.clear();
        }
        self.queues.resize_with(links.count(), Heap::default);
        self.is_busy.clear();
        self.is_busy.resize(links.count(), false);
        self.events.clear();
        self.entrants.clear();
        self.free.clear();
        self.turns = 0;
        self.end = 0;
        self.holds = 0;
        self.waits.clear();
        self.waits.extend_from_slice(mission.waits_for());
        self.prepare_arrivals(mission);
    }

    /// Lists arrivals, the earliest last. Messages that depend on others arrive when those are
    /// delivered.
    fn prepare_arrivals(&mut self, mission: &Mission) {
        self.coming.clear();
        for number in (0..mission.len() as u32).rev() {
            if self.waits.get(number as usize).is_none_or(|&waits| waits == 0) {
                self.coming.push((mission.messages()[number as usize].arrival, number));
            }
        }
        if !self.coming.is_sorted_by(|one, other| one > other) {
            self.coming.sort_unstable_by(|one, other| other.cmp(one));
        }
    }

    /// The next instant at which something ends or arrives.
    #[inline]
    pub(super) fn next_instant(&self) -> Option<u64> {
        let event = self.events.least().map(|key| (key >> 32) as u64);
        let arrival = self.coming.last().map(|&(time, _)| time);
        match (event, arrival) {
            (Some(event), Some(arrival)) => Some(event.min(arrival)),
            (event, arrival) => event.or(arrival),
        }
    }

    /// A message whose hold ends at this instant, if any.
    #[inline]
    pub(super) fn next_ended(&mut self, now: u64) -> Option<u32> {
        let key = self.events.least().filter(|key| (key >> 32) as u64 == now)?;
        self.events.pop();
        Some(key as u32)
    }

    /// Schedules the end of a message's hold.
    #[inline]
    pub(super) fn will_end(&mut self, message: u32, time: u64) {
        self.events.push(u128::from(time) << 32 | u128::from(message));
    }

    /// Adds the messages that arrive at this instant to the entrants and sorts these by sequence
    /// number, which breaks ties.
    #[inline]
    pub(super) fn gather_entrants(&mut self, now: u64) {
        while let Some((_, message)) = self.coming.pop_if(|(time, _)| *time == now) {
            self.entrants.push(message);
        }
        if self.entrants.len() > 1 && !self.entrants.is_sorted() {
            self.entrants.sort_unstable();
        }
    }

    /// Delivers a message. Messages that waited only for it arrive.
    #[inline]
    pub(super) fn deliver<P>(&mut self, case: &Case<'_, P>, message: u32, now: u64) {
        self.deliver_any(case.mission, message, now);
    }

    /// Like [`deliver`](Self::deliver), for any routing.
    #[inline]
    pub(super) fn deliver_any(&mut self, mission: &Mission, message: u32, now: u64) {
        self.completions[message as usize] = now;
        self.end = now;
        if mission.has_waits() {
            self.release_followers(mission, message, now);
        }
    }

    fn release_followers(&mut self, mission: &Mission, message: u32, now: u64) {
        for &follower in mission.followers(message) {
            let waits = &mut self.waits[follower as usize];
            *waits -= 1;
            let arrival = mission.messages()[follower as usize].arrival;
            if *waits == 0 && arrival <= now {
                self.entrants.push(follower);
            } else if *waits == 0 {
                let place = self.coming.partition_point(|&later| later > (arrival, follower));
                self.coming.insert(place, (arrival, follower));
            }
        }
    }

    /// Adds a message to the queue of its next link. If the link is free, it will be assigned.
    #[inline]
    pub(super) fn enqueue<P: Priority>(&mut self, case: &Case<'_, P>, message: u32) {
        let Place { length, next, end } = self.places[message as usize];
        let channel = case.routes.channels[next as usize];
        let link = case.links.of_number(channel);
        let birth = case.birth(message);
        let order = case.priority.order(next, length, end - next, birth);
        let queue = &mut self.queues[link as usize];
        if queue.is_empty() && !self.is_busy[link as usize] {
            self.free.push(link);
        }
        let turn = u128::from(self.turns) << 32;
        self.turns += 1;
        queue.push(u128::from(order) << 64 | turn | u128::from(message));
    }

    /// Prepares a run link by link. Messages between processors of one router are delivered on
    /// arrival.
    pub(super) fn prepare_flow<P: Priority>(&mut self, case: &Case<'_, P>) {
        self.end = 0;
        self.completions.clear();
        let paths = case.routes.starts.windows(2);
        for (message, ends) in case.mission.messages().iter().zip(paths) {
            let is_there = ends[0] == ends[1];
            self.completions.push(if is_there { message.arrival } else { u64::MAX });
            if is_there {
                self.end = self.end.max(message.arrival);
            }
        }
        self.flow.prepare(case);
    }

    /// Prepares for messages that hold several hops at once.
    pub(super) fn prepare_held(&mut self) {
        self.held_from.clear();
        self.held_from.resize(self.places.len(), 0);
    }

    /// Ranks all messages once, for switchings in which their order does not change.
    pub(super) fn prepare_ranks<P: Priority>(&mut self, case: &Case<'_, P>) {
        let places = std::mem::take(&mut self.places);
        self.rank(case.mission, |message| {
            let Place { length, next, end } = places[message as usize];
            let birth = case.mission.messages()[message as usize].arrival;
            case.priority.order(next, length, end - next, birth)
        });
        self.places = places;
    }

    fn rank(&mut self, mission: &Mission, order: impl Fn(u32) -> u64) {
        let all = mission.messages();
        let is_at_once = all.iter().all(|message| message.arrival == all[0].arrival);
        self.by_rank.clear();
        if is_at_once {
            // All arrive at once, so order and number suffice, and a single integer key sorts
            // faster.
            self.short_keys.clear();
            let numbers = 0..all.len() as u32;
            let key = |number| u128::from(order(number)) << 32 | u128::from(number);
            self.short_keys.extend(numbers.map(key));
            self.short_keys.sort_unstable();
            self.by_rank.extend(self.short_keys.iter().map(|&key| key as u32));
        } else {
            self.rank_keys.clear();
            let messages = (0..).zip(all);
            self.rank_keys.extend(messages.map(|(number, m)| (order(number), m.arrival, number)));
            self.rank_keys.sort_unstable();
            self.by_rank.extend(self.rank_keys.iter().map(|&(_, _, message)| message));
        }
        self.ranks.resize(self.by_rank.len(), 0);
        for (rank, &message) in (0..).zip(&self.by_rank) {
            self.ranks[message as usize] = rank;
        }
    }
}
