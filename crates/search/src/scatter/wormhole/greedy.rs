//! Longest-first insertion: every message goes into the first step with a free path. Steps are
//! checked in blocks, one bit each: 64 steps per block, or a cache line (512) where the schedule
//! will be long.

use super::super::layout::Layout;
use super::graph::{Graph, Graphs};
use crate::budget::{Budget, Interrupt};

/// Messages per row from which a block has the size of a cache line.
const MANY: usize = 16;

/// A bit set over the steps of a block, 64 per word.
type Block<const WORDS: usize> = [u64; WORDS];

/// Which rows are free, one block of steps after the other.
struct FreeSteps<const WORDS: usize> {
    rows: usize,
    blocks: Vec<Block<WORDS>>,
    /// Per row, the number of leading blocks without a free step.
    full: Vec<u32>,
    reach: Vec<Block<WORDS>>,
    first_blocks: Vec<u32>,
    cost: Vec<f32>,
    /// Work counter: rows inspected.
    looks: u64,
}

/// A message with its step and the resources it takes, in path order.
pub(super) struct Placed {
    pub message: u32,
    pub step: u32,
    pub path: Vec<u32>,
}

/// Inserts the messages in the given order, each into its first free step below `limit`, and passes
/// each placed message to `place`. Returns the messages that found no step or were left on
/// interrupt.
pub(super) fn insert_all(
    layout: &Layout<'_>,
    graphs: &mut Graphs<'_>,
    order: &[u32],
    limit: u32,
    interrupt: &Interrupt,
    place: impl FnMut(&Placed),
) -> Vec<u32> {
    insert_beside(layout, graphs, (&[], order), limit, interrupt, place)
}

/// Like [`insert_all`], beside messages that are already placed.
pub(super) fn insert_beside(
    layout: &Layout<'_>,
    graphs: &mut Graphs<'_>,
    (kept, order): (&[Placed], &[u32]),
    limit: u32,
    interrupt: &Interrupt,
    place: impl FnMut(&Placed),
) -> Vec<u32> {
    match (kept.len() + order.len()) / layout.rows.max(1) {
        ..MANY => insert_by::<1>(layout, graphs, (kept, order), limit, interrupt, place),
        MANY.. => insert_by::<8>(layout, graphs, (kept, order), limit, interrupt, place),
    }
}

/// Like [`insert_beside`], with blocks of the given number of words.
fn insert_by<const WORDS: usize>(
    layout: &Layout<'_>,
    graphs: &mut Graphs<'_>,
    (kept, order): (&[Placed], &[u32]),
    limit: u32,
    interrupt: &Interrupt,
    mut place: impl FnMut(&Placed),
) -> Vec<u32> {
    let mut free = FreeSteps::<WORDS>::new(layout.rows);
    let mut pace = Budget::unlimited(interrupt);
    for placed in kept {
        if !pace.spend(1 + placed.path.len() as u64) {
            return order.to_vec();
        }
        free.reach_to(placed.step as usize / FreeSteps::<WORDS>::STEPS);
        placed.path.iter().for_each(|&resource| free.take(placed.step, layout.row(resource)));
    }
    let mut placed = Placed { message: 0, step: 0, path: Vec::new() };
    let can_loop = graphs.detour() > 0;
    let mut left = Vec::new();
    for (at, &message) in order.iter().enumerate() {
        if !pace.spend(1 + std::mem::take(&mut free.looks)) {
            left.extend_from_slice(&order[at..]);
            break;
        }
        let graph = graphs.of(message);
        let Some(step) = free.first_step(graph, limit) else {
            left.push(message);
            continue;
        };
        (placed.message, placed.step) = (message, step);
        free.cheapest_path(graph, step, &layout.price, &mut placed.path);
        if can_loop {
            super::grid::cut_loops(layout, &mut placed.path);
        }
        for &resource in &placed.path {
            free.take(step, layout.row(resource));
        }
        place(&placed);
    }
    left
}

impl<const WORDS: usize> FreeSteps<WORDS> {
    const STEPS: usize = 64 * WORDS;

    /// All steps of all rows are free.
    fn new(rows: usize) -> Self {
        Self {
            rows,
            blocks: Vec::new(),
            full: vec![0; rows],
            reach: Vec::new(),
            first_blocks: Vec::new(),
            cost: Vec::new(),
            looks: 0,
        }
    }

