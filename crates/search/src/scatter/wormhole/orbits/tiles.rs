//! Tilings: a normal subgroup fixes every step, so the network folds into a small one. A tile is a
//! set of base messages whose paths fill the folded rows of one step; its images under the rest of
//! the group fill further steps. The search partitions the messages into tiles and routes each tile
//! by backtracking. Tori with even sides can be tiled this way.

use super::super::super::action::Action;
use super::super::super::row_orbits::row_orbits;
use super::super::draft::Draft;
use super::board::Ground;
use super::folding::turned;
use super::found::{Found, unfold};
use super::graphs::BaseGraphs;
use super::rows::FoldedRows;
use super::steps::Steps;
use crate::budget::Budget;
use crate::rng::Rng;
use crate::symmetry::Subgroup;

/// Maximum number of folded rows, and of classes of rows, in a tile.
const MOST_SLOTS: usize = 160;
const MOST_CLASSES: usize = 16;

/// Maximum number of spreads of a message.
const MOST_SPREADS: usize = 24;

/// Sets of messages tried for a tile before other tiles are dissolved.
const SETS: usize = 12;

/// Edges visited to route one set of messages.
const NODES: u32 = 4000;

/// Terms of the score of a message when a tile is filled: penalty for each class that it begins but
/// does not use up, weight of its length if it is the first, amplitude of the noise, and penalty if
/// it must be taken from another tile.
const OPENING: f64 = 0.5;
const LENGTH: f64 = 4.0;
const NOISE: f64 = 1.0;
const EJECTION: f64 = 0.8;

/// Number of rows of each class that a path takes.
type ClassCounts = [u16; MOST_CLASSES];

/// Partitions the messages into as many tiles as the steps allow; `None` if the search fails.
pub(super) fn find(
    action: &Action<'_>,
    subgroup: Subgroup,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Found> {
    let size = (action.group.order() / subgroup.order()) as u32;
    let copies = vec![subgroup; (steps / size) as usize];
    let steps = Steps::new(&action.group, &copies);
    let rows = FoldedRows::new(action, &steps)?;
    let graphs = BaseGraphs::new(action, &rows, 0, budget.interrupt())?;
    let ground = Ground { action, steps, rows, graphs, detour: 0 };
    let mut tiling = Tiling::new(&ground, copies.len())?;
    if !tiling.run(budget, rng) {
        return None;
    }
    let mut draft = Draft::default();
    let mut path = Vec::new();
    let mut step_of = vec![0; size as usize];
    for (step, &back) in (0..size).zip(&ground.steps.back) {
        step_of[back as usize] = step;
    }
    for (number, tile) in (0..).zip(&tiling.tiles) {
        for piece in &tile.pieces {
            let step = number * size + step_of[piece.acting];
            path.clear();
            path.extend(piece.path.iter().rev());
            unfold(&ground, action.bases[piece.base as usize], step, &path, &mut draft);
        }
    }
    Some(Found { draft, steps: ground.steps.count, open: Vec::new() })
}

/// A message with its place in a tile.
#[derive(Clone)]
struct Piece {
    base: u32,
    /// Index of the acting member that maps it to the first step of the tile.
    acting: usize,
    /// The part of its spread that is not routed yet.
    spread: ClassCounts,
    path: Vec<u32>,
}

struct Tile {
    pieces: Vec<Piece>,
    waste: u32,
}

struct Tiling<'a> {
    ground: &'a Ground<'a>,
    class_of: Vec<u8>,
    sizes: ClassCounts,
    /// Per base message, the spreads of its paths.
    spreads: Vec<Vec<ClassCounts>>,
    length: Vec<u32>,
    longest: u32,
    tiles: Vec<Tile>,
    unplaced: Vec<u32>,
    is_placed: Vec<bool>,
    /// Per base message, the number of failed attempts.
    worry: Vec<u32>,
    /// Number of rows that may still stay empty.
    waste: u32,
    is_taken: Vec<bool>,
    nodes: u32,
}

