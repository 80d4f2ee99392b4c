//! The paths of the base messages, on folded rows.

use super::super::super::action::Action;
use super::super::graph::{Graph, GraphBuilder, PathEdge};
use super::rows::FoldedRows;
use crate::budget::{Budget, Interrupt};
use pavane_model::MessageId;

/// Memory limit for the graphs, in bytes. With a small group there are nearly as many base messages
/// as messages.
const MOST_BYTES: usize = 1 << 30;

/// The graphs of all base messages.
pub(super) struct BaseGraphs {
    edges: Vec<PathEdge>,
    /// Per base message, one past its last edge, and the first of its edges that end a path.
    ends: Vec<(usize, usize)>,
}

impl BaseGraphs {
    /// For paths at most `detour` channels longer than the shortest; `None` if the graphs exceed
    /// the memory limit, or on interrupt.
    pub fn new(
        action: &Action<'_>,
        rows: &FoldedRows,
        detour: u32,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let mut builder = GraphBuilder::default();
        let mut pace = Budget::unlimited(interrupt);
        let mut edges = Vec::new();
        let mut ends = Vec::with_capacity(action.bases.len());
        for &message in &action.bases {
            let graph = builder.build(action.layout, MessageId(message), detour);
            let has_room = size_of_val(edges.as_slice()) <= MOST_BYTES;
            if !has_room || !pace.spend(1 + graph.edges.len() as u64) {
                return None;
            }
            let start = edges.len();
            let folded =
                |edge: &PathEdge| PathEdge { row: rows.of_row[edge.row as usize], ..*edge };
            edges.extend(graph.edges.iter().map(folded));
            ends.push((edges.len(), start + graph.last));
        }
        Some(Self { edges, ends })
    }

    /// The paths of a base message.
    pub fn of(&self, base: u32) -> Graph<'_> {
        let (end, last) = self.ends[base as usize];
        let start = match base {
            0 => 0,
            base => self.ends[base as usize - 1].0,
        };
        Graph { edges: &self.edges[start..end], last: last - start }
    }

    /// The price of the cheapest path of every base message.
    pub fn price_distances(&self, price: &[f32]) -> Vec<f32> {
        let mut best: Vec<f32> = Vec::new();
        let least = |costs: &[f32]| costs.iter().copied().fold(f32::INFINITY, f32::min);
        let distance = |base| {
            let graph = self.of(base);
            best.clear();
            for edge in graph.edges {
                let before = if edge.first == edge.end { 0.0 } else { least(&best[edge.before()]) };
                best.push(before + price[edge.row as usize]);
            }
            least(&best[graph.last..])
        };
        (0..self.ends.len() as u32).map(distance).collect()
    }
}
