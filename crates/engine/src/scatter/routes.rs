//! The routers that a path may visit, after how many hops, and by which channels: shortest paths,
//! or paths so many channels longer. A walk through them may visit a router twice.

use super::layout::{Layout, Spare};
use pavane_model::{ChannelId, ProcessorId, RouterId};
use std::ops::Range;

/// A router after so many hops, and the entries that lead there.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The router.
    pub router: RouterId,
    hops: u32,
    /// Numbers of the entries; none for the first state, the source.
    pub entries: Range<u32>,
}

/// A channel into a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The channel.
    pub channel: ChannelId,
    /// The number of the state it comes from, which is lower.
    pub tail: u32,
}

/// All ways from one router to another, in memory that is used again.
#[derive(Default)]
pub(super) struct Routes {
    /// The first is the source, the last the target, and every entry leads upwards.
    pub states: Vec<State>,
    /// The entries, in the order of the states they lead to.
    pub entries: Vec<Entry>,
    /// Number of the state for each router and part of the detour used up there.
    place: Vec<u32>,
    spare: Spare,
}

const NOWHERE: u32 = u32::MAX;

impl Routes {
    /// Finds the ways from `source` to the home of `to`, another router, that are at most
    /// `detour` channels longer than the shortest.
    pub fn find(&mut self, layout: &Layout<'_>, source: RouterId, to: ProcessorId, detour: u32) {
        let width = detour as usize + 1;
        let network = layout.problem.network();
        let target = layout.problem.home(to);
        self.place.resize(network.router_count() * width, NOWHERE);
        let slots = Slots { distance: layout.distances_to(to, &mut self.spare), source, detour };
        self.states.clear();
        self.states.push(State { router: source, hops: 0, entries: 0..0 });
        let mut at = 0;
        while at < self.states.len() {
            let State { router, hops, .. } = self.states[at];
            at += 1;
            for &channel in network.out_channels(router) {
                let next = network.channel(channel).head;
                if next == target || next == source {
                    continue;
                }
                if let Some(slot) = slots.find(next, hops + 1)
                    && self.place[slot] == NOWHERE
                {
                    self.place[slot] = self.states.len() as u32;
                    self.states.push(State { router: next, hops: hops + 1, entries: 0..0 });
                }
            }
        }
        self.place[source.index() * width] = 0;
        self.entries.clear();
        for at in 1..self.states.len() {
            let State { router, hops, .. } = self.states[at];
            let first = self.entries.len() as u32;
            for &channel in network.in_channels(router) {
                if let Some(slot) = slots.find(network.channel(channel).tail, hops - 1) {
                    push_entry(&mut self.entries, channel, self.place[slot]);
                }
            }
            self.states[at].entries = first..self.entries.len() as u32;
        }
        let first = self.entries.len() as u32;
        for &channel in network.in_channels(target) {
            let tail = network.channel(channel).tail.index();
            for &state in &self.place[tail * width..(tail + 1) * width] {
                push_entry(&mut self.entries, channel, state);
            }
        }
        for state in &self.states {
            let slot = slots.find(state.router, state.hops).expect("it was found by its slot");
            self.place[slot] = NOWHERE;
        }
        let entries = first..self.entries.len() as u32;
        self.states.push(State { router: target, hops: u32::MAX, entries });
    }
}

fn push_entry(entries: &mut Vec<Entry>, channel: ChannelId, tail: u32) {
    if tail != NOWHERE {
        entries.push(Entry { channel, tail });
    }
}

/// Where in the table of states a router after so many hops stands.
struct Slots<'a> {
    distance: &'a [u32],
    source: RouterId,
    detour: u32,
}

impl Slots<'_> {
    /// `None` if no path through it ends in time.
    fn find(&self, router: RouterId, hops: u32) -> Option<usize> {
        let distance = self.distance[router.index()];
        if distance == u32::MAX {
            return None;
        }
        let used = (hops + distance).checked_sub(self.distance[self.source.index()])?;
        let width = self.detour as usize + 1;
        (used <= self.detour).then_some(router.index() * width + used as usize)
    }
}
