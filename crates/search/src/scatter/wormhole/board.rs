//! Board for wormhole switching: every message takes all resources of one path in one step.

use super::super::guided_search::{Board, Settings};
use super::super::layout::{Layout, Spare};
use super::super::plans;
use super::draft::Draft;
use super::graph::Graphs;
use super::greedy::{self, Placed};
use super::grid::{FREE, LANES, PathGrid, cut_loops};
use super::step_choice::StepChoice;
use crate::budget::Interrupt;
use crate::rng::Rng;
use pavane_model::MessageId;

/// The message is not in the schedule.
const OUTSIDE: u32 = u32::MAX;

/// What the search of an attempt works with.
pub(super) struct SearchPlan<'a> {
    pub layout: &'a Layout<'a>,
    pub weights: &'a [f32],
    pub settings: Settings,
    pub steps: u32,
}

/// A partial schedule with a fixed number of steps.
pub(super) struct WormholeBoard<'a, 'g> {
    layout: &'a Layout<'a>,
    graphs: &'g mut Graphs<'a>,
    grid: PathGrid,
    places: Places<'a>,
    choice: StepChoice,
    step: u32,
    path: Vec<u32>,
    evicted: Vec<u32>,
}

impl<'a, 'g> WormholeBoard<'a, 'g> {
    /// Builds a schedule of `steps` steps: puts the messages of `kept` into their places, inserts
    /// those of `order` without conflicts, and returns it with the unplaced messages. An interrupt
    /// leaves more messages unplaced, or returns `None`.
    pub fn filled(
        layout: &'a Layout<'a>,
        graphs: &'g mut Graphs<'a>,
        steps: u32,
        (kept, order): (&[Placed], &[u32]),
        (weight, price_share): (&[f32], f32),
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Option<(Self, Vec<u32>)> {
        let price = layout.price.iter().map(|price| price * price_share).collect();
        let mut grid = PathGrid::new(layout.rows, steps, price, interrupt)?;
        let mut places = Places::new(layout, graphs.detour(), kept);
        let mut place = |placed: &Placed| {
            places.set(placed.message, placed.step, &placed.path);
            let weight = weight[placed.message as usize];
            places.write(&mut grid, placed.message, placed.message, weight);
        };
        for placed in kept {
            place(placed);
        }
        let left = greedy::insert_beside(layout, graphs, (kept, order), steps, interrupt, place);
        let window = plans::priced_steps(steps).div_ceil(LANES as u32) as usize;
        let board = Self {
            layout,
            graphs,
            grid,
            places,
            choice: StepChoice::new(weight.len(), window, rng),
            step: 0,
            path: Vec::new(),
            evicted: Vec::new(),
        };
        Some((board, left))
    }

    /// Returns the path graphs that the board borrowed.
    pub fn into_graphs(self) -> &'g mut Graphs<'a> {
        self.graphs
    }

    fn find_evicted(&mut self) {
        self.evicted.clear();
        for &resource in &self.path {
            let occupant = self.grid.occupant(self.step, self.layout.row(resource));
            if occupant != FREE && !self.evicted.contains(&occupant) {
                self.evicted.push(occupant);
            }
        }
    }

    /// Plans a given place for a message.
    pub fn plan_at(&mut self, place: &Placed) {
        self.step = place.step;
        self.path.clear();
        self.path.extend_from_slice(&place.path);
        self.find_evicted();
    }

    /// Whether a message is at the given place.
    pub fn is_at(&self, place: &Placed) -> bool {
        let Placed { message, step, path } = place;
        self.places.step_of[*message as usize] == *step && self.places.path(*message) == path
    }

    /// The step and the resources of a placed message.
    pub fn place(&self, message: u32) -> (u32, &[u32]) {
        (self.places.step_of[message as usize], self.places.path(message))
    }

    /// The other messages that occupy resources of a place, possibly repeated.
    pub fn occupants<'b>(&'b self, place: &'b Placed) -> impl Iterator<Item = u32> + 'b {
        let rows = place.path.iter().map(|&resource| self.layout.row(resource));
        let occupants = rows.map(|row| self.grid.occupant(place.step, row));
        occupants.filter(|&occupant| occupant != FREE && occupant != place.message)
    }

    /// Removes the messages from their current places, if any, then puts them into the given ones.
    pub fn put(&mut self, places: &[&Placed], weight: impl Fn(u32) -> f32) {
        for place in places {
            if self.places.step_of[place.message as usize] != OUTSIDE {
                self.places.write(&mut self.grid, place.message, FREE, 0.0);
            }
        }
        for place in places {
            self.places.set(place.message, place.step, &place.path);
            let weight = weight(place.message);
            self.places.write(&mut self.grid, place.message, place.message, weight);
        }
    }

    /// Every placed message with its step and its resources.
    pub fn placed(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        self.places.all()
    }

    /// The partial schedule as a draft.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        self.placed().for_each(|(message, step, path)| draft.push(message, step, path));
        draft
    }
}

