//! Board of orbits: a message takes the resources of its path in its step, and its images take the
//! images of those resources in the images of that step. The grid holds the whole schedule and is
//! written orbit by orbit, so reading it needs no symmetry.

use super::super::super::action::Action;
use super::super::super::guided_search::Board;
use super::super::graph::Graph;
use super::super::grid::{FREE, LANES, PathGrid, cut_loops};
use super::super::step_choice::StepChoice;
use super::graphs::BaseGraphs;
use super::rows::FoldedRows;
use super::steps::Steps;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;

/// The base message is not in the schedule.
const OUTSIDE: u32 = u32::MAX;

/// No message can use this row in this step.
const BLOCKED: u32 = u32::MAX - 1;

/// A weight above that of any message, used while nothing may be evicted.
const HEAVY: f32 = 1e12;

/// Paths tried per step, and steps tried per message.
const PATHS: usize = 6;
const STEPS: usize = 8;

/// The fixed inputs of a board.
pub(super) struct Ground<'a> {
    pub action: &'a Action<'a>,
    pub steps: Steps,
    pub rows: FoldedRows,
    pub graphs: BaseGraphs,
    pub detour: u32,
}

/// A partial schedule that is invariant under the group.
pub(super) struct OrbitBoard<'a> {
    ground: &'a Ground<'a>,
    grid: PathGrid,
    /// Per base message: its step, its resources, and their folded rows.
    step_of: Vec<u32>,
    paths: Vec<Vec<u32>>,
    path_rows: Vec<Vec<u32>>,
    choice: StepChoice,
    step: u32,
    path: Vec<u32>,
    row_path: Vec<u32>,
    evicted: Vec<u32>,
    met: Vec<u32>,
}

