//! A dynamic programme over the route graph of a word: for every node, the starts from which it is
//! reached with at most 0, 1, 2, … conflicts, all starts at once with bitsets.

use crate::instance::{Edge, Item, Routes};

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

/// The version of a function for a number of blocks.
macro_rules! with_blocks {
    ($blocks:expr, $pass:ident) => {
        match $blocks {
            1 => $pass::<1>,
            2 => $pass::<2>,
            3 => $pass::<3>,
            4 => $pass::<4>,
            5 => $pass::<5>,
            6 => $pass::<6>,
            7 => $pass::<7>,
            8 => $pass::<8>,
            9 => $pass::<9>,
            10 => $pass::<10>,
            11 => $pass::<11>,
            12 => $pass::<12>,
            13 => $pass::<13>,
            14 => $pass::<14>,
            _ => $pass::<0>,
        }
    };
}

impl Reach {
    pub fn new(blocks: usize, period: u32) -> Self {
        Self { blocks, period, levels: Vec::new() }
    }

    /// Computes the sets for more and more conflicts, until the last node is reached, and then for one more
    /// unless there are none. Returns the fewest conflicts.
    pub fn run(&mut self, routes: &Routes, item: Item, bits: &[u64]) -> usize {
        if self.add(0, routes, item, bits) {
            return 0;
        }
        // A route has no more conflicts than edges.
        for level in (1..=routes.ends.len()).step_by(2) {
            let [is_reached, is_next_reached] = self.add_two(level, routes, item, bits);
            if is_reached {
                return level;
            }
            if is_next_reached {
                self.add(level + 2, routes, item, bits);
                return level + 1;
            }
        }
        0
    }

    /// Whether the last node is reached without conflicts.
    pub fn has_free_start(&mut self, routes: &Routes, item: Item, bits: &[u64]) -> bool {
        self.add(0, routes, item, bits)
    }

    /// Computes the sets for one number of conflicts; those for fewer are known. Returns whether the last
    /// node is reached.
    fn add(&mut self, level: usize, routes: &Routes, item: Item, bits: &[u64]) -> bool {
        self.prepare(level, routes, item);
        let (before, rest) = self.levels.split_at_mut(level);
        let pass = with_blocks!(self.blocks, pass);
        pass(self.blocks, routes, bits, before.last(), &mut rest[0])
    }

    /// The same for a number of conflicts and the next one, in less time than one after the other.
    fn add_two(&mut self, level: usize, routes: &Routes, item: Item, bits: &[u64]) -> [bool; 2] {
        self.prepare(level, routes, item);
        self.prepare(level + 1, routes, item);
        let (before, rest) = self.levels.split_at_mut(level);
        let (now, next) = rest.split_at_mut(1);
        let pass = with_blocks!(self.blocks, double_pass);
        pass(self.blocks, routes, bits, &before[level - 1], &mut now[0], &mut next[0])
    }

    /// Makes room for the sets of a level, and fills that of the first node.
    fn prepare(&mut self, level: usize, routes: &Routes, item: Item) {
        let nodes = routes.ends.len();
        if self.levels.len() <= level {
            self.levels.push(Level::default());
        }
        let now = &mut self.levels[level];
        if now.is_reached.len() < nodes {
            now.sets.resize(nodes * self.blocks, 0);
            now.is_reached.resize(nodes, false);
        }
        fill_starts(&mut now.sets[..self.blocks], item, self.period);
        now.is_reached[0] = true;
    }

    /// The starts from which a node is reached with at most `level` conflicts.
    pub fn starts(&self, level: usize, node: usize) -> &[u64] {
        &self.levels[level].sets[node * self.blocks..(node + 1) * self.blocks]
    }

    pub fn is_reached(&self, level: usize, node: usize, start: u32) -> bool {
        let block = self.levels[level].sets[node * self.blocks + start as usize / 64];
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
            let from = edge.from();
            if !now.is_reached[from] {
                continue;
            }
            let source = &done[from * blocks..][..blocks];
            let view = View::new(bits, *edge, blocks);
            match before.filter(|before| before.is_reached[from]) {
                None => {
                    for at in 0..blocks {
                        current[at] |= source[at] & view.free(at);
                    }
                }
                Some(before) => {
                    let fewer = &before.sets[from * blocks..][..blocks];
                    for at in 0..blocks {
                        current[at] |= source[at] & view.free(at) | fewer[at];
                    }
                }
            }
        }
        now.is_reached[node] = is_any(current);
    }
    now.is_reached[nodes - 1]
}