impl Board for WormholeBoard<'_, '_> {
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool {
        let graph = self.graphs.of(message);
        self.choice.price(&mut self.grid, graph, rng);
        self.choice.rule_out_forbidden(message, now);
        let Some(step) = self.choice.cheapest(blur, rng) else { return false };
        self.step = step;
        self.grid.find_path(self.graphs.of(message), step, rng, &mut self.path);
        self.path.reverse();
        if self.graphs.detour() > 0 {
            cut_loops(self.layout, &mut self.path);
        }
        self.find_evicted();
        true
    }

    fn evicted(&self) -> &[u32] {
        &self.evicted
    }

    fn evict(&mut self, message: u32, until: u32) {
        self.places.write(&mut self.grid, message, FREE, 0.0);
        self.places.step_of[message as usize] = OUTSIDE;
        self.choice.forbid(message, self.step, until);
    }

    fn carry_out(&mut self, message: u32, weight: f32) {
        self.places.set(message, self.step, &self.path);
        self.places.write(&mut self.grid, message, message, weight);
    }

    fn reweigh(&mut self, message: u32, weight: f32) {
        if self.places.step_of[message as usize] != OUTSIDE {
            self.places.write(&mut self.grid, message, message, weight);
        }
    }
}

/// The step and the resources of each message, in one block of memory.
struct Places<'a> {
    layout: &'a Layout<'a>,
    step_of: Vec<u32>,
    starts: Vec<u32>,
    lengths: Vec<u32>,
    resources: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(layout: &'a Layout<'a>, detour: u32, kept: &[Placed]) -> Self {
        let messages = layout.message_count();
        let mut longest = vec![0; if kept.is_empty() { 0 } else { messages }];
        for placed in kept {
            longest[placed.message as usize] = placed.path.len() as u32;
        }
        let mut spare = Spare::default();
        let mut end = 0;
        let mut starts = Vec::with_capacity(messages);
        for message in (0..messages as u32).map(MessageId) {
            starts.push(end);
            // Besides the channels, a path has at most one port at each end.
            let new = layout.distance(message, &mut spare) + detour + 2;
            end += longest.get(message.index()).map_or(new, |&kept| new.max(kept));
        }
        Self {
            layout,
            step_of: vec![OUTSIDE; messages],
            lengths: vec![0; starts.len()],
            starts,
            resources: vec![0; end as usize],
        }
    }

    fn path(&self, message: u32) -> &[u32] {
        let start = self.starts[message as usize] as usize;
        &self.resources[start..start + self.lengths[message as usize] as usize]
    }

    fn set(&mut self, message: u32, step: u32, path: &[u32]) {
        let start = self.starts[message as usize] as usize;
        self.step_of[message as usize] = step;
        self.lengths[message as usize] = path.len() as u32;
        self.resources[start..start + path.len()].copy_from_slice(path);
    }

    /// Writes an occupant to every grid cell that the message uses.
    fn write(&self, grid: &mut PathGrid, message: u32, occupant: u32, weight: f32) {
        let step = self.step_of[message as usize];
        for &resource in self.path(message) {
            let row = self.layout.row(resource);
            debug_assert!(
                [FREE, message].contains(&grid.occupant(step, row)),
                "message {message} conflicts with another on row {row} in step {step}"
            );
            grid.set(step, row, occupant, weight);
        }
    }

    fn all(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        let placed = |&(_, &step): &(usize, &u32)| step != OUTSIDE;
        self.step_of
            .iter()
            .enumerate()
            .filter(placed)
            .map(|(message, &step)| (message as u32, step, self.path(message as u32)))
    }
}
