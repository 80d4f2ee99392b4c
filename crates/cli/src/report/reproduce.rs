//! Output of `pavane reproduce`.

use serde::Serialize;

/// A table or figure of the papers that can be reproduced.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Listed<'a> {
    /// A table of schedules.
    Table {
        /// Its name, as an argument of `pavane reproduce`.
        name: &'a str,
        /// The paper.
        paper: &'a str,
        /// Number of problems.
        problems: usize,
    },
    /// A table or figure of traffic.
    Traffic {
        /// Its name, as an argument of `pavane reproduce`.
        name: &'a str,
        /// What it shows.
        title: &'a str,
    },
}

/// A reproduced row of a table or point of a figure.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Reproduced<R> {
    /// A problem in a table of schedules.
    Schedules(R),
    /// A policy in a table of traffic.
    Traffic(TrafficRow),
    /// A point of a curve in a figure of traffic.
    Curve(CurvePoint),
}

/// A policy in a table of traffic.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrafficRow {
    /// The table.
    pub table: &'static str,
    /// The policy.
    pub policy: &'static str,
    /// The switching.
    pub switching: &'static str,
    /// The mean makespan in the paper.
    pub paper: f64,
    /// The mean makespan.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; null if there are fewer than two values.
    pub confidence: Option<f64>,
    /// Number of missions.
    pub missions: usize,
    /// For the optimum, the share of the missions for which it is proved; otherwise null.
    pub proved: Option<f64>,
}

/// A point of a curve in a figure of traffic.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurvePoint {
    /// The figure.
    pub table: &'static str,
    /// The curve.
    pub curve: String,
    /// The value of the parameter that varies.
    pub at: f64,
    /// The mean; null if one of the missions or messages did not finish.
    pub mean: Option<f64>,
    /// Half the width of the 95 % confidence interval; null if there are fewer than two values.
    pub confidence: Option<f64>,
}
