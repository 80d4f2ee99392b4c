//! The allowed paths of a message as a graph of the resources they use: send port, channels,
//! receive port. The edges are in topological order: predecessors come first.

use super::super::layout::Layout;
use super::super::routes::{MessageRoutes, PART};
use crate::attempt::Context;
use crate::budget::{Budget, Interrupt};
use crate::facts::Known;
use pavane_model::MessageId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Memory limit for the graphs of all messages together, in bytes. Above it, graphs are rebuilt
/// each time they are needed.
const KEPT_BYTES: usize = 256 << 20;

/// Memory limit for the graphs that were rebuilt lately, in bytes.
const RECENT_BYTES: usize = 64 << 20;

/// Above this number of messages, memory is reserved for the schedule rather than for graphs.
const MANY: usize = 500_000;

/// Memory limit for graphs when there are many messages, in bytes.
const KEPT_BYTES_OF_MANY: usize = 32 << 20;

/// One resource on some of the paths.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathEdge {
    /// Its row in the grid.
    pub row: u32,
    /// The channel or port.
    pub resource: u32,
    /// The first of its predecessors.
    pub first: u32,
    /// One past the last predecessor; equal to `first` where paths start.
    pub end: u32,
}

impl PathEdge {
    /// Its predecessors; empty where paths start.
    pub fn before(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The paths of one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Graph<'a> {
    /// The resources in topological order.
    pub edges: &'a [PathEdge],
    /// The first of the edges that end a path; all edges from here on end paths.
    pub last: usize,
}

/// Builds graphs one at a time, reusing the memory.
#[derive(Default)]
pub(super) struct GraphBuilder {
    edges: Vec<PathEdge>,
    routes: MessageRoutes,
}

impl GraphBuilder {
    /// Builds the graph of all paths that are at most `detour` channels longer than the shortest.
    pub fn build(&mut self, layout: &Layout<'_>, message: MessageId, detour: u32) -> Graph<'_> {
        let (from, to) = layout.ends(message);
        let source = layout.problem.home(from);
        self.edges.clear();
        let sends = self.push_ports(layout.send_rows(from), 0..0);
        let arrivals = if source == layout.problem.home(to) {
            sends
        } else {
            self.routes.find(layout, source, to, detour);
            self.push_channels(layout, sends)
        };
        let receives = self.push_ports(layout.receive_rows(to), arrivals.clone());
        let last = if receives.is_empty() { arrivals.start } else { receives.start };
        Graph { edges: &self.edges, last: last as usize }
    }

    fn push_ports(&mut self, rows: Range<u32>, before: Range<u32>) -> Range<u32> {
        let first = self.edges.len() as u32;
        for row in rows {
            self.edges.push(PathEdge { row, resource: row, first: before.start, end: before.end });
        }
        first..self.edges.len() as u32
    }

    /// Adds one edge per entry; returns those that enter the target.
    fn push_channels(&mut self, layout: &Layout<'_>, sends: Range<u32>) -> Range<u32> {
        let shift = self.edges.len() as u32;
        let mut last = 0..0;
        for state in &self.routes.states {
            last = state.entries.start + shift..state.entries.end + shift;
            for entry in
                &self.routes.entries[state.entries.start as usize..state.entries.end as usize]
            {
                let (first, end) = match entry.tail {
                    0 => (sends.start, sends.end),
                    tail => {
                        let before = &self.routes.states[tail as usize].entries;
                        (before.start + shift, before.end + shift)
                    }
                };
                let row = layout.row(entry.channel.0);
                self.edges.push(PathEdge { row, resource: entry.channel.0, first, end });
            }
        }
        last
    }
}

/// The graphs of all messages, stored if they fit in memory.
pub(super) struct Graphs<'a> {
    layout: &'a Layout<'a>,
    detour: u32,
    kept: Option<Arc<KeptGraphs>>,
    builder: GraphBuilder,
    recent: RecentGraphs,
}

/// Graphs that were rebuilt lately, concatenated; all are dropped when they exceed the memory limit.
#[derive(Default)]
struct RecentGraphs {
    edges: Vec<PathEdge>,
    /// Per message, its edges, and the first of them that ends a path, counted from the first edge.
    places: FxHashMap<u32, (Range<u32>, u32)>,
}

impl RecentGraphs {
    fn add(&mut self, message: u32, graph: Graph<'_>) {
        if size_of_val(self.edges.as_slice()) > RECENT_BYTES {
            self.edges.clear();
            self.places.clear();
        }
        let start = self.edges.len() as u32;
        self.edges.extend_from_slice(graph.edges);
        self.places.insert(message, (start..self.edges.len() as u32, graph.last as u32));
    }

