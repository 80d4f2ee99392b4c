//! The paths of one message of every orbit, on folded rows.

use super::super::super::action::Action;
use super::super::graph::{Edge, Graph, GraphBuilder};
use super::rows::FoldedRows;
use crate::budget::{Budget, Interrupt};
use pavane_model::MessageId;

/// Most bytes that the graphs may take: where the group is small, there are nearly as many base
/// messages as messages.
const MOST_BYTES: usize = 1 << 30;

/// The graphs of all base messages.
pub(super) struct BaseGraphs {
    edges: Vec<Edge>,
    /// Per base message, where its edges end and which is the first that paths end with.
    ends: Vec<(usize, usize)>,
}

impl BaseGraphs {
    /// For paths at most `detour` channels longer than the shortest; `None` if that takes too much
    /// memory, or at an interrupt.
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
            let folded = |edge: &Edge| Edge { row: rows.of_row[edge.row as usize], ..*edge };
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

    /// What every base message pays at least.
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