impl<'a> OrbitBoard<'a> {
    /// An empty schedule; each use of a folded row costs its price. At most `window` blocks of steps
    /// are priced for a message. `None` on interrupt.
    pub fn new(
        ground: &'a Ground<'a>,
        price: Vec<f32>,
        window: usize,
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Option<Self> {
        let Ground { steps, rows, action, .. } = ground;
        let bases = action.bases.len();
        let mut grid = PathGrid::new(rows.count, steps.count, price, interrupt)?;
        let mut pace = Budget::unlimited(interrupt);
        for step in 0..if rows.has_blocked() { steps.count } else { 0 } {
            if !pace.spend(rows.count as u64) {
                return None;
            }
            for row in 0..rows.count as u32 {
                if rows.is_blocked_in(steps, step, row) {
                    grid.set(step, row, BLOCKED, f32::INFINITY);
                }
            }
        }
        Some(Self {
            ground,
            grid,
            step_of: vec![OUTSIDE; bases],
            paths: vec![Vec::new(); bases],
            path_rows: vec![Vec::new(); bases],
            choice: StepChoice::new(bases, window, rng),
            step: 0,
            path: Vec::new(),
            row_path: Vec::new(),
            evicted: Vec::new(),
            met: Vec::new(),
        })
    }

    /// Inserts messages in the given order, each into its first free step. Returns the messages
    /// that found no step or were left on interrupt.
    pub fn fill(
        &mut self,
        order: &[u32],
        weight: &[f32],
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Vec<u32> {
        let mut left = Vec::new();
        let mut pace = Budget::unlimited(interrupt);
        let mut full = Full { blocks: vec![0; self.ground.rows.count], first: Vec::new() };
        for &message in order {
            let is_placed = !pace.is_over() && self.find_first(message, &mut full, &mut pace, rng);
            if is_placed { self.carry_out(message, HEAVY) } else { left.push(message) }
        }
        for &message in order {
            self.reweigh(message, weight[message as usize]);
        }
        left
    }

    /// Finds a path in one of the first few steps that are free for a message.
    fn find_first(
        &mut self,
        message: u32,
        full: &mut Full,
        pace: &mut Budget,
        rng: &mut Rng,
    ) -> bool {
        let graph = self.ground.graphs.of(message);
        let mut tries = 0;
        for block in full.first_block(&self.grid, graph)..self.grid.block_count() {
            if !pace.spend(1 + graph.edges.len() as u64) {
                return false;
            }
            let costs = self.grid.price_block(graph, block);
            let free = (0..LANES).filter(|&lane| costs[lane] < HEAVY / 2.0);
            for step in free.map(|lane| (block * LANES + lane) as u32) {
                if self.find_path(message, step, rng) {
                    return true;
                }
                tries += 1;
                if tries == STEPS {
                    return false;
                }
            }
        }
        false
    }

    /// Finds a cheap path in a step that does not collide with its own images; returns false if
    /// several tries fail.
    fn find_path(&mut self, message: u32, step: u32, rng: &mut Rng) -> bool {
        let Ground { action, graphs, detour, .. } = self.ground;
        for _ in 0..PATHS {
            self.grid.find_path(graphs.of(message), step, rng, &mut self.path);
            self.path.reverse();
            if *detour > 0 {
                cut_loops(action.layout, &mut self.path);
            }
            if self.is_clean(step) {
                self.step = step;
                return true;
            }
        }
        false
    }

    /// Whether the images of the path in this step are disjoint from the path.
    fn is_clean(&mut self, step: u32) -> bool {
        let Ground { action, steps, rows, .. } = self.ground;
        self.row_path.clear();
        let folded = |&resource: &u32| rows.of_row[action.layout.row(resource) as usize];
        self.row_path.extend(self.path.iter().map(folded));
        if steps.kinds.len() == 1 && steps.kinds[0].order() == 1 {
            return true;
        }
        self.met.clear();
        self.met.extend(self.row_path.iter().map(|&row| rows.orbit(steps, step, row)));
        self.met.sort_unstable();
        self.met.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn find_evicted(&mut self) {
        self.evicted.clear();
        for &row in &self.row_path {
            let occupant = self.grid.occupant(self.step, row);
            if occupant != FREE && !self.evicted.contains(&occupant) {
                self.evicted.push(occupant);
            }
        }
    }

    /// Writes an occupant to every grid cell that the message and its images use.
    fn write(&mut self, message: u32, occupant: u32, weight: f32) {
        let Ground { steps, rows, .. } = self.ground;
        let step = self.step_of[message as usize];
        for acting in 0..steps.acting.len() {
            let step = steps.images(acting)[step as usize];
            let images = rows.images(acting);
            for &row in &self.path_rows[message as usize] {
                let row = images[row as usize];
                debug_assert!(
                    [FREE, message].contains(&self.grid.occupant(step, row)),
                    "the orbit of {message} conflicts with another on row {row} in step {step}"
                );
                self.grid.set(step, row, occupant, weight);
            }
        }
    }

    /// Every placed base message with its step and its resources.
    pub fn placed(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        let placed = (0..).zip(&self.step_of).filter(|(_, step)| **step != OUTSIDE);
        placed.map(|(base, &step)| (base, step, self.paths[base as usize].as_slice()))
    }
}

impl Board for OrbitBoard<'_> {
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool {
        self.choice.price(&mut self.grid, self.ground.graphs.of(message), rng);
        self.choice.rule_out_forbidden(message, now);
        for _ in 0..STEPS {
            let Some(step) = self.choice.cheapest(blur, rng) else { return false };
            if self.find_path(message, step, rng) {
                self.find_evicted();
                return true;
            }
            self.choice.rule_out(step);
        }
        false
    }

    fn evicted(&self) -> &[u32] {
        &self.evicted
    }

    fn evict(&mut self, message: u32, until: u32) {
        self.write(message, FREE, 0.0);
        let step = std::mem::replace(&mut self.step_of[message as usize], OUTSIDE);
        self.choice.forbid(message, step, until);
    }

    fn carry_out(&mut self, message: u32, weight: f32) {
        self.step_of[message as usize] = self.step;
        self.paths[message as usize].clone_from(&self.path);
        self.path_rows[message as usize].clone_from(&self.row_path);
        self.write(message, message, weight);
    }

    fn reweigh(&mut self, message: u32, weight: f32) {
        if self.step_of[message as usize] != OUTSIDE {
            self.write(message, message, weight);
        }
    }
}

/// Per folded row, the number of leading blocks of steps that are full.
struct Full {
    blocks: Vec<u32>,
    first: Vec<u32>,
}

impl Full {
    /// The first block that may have a free path; in every earlier block, each path has a row that
    /// is full.
    fn first_block(&mut self, grid: &PathGrid, graph: Graph<'_>) -> usize {
        self.first.clear();
        for edge in graph.edges {
            let taken = &mut self.blocks[edge.row as usize];
            while (*taken as usize) < grid.block_count()
                && grid.is_dear(*taken as usize, edge.row, HEAVY / 2.0)
            {
                *taken += 1;
            }
            let before = self.first[edge.before()].iter().copied().min().unwrap_or(0);
            self.first.push(before.max(*taken));
        }
        self.first[graph.last..].iter().copied().min().unwrap_or(0) as usize
    }
}
