//! Occupancy table: which message holds which row in which step, and the cost of evicting it. Steps
//! are stored in blocks of sixteen, so that SIMD code prices a path for sixteen steps at a time.

use super::super::layout::Layout;
use super::graph::{Graph, PathEdge};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Steps in a block.
pub(super) const LANES: usize = 16;

/// No message holds this row in this step.
pub(super) const FREE: u32 = u32::MAX;

/// One row in sixteen steps.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Cells {
    weight: [f32; LANES],
    occupant: [u32; LANES],
}

/// All rows in all steps.
pub(super) struct PathGrid {
    rows: usize,
    cells: Vec<Cells>,
    price: Vec<f32>,
    best: Vec<[f32; LANES]>,
    costs_once: Vec<[f32; LANES]>,
    /// The widest SIMD instructions of this CPU.
    arch: Arch,
}

impl PathGrid {
    /// An empty grid. Each use of a row costs `price[row]`, in addition to the weight of the
    /// message it evicts. `None` on interrupt.
    pub fn new(rows: usize, steps: u32, price: Vec<f32>, interrupt: &Interrupt) -> Option<Self> {
        let blocks = (steps as usize).div_ceil(LANES);
        let mut pace = Budget::unlimited(interrupt);
        let mut cells = Vec::with_capacity(blocks * rows);
        let empty = Cells { weight: [0.0; LANES], occupant: [FREE; LANES] };
        for block in 1..=blocks {
            if !pace.spend(rows as u64) {
                return None;
            }
            cells.resize(block * rows, empty.clone());
        }
        for step in steps as usize..blocks * LANES {
            for cell in &mut cells[(blocks - 1) * rows..] {
                // The padding steps of the last block have infinite cost.
                cell.weight[step % LANES] = f32::INFINITY;
            }
        }
        let (best, costs_once) = (Vec::new(), Vec::new());
        Some(Self { rows, cells, price, best, costs_once, arch: Arch::new() })
    }

    fn cell(&self, step: u32, row: u32) -> (&Cells, usize) {
        let block = step as usize / LANES;
        (&self.cells[block * self.rows + row as usize], step as usize % LANES)
    }

    /// The message that holds the row in the step, or [`FREE`].
    pub fn occupant(&self, step: u32, row: u32) -> u32 {
        let (cell, lane) = self.cell(step, row);
        cell.occupant[lane]
    }

    /// Gives the row to a message with the given weight, or frees it.
    pub fn set(&mut self, step: u32, row: u32, occupant: u32, weight: f32) {
        let block = step as usize / LANES;
        let cell = &mut self.cells[block * self.rows + row as usize];
        cell.occupant[step as usize % LANES] = occupant;
        cell.weight[step as usize % LANES] = weight;
    }

    /// Computes the cost of the cheapest path in every step of some blocks: the weights of the
    /// messages it would evict (a message on consecutive rows counts once) plus its prices. Appends
    /// it to `costs`; the last block of the grid is padded with infinity.
    pub fn price_blocks(
        &mut self,
        graph: Graph<'_>,
        blocks: Range<usize>,
        costs: &mut Vec<[f32; LANES]>,
    ) {
        self.best.resize(graph.edges.len().max(self.best.len()), [0.0; LANES]);
        let best = &mut self.best[..graph.edges.len()];
        let cells = &self.cells[blocks.start * self.rows..blocks.end * self.rows];
        let (rows, price) = (self.rows, &self.price[..]);
        self.arch.dispatch(PriceBlocks { graph, cells, rows, price, best, costs });
    }

    /// Number of blocks of steps.
    pub fn block_count(&self) -> usize {
        self.cells.len() / self.rows.max(1)
    }

    /// Whether evicting from a row costs at least `least` in every step of a block.
    pub fn is_dear(&self, block: usize, row: u32, least: f32) -> bool {
        let weights = &self.cells[block * self.rows + row as usize].weight;
        weights.iter().all(|&weight| weight >= least)
    }

    /// Like [`PathGrid::price_blocks`], for one block.
    pub fn price_block(&mut self, graph: Graph<'_>, block: usize) -> [f32; LANES] {
        let mut costs = std::mem::take(&mut self.costs_once);
        self.price_blocks(graph, block..block + 1, &mut costs);
        let priced = costs.pop().expect("one block was priced");
        self.costs_once = costs;
        priced
    }

