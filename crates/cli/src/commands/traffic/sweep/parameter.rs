//! The parameter that varies along a curve.

use crate::output::Failure;
use pavane_model::Network;

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

const NAMES: &[(&str, Over)] = &[
    ("density", Over::Density),
    ("hot-spots", Over::HotSpots),
    ("sigma", Over::Sigma),
    ("interval", Over::Interval),
    ("rate", Over::Rate),
];

impl Over {
    pub fn find(name: &str) -> Result<Self, Failure> {
        let found = NAMES.iter().find(|(known, _)| *known == name).map(|(_, over)| *over);
        found.ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            Failure::bad_input(format!(
                "--over {name:?}: unknown parameter; the parameters are {known}"
            ))
        })
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
            // Measured elsewhere.
            Self::Rate => Vec::new(),
            Self::Interval => vec![15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0],
        }
    }

    /// Its name in CSV and JSON.
    pub fn field(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::HotSpots => "hot_spots",
            Self::Sigma => "sigma",
            Self::Interval => "interval",
            Self::Rate => "rate",
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
