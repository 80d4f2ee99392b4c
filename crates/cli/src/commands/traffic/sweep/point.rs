//! A point of a curve, and which of its means can be relied on.

use pavane_traffic::SwitchingMethod;
use pavane_traffic::statistics::Estimate;

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The name of the curve.
    pub curve: String,
    /// Its position on the axis.
    pub at: f64,
    /// Mean over finished missions, or over delivered messages that arrived after the warm-up of a
    /// steady state; `None` if there are none.
    pub partial: Option<Estimate>,
    /// Number of missions that deadlocked, or of messages that arrived after the warm-up and were
    /// never delivered.
    pub unfinished: u64,
    /// Number of missions that drew no message; `None` in a steady state.
    pub empty: Option<u64>,
    /// In a steady state, the number of messages of the warm-up that were never delivered.
    pub unfinished_warm_up: Option<u64>,
    /// With arrivals over time, whether there is no deadlock and latencies do not grow.
    pub is_steady: Option<bool>,
    /// The switching and the routing.
    pub rules: (SwitchingMethod, String),
}

impl Point {
    /// Number of missions or messages that finished.
    pub fn finished(&self) -> u64 {
        self.partial.map_or(0, |mean| mean.count as u64)
    }

    /// Whether latencies grow with time, so that they have no mean.
    pub fn grows(&self) -> bool {
        let is_stuck = self.unfinished + self.unfinished_warm_up.unwrap_or(0) > 0;
        self.is_steady == Some(false) && !is_stuck
    }

    /// The mean over all missions or measured messages and half the width of its confidence
    /// interval; `None` if one of them did not finish, or if latencies grow with time.
    pub fn figures(&self) -> (Option<f64>, Option<f64>) {
        let mean = self.partial.filter(|_| self.unfinished == 0 && !self.grows());
        (mean.map(|mean| mean.mean), mean.and_then(|mean| mean.half_width))
    }

    /// The mean over those that finished; `None` if there are none, or if latencies grow with time.
    pub fn mean_of_finished(&self) -> Option<f64> {
        self.partial.filter(|_| !self.grows()).map(|mean| mean.mean)
    }
}
