//! The paths from one router to another, as states (a router after a number of channels) connected
//! by channels: shortest paths, or paths that are longer by at most a given detour. With a detour,
//! a walk through the states may visit a router twice.

use super::layout::{Layout, Spare};
use pavane_model::{ChannelId, ProcessorId, RouterId};
use std::ops::Range;

/// Number of messages that one thread takes at a time where the paths of all are computed.
pub(super) const PART: usize = 4096;

/// A router after a given number of channels, and the entries that lead to it.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The router.
    pub router: RouterId,
    hops: u32,
    /// Indices of its entries; empty for the first state, the source.
    pub entries: Range<u32>,
}

/// A channel into a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouteEntry {
    /// The channel.
    pub channel: ChannelId,
    /// Index of the state it comes from, which is always lower.
    pub tail: u32,
}

/// All paths from one router to another. The memory is reused between searches.
#[derive(Default)]
pub(super) struct MessageRoutes {
    /// The states in topological order: the first is the source, the last the target.
    pub states: Vec<State>,
    /// The entries, in the order of the states they lead to.
    pub entries: Vec<RouteEntry>,
    /// Index of the state for each router and amount of detour used up there.
    place: Vec<u32>,
    spare: Spare,
}

const NOWHERE: u32 = u32::MAX;

impl MessageRoutes {
    /// Finds the paths from `source` to the home of `to`, a different router, that are at most
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
            let slot = slots.find(state.router, state.hops).expect("every state has a slot");
            self.place[slot] = NOWHERE;
        }
        let entries = first..self.entries.len() as u32;
        self.states.push(State { router: target, hops: u32::MAX, entries });
    }
}

fn push_entry(entries: &mut Vec<RouteEntry>, channel: ChannelId, tail: u32) {
    if tail != NOWHERE {
        entries.push(RouteEntry { channel, tail });
    }
}

/// Maps a router and a number of channels to a slot in the table of states.
struct Slots<'a> {
    distance: &'a [u32],
    source: RouterId,
    detour: u32,
}

impl Slots<'_> {
    /// Returns `None` if every path through that state is too long.
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
