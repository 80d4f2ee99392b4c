//! Longest-first insertion: every message goes into the first step that still has a path free for
//! it. Sixty-four steps are looked at together, one bit each.

use super::super::layout::Layout;
use super::graph::{Graph, Graphs};

/// Which resources are free, one bit per step, in words of 64 steps.
struct FreeSteps {
    rows: usize,
    words: Vec<u64>,
    reach: Vec<u64>,
    cost: Vec<f32>,
}

/// A message in its step and the resources it takes, first to last.
pub(super) struct Placed {
    pub message: u32,
    pub step: u32,
    pub path: Vec<u32>,
}

/// Inserts the messages in the given order, each into its first free step below `limit`, and
/// hands each one over; returns those that found none, or were left when `place` said to stop.
pub(super) fn insert_all(
    layout: &Layout<'_>,
    graphs: &mut Graphs<'_>,
    order: &[u32],
    limit: u32,
    place: impl FnMut(&Placed) -> bool,
) -> Vec<u32> {
    insert_beside(layout, graphs, &[], order, limit, place)
}

/// The same beside messages that have their places already.
pub(super) fn insert_beside(
    layout: &Layout<'_>,
    graphs: &mut Graphs<'_>,
    kept: &[Placed],
    order: &[u32],
    limit: u32,
    mut place: impl FnMut(&Placed) -> bool,
) -> Vec<u32> {
    let mut free =
        FreeSteps { rows: layout.rows, words: Vec::new(), reach: Vec::new(), cost: Vec::new() };
    for placed in kept {
        free.reach_to(placed.step as usize / 64);
        placed.path.iter().for_each(|&resource| free.take(placed.step, layout.row(resource)));
    }
    let mut placed = Placed { message: 0, step: 0, path: Vec::new() };
    let mut left = Vec::new();
    for (at, &message) in order.iter().enumerate() {
        let graph = graphs.of(message);
        let Some(step) = free.first_step(graph, limit) else {
            left.push(message);
            continue;
        };
        (placed.message, placed.step) = (message, step);
        free.cheapest_path(graph, step, &layout.price, &mut placed.path);
        super::grid::cut_loops(layout, &mut placed.path);
        for &resource in &placed.path {
            free.take(step, layout.row(resource));
        }
        if !place(&placed) {
            left.extend_from_slice(&order[at + 1..]);
            break;
        }
    }
    left
}

impl FreeSteps {
    fn first_step(&mut self, graph: Graph<'_>, limit: u32) -> Option<u32> {
        for word in 0..(limit as usize).div_ceil(64) {
            self.reach_to(word);
            let steps = self.open_steps(graph, word);
            if steps != 0 {
                let step = word as u32 * 64 + steps.trailing_zeros();
                return (step < limit).then_some(step);
            }
        }
        None
    }

    /// Makes a word of steps known, all of it free.
    fn reach_to(&mut self, word: usize) {
        let needed = (word + 1) * self.rows;
        if self.words.len() < needed {
            self.words.resize(needed, u64::MAX);
        }
    }

    /// The steps of a word in which a whole path is free.
    fn open_steps(&mut self, graph: Graph<'_>, word: usize) -> u64 {
        let free = &self.words[word * self.rows..(word + 1) * self.rows];
        let any = |edges: &[super::graph::Edge]| {
            edges.iter().fold(0, |bits, edge| bits | free[edge.row as usize])
        };
        let starts = graph.edges.partition_point(|edge| edge.first == edge.end);
        // Most words are ruled out by the ends alone.
        if any(&graph.edges[..starts]) & any(&graph.edges[graph.last..]) == 0 {
            return 0;
        }
        self.reach.clear();
        for edge in graph.edges {
            let mut bits = free[edge.row as usize];
            if edge.first != edge.end {
                bits &= self.reach[edge.before()].iter().fold(0, |all, reach| all | reach);
            }
            self.reach.push(bits);
        }
        self.reach[graph.last..].iter().fold(0, |all, reach| all | reach)
    }

    fn is_free(&self, step: u32, row: u32) -> bool {
        self.words[step as usize / 64 * self.rows + row as usize] >> (step % 64) & 1 == 1
    }

    fn take(&mut self, step: u32, row: u32) {
        self.words[step as usize / 64 * self.rows + row as usize] &= !(1 << (step % 64));
    }

    fn cheapest_path(&mut self, graph: Graph<'_>, step: u32, price: &[f32], path: &mut Vec<u32>) {
        let mut cost = std::mem::take(&mut self.cost);
        cost.clear();
        let cheapest = |range: std::ops::Range<usize>, cost: &[f32]| {
            range.min_by(|&a, &b| cost[a].total_cmp(&cost[b]))
        };
        for edge in graph.edges {
            let before = cheapest(edge.before(), &cost).map_or(0.0, |at| cost[at]);
            cost.push(match self.is_free(step, edge.row) {
                true => before + price[edge.row as usize],
                false => f32::INFINITY,
            });
        }
        path.clear();
        let mut at = cheapest(graph.last..graph.edges.len(), &cost);
        while let Some(current) = at {
            path.push(graph.edges[current].resource);
            at = cheapest(graph.edges[current].before(), &cost);
        }
        path.reverse();
        self.cost = cost;
    }
}
