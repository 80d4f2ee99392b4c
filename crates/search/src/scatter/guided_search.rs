//! Guided ejection search. The state is a conflict-free partial schedule and a pool of unplaced
//! messages. Each iteration inserts a message from the pool where it evicts the least weight;
//! evicted messages return to the pool. A message that evicts others gains weight (guided search),
//! and insertions may be accepted by simulated annealing.

use crate::budget::Budget;
use crate::rng::Rng;

/// A conflict-free partial schedule into which messages can be inserted.
pub(crate) trait Board {
    /// Plans the cheapest place for a message, excluding places that are forbidden to it (tabu) at
    /// iteration `now`. Costs are perturbed by noise in proportion to `blur`. Returns false if
    /// there is no place.
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool;

    /// The messages that the plan would evict.
    fn evicted(&self) -> &[u32];

    /// Removes a message that conflicts with the plan and forbids it to return to its place until
    /// iteration `until`.
    fn evict(&mut self, message: u32, until: u32);

    /// Carries out the plan. All conflicting messages must have been evicted.
    fn carry_out(&mut self, message: u32, weight: f32);

    /// Changes the weight of a message, whether or not it is on the board.
    fn reweigh(&mut self, message: u32, weight: f32);
}

/// Parameters of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Weight of the prices of a path relative to the weights of the messages it evicts.
    pub price_share: f32,
    /// Weight that a message gains each time it evicts others.
    pub increment: f32,
    /// Tabu tenure of an evicted message: iterations per message in the pool, roughly.
    pub tenure: f32,
    /// Temperature at the start; 0 accepts every insertion.
    pub hot: f32,
    /// Temperature at the end.
    pub cold: f32,
    /// Share of a message's gained weight that is lost every N iterations, for N messages.
    pub decay: f32,
    /// Noise on the costs of places, relative to the temperature.
    pub blur: f32,
}

impl Settings {
    /// Starts at the final temperature.
    pub fn cold(self) -> Self {
        Self { hot: self.cold, ..self }
    }

    /// Starts close to the final temperature, so that well-placed messages stay in place.
    pub fn gentle(self) -> Self {
        Self { hot: 1.5 * self.cold, ..self }
    }
}

/// A search for a complete schedule.
pub(crate) struct GuidedSearch<B> {
    /// The partial schedule.
    pub board: B,
    /// The messages outside it.
    pub pool: Vec<u32>,
    base: Vec<f32>,
    weight: Vec<f32>,
    settings: Settings,
}

impl<B: Board> GuidedSearch<B> {
    /// Starts from a board, the messages that are not on it, and a base weight for each message.
    pub fn new(board: B, pool: Vec<u32>, base: &[f32], settings: Settings) -> Self {
        let (base, weight) = (base.to_vec(), base.to_vec());
        Self { board, pool, base, weight, settings }
    }

    /// Runs at most `iterations` iterations, each of which costs `work` evaluations. Returns true
    /// once the pool is empty.
    pub fn run(&mut self, iterations: u64, work: u64, budget: &mut Budget, rng: &mut Rng) -> bool {
        let Settings { hot, cold, decay, .. } = self.settings;
        let cooling = (cold / hot).ln();
        for now in 0..iterations.min(u64::from(u32::MAX / 2)) as u32 {
            if self.pool.is_empty() {
                return true;
            }
            if !budget.spend(work.max(1)) {
                return false;
            }
            let temperature = if hot > 0.0 {
                hot * (cooling * now as f32 / iterations as f32).exp()
            } else {
                0.0
            };
            self.improve(now, temperature, rng);
            if (now + 1).is_multiple_of(self.base.len() as u32) {
                budget.tell_open(self.pool.len());
                if decay > 0.0 {
                    self.forget();
                }
            }
        }
        self.pool.is_empty()
    }

    /// Takes a random message from the pool and inserts it at its cheapest place, if accepted.
    fn improve(&mut self, now: u32, temperature: f32, rng: &mut Rng) {
        let place = rng.below(self.pool.len());
        let message = self.pool[place];
        if !self.board.plan(message, now, temperature * self.settings.blur, rng) {
            return;
        }
        let lost: f32 = self.board.evicted().iter().map(|&other| self.weight[other as usize]).sum();
        let worse = lost - self.weight[message as usize];
        let is_accepted = temperature == 0.0
            || worse <= 0.0
            || rng.chance(f64::from((-worse / temperature).exp()));
        if !is_accepted {
            return;
        }
        self.pool.swap_remove(place);
        let first = self.pool.len();
        self.pool.extend_from_slice(self.board.evicted());
        for at in first..self.pool.len() {
            let length = 0.6 * self.pool.len() as f32 + 10.0 * rng.unit() as f32;
            let until = now + 2 + (self.settings.tenure * length) as u32;
            self.board.evict(self.pool[at], until);
        }
        if first < self.pool.len() {
            self.weight[message as usize] += self.settings.increment;
        }
        self.board.carry_out(message, self.weight[message as usize]);
    }

    /// Decays the weights towards their base weights.
    fn forget(&mut self) {
        for message in 0..self.weight.len() {
            let gain = self.weight[message] - self.base[message];
            if gain > 0.0 {
                self.weight[message] -= gain * self.settings.decay;
                self.board.reweigh(message as u32, self.weight[message]);
            }
        }
    }
}

/// Exponentially distributed noise. It is drawn once and read from random offsets, because drawing
/// fresh numbers would take longer than computing the costs they perturb.
pub(super) struct Noise(Vec<f32>);

impl Noise {
    const LENGTH: usize = 1 << 14;

    /// Draws the numbers.
    pub fn new(rng: &mut Rng) -> Self {
        Self((0..Self::LENGTH).map(|_| -(1.0 - rng.unit()).ln() as f32).collect())
    }

    /// The numbers from a given offset on.
    pub fn at(&self, place: usize) -> &[f32] {
        &self.0[place % (Self::LENGTH / 2)..]
    }

    /// Returns `count` numbers (at most 1024) from a random offset on.
    pub fn draw(&self, count: usize, rng: &mut Rng) -> &[f32] {
        let start = rng.below(Self::LENGTH - count);
        &self.0[start..start + count]
    }
}
