//! Output of `pavane traffic run`, `compare` and `sweep`. Times are in units of the mission.

use pavane_model::Duplex;
use schemars::JsonSchema;
use serde::Serialize;

/// One simulated mission.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "traffic-run")]
pub struct TrafficRun<'a> {
    /// The network.
    pub network: &'a str,
    /// False only if the name comes from a schedule file and is not that of its network.
    pub network_checked: bool,
    /// The switching.
    pub switching: &'a str,
    /// The routing.
    pub routing: &'a str,
    /// The policy.
    pub policy: &'a str,
    /// Whether the two channels of a link can be used at the same time.
    pub duplex: Duplex,
    /// Random seed.
    pub seed: u64,
    /// Number of messages.
    pub messages: usize,
    /// When the last message is delivered; null after a deadlock.
    pub makespan: Option<f64>,
    /// Lower bounds on the makespan; null if they do not apply.
    pub bounds: Option<MakespanBounds>,
    /// The shortest makespan that was found; null if it was not searched.
    pub optimum: Option<OptimumReport>,
    /// The makespan if the steps of a schedule file run one after the other; null without a file.
    pub in_steps: Option<f64>,
    /// Number of messages that waited.
    pub waited: usize,
    /// How long each message waited; null if it was not delivered.
    pub waits: Vec<Option<f64>>,
    /// The messages that a deadlock kept from being delivered.
    pub deadlock: Vec<u32>,
    /// The load of each link, by delivered messages.
    pub links: Vec<LinkLoad>,
}

/// Lower bounds on a makespan.
#[derive(Serialize, JsonSchema)]
pub struct MakespanBounds {
    /// By the load of the busiest link.
    pub link: f64,
    /// By the load of the whole network.
    pub machine: f64,
    /// By the load of the busiest node.
    pub node: f64,
    /// By the longest message on its path.
    pub path: f64,
}

/// The shortest makespan that was found.
#[derive(Serialize, JsonSchema)]
pub struct OptimumReport {
    /// The makespan.
    pub makespan: f64,
    /// The proved lower bound.
    pub bound: f64,
    /// Whether the two are equal.
    pub proved: bool,
}

/// The load of a link.
#[derive(Serialize, JsonSchema)]
pub struct LinkLoad {
    /// The link.
    pub link: String,
    /// How long it is in use.
    pub load: f64,
}

/// A comparison of policies, routings and switchings over many missions.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "traffic-compare")]
pub struct TrafficCompare<'a> {
    /// The network.
    pub network: &'a str,
    /// Number of missions.
    pub missions: u64,
    /// The probability of a message between two processors.
    pub density: f64,
    /// Random seed.
    pub seed: u64,
    /// One row for every combination.
    pub rows: Vec<CompareRow<'a>>,
}

/// One combination of policy, routing and switching.
#[derive(Serialize, JsonSchema)]
pub struct CompareRow<'a> {
    /// The switching.
    pub switching: &'a str,
    /// The routing.
    pub routing: &'a str,
    /// The policy; `opt` for the optimum.
    pub policy: &'a str,
    /// Mean makespan of the finished missions; null if none finished.
    pub mean: Option<f64>,
    /// Half the width of the 95 % confidence interval; null if there are fewer than two values.
    pub confidence: Option<f64>,
    /// Number of finished missions.
    pub missions: u64,
    /// Number of deadlocked missions.
    pub unfinished: u64,
    /// Mean makespan divided by the mean optimum; null if no optimum was searched.
    pub ratio: Option<f64>,
    /// Number of missions for which the optimum is proved. Present only for the optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<u64>,
    /// Mean lower bound. Present only for the optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// Curves over a parameter.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "traffic-sweep")]
pub struct TrafficSweep<'a> {
    /// The network.
    pub network: &'a str,
    /// The points of all curves.
    pub points: Vec<SweepPoint<'a>>,
}

/// A point of a curve.
#[derive(Serialize, JsonSchema)]
pub struct SweepPoint<'a> {
    /// The curve: switching, routing and policy.
    pub curve: &'a str,
    /// The value of the parameter.
    #[serde(flatten)]
    pub at: SweptValue,
    /// The mean; null if there are no values.
    pub mean: Option<f64>,
    /// Half the width of the 95 % confidence interval; null if there are fewer than two values.
    pub confidence: Option<f64>,
    /// Number of finished missions, or of messages with `--over interval`.
    pub finished: u64,
    /// Number of deadlocked missions, or of messages with `--over interval`.
    pub unfinished: u64,
}

/// The value of the parameter that varies, under its name.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweptValue {
    /// The probability of a message.
    Density(f64),
    /// The number of destinations.
    HotSpots(f64),
    /// The standard deviation of lengths.
    Sigma(f64),
    /// The mean time between arrivals.
    Interval(f64),
}
