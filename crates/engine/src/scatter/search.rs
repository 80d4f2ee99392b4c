//! Guided ejection: a conflict-free partial schedule and a pool of messages outside it. A message
//! from the pool goes where it evicts the least, and those evicted go back to the pool.

use super::graph::Graphs;
use super::greedy::{self, Placed};
use super::grid::{FREE, Grid, LANES, cut_loops};
use super::layout::{Layout, Spare};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, MessageId, Schedule, Transfer};

/// Not in the schedule.
const POOL: u32 = u32::MAX;

/// (message, step) pairs that a message may not go back to for a while.
const FORBIDDEN: usize = 4;

/// Random numbers that are drawn once and used again from a random place on.
const NOISE: usize = 1 << 14;

/// How a search behaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// Weight of the prices of a path against the weights of those it evicts.
    pub gamma: f32,
    /// What a message's weight gains each time it evicts others.
    pub increment: f32,
    /// Iterations that an evicted message may not go back, per message in the pool.
    pub tenure: f32,
    /// Temperature at the start and at the end; 0 accepts every insertion.
    pub hot: f32,
    /// Temperature at the end.
    pub cold: f32,
    /// Iterations per message from hot to cold.
    pub sweeps: f32,
    /// Share of a weight's gain that is lost per as many iterations as there are messages.
    pub decay: f32,
}

/// A partial schedule of at most so many steps, and the search for a whole one.
pub(super) struct Search<'a> {
    layout: &'a Layout<'a>,
    graphs: Graphs<'a>,
    detour: u32,
    settings: Settings,
    grid: Grid,
    step_of: Vec<u32>,
    paths: Paths,
    base: Vec<f32>,
    weight: Vec<f32>,
    pool: Vec<u32>,
    forbidden: Vec<[(u32, u32); FORBIDDEN]>,
    noise: Vec<f32>,
    costs: Vec<[f32; LANES]>,
    path: Vec<u32>,
    evicted: Vec<u32>,
    iteration: u32,
}

/// The resources that each message takes, in one block of memory.
struct Paths {
    starts: Vec<u32>,
    lengths: Vec<u32>,
    resources: Vec<u32>,
}

impl Paths {
    fn new(longest: impl Iterator<Item = u32>) -> Self {
        let mut starts = vec![0];
        starts.extend(longest.scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        let resources = vec![0; starts.last().copied().unwrap_or(0) as usize];
        Self { lengths: vec![0; starts.len() - 1], starts, resources }
    }

    fn of(&self, message: u32) -> &[u32] {
        let start = self.starts[message as usize] as usize;
        &self.resources[start..start + self.lengths[message as usize] as usize]
    }

    fn set(&mut self, message: u32, path: &[u32]) {
        let start = self.starts[message as usize] as usize;
        self.lengths[message as usize] = path.len() as u32;
        self.resources[start..start + path.len()].copy_from_slice(path);
    }
}

impl<'a> Search<'a> {
    /// An empty schedule of `steps` steps, all messages in the pool.
    pub fn new(
        layout: &'a Layout<'a>,
        graphs: Graphs<'a>,
        detour: u32,
        base: &[f32],
        steps: u32,
        settings: Settings,
        rng: &mut Rng,
    ) -> Self {
        let messages = base.len();
        let mut spare = Spare::default();
        let ids = layout.problem.messages().ids();
        let longest = ids.map(|message| layout.distance(message, &mut spare) + detour + 2);
        let price = layout.price.iter().map(|price| price * settings.gamma).collect();
        let noise =
            (0..NOISE + LANES).map(|_| -(1.0 - rng.unit()).ln() as f32).collect::<Vec<f32>>();
        Self {
            layout,
            graphs,
            detour,
            settings,
            grid: Grid::new(layout.rows, steps, price),
            step_of: vec![POOL; messages],
            paths: Paths::new(longest),
            weight: base.to_vec(),
            base: base.to_vec(),
            pool: Vec::new(),
            forbidden: vec![[(0, 0); FORBIDDEN]; messages],
            noise,
            costs: Vec::new(),
            path: Vec::new(),
            evicted: Vec::new(),
            iteration: 0,
        }
    }