impl<'a> Tiling<'a> {
    fn new(ground: &'a Ground<'a>, tiles: usize) -> Option<Self> {
        let Ground { rows, steps, graphs, action, .. } = ground;
        if rows.count > MOST_SLOTS || rows.is_blocked.contains(&true) {
            return None;
        }
        let classes = row_orbits(rows.count, 1, steps.acting.len(), |acting, row| {
            rows.images(acting)[row as usize]
        });
        if classes.sizes.len() > MOST_CLASSES {
            return None;
        }
        let class_of: Vec<u8> = classes.of_row.iter().map(|&class| class as u8).collect();
        let mut sizes = [0; MOST_CLASSES];
        for &class in &class_of {
            sizes[class as usize] += 1;
        }
        let bases = action.bases.len() as u32;
        let fits =
            |spread: &ClassCounts| spread.iter().zip(&sizes).all(|(taken, size)| taken <= size);
        let fitting = |base| {
            let mut found = spreads(graphs, base, &class_of)?;
            found.retain(fits);
            (!found.is_empty()).then_some(found)
        };
        let spreads: Vec<Vec<ClassCounts>> = (0..bases).map(fitting).collect::<Option<_>>()?;
        let total =
            |spread: &ClassCounts| spread.iter().map(|&count| u32::from(count)).sum::<u32>();
        let length: Vec<u32> = spreads.iter().map(|spreads| total(&spreads[0])).collect();
        let room = (tiles * rows.count) as u32;
        let waste = room.checked_sub(length.iter().sum())?;
        Some(Self {
            ground,
            class_of,
            sizes,
            spreads,
            longest: length.iter().copied().max().unwrap_or(1),
            length,
            tiles: Vec::new(),
            unplaced: (0..bases).collect(),
            is_placed: vec![false; bases as usize],
            worry: vec![0; bases as usize],
            waste,
            is_taken: vec![false; rows.count],
            nodes: 0,
        })
    }

    fn run(&mut self, budget: &mut Budget, rng: &mut Rng) -> bool {
        while !self.unplaced.is_empty() {
            let key = |&base: &u32| (self.worry[base as usize], self.length[base as usize]);
            rng.shuffle(&mut self.unplaced);
            let Some(&seed) = self.unplaced.iter().max_by_key(|base| key(base)) else { break };
            match self.fill(seed, budget, rng) {
                Some(tile) => self.put(tile),
                None => {
                    self.worry[seed as usize] += 1;
                    for _ in 0..1 + rng.below(3) {
                        if !self.tiles.is_empty() {
                            self.dissolve(rng.below(self.tiles.len()));
                        }
                    }
                }
            }
            budget.tell_open(self.unplaced.len());
            if budget.is_over() {
                return false;
            }
        }
        true
    }

    /// Adds a tile and dissolves the tiles whose messages it took.
    fn put(&mut self, tile: Tile) {
        for piece in &tile.pieces {
            let has = |other: &Tile| other.pieces.iter().any(|other| other.base == piece.base);
            if let Some(place) = self.tiles.iter().position(has) {
                self.dissolve(place);
            }
        }
        for piece in &tile.pieces {
            self.is_placed[piece.base as usize] = true;
        }
        let is_placed = &self.is_placed;
        self.unplaced.retain(|&base| !is_placed[base as usize]);
        self.waste -= tile.waste;
        self.tiles.push(tile);
    }

    fn dissolve(&mut self, place: usize) {
        let tile = self.tiles.swap_remove(place);
        self.waste += tile.waste;
        for piece in tile.pieces {
            self.is_placed[piece.base as usize] = false;
            self.unplaced.push(piece.base);
        }
    }

    /// Builds a tile that contains a given message.
    fn fill(&mut self, seed: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Tile> {
        for round in 0..SETS {
            let Some(mut tile) = self.gather(seed, round >= SETS / 2, rng) else {
                budget.spend(self.unplaced.len() as u64);
                continue;
            };
            self.is_taken.fill(false);
            self.nodes = NODES;
            let is_routed = self.route(&mut tile.pieces, 0, rng);
            budget.spend(u64::from(NODES - self.nodes) + 4 * self.unplaced.len() as u64);
            if is_routed {
                return Some(tile);
            }
        }
        None
    }

    /// Chooses messages whose paths together fill the rows of each class, up to the remaining
    /// waste.
    fn gather(&self, seed: u32, may_eject: bool, rng: &mut Rng) -> Option<Tile> {
        let mut left = self.sizes;
        let spreads = &self.spreads[seed as usize];
        let mut pieces = Vec::new();
        let mut next = Some((seed, spreads[rng.below(spreads.len())]));
        while let Some((base, spread)) = next {
            for (left, taken) in left.iter_mut().zip(spread) {
                *left -= taken;
            }
            pieces.push(Piece { base, acting: 0, spread, path: Vec::new() });
            next = self.next_piece(&pieces, &left, may_eject, rng);
        }
        let waste = left.iter().map(|&count| u32::from(count)).sum();
        (waste <= self.waste).then_some(Tile { pieces, waste })
    }

    /// The message that fits best into the remaining rows: it uses up classes and begins few.
    fn next_piece(
        &self,
        pieces: &[Piece],
        left: &ClassCounts,
        may_eject: bool,
        rng: &mut Rng,
    ) -> Option<(u32, ClassCounts)> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for base in 0..self.length.len() as u32 {
            let is_placed = self.is_placed[base as usize];
            if (is_placed && !may_eject) || pieces.iter().any(|piece| piece.base == base) {
                continue;
            }
            let penalty = if is_placed { EJECTION } else { 0.0 };
            for spread in &self.spreads[base as usize] {
                let Some(score) = self.score(base, spread, left) else { continue };
                let score = score - penalty
                    + NOISE * rng.unit()
                    + 0.2 * f64::from(self.worry[base as usize].min(5));
                if score > most {
                    (best, most) = (Some((base, *spread)), score);
                }
            }
        }
        best
    }