    /// The cheapest path in one step, as resources from last to first, with ties broken at random.
    pub fn find_path(&mut self, graph: Graph<'_>, step: u32, rng: &mut Rng, path: &mut Vec<u32>) {
        let (block, lane) = (step as usize / LANES, step as usize % LANES);
        let block = &self.cells[block * self.rows..(block + 1) * self.rows];
        let best = &mut self.best[..graph.edges.len()];
        self.arch.dispatch(PriceBlocks {
            graph,
            cells: block,
            rows: self.rows,
            price: &self.price,
            best,
            costs: &mut self.costs_once,
        });
        self.costs_once.clear();
        path.clear();
        let mut at = pick(graph.last..graph.edges.len(), |end| best[end][lane], rng);
        while let Some(current) = at {
            let edge = &graph.edges[current];
            path.push(edge.resource);
            let cell = &block[edge.row as usize];
            // Cost of the edge after its predecessor: nothing if both rows have the same occupant.
            let through = |before: usize| {
                let other = &block[graph.edges[before].row as usize];
                if other.occupant[lane] == cell.occupant[lane] {
                    best[before][lane]
                } else {
                    best[before][lane] + cell.weight[lane]
                }
            };
            at = pick(edge.before(), through, rng);
        }
    }
}

/// Compiles to one instruction, unlike `f32::min`, which handles NaN.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Prices all steps; compiled once for each SIMD width.
struct PriceBlocks<'a> {
    graph: Graph<'a>,
    cells: &'a [Cells],
    rows: usize,
    price: &'a [f32],
    best: &'a mut [[f32; LANES]],
    costs: &'a mut Vec<[f32; LANES]>,
}

impl WithSimd for PriceBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for block in self.cells.chunks_exact(self.rows) {
            self.costs.push(price_block(self.graph, block, self.price, self.best));
        }
    }
}

/// The cost of the cheapest path in each step of a block.
#[inline(always)]
fn price_block(
    graph: Graph<'_>,
    block: &[Cells],
    price: &[f32],
    best: &mut [[f32; LANES]],
) -> [f32; LANES] {
    for (at, edge) in graph.edges.iter().enumerate() {
        best[at] = price_edge(edge, graph.edges, block, price[edge.row as usize], best);
    }
    let mut least = [f32::INFINITY; LANES];
    for end in &best[graph.last..] {
        for lane in 0..LANES {
            least[lane] = lesser(least[lane], end[lane]);
        }
    }
    least
}

#[inline(always)]
fn price_edge(
    edge: &PathEdge,
    edges: &[PathEdge],
    block: &[Cells],
    price: f32,
    best: &[[f32; LANES]],
) -> [f32; LANES] {
    let cells = &block[edge.row as usize];
    let mut cost = cells.weight;
    if edge.first != edge.end {
        let mut others = [f32::INFINITY; LANES];
        let mut same = [f32::INFINITY; LANES];
        for before in edge.before() {
            let so_far = &best[before];
            let occupant = &block[edges[before].row as usize].occupant;
            for lane in 0..LANES {
                others[lane] = lesser(others[lane], so_far[lane]);
                let shared = if occupant[lane] == cells.occupant[lane] {
                    so_far[lane]
                } else {
                    f32::INFINITY
                };
                same[lane] = lesser(same[lane], shared);
            }
        }
        for lane in 0..LANES {
            cost[lane] = lesser(others[lane] + cost[lane], same[lane]);
        }
    }
    for cost in &mut cost {
        *cost += price;
    }
    cost
}

/// The cheapest candidate, with ties broken at random; `None` if there are no candidates.
fn pick(
    candidates: std::ops::Range<usize>,
    cost: impl Fn(usize) -> f32,
    rng: &mut Rng,
) -> Option<usize> {
    let mut chosen = None;
    let mut least = f32::INFINITY;
    let mut ties = 0;
    for candidate in candidates {
        let cost = cost(candidate);
        if cost < least {
            (chosen, least, ties) = (Some(candidate), cost, 1);
        } else if cost == least {
            ties += 1;
            if rng.below(ties) == 0 {
                chosen = Some(candidate);
            }
        }
    }
    chosen
}

/// Removes the loops from a walk, given as its resources in order, so that it becomes a simple
/// path.
pub(super) fn cut_loops(layout: &Layout<'_>, path: &mut Vec<u32>) {
    let mut kept: Vec<u32> = Vec::with_capacity(path.len());
    for &resource in path.iter() {
        if layout.is_channel(resource) {
            let head = layout.channel(resource).head;
            let again =
                kept.iter().position(|&k| layout.is_channel(k) && layout.channel(k).tail == head);
            if let Some(again) = again {
                kept.truncate(again);
                continue;
            }
        }
        kept.push(resource);
    }
    *path = kept;
}