    fn first_step(&mut self, graph: Graph<'_>, limit: u32) -> Option<u32> {
        for block in self.first_block(graph)..(limit as usize).div_ceil(Self::STEPS) {
            self.reach_to(block);
            let open = self.open_steps(graph, block);
            if let Some(word) = open.iter().position(|&steps| steps != 0) {
                let before = block * Self::STEPS + word * 64;
                let step = before as u32 + open[word].trailing_zeros();
                return (step < limit).then_some(step);
            }
        }
        None
    }

    /// The first block that may have a free path; in every earlier block, each path has a row that
    /// is full.
    fn first_block(&mut self, graph: Graph<'_>) -> usize {
        let mut first = std::mem::take(&mut self.first_blocks);
        first.clear();
        for edge in graph.edges {
            let before = first[edge.before()].iter().copied().min().unwrap_or(0);
            first.push(before.max(self.full[edge.row as usize]));
        }
        self.looks += graph.edges.len() as u64;
        let block = first[graph.last..].iter().copied().min().unwrap_or(0);
        self.first_blocks = first;
        block as usize
    }

    /// Extends the table up to the given block, with all new steps free.
    fn reach_to(&mut self, block: usize) {
        let needed = (block + 1) * self.rows;
        if self.blocks.len() < needed {
            self.blocks.resize(needed, [u64::MAX; WORDS]);
        }
    }

    /// The steps of a block in which some path is entirely free.
    fn open_steps(&mut self, graph: Graph<'_>, block: usize) -> Block<WORDS> {
        let free = &self.blocks[block * self.rows..(block + 1) * self.rows];
        let ends =
            |edges: &[super::graph::PathEdge]| any(edges.iter().map(|e| &free[e.row as usize]));
        let starts = graph.edges.partition_point(|edge| edge.first == edge.end);
        // The first and last resources of the paths alone rule out most blocks.
        self.looks += 1;
        if both(ends(&graph.edges[..starts]), &ends(&graph.edges[graph.last..])) == [0; WORDS] {
            return [0; WORDS];
        }
        self.looks += graph.edges.len() as u64;
        self.reach.clear();
        for edge in graph.edges {
            let mut bits = free[edge.row as usize];
            if edge.first != edge.end {
                bits = both(bits, &any(&self.reach[edge.before()]));
            }
            self.reach.push(bits);
        }
        any(&self.reach[graph.last..])
    }

    /// Position of a step in the bit sets of a row: block, word and bit.
    fn place(&self, step: u32, row: u32) -> (usize, usize, u32) {
        let (block, word) = (step as usize / Self::STEPS, step as usize / 64 % WORDS);
        (block * self.rows + row as usize, word, step % 64)
    }

    fn is_free(&self, step: u32, row: u32) -> bool {
        let (block, word, bit) = self.place(step, row);
        self.blocks[block][word] >> bit & 1 == 1
    }

    fn take(&mut self, step: u32, row: u32) {
        let (block, word, bit) = self.place(step, row);
        self.blocks[block][word] &= !(1 << bit);
        let full = &mut self.full[row as usize];
        let is_taken = |block: &Block<WORDS>| *block == [0; WORDS];
        while self.blocks.get(*full as usize * self.rows + row as usize).is_some_and(is_taken) {
            *full += 1;
        }
    }

    fn cheapest_path(&mut self, graph: Graph<'_>, step: u32, price: &[f32], path: &mut Vec<u32>) {
        let mut cost = std::mem::take(&mut self.cost);
        cost.clear();
        let cheapest = |range: std::ops::Range<usize>, cost: &[f32]| {
            range.min_by(|&a, &b| cost[a].total_cmp(&cost[b]))
        };
        for edge in graph.edges {
            let before = cheapest(edge.before(), &cost).map_or(0.0, |at| cost[at]);
            cost.push(if self.is_free(step, edge.row) {
                before + price[edge.row as usize]
            } else {
                f32::INFINITY
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

/// Union of bit sets.
#[inline]
fn any<'a, const WORDS: usize>(blocks: impl IntoIterator<Item = &'a Block<WORDS>>) -> Block<WORDS> {
    let mut all = [0; WORDS];
    for block in blocks {
        all.iter_mut().zip(block).for_each(|(word, more)| *word |= more);
    }
    all
}

/// Intersection of two bit sets.
#[inline]
fn both<const WORDS: usize>(mut one: Block<WORDS>, other: &Block<WORDS>) -> Block<WORDS> {
    one.iter_mut().zip(other).for_each(|(word, more)| *word &= more);
    one
}
