//! Which step a message goes to: the cheapest one, blurred by chance, but not one that it was
//! evicted from a short while ago.

use super::super::ejection::Noise;
use super::grid::LANES;
use crate::rng::Rng;

/// Steps that a message may not go back to, at the same time.
const FORBIDDEN: usize = 4;

/// What stands in for the blur where it is zero: it only breaks ties.
const TIES: f32 = 1e-4;

/// The costs of all steps for the message at hand, and the steps that messages may not go back to.
pub(super) struct StepChoice {
    /// The cost of every step, in blocks, the last filled up with infinity.
    pub costs: Vec<[f32; LANES]>,
    /// Per message, steps it may not go back to and until which iteration.
    forbidden: Vec<[(u32, u32); FORBIDDEN]>,
    noise: Noise,
}

impl StepChoice {
    /// For so many messages, all free to go anywhere.
    pub fn new(messages: usize, rng: &mut Rng) -> Self {
        let forbidden = vec![[(0, 0); FORBIDDEN]; messages];
        Self { costs: Vec::new(), forbidden, noise: Noise::new(rng) }
    }

    /// Takes a step out of the choice.
    pub fn rule_out(&mut self, step: u32) {
        self.costs[step as usize / LANES][step as usize % LANES] = f32::INFINITY;
    }

    /// Takes out the steps that the message may not go back to in iteration `now`.
    pub fn rule_out_forbidden(&mut self, message: u32, now: u32) {
        for (step, until) in self.forbidden[message as usize] {
            if until > now {
                self.rule_out(step);
            }
        }
    }

    /// Forbids a message to go back to a step until an iteration.
    pub fn forbid(&mut self, message: u32, step: u32, until: u32) {
        let entries = &mut self.forbidden[message as usize];
        if let Some(oldest) = entries.iter_mut().min_by_key(|entry| entry.1) {
            *oldest = (step, until);
        }
    }

    /// The step of least cost, after noise in proportion to `blur`.
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
