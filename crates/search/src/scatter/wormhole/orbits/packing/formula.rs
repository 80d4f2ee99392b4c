//! The formula of a packing: a variable for every place of a base message, which is a step and a
//! path.

use super::super::super::draft::Draft;
use super::super::board::Ground;
use super::super::found::unfold;
use super::paths::{self, PathEdges};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use crate::symmetry::Subgroup;

/// Largest formula, in literals.
const MOST_LITERALS: usize = 400_000;

/// Up to this many literals, at-most-one is encoded pairwise.
const PAIRWISE: usize = 5;

/// A place of a base message.
struct Place {
    base: u32,
    path: u32,
    step: u32,
    /// The cells it takes: a row of a step, up to symmetry.
    cells: Vec<u32>,
}

/// The places of all base messages, and the clauses.
pub(super) struct Formula {
    /// Per base message, its paths.
    paths: Vec<Vec<PathEdges>>,
    /// Place `i` has variable `i + 1`.
    places: Vec<Place>,
    variables: i32,
    literals: Vec<i32>,
}

impl Formula {
    /// `None` if the formula is too large, if it clearly has no model, or on interrupt.
    pub fn new(
        ground: &Ground<'_>,
        copies: &[Subgroup],
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Option<Self> {
        let bases = ground.action.bases.len() as u32;
        let mut pace = Budget::unlimited(interrupt);
        let mut paths = Vec::with_capacity(bases as usize);
        for base in 0..bases {
            let graph = ground.graphs.of(base);
            if !pace.spend(1 + graph.edges.len() as u64) {
                return None;
            }
            paths.push(paths::list(graph, rng));
        }
        let mut formula = Self { paths, places: Vec::new(), variables: 0, literals: Vec::new() };
        formula.list_places(ground, copies, interrupt)?;
        let mut is_full = vec![false; copies.len() * ground.rows.count];
        for class in classes(ground) {
            formula.fill(&class, ground.rows.count, bases, &mut is_full)?;
        }
        formula.variables = formula.places.len() as i32;
        formula.write(&is_full, bases)?;
        Some(formula)
    }

    /// The clauses, in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let ended = self.literals.split_inclusive(|&literal| literal == 0);
        ended.map(|clause| &clause[..clause.len() - 1])
    }

    /// Number of variables; they are numbered from 1.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// The schedule of a model; `None` if a message has no place.
    pub fn draft(&self, ground: &Ground<'_>, model: &[bool]) -> Option<Draft> {
        let bases = &ground.action.bases;
        let mut draft = Draft::default();
        let mut is_placed = vec![false; bases.len()];
        for (variable, place) in (1..).zip(&self.places) {
            let is_new = !is_placed[place.base as usize];
            if !model[variable] || !is_new {
                continue;
            }
            is_placed[place.base as usize] = true;
            let graph = ground.graphs.of(place.base);
            let edges = &self.paths[place.base as usize][place.path as usize];
            let path: Vec<u32> =
                edges.iter().map(|&edge| graph.edges[edge as usize].resource).collect();
            unfold(ground, bases[place.base as usize], place.step, &path, &mut draft);
        }
        (!is_placed.contains(&false)).then_some(draft)
    }