    /// Fills the schedule longest-first as far as that goes without conflict.
    pub fn fill(&mut self, rng: &mut Rng) {
        let order = greedy::longest_first(&self.base, rng);
        let mut graphs = std::mem::replace(&mut self.graphs, Graphs::none(self.layout));
        let layout = self.layout;
        let steps = self.grid.steps();
        self.pool = greedy::insert_all(layout, &mut graphs, &order, steps, |placed: &Placed| {
            self.insert(placed.message, placed.step, &placed.path);
            true
        });
        self.graphs = graphs;
    }

    fn insert(&mut self, message: u32, step: u32, path: &[u32]) {
        let weight = self.weight[message as usize];
        self.step_of[message as usize] = step;
        self.paths.set(message, path);
        for &resource in path {
            let row = self.layout.row(resource);
            debug_assert_eq!(self.grid.occupant(step, row), FREE, "row {row} in step {step}");
            self.grid.set(step, row, message, weight);
        }
    }

    fn remove(&mut self, message: u32) {
        let step = self.step_of[message as usize];
        self.step_of[message as usize] = POOL;
        for &resource in self.paths.of(message) {
            self.grid.set(step, self.layout.row(resource), FREE, 0.0);
        }
    }

    /// Searches until the pool is empty, which is success, or the budget or the cooling is over.
    pub fn run(&mut self, budget: &mut Budget, rng: &mut Rng) -> bool {
        let messages = self.weight.len();
        let last = (self.settings.sweeps * messages as f32).max(1.0) as u32;
        let ratio = self.settings.cold / self.settings.hot.max(f32::MIN_POSITIVE);
        let steps = u64::from(self.grid.steps());
        while !self.pool.is_empty() {
            if !budget.spend(steps) || self.iteration >= last {
                return false;
            }
            self.iteration += 1;
            let done = self.iteration as f32 / last as f32;
            let temperature = self.settings.hot * ratio.powf(done);
            self.improve(temperature, rng);
            if self.settings.decay > 0.0 && self.iteration.is_multiple_of(messages as u32) {
                self.forget();
            }
        }
        true
    }

    /// Takes a message out of the pool and puts it where it costs least.
    fn improve(&mut self, temperature: f32, rng: &mut Rng) {
        let place = rng.below(self.pool.len());
        let message = self.pool[place];
        let graph = self.graphs.of(message);
        self.grid.price_all_steps(graph, &mut self.costs);
        for &(step, until) in &self.forbidden[message as usize] {
            if until > self.iteration {
                self.costs[step as usize / LANES][step as usize % LANES] = f32::INFINITY;
            }
        }
        let Some(step) = self.choose_step(temperature, rng) else { return };
        self.grid.find_path(self.graphs.of(message), step, rng, &mut self.path);
        self.path.reverse();
        if self.detour > 0 {
            cut_loops(self.layout, &mut self.path);
        }
        let lost = self.find_evicted(step);
        if temperature > 0.0 && !self.evicted.is_empty() {
            let worse = lost - self.weight[message as usize];
            if worse > 0.0 && !rng.chance(f64::from((-worse / temperature).exp())) {
                return;
            }
        }
        self.pool.swap_remove(place);
        self.replace(message, step, rng);
    }

