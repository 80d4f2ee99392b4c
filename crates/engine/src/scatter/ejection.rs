//! Guided ejection: a conflict-free partial schedule and a pool of messages outside it. A message
//! from the pool goes where it evicts the least weight, and those evicted go back to the pool.
//! Weights grow with every eviction (guided), and evictions may be annealed.

use crate::budget::Budget;
use crate::rng::Rng;

/// A partial schedule without conflicts that messages can be put into.
pub(crate) trait Board {
    /// Finds the cheapest place for a message, to which it was not forbidden to go back before
    /// iteration `now`; costs are blurred by noise in proportion to `blur`. False if there
    /// is no place.
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool;

    /// The messages in the way of the plan.
    fn evicted(&self) -> &[u32];

    /// Takes out a message that is in the way of the plan; until iteration `until` it may not go
    /// back to where it was.
    fn evict(&mut self, message: u32, until: u32);

    /// Carries out the plan; nobody is in the way any more.
    fn carry_out(&mut self, message: u32, weight: f32);

    /// Changes the weight of a message that may be on the board.
    fn reweigh(&mut self, message: u32, weight: f32);
}

/// How a search behaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Weight of the prices of a path against the weights of those it evicts.
    pub price_share: f32,
    /// What a message's weight gains each time it evicts others.
    pub increment: f32,
    /// Iterations that an evicted message may not go back, per message in the pool.
    pub tenure: f32,
    /// Temperature at the start; 0 accepts every insertion.
    pub hot: f32,
    /// Temperature at the end.
    pub cold: f32,
    /// Share of a weight's gain that is lost per as many iterations as there are messages.
    pub decay: f32,
    /// How far the temperature blurs the costs of places.
    pub blur: f32,
}

impl Settings {
    /// As cold from the start as in the end.
    pub fn cold(self) -> Self {
        Self { hot: self.cold, ..self }
    }

    /// Nearly as cold from the start as in the end, so that what is placed well does not melt.
    pub fn gentle(self) -> Self {
        Self { hot: 1.5 * self.cold, ..self }
    }
}

/// A search for a whole schedule.
pub(crate) struct Ejection<B> {
    /// The schedule so far.
    pub board: B,
    /// The messages outside it.
    pub pool: Vec<u32>,
    base: Vec<f32>,
    weight: Vec<f32>,
    settings: Settings,
}

impl<B: Board> Ejection<B> {
    /// From a board, the messages that are not on it, and how much each message matters.
    pub fn new(board: B, pool: Vec<u32>, base: &[f32], settings: Settings) -> Self {
        let (base, weight) = (base.to_vec(), base.to_vec());
        Self { board, pool, base, weight, settings }
    }

    /// Searches until the pool is empty, which is success, for at most so many iterations, each
    /// of which costs `work` evaluations.
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
            let temperature = match hot > 0.0 {
                true => hot * (cooling * now as f32 / iterations as f32).exp(),
                false => 0.0,
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

    /// Takes a message out of the pool and puts it where it costs least.
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

    /// Lets the weights fall back towards where they started.
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

/// Exponentially distributed numbers, drawn once and read from a random place on, because drawing
/// them anew would take longer than what they blur.
pub(super) struct Noise(Vec<f32>);

impl Noise {
    const LENGTH: usize = 1 << 14;

    /// Draws the numbers.
    pub fn new(rng: &mut Rng) -> Self {
        Self((0..Self::LENGTH).map(|_| -(1.0 - rng.unit()).ln() as f32).collect())
    }

    /// The numbers, from a given place on.
    pub fn at(&self, place: usize) -> &[f32] {
        &self.0[place % (Self::LENGTH / 2)..]
    }

    /// So many numbers from a random place on; at most 1024.
    pub fn draw(&self, count: usize, rng: &mut Rng) -> &[f32] {
        let start = rng.below(Self::LENGTH - count);
        &self.0[start..start + count]
    }
}