    /// Lists the places whose images do not collide with them.
    fn list_places(
        &mut self,
        ground: &Ground<'_>,
        copies: &[Subgroup],
        interrupt: &Interrupt,
    ) -> Option<()> {
        let Ground { steps, rows, action, graphs, .. } = ground;
        let mut space_of = Vec::with_capacity(steps.count as usize);
        for (space, copy) in (0..).zip(copies) {
            space_of.resize(space_of.len() + action.group.order() / copy.order(), space);
        }
        let mut pace = Budget::unlimited(interrupt);
        let mut size = 0;
        let mut sorted = Vec::new();
        for (base, paths) in (0..).zip(&self.paths) {
            let graph = graphs.of(base);
            for step in 0..steps.count {
                let space = space_of[step as usize] * rows.count as u32;
                for (number, path) in (0..).zip(paths) {
                    let folded = || path.iter().map(|&edge| graph.edges[edge as usize].row);
                    let is_blocked = |row: u32| {
                        rows.is_blocked[row as usize] || rows.is_blocked_in(steps, step, row)
                    };
                    if folded().any(is_blocked) {
                        continue;
                    }
                    let cells: Vec<u32> =
                        folded().map(|row| space + rows.orbit(steps, step, row)).collect();
                    sorted.clone_from(&cells);
                    sorted.sort_unstable();
                    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                        continue;
                    }
                    size += cells.len();
                    if !pace.spend(1 + cells.len() as u64) || size > MOST_LITERALS / 2 {
                        return None;
                    }
                    self.places.push(Place { base, path: number, step, cells });
                }
            }
        }
        Some(())
    }

    /// If the messages need all cells of a class, marks these as full and removes the places that
    /// take more of them than necessary. `None` if they need more cells than there are.
    fn fill(
        &mut self,
        class: &[bool],
        rows: usize,
        bases: u32,
        is_full: &mut [bool],
    ) -> Option<()> {
        let is_in = |cell: u32| class[cell as usize % rows];
        let mut least = vec![usize::MAX; bases as usize];
        let mut is_used = vec![false; is_full.len()];
        for place in &self.places {
            let uses = place.cells.iter().filter(|&&cell| is_in(cell)).count();
            let least = &mut least[place.base as usize];
            *least = uses.min(*least);
            place.cells.iter().for_each(|&cell| is_used[cell as usize] |= is_in(cell));
        }
        let room = is_used.iter().filter(|&&is_used| is_used).count();
        let needed = least.iter().fold(0_usize, |sum, &least| sum.saturating_add(least));
        if needed > room {
            return None;
        }
        if needed == room {
            let uses = |place: &Place| place.cells.iter().filter(|&&cell| is_in(cell)).count();
            self.places.retain(|place| uses(place) == least[place.base as usize]);
            is_full.iter_mut().zip(is_used).for_each(|(full, is_used)| *full |= is_used);
        }
        Some(())
    }

    /// Writes the clauses: every message has a place, and every cell has at most one message, or
    /// exactly one if it is full.
    fn write(&mut self, is_full: &[bool], bases: u32) -> Option<()> {
        let mut of_base = vec![Vec::new(); bases as usize];
        let mut of_cell = vec![Vec::new(); is_full.len()];
        for (variable, place) in (1..).zip(&self.places) {
            of_base[place.base as usize].push(variable);
            place.cells.iter().for_each(|&cell| of_cell[cell as usize].push(variable));
        }
        for variables in &of_base {
            if variables.is_empty() {
                return None;
            }
            self.clause(variables);
        }
        for (variables, &is_full) in of_cell.iter().zip(is_full) {
            self.at_most_one(variables);
            if is_full {
                self.clause(variables);
            }
            if self.literals.len() > MOST_LITERALS {
                return None;
            }
        }
        Some(())
    }

    fn clause(&mut self, literals: &[i32]) {
        self.literals.extend_from_slice(literals);
        self.literals.push(0);
    }

    /// Pairwise, or with a variable per literal that tells whether one up to it is true.
    fn at_most_one(&mut self, variables: &[i32]) {
        if variables.len() <= PAIRWISE {
            for (index, &one) in variables.iter().enumerate() {
                for &other in &variables[index + 1..] {
                    self.clause(&[-one, -other]);
                }
            }
            return;
        }
        let mut before: Option<i32> = None;
        for &variable in variables {
            self.variables += 1;
            let so_far = self.variables;
            self.clause(&[-variable, so_far]);
            if let Some(before) = before {
                self.clause(&[-before, -variable]);
                self.clause(&[-before, so_far]);
            }
            before = Some(so_far);
        }
    }
}

/// Sets of folded rows that the messages may need in every step: all channels, the channels with
/// high prices, and all ports.
fn classes(ground: &Ground<'_>) -> Vec<Vec<bool>> {
    let Ground { rows, action, .. } = ground;
    let layout = action.layout;
    let channels = layout.problem.network().channel_count();
    let mut is_channel = vec![false; rows.count];
    for &folded in &rows.of_row[..channels] {
        is_channel[folded as usize] = true;
    }
    let price = rows.prices(&layout.price);
    let of_channels = || {
        let priced = price.iter().zip(&is_channel);
        priced
            .filter(|(price, is_channel)| **is_channel && price.is_finite())
            .map(|(price, _)| *price)
    };
    let (least, most) = of_channels()
        .fold((f32::INFINITY, 0.0_f32), |(least, most), price| (price.min(least), price.max(most)));
    let is_dear: Vec<bool> = price
        .iter()
        .zip(&is_channel)
        .map(|(&price, &is_channel)| is_channel && price > f32::midpoint(least, most))
        .collect();
    let is_port = is_channel.iter().map(|&is_channel| !is_channel).collect();
    vec![is_channel, is_dear, is_port]
}