/// Computes the sets of two levels from those of the level before.
fn double_pass<const B: usize>(
    blocks: usize,
    routes: &Routes,
    bits: &[u64],
    before: &Level,
    now: &mut Level,
    next: &mut Level,
) -> [bool; 2] {
    let blocks = if B == 0 { blocks } else { B };
    let nodes = routes.ends.len();
    for node in 1..nodes {
        let (done, current) = now.sets.split_at_mut(node * blocks);
        let (done_next, current_next) = next.sets.split_at_mut(node * blocks);
        let (current, current_next) = (&mut current[..blocks], &mut current_next[..blocks]);
        current.fill(0);
        current_next.fill(0);
        for edge in &routes.edges[routes.ends[node - 1] as usize..routes.ends[node] as usize] {
            let from = edge.from();
            if !next.is_reached[from] {
                continue;
            }
            let fewest = &before.sets[from * blocks..][..blocks];
            let source = &done[from * blocks..][..blocks];
            let source_next = &done_next[from * blocks..][..blocks];
            let view = View::new(bits, *edge, blocks);
            for at in 0..blocks {
                let free = view.free(at);
                current[at] |= source[at] & free | fewest[at];
                current_next[at] |= source_next[at] & free | source[at];
            }
        }
        now.is_reached[node] = is_any(current);
        next.is_reached[node] = is_any(current_next);
    }
    [now.is_reached[nodes - 1], next.is_reached[nodes - 1]]
}

/// The row of an edge, seen from the start of a word.
struct View<'a> {
    blocks: &'a [u64],
    right: u32,
    left: u32,
}

impl<'a> View<'a> {
    fn new(bits: &'a [u64], edge: Edge, blocks: usize) -> Self {
        let bit = edge.bit();
        Self { blocks: &bits[edge.block as usize..][..blocks + 1], right: bit, left: 63 - bit }
    }

    /// The starts in a block from which the row is free.
    fn free(&self, at: usize) -> u64 {
        !(self.blocks[at] >> self.right | self.blocks[at + 1] << 1 << self.left)
    }
}

fn is_any(set: &[u64]) -> bool {
    set.iter().fold(0, |all, block| all | block) != 0
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::instance::Instance;
    use crate::symmetry::Symmetry;
    use pavane_model::TdmProblem;
    use pavane_model::tdm::{TdmDemand, TdmRules};
    use pavane_search::{Interrupt, Rng};

    /// The fewest conflicts of every start on any route, by trying all of them.
    fn fewest(routes: &Routes, node: usize, start: u32, bits: &[u64]) -> usize {
        let conflicts = |number: u32| {
            let edge = routes.edges[number as usize];
            let bit = edge.bit() + start;
            let is_used = bits[(edge.block + bit / 64) as usize] >> (bit % 64) & 1;
            is_used as usize + fewest(routes, edge.from(), start, bits)
        };
        let edges = node.checked_sub(1).map(|before| routes.ends[before]..routes.ends[node]);
        edges.map_or(0, |edges| edges.map(conflicts).min().unwrap())
    }

    #[test]
    fn all_starts_with_few_conflicts_are_found() {
        let network = pavane_networks::topology::build("mesh:3x4").unwrap();
        let rules = TdmRules::default();
        let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 1000).unwrap();
        let symmetry = Symmetry::trivial(&problem);
        for (period, used) in [(17, 0.5), (70, 0.9), (130, 0.99), (1000, 1.0)] {
            let interrupt = Interrupt::never();
            let instance = Instance::new(&problem, &symmetry, period, &interrupt).unwrap();
            let mut rng = Rng::stream(1, 1);
            let mut bit = || u64::from(rng.unit() < used);
            let mut block = |_| (0..64).fold(0, |block, _| block << 1 | bit());
            let bits: Vec<u64> =
                (0..instance.moduli.len() * instance.stride).map(&mut block).collect();
            let mut reach = Reach::new(instance.blocks, period);
            for (number, item) in instance.items.iter().enumerate().step_by(7) {
                let routes = &instance.routes[item.routes as usize];
                let level = reach.run(routes, *item, &bits);
                let last = routes.ends.len() - 1;
                let by_force: Vec<usize> =
                    (0..period).map(|start| fewest(routes, last, start, &bits)).collect();
                assert_eq!(by_force.iter().min(), Some(&level), "{period} {number}");
                for level in level..=level + usize::from(level > 0) {
                    for (start, &fewest) in (0..).zip(&by_force) {
                        let is_reached = reach.is_reached(level, last, start);
                        assert_eq!(is_reached, fewest <= level, "{period} {number} {start}");
                    }
                }
            }
        }
    }
}