    /// The step of least cost, after noise in proportion to the temperature.
    fn choose_step(&self, temperature: f32, rng: &mut Rng) -> Option<u32> {
        let scale = temperature.max(1e-6);
        let mut from = rng.below(NOISE);
        let mut least = f32::INFINITY;
        let mut chosen = None;
        for (block, costs) in self.costs.iter().enumerate() {
            let noise: &[f32] = &self.noise[from..from + LANES];
            from = (from + LANES) % NOISE;
            let mut noisy = [0.0; LANES];
            for lane in 0..LANES {
                noisy[lane] = costs[lane] + scale * noise[lane];
            }
            for (lane, &cost) in noisy.iter().enumerate() {
                if cost < least {
                    least = cost;
                    chosen = Some((block * LANES + lane) as u32);
                }
            }
        }
        chosen
    }

    /// Lists who is in the way of `path` in the step, and returns what they weigh.
    fn find_evicted(&mut self, step: u32) -> f32 {
        self.evicted.clear();
        let mut lost = 0.0;
        for &resource in &self.path {
            let occupant = self.grid.occupant(step, self.layout.row(resource));
            if occupant != FREE && !self.evicted.contains(&occupant) {
                self.evicted.push(occupant);
                lost += self.weight[occupant as usize];
            }
        }
        lost
    }

    fn replace(&mut self, message: u32, step: u32, rng: &mut Rng) {
        let evicted = std::mem::take(&mut self.evicted);
        for &other in &evicted {
            self.remove(other);
            self.pool.push(other);
            self.forbid(other, step, rng);
        }
        if !evicted.is_empty() {
            self.weight[message as usize] += self.settings.increment;
        }
        self.evicted = evicted;
        let path = std::mem::take(&mut self.path);
        self.insert(message, step, &path);
        self.path = path;
    }

    fn forbid(&mut self, message: u32, step: u32, rng: &mut Rng) {
        let length = 0.6 * self.pool.len() as f32 + 10.0 * rng.unit() as f32;
        let until = self.iteration + 1 + (self.settings.tenure * length) as u32;
        let entries = &mut self.forbidden[message as usize];
        if let Some(oldest) = entries.iter_mut().min_by_key(|entry| entry.1) {
            *oldest = (step, until);
        }
    }

    /// Lets the weights fall back towards the price-distances.
    fn forget(&mut self) {
        for message in 0..self.weight.len() as u32 {
            let base = self.base[message as usize];
            let weight = &mut self.weight[message as usize];
            *weight = base + (*weight - base) * (1.0 - self.settings.decay);
            let (weight, step) = (*weight, self.step_of[message as usize]);
            if step != POOL {
                for &resource in self.paths.of(message) {
                    self.grid.set(step, self.layout.row(resource), message, weight);
                }
            }
        }
    }

    /// The schedule, as far as it goes.
    pub fn schedule(&self) -> Schedule {
        to_schedule(
            self.layout,
            self.grid.steps(),
            (0..self.step_of.len() as u32)
                .filter(|&message| self.step_of[message as usize] != POOL)
                .map(|message| (message, self.step_of[message as usize], self.paths.of(message))),
        )
    }
}

/// Writes messages with their steps and resources down as a schedule of `steps` steps.
pub(super) fn to_schedule<'b>(
    layout: &Layout<'_>,
    steps: u32,
    placed: impl Iterator<Item = (u32, u32, &'b [u32])>,
) -> Schedule {
    let mut in_step: Vec<(u32, u32, &[u32])> =
        placed.map(|(message, step, path)| (step, message, path)).collect();
    in_step.sort_unstable_by_key(|&(step, message, _)| (step, message));
    let mut schedule = Schedule::new();
    let mut next = in_step.into_iter().peekable();
    let mut channels = Vec::new();
    for step in 0..steps {
        schedule.start_step();
        while let Some((_, message, path)) = next.next_if(|&(at, _, _)| at == step) {
            let message = MessageId(message);
            let (from, to) = layout.ends(message);
            channels.clear();
            channels.extend(path.iter().filter(|&&r| layout.is_channel(r)).map(|&r| ChannelId(r)));
            schedule.push(Transfer { message, from, to, path: &channels });
        }
    }
    schedule
}
