//! Chooses the step of a message: the cheapest one after random noise, excluding steps from which
//! the message was evicted recently (tabu). Where there are many steps, only some of them, beginning
//! at a random one, are priced each time.

use super::super::guided_search::Noise;
use super::graph::Graph;
use super::grid::{LANES, PathGrid};
use crate::rng::Rng;

/// Tabu list length per message, in steps.
const FORBIDDEN: usize = 4;

/// Minimum noise, used to break ties when `blur` is zero.
const TIES: f32 = 1e-4;

/// The costs of the steps for the current message, and the tabu lists of all messages.
pub(super) struct StepChoice {
    /// Most blocks of steps that are priced for a message.
    window: usize,
    /// The cost of every priced step, in blocks from block `first` on, and around to block 0.
    costs: Vec<[f32; LANES]>,
    first: usize,
    blocks: usize,
    /// Per message, forbidden steps and the iteration at which each prohibition ends.
    forbidden: Vec<[(u32, u32); FORBIDDEN]>,
    noise: Noise,
}

impl StepChoice {
    /// For the given number of messages, with nothing forbidden.
    pub fn new(messages: usize, window: usize, rng: &mut Rng) -> Self {
        let forbidden = vec![[(0, 0); FORBIDDEN]; messages];
        let noise = Noise::new(rng);
        Self { window, costs: Vec::new(), first: 0, blocks: 0, forbidden, noise }
    }

    /// Computes the costs for a message with these paths.
    pub fn price(&mut self, grid: &mut PathGrid, graph: Graph<'_>, rng: &mut Rng) {
        self.costs.clear();
        self.blocks = grid.block_count();
        self.first = if self.blocks > self.window { rng.below(self.blocks) } else { 0 };
        let end = self.first + self.blocks.min(self.window);
        grid.price_blocks(graph, self.first..end.min(self.blocks), &mut self.costs);
        grid.price_blocks(graph, 0..end.saturating_sub(self.blocks), &mut self.costs);
    }

    /// Excludes a step from the choice.
    pub fn rule_out(&mut self, step: u32) {
        let block = step as usize / LANES;
        let place = if block < self.first { block + self.blocks } else { block } - self.first;
        if let Some(costs) = self.costs.get_mut(place) {
            costs[step as usize % LANES] = f32::INFINITY;
        }
    }

    /// Excludes the steps that are forbidden to the message at iteration `now`.
    pub fn rule_out_forbidden(&mut self, message: u32, now: u32) {
        for (step, until) in self.forbidden[message as usize] {
            if until > now {
                self.rule_out(step);
            }
        }
    }

    /// Forbids a step to a message until an iteration.
    pub fn forbid(&mut self, message: u32, step: u32, until: u32) {
        let entries = &mut self.forbidden[message as usize];
        if let Some(oldest) = entries.iter_mut().min_by_key(|entry| entry.1) {
            *oldest = (step, until);
        }
    }

    /// The step of least cost after adding noise in proportion to `blur`; `None` if no step has
    /// finite cost.
    pub fn cheapest(&self, blur: f32, rng: &mut Rng) -> Option<u32> {
        let scale = blur.max(TIES);
        let mut least = f32::INFINITY;
        let mut chosen: Option<(usize, usize)> = None;
        for (place, costs) in self.costs.iter().enumerate() {
            let noise = self.noise.draw(LANES, rng);
            let mut noisy = *costs;
            for lane in 0..LANES {
                noisy[lane] += scale * noise[lane];
            }
            for (lane, &cost) in noisy.iter().enumerate() {
                if cost < least {
                    (least, chosen) = (cost, Some((place, lane)));
                }
            }
        }
        let (place, lane) = chosen?;
        Some(((self.first + place) % self.blocks * LANES + lane) as u32)
    }
}
