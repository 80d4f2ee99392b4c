//! Chooses the step of a message: the cheapest one after random noise, excluding steps from which
//! the message was evicted recently (tabu).

use super::super::guided_search::Noise;
use super::grid::LANES;
use crate::rng::Rng;

/// Tabu list length per message, in steps.
const FORBIDDEN: usize = 4;

/// Minimum noise, used to break ties when `blur` is zero.
const TIES: f32 = 1e-4;

/// The costs of all steps for the current message, and the tabu lists of all messages.
pub(super) struct StepChoice {
    /// The cost of every step, in blocks; the last block is padded with infinity.
    pub costs: Vec<[f32; LANES]>,
    /// Per message, forbidden steps and the iteration at which each prohibition ends.
    forbidden: Vec<[(u32, u32); FORBIDDEN]>,
    noise: Noise,
}

impl StepChoice {
    /// For the given number of messages, with nothing forbidden.
    pub fn new(messages: usize, rng: &mut Rng) -> Self {
        let forbidden = vec![[(0, 0); FORBIDDEN]; messages];
        Self { costs: Vec::new(), forbidden, noise: Noise::new(rng) }
    }

    /// Excludes a step from the choice.
    pub fn rule_out(&mut self, step: u32) {
        self.costs[step as usize / LANES][step as usize % LANES] = f32::INFINITY;
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
        let mut chosen = None;
        for (block, costs) in self.costs.iter().enumerate() {
            let noise = self.noise.draw(LANES, rng);
            let mut noisy = *costs;
            for lane in 0..LANES {
                noisy[lane] += scale * noise[lane];
            }
            for (lane, &cost) in noisy.iter().enumerate() {
                if cost < least {
                    (least, chosen) = (cost, Some((block * LANES + lane) as u32));
                }
            }
        }
        chosen
    }
}
