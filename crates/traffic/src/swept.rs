//! The parameter that varies along a curve.

use crate::error::TrafficError;
use crate::mission::{Pattern, Uniform};
use pavane_model::{Network, quantity};

/// The parameter that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The probability of a message.
    Density,
    /// The number of destinations.
    HotSpots,
    /// The standard deviation of lengths.
    Sigma,
    /// The mean time between arrivals in a steady state.
    Interval,
    /// The offered load in a steady state.
    Rate,
}

const ALL: [Over; 5] = [Over::Density, Over::HotSpots, Over::Sigma, Over::Interval, Over::Rate];

impl Over {
    /// The parameter with this name.
    pub fn find(name: &str) -> Option<Self> {
        ALL.into_iter().find(|over| over.name() == name)
    }

    /// The names of all parameters.
    pub fn names() -> [&'static str; 5] {
        ALL.map(Self::name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::HotSpots => "hot-spots",
            Self::Sigma => "sigma",
            Self::Interval => "interval",
            Self::Rate => "rate",
        }
    }

    /// Its name in CSV and JSON.
    pub fn field(self) -> &'static str {
        if self == Self::HotSpots { "hot_spots" } else { self.name() }
    }

    /// Default points.
    pub fn values(self, network: &Network) -> Vec<f64> {
        match self {
            Self::Density => (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
            Self::HotSpots => {
                let processors = network.living_processors().count();
                (1..=processors.min(16)).map(|spots| spots as f64).collect()
            }
            Self::Sigma => (0..=10).map(f64::from).collect(),
            Self::Interval => vec![15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0],
            Self::Rate => (1..=20).map(|twentieth| f64::from(twentieth) / 20.0).collect(),
        }
    }

    /// The distribution of random messages at a point. In a steady state it does not vary.
    pub fn uniform_at(self, mut uniform: Uniform, value: f64) -> Result<Uniform, TrafficError> {
        match self {
            Self::Density => uniform.density = value,
            Self::Sigma => uniform.sigma = value,
            Self::HotSpots if value >= 1.0 && value.fract() == 0.0 && value < 4e9 => {
                uniform.pattern = Pattern::HotSpots(value as u32);
            }
            Self::HotSpots => {
                return Err(TrafficError::OutOfRange {
                    what: "the number of hot spots".to_owned(),
                    value: quantity::shown(value),
                    range: "a positive integer".to_owned(),
                });
            }
            Self::Interval | Self::Rate => {}
        }
        Ok(uniform)
    }

    /// Whether an option, such as `hot-spots`, has no effect on curves over this parameter.
    pub fn ignores(self, option: &str) -> bool {
        let is_steady = matches!(self, Self::Interval | Self::Rate);
        match option {
            "density" => is_steady || self == Self::Density,
            "hot-spots" | "permutation" => matches!(self, Self::HotSpots | Self::Interval),
            "mean" => self == Self::Rate,
            "sigma" => matches!(self, Self::Sigma | Self::Rate),
            "window" | "missions" | "optimal" => is_steady,
            "duration" | "warm-up" => !is_steady,
            "drain" | "flits" => self != Self::Rate,
            _ => false,
        }
    }

    /// Axis labels.
    pub fn axes(self) -> (&'static str, &'static str) {
        match self {
            Self::Density => ("density", "mean makespan"),
            Self::HotSpots => ("hot spots", "mean makespan"),
            Self::Sigma => ("deviation of lengths", "mean makespan"),
            Self::Rate => ("rate", "mean latency"),
            Self::Interval => {
                ("mean time between arrivals", "mean latency of messages after the warm-up")
            }
        }
    }

    /// What a mean is taken over.
    pub fn items(self) -> &'static str {
        if self == Self::Interval { "messages" } else { "missions" }
    }
}
