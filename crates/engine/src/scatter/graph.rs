//! The paths open to a message as a graph of the resources it would take, in such an order that
//! whatever comes before on a path comes before in the list: send port, channels, receive port.

use super::layout::{Layout, Spare};
use pavane_model::{ChannelId, MessageId, RouterId};
use std::ops::Range;

/// Most bytes that the graphs of all messages may take together; above, they are built anew each
/// time they are needed.
const KEPT_BYTES: usize = 64 << 20;

/// One resource on one of the paths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// Its row in the grid.
    pub row: u32,
    /// The channel or port.
    pub resource: u32,
    /// The first of the edges that may come right before it.
    pub first: u32,
    /// One after the last of them; equal to `first` where paths start.
    pub end: u32,
}

impl Edge {
    /// The edges that may come right before it; none where paths start.
    pub fn before(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The paths of one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Graph<'a> {
    /// The resources, in an order that paths follow.
    pub edges: &'a [Edge],
    /// The first of the edges that paths end with; all from here to the last do.
    pub last: usize,
}

/// Builds graphs, one at a time, in memory that is used again.
#[derive(Default)]
pub(super) struct GraphBuilder {
    edges: Vec<Edge>,
    states: Vec<State>,
    place: Vec<u32>,
    spare: Spare,
}

/// A router on a path, after so many hops, and the edges that lead there.
struct State {
    router: RouterId,
    hops: u32,
    edges: Range<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl GraphBuilder {
    /// The paths at most `detour` channels longer than the shortest.
    pub fn build(&mut self, layout: &Layout<'_>, message: MessageId, detour: u32) -> Graph<'_> {
        let (from, to) = layout.ends(message);
        let (source, target) = (layout.problem.home(from), layout.problem.home(to));
        self.edges.clear();
        let sends = self.push_ports(layout.send_rows(from), 0..0);
        let arrivals = if source == target {
            sends
        } else {
            let distance = layout.distances_to(to, &mut self.spare);
            let mut routes = Routes {
                layout,
                distance,
                source,
                target,
                detour,
                states: &mut self.states,
                place: &mut self.place,
            };
            routes.find_states(sends);
            routes.add_channels(&mut self.edges)
        };
        let receives = self.push_ports(layout.receive_rows(to), arrivals.clone());
        let last = if receives.is_empty() { arrivals.start } else { receives.start };
        Graph { edges: &self.edges, last: last as usize }
    }

    fn push_ports(&mut self, rows: Range<u32>, before: Range<u32>) -> Range<u32> {
        let first = self.edges.len() as u32;
        for row in rows {
            self.edges.push(Edge { row, resource: row, first: before.start, end: before.end });
        }
        first..self.edges.len() as u32
    }
}

/// What decides which channels belong to a path. A state is a router and the part of the detour
/// that is used up there; `place` finds it in `states`, which are ordered by hops.
struct Routes<'a> {
    layout: &'a Layout<'a>,
    distance: &'a [u32],
    source: RouterId,
    target: RouterId,
    detour: u32,
    states: &'a mut Vec<State>,
    place: &'a mut Vec<u32>,
}

impl Routes<'_> {
    /// The place of (router, hops) if a path to it can still end in time.
    fn slot(&self, router: RouterId, hops: u32) -> Option<usize> {
        let distance = self.distance[router.index()];
        if distance == u32::MAX {
            return None;
        }
        let used = (hops + distance).checked_sub(self.distance[self.source.index()])?;
        let width = self.detour as usize + 1;
        (used <= self.detour).then_some(router.index() * width + used as usize)
    }

