//! Temperatures and the Metropolis rule: a change that makes a solution worse by `d` is accepted
//! with probability exp(-d/T). Implemented by drawing the accepted `d` before each move.

use pavane_search::Rng;
use pavane_search::parameters::{Parameter, Range};

/// Initial temperature.
pub(super) const HOT: Parameter = Parameter {
    name: "hot",
    meaning: "temperature at the start, in conflicts",
    range: Range::Real(0.001, 1e6),
    paper: 100.0,
    tuned: 0.15,
};

/// Final temperature. The papers do not give it: at zero the search would be stuck, and with about
/// 0.1 to 0.2 it reaches the results they report.
pub(super) const COLD: Parameter = Parameter {
    name: "cold",
    meaning: "temperature at which cooling ends",
    range: Range::Real(0.001, 1e6),
    paper: 0.15,
    tuned: 0.05,
};

/// Size of the table of draws; events rarer than one in this many do not occur.
const DRAWS: usize = 4096;

/// The accepted deterioration, for one temperature at a time.
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

    /// The largest increase in conflicts that is accepted this time.
    pub fn draw(&self, rng: &mut Rng) -> i32 {
        self.allowed[rng.bits() as usize % DRAWS]
    }
}

/// Geometric cooling from one temperature to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cooling {
    pub hot: f64,
    pub cold: f64,
    pub factor: f64,
    /// Iterations per temperature; 0 for as many as the quota allows.
    pub iterations: u64,
}

impl Cooling {
    /// The number of temperatures.
    pub fn temperatures(&self) -> u64 {
        if self.cold >= self.hot {
            return 1;
        }
        ((self.cold / self.hot).ln() / self.factor.ln()).ceil() as u64 + 1
    }

    /// Iterations per temperature within a quota.
    pub fn iterations(&self, quota: u64) -> u64 {
        match self.iterations {
            0 => (quota / self.temperatures()).max(1),
            iterations => iterations,
        }
    }

    /// The temperature with this number, counted from 0.
    pub fn temperature(&self, number: u64) -> f64 {
        self.hot * self.factor.powf(number as f64)
    }
}
