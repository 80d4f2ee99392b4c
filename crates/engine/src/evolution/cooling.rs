//! Temperatures and the Metropolis rule: what makes a solution worse by `d` is accepted with
//! probability exp(-d/T). Drawn the other way round: how much worse may it be this time?

use crate::parameters::{Parameter, Range};
use crate::rng::Rng;

/// Where cooling begins.
pub(super) const HOT: Parameter = Parameter {
    name: "hot",
    meaning: "temperature at the start, in conflicts",
    range: Range::Real(0.001, 1e6),
    paper: 100.0,
    tuned: 0.15,
};

/// Where cooling ends. The papers do not say; with zero they would be stuck, and from about 0.1 to 0.2
/// what they report can be reached.
pub(super) const COLD: Parameter = Parameter {
    name: "cold",
    meaning: "temperature at which cooling ends",
    range: Range::Real(0.001, 1e6),
    paper: 0.15,
    tuned: 0.05,
};

/// Draws per table; a rarer event than one in so many does not happen.
const DRAWS: usize = 4096;

/// How much worse a solution may get, for one temperature after the other.
pub(super) struct Metropolis {
    logarithms: Vec<f64>,
    allowed: Vec<i32>,
}

impl Metropolis {
    pub fn new() -> Self {
        let draw = |at: usize| -((at as f64 + 0.5) / DRAWS as f64).ln();
        Self { logarithms: (0..DRAWS).map(draw).collect(), allowed: vec![0; DRAWS] }
    }

    pub fn set_temperature(&mut self, temperature: f64) {
        for (allowed, logarithm) in self.allowed.iter_mut().zip(&self.logarithms) {
            *allowed = (temperature * logarithm) as i32;
        }
    }

    /// The most conflicts more that are accepted this time.
    pub fn draw(&self, rng: &mut Rng) -> i32 {
        self.allowed[rng.bits() as usize % DRAWS]
    }
}

/// A geometric cooling from one temperature to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cooling {
    pub hot: f64,
    pub cold: f64,
    pub factor: f64,
    /// Iterations at one temperature; 0 for as many as the quota allows.
    pub iterations: u64,
}

impl Cooling {
    /// How many temperatures there are.
    pub fn temperatures(&self) -> u64 {
        if self.cold >= self.hot {
            return 1;
        }
        ((self.cold / self.hot).ln() / self.factor.ln()).ceil() as u64 + 1
    }

    /// Iterations at each temperature within a quota.
    pub fn iterations(&self, quota: u64) -> u64 {
        match self.iterations {
            0 => (quota / self.temperatures()).max(1),
            iterations => iterations,
        }
    }

    /// The temperature of a number, from 0 on.
    pub fn temperature(&self, number: u64) -> f64 {
        self.hot * self.factor.powf(number as f64)
    }
}
