//! A dynamic programme over the route graph of a word: for every node, the starts from which it is
//! reached with at most 0, 1, 2, … conflicts, all starts at once with bitsets.

use crate::instance::{Item, Routes};

/// The sets of starts, by number of conflicts and node.
#[derive(Debug)]
pub(crate) struct Reach {
    blocks: usize,
    period: u32,
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    /// Per node, the starts from which it is reached.
    sets: Vec<u64>,
    /// Whether there is such a start.
    is_reached: Vec<bool>,
}

impl Reach {
    pub fn new(blocks: usize, period: u32) -> Self {
        Self { blocks, period, levels: Vec::new() }
    }

    /// Computes the sets for more and more conflicts, until the last node is reached. Returns the number of
    /// conflicts.
    pub fn run(&mut self, routes: &Routes, item: Item, bits: &[u64]) -> usize {
        // A route has no more conflicts than edges.
        (0..routes.ends.len()).find(|&level| self.add(level, routes, item, bits)).unwrap_or(0)
    }

    /// Computes the sets for one number of conflicts; those for fewer are known. Returns whether the last
    /// node is reached.
    pub fn add(&mut self, level: usize, routes: &Routes, item: Item, bits: &[u64]) -> bool {
        let nodes = routes.ends.len();
        if self.levels.len() <= level {
            self.levels.push(Level::default());
        }
        let (before, rest) = self.levels.split_at_mut(level);
        let (before, now) = (before.last(), &mut rest[0]);
        if now.is_reached.len() < nodes {
            now.sets.resize(nodes * self.blocks, 0);
            now.is_reached.resize(nodes, false);
        }
        fill_starts(&mut now.sets[..self.blocks], item, self.period);
        now.is_reached[0] = true;
        let pass = match self.blocks {
            1 => pass::<1>,
            2 => pass::<2>,
            3 => pass::<3>,
            4 => pass::<4>,
            5 => pass::<5>,
            6 => pass::<6>,
            7 => pass::<7>,
            8 => pass::<8>,
            _ => pass::<0>,
        };
        pass(self.blocks, routes, bits, before, now)
    }

    /// The starts from which a node is reached with at most `level` conflicts.
    pub fn starts(&self, level: usize, node: usize) -> &[u64] {
        &self.levels[level].sets[node * self.blocks..(node + 1) * self.blocks]
    }

    pub fn is_reached(&self, level: usize, node: u32, start: u32) -> bool {
        let block = self.levels[level].sets[node as usize * self.blocks + start as usize / 64];
        block >> (start % 64) & 1 == 1
    }
}

/// Computes the sets of one level from those of the level before. `B` is the number of blocks, or 0 if it
/// is only known at run time. Returns whether the last node is reached.
fn pass<const B: usize>(
    blocks: usize,
    routes: &Routes,
    bits: &[u64],
    before: Option<&Level>,
    now: &mut Level,
) -> bool {
    let blocks = if B == 0 { blocks } else { B };
    let nodes = routes.ends.len();
    for node in 1..nodes {
        let (done, current) = now.sets.split_at_mut(node * blocks);
        let current = &mut current[..blocks];
        current.fill(0);
        for edge in &routes.edges[routes.ends[node - 1] as usize..routes.ends[node] as usize] {
            let from = edge.from as usize;
            if !now.is_reached[from] {
                continue;
            }
            let source = &done[from * blocks..][..blocks];
            let view = &bits[edge.block as usize..][..blocks + 1];
            let (right, left) = (edge.bit, 63 - edge.bit);
            let used = |at: usize| view[at] >> right | view[at + 1] << 1 << left;
            match before.filter(|before| before.is_reached[from]) {
                None => {
                    for at in 0..blocks {
                        current[at] |= source[at] & !used(at);
                    }
                }
                Some(before) => {
                    let fewer = &before.sets[from * blocks..][..blocks];
                    for at in 0..blocks {
                        current[at] |= source[at] & !used(at) | fewer[at];
                    }
                }
            }
        }
        now.is_reached[node] = current.iter().fold(0, |all, block| all | block) != 0;
    }
    now.is_reached[nodes - 1]
}

/// Sets the bits of the starts that an item allows.
fn fill_starts(bits: &mut [u64], item: Item, period: u32) {
    bits.fill(0);
    let (first, period) = (item.first as usize, period as usize);
    let count = (item.count as usize).min(period);
    let end = first + count;
    set_range(bits, first, end.min(period));
    set_range(bits, 0, end.saturating_sub(period));
}

/// Sets the bits from `first` to before `end`.
pub(crate) fn set_range(bits: &mut [u64], first: usize, end: usize) {
    let mut at = first;
    while at < end {
        let in_block = (end - at).min(64 - at % 64);
        let ones = if in_block == 64 { u64::MAX } else { (1 << in_block) - 1 };
        bits[at / 64] |= ones << (at % 64);
        at += in_block;
    }
}