    fn of(&self, message: u32) -> Option<Graph<'_>> {
        let (edges, last) = self.places.get(&message)?;
        let edges = &self.edges[edges.start as usize..edges.end as usize];
        Some(Graph { edges, last: *last as usize })
    }
}

/// The graphs of shortest paths, shared by all searches; `None` if they exceed the memory limit.
#[derive(Debug, Default)]
struct SharedGraphs(Known<Option<Arc<KeptGraphs>>>);

/// The stored graphs of all messages, concatenated.
#[derive(Debug, Default)]
struct KeptGraphs {
    edges: Vec<PathEdge>,
    /// Per message, one past its last edge, and the first of its edges that end a path.
    ends: Vec<(u32, u32)>,
}

impl KeptGraphs {
    /// Builds the graphs of all messages; `None` if they exceed the memory limit, or on interrupt.
    fn build(layout: &Layout<'_>, detour: u32, interrupt: &Interrupt) -> Option<Self> {
        crate::threads::start_threads();
        let messages = layout.message_count();
        let most_bytes = if messages > MANY { KEPT_BYTES_OF_MANY } else { KEPT_BYTES };
        let parts: Option<Vec<Self>> = (0..messages.div_ceil(PART))
            .into_par_iter()
            .map(|part| {
                let range = part * PART..messages.min((part + 1) * PART);
                let share = most_bytes as u64 * range.len() as u64 / messages as u64;
                Self::build_part(layout, detour, range, 2 * share as usize, interrupt)
            })
            .collect();
        let mut all = Self::default();
        for part in parts? {
            let shift = all.edges.len() as u32;
            all.ends.extend(part.ends.iter().map(|&(end, last)| (end + shift, last + shift)));
            all.edges.extend(part.edges);
            if size_of_val(all.edges.as_slice()) > most_bytes {
                return None;
            }
        }
        Some(all)
    }

    fn build_part(
        layout: &Layout<'_>,
        detour: u32,
        messages: Range<usize>,
        most_bytes: usize,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let mut builder = GraphBuilder::default();
        let mut pace = Budget::unlimited(interrupt);
        let mut part = Self::default();
        for message in messages {
            let graph = builder.build(layout, MessageId(message as u32), detour);
            if !pace.spend(1 + graph.edges.len() as u64) {
                return None;
            }
            let start = part.edges.len();
            part.edges.extend_from_slice(graph.edges);
            part.ends.push((part.edges.len() as u32, (start + graph.last) as u32));
            if size_of_val(part.edges.as_slice()) > most_bytes {
                return None;
            }
        }
        Some(part)
    }
}

impl<'a> Graphs<'a> {
    /// For paths at most `detour` channels longer than the shortest. Graphs of shortest paths are
    /// built once per `context` and shared. On interrupt, none are stored.
    pub fn new(
        context: &Context,
        layout: &'a Layout<'a>,
        detour: u32,
        interrupt: &Interrupt,
    ) -> Self {
        let build = || KeptGraphs::build(layout, detour, interrupt).map(Arc::new);
        let kept = match detour {
            0 => {
                let shared = context.facts_of::<SharedGraphs>();
                shared.0.get_until(interrupt, build).cloned().flatten()
            }
            _ => build(),
        };
        let (builder, recent) = (GraphBuilder::default(), RecentGraphs::default());
        Self { layout, detour, kept, builder, recent }
    }

    /// How many channels longer than the shortest the paths may be.
    pub fn detour(&self) -> u32 {
        self.detour
    }

    /// The paths of a message.
    pub fn of(&mut self, message: u32) -> Graph<'_> {
        let Some(kept) = &self.kept else {
            if self.recent.of(message).is_none() {
                let graph = self.builder.build(self.layout, MessageId(message), self.detour);
                self.recent.add(message, graph);
            }
            return self.recent.of(message).expect("the graph was just added");
        };
        let (end, last) = kept.ends[message as usize];
        let start = match message {
            0 => 0,
            message => kept.ends[message as usize - 1].0,
        };
        Graph { edges: &kept.edges[start as usize..end as usize], last: (last - start) as usize }
    }
}
