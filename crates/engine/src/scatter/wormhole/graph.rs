//! The paths open to a message as a graph of the resources it would take, in such an order that
//! whatever comes before on a path comes before in the list: send port, channels, receive port.

use super::super::layout::Layout;
use super::super::routes::Routes;
use crate::attempt::Context;
use crate::budget::{Budget, Interrupt};
use pavane_model::MessageId;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Most bytes that the graphs of all messages may take together; above, they are built anew each
/// time they are needed.
const KEPT_BYTES: usize = 256 << 20;

/// Messages from which on memory is for the schedule, not for graphs.
const MANY: usize = 500_000;

/// What is kept of graphs when there are many messages.
const KEPT_BYTES_OF_MANY: usize = 32 << 20;

/// Messages whose graphs one thread builds at a time.
pub(crate) const PART: usize = 4096;

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
    routes: Routes,
}

impl GraphBuilder {
    /// The paths at most `detour` channels longer than the shortest.
    pub fn build(&mut self, layout: &Layout<'_>, message: MessageId, detour: u32) -> Graph<'_> {
        let (from, to) = layout.ends(message);
        let source = layout.problem.home(from);
        self.edges.clear();
        let sends = self.push_ports(layout.send_rows(from), 0..0);
        let arrivals = match source == layout.problem.home(to) {
            true => sends,
            false => {
                self.routes.find(layout, source, to, detour);
                self.push_channels(layout, sends)
            }
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

    /// One edge per entry; returns those into the target.
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
                self.edges.push(Edge { row, resource: entry.channel.0, first, end });
            }
        }
        last
    }
}

/// The graphs of all messages, kept if they fit into memory.
pub(super) struct Graphs<'a> {
    layout: &'a Layout<'a>,
    detour: u32,
    kept: Option<Arc<Kept>>,
    builder: GraphBuilder,
}

/// The graphs of all messages, one after the other.
#[derive(Debug, Default)]
pub struct Kept {
    edges: Vec<Edge>,
    /// Per message, where its edges end and which is the first that paths end with.
    ends: Vec<(u32, u32)>,
}

impl Kept {
    /// Builds the graphs of all messages; `None` if they take more than is good to keep, or at an
    /// interrupt.
    fn build(layout: &Layout<'_>, detour: u32, interrupt: &Interrupt) -> Option<Self> {
        let messages = layout.problem.messages().len();
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
    /// For paths at most `detour` channels longer than the shortest; graphs of shortest paths are
    /// built once for all who ask with the same `context`. At an interrupt none are kept.
    pub fn new(
        context: &Context,
        layout: &'a Layout<'a>,
        detour: u32,
        interrupt: &Interrupt,
    ) -> Self {
        let build = || Kept::build(layout, detour, interrupt).map(Arc::new);
        let kept = match detour {
            0 => context.private().graphs.get_until(interrupt, build).cloned().flatten(),
            _ => build(),
        };
        Self { layout, detour, kept, builder: GraphBuilder::default() }
    }

    /// How many channels longer than the shortest the paths may be.
    pub fn detour(&self) -> u32 {
        self.detour
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