    fn find_states(&mut self, sends: Range<u32>) {
        let network = self.layout.problem.network();
        self.place.resize(network.router_count() * (self.detour as usize + 1), NOWHERE);
        self.states.clear();
        self.states.push(State { router: self.source, hops: 0, edges: sends });
        let mut at = 0;
        while at < self.states.len() {
            let State { router, hops, .. } = self.states[at];
            at += 1;
            for &channel in network.out_channels(router) {
                let next = network.channel(channel).head;
                if next == self.target || next == self.source {
                    continue;
                }
                if let Some(slot) = self.slot(next, hops + 1)
                    && self.place[slot] == NOWHERE
                {
                    self.place[slot] = self.states.len() as u32;
                    self.states.push(State { router: next, hops: hops + 1, edges: 0..0 });
                }
            }
        }
        let start = self.source.index() * (self.detour as usize + 1);
        self.place[start] = 0;
    }

    /// Adds the edges into every state and at last those into the target, which are returned.
    fn add_channels(&mut self, edges: &mut Vec<Edge>) -> Range<u32> {
        let network = self.layout.problem.network();
        for at in 1..self.states.len() {
            let State { router, hops, .. } = self.states[at];
            let first = edges.len() as u32;
            for &channel in network.in_channels(router) {
                let tail = network.channel(channel).tail;
                if let Some(slot) = self.slot(tail, hops - 1) {
                    self.push_channel(edges, channel, self.place[slot]);
                }
            }
            self.states[at].edges = first..edges.len() as u32;
        }
        let first = edges.len() as u32;
        let width = self.detour as usize + 1;
        for &channel in network.in_channels(self.target) {
            let tail = network.channel(channel).tail.index();
            for slot in tail * width..(tail + 1) * width {
                self.push_channel(edges, channel, self.place[slot]);
            }
        }
        for state in &*self.states {
            let slot = self.slot(state.router, state.hops).expect("it was found by its slot");
            self.place[slot] = NOWHERE;
        }
        first..edges.len() as u32
    }

    fn push_channel(&self, edges: &mut Vec<Edge>, channel: ChannelId, tail_state: u32) {
        if tail_state == NOWHERE {
            return;
        }
        let before = &self.states[tail_state as usize].edges;
        let row = self.layout.row(channel.0);
        edges.push(Edge { row, resource: channel.0, first: before.start, end: before.end });
    }
}

/// The graphs of all messages, kept if they fit into memory.
pub(super) struct Graphs<'a> {
    layout: &'a Layout<'a>,
    detour: u32,
    kept: Option<Kept>,
    builder: GraphBuilder,
}

struct Kept {
    edges: Vec<Edge>,
    /// Per message, where its edges end and which is the first that paths end with.
    ends: Vec<(u32, u32)>,
}

impl<'a> Graphs<'a> {
    /// For paths at most `detour` channels longer than the shortest.
    pub fn new(layout: &'a Layout<'a>, detour: u32) -> Self {
        let mut builder = GraphBuilder::default();
        let mut edges = Vec::new();
        let mut ends = Vec::with_capacity(layout.problem.messages().len());
        for message in layout.problem.messages().ids() {
            let graph = builder.build(layout, message, detour);
            let start = edges.len();
            edges.extend_from_slice(graph.edges);
            ends.push((edges.len() as u32, (start + graph.last) as u32));
            if size_of_val(edges.as_slice()) > KEPT_BYTES {
                return Self { layout, detour, kept: None, builder };
            }
        }
        Self { layout, detour, kept: Some(Kept { edges, ends }), builder }
    }

    /// Graphs of nothing, to stand in while others are lent out.
    pub fn none(layout: &'a Layout<'a>) -> Self {
        Self { layout, detour: 0, kept: None, builder: GraphBuilder::default() }
    }

    /// The paths of a message.
    pub fn of(&mut self, message: u32) -> Graph<'_> {
        let Some(kept) = &self.kept else {
            return self.builder.build(self.layout, MessageId(message), self.detour);
        };
        let (end, last) = kept.ends[message as usize];
        let start = match message {
            0 => 0,
            message => kept.ends[message as usize - 1].0,
        };
        Graph { edges: &kept.edges[start as usize..end as usize], last: (last - start) as usize }
    }
}