    /// Scores a message by the begun classes that it uses up or, if none is begun, by its length.
    /// `None` if it does not fit.
    fn score(&self, base: u32, spread: &ClassCounts, left: &ClassCounts) -> Option<f64> {
        let mut score = 0.0;
        let mut is_begun = false;
        for class in 0..MOST_CLASSES {
            let (taken, left, size) = (spread[class], left[class], self.sizes[class]);
            if taken > left {
                return None;
            }
            let is_partial = left > 0 && left < size;
            is_begun |= is_partial;
            if is_partial && taken == left {
                score += 1.0;
            }
            if !is_partial && taken > 0 && taken < left {
                score -= OPENING;
            }
        }
        if is_begun {
            Some(score)
        } else {
            Some(LENGTH * f64::from(self.length[base as usize]) / f64::from(self.longest))
        }
    }

    /// Finds disjoint paths for all pieces from index `at` on.
    fn route(&mut self, pieces: &mut [Piece], at: usize, rng: &mut Rng) -> bool {
        if at == pieces.len() {
            return true;
        }
        let graph = self.ground.graphs.of(pieces[at].base);
        // The whole tile can be moved, so the image of the first message is fixed.
        let images = if at == 0 { 1 } else { self.ground.steps.acting.len() };
        for acting in turned(0..images, rng) {
            pieces[at].acting = acting;
            for edge in turned(graph.last..graph.edges.len(), rng) {
                if self.extend(pieces, at, edge, rng) {
                    return true;
                }
            }
        }
        false
    }

    /// Takes an edge, then extends the path backwards, then routes the other pieces.
    fn extend(&mut self, pieces: &mut [Piece], at: usize, edge: usize, rng: &mut Rng) -> bool {
        if self.nodes == 0 {
            return false;
        }
        self.nodes -= 1;
        let ground = self.ground;
        let piece = &mut pieces[at];
        let edge = ground.graphs.of(piece.base).edges[edge];
        let row = ground.rows.images(piece.acting)[edge.row as usize] as usize;
        let class = self.class_of[row] as usize;
        if self.is_taken[row] || piece.spread[class] == 0 {
            return false;
        }
        self.is_taken[row] = true;
        piece.spread[class] -= 1;
        piece.path.push(edge.resource);
        let is_done = if edge.first == edge.end {
            self.route(pieces, at + 1, rng)
        } else {
            turned(edge.before(), rng).any(|before| self.extend(pieces, at, before, rng))
        };
        if !is_done {
            let piece = &mut pieces[at];
            piece.path.pop();
            piece.spread[class] += 1;
            self.is_taken[row] = false;
        }
        is_done
    }
}

/// The spreads of the paths of a base message; `None` if there are too many.
fn spreads(graphs: &BaseGraphs, base: u32, class_of: &[u8]) -> Option<Vec<ClassCounts>> {
    let graph = graphs.of(base);
    let mut of_edge: Vec<Vec<ClassCounts>> = Vec::with_capacity(graph.edges.len());
    for edge in graph.edges {
        let mut found = if edge.first == edge.end {
            vec![[0; MOST_CLASSES]]
        } else {
            of_edge[edge.before()].concat()
        };
        for spread in &mut found {
            spread[class_of[edge.row as usize] as usize] += 1;
        }
        found.sort_unstable();
        found.dedup();
        if found.len() > MOST_SPREADS {
            return None;
        }
        of_edge.push(found);
    }
    let mut found = of_edge[graph.last..].concat();
    found.sort_unstable();
    found.dedup();
    Some(found)
}
