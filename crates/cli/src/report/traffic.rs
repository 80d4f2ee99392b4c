//! Output of `pavane traffic run`, `compare` and `sweep`. Times are in units of the mission.

use pavane_model::Duplex;
use serde::Serialize;

/// The rules of a simulation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrafficRules {
    /// Whether the two channels of a link can be used at the same time.
    pub duplex: Duplex,
    /// Number of virtual channels of a channel; null without wormhole switching.
    pub lanes: Option<u32>,
    /// Flits in the buffer of a virtual channel; null without wormhole switching flit by flit.
    pub buffer: Option<u32>,
    /// Whether policies are combined with earliest due date.
    pub edd: bool,
}

/// The distribution of random messages. A parameter that does not apply, or that varies, is null.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrafficMessages {
    /// The probability of a message between two processors.
    pub density: Option<f64>,
    /// The number of processors to which all messages go.
    pub hot_spots: Option<u32>,
    /// The permutation by which every processor sends to one other.
    pub permutation: Option<&'static str>,
    /// Mean length.
    pub mean_length: Option<f64>,
    /// Standard deviation of lengths.
    pub sigma: Option<f64>,
    /// Time over which the arrivals of a mission are spread.
    pub window: Option<f64>,
}

/// The phases of a steady state.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyPhases {
    /// Time during which messages arrive, including the warm-up.
    pub duration: f64,
    /// Messages that arrive before this time are not measured.
    pub warm_up: f64,
    /// With `--over rate` only: maximum time after the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<f64>,
    /// With `--over rate` only: length of every message in flits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flits: Option<u32>,
}

/// One simulated mission.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "traffic-run"))]
pub struct TrafficRun<'a> {
    /// The network.
    pub network: &'a str,
    /// False only if the name comes from a schedule file and is not that of its network.
    pub network_checked: bool,
    /// The switching.
    pub switching: &'a str,
    /// The routing.
    pub routing: &'a str,
    /// What the routing is and why it was chosen; null if it was requested.
    pub routing_reason: Option<&'a str>,
    /// The policy.
    pub policy: &'a str,
    /// The rules.
    #[serde(flatten)]
    pub rules: TrafficRules,
    /// Whether messages can wait for each other in a cycle, by the dependency graph of the routing;
    /// null if that depends on the messages.
    pub can_deadlock: Option<bool>,
    /// Random seed.
    pub seed: u64,
    /// Number of messages.
    pub messages: usize,
    /// Whether every delivery of a message with several destinations is simulated as a message of
    /// its own.
    pub unicasts: bool,
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
    /// Number of messages that were not delivered because of a deadlock.
    pub unfinished: usize,
    /// The messages that a deadlock kept from being delivered.
    pub deadlock: Vec<u32>,
    /// The load of each link, by delivered messages.
    pub links: Vec<LinkLoad>,
}

/// Lower bounds on a makespan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptimumReport {
    /// The makespan.
    pub makespan: f64,
    /// The proved lower bound.
    pub bound: f64,
    /// Whether the two are equal.
    pub proved: bool,
}

/// The load of a link.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkLoad {
    /// The link.
    pub link: String,
    /// How long it is in use.
    pub load: f64,
}

/// A comparison of policies, routings and switchings over many missions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "traffic-compare"))]
pub struct TrafficCompare<'a> {
    /// The network.
    pub network: &'a str,
    /// Number of missions.
    pub missions: u64,
    /// The distribution of the messages.
    #[serde(flatten)]
    pub messages: TrafficMessages,
    /// The rules.
    #[serde(flatten)]
    pub rules: TrafficRules,
    /// Random seed.
    pub seed: u64,
    /// One row for every combination.
    pub rows: Vec<CompareRow<'a>>,
    /// False after an interrupt: then the rows are about fewer missions than requested.
    pub complete: bool,
}

/// One combination of policy, routing and switching.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareRow<'a> {
    /// The switching.
    pub switching: &'a str,
    /// The routing.
    pub routing: &'a str,
    /// What the routing is and why it was chosen; null if it was requested.
    pub routing_reason: Option<&'a str>,
    /// The policy; `opt` for the optimum.
    pub policy: &'a str,
    /// Mean makespan of all missions with messages; null if one of them did not finish.
    pub mean: Option<f64>,
    /// Half the width of the 95 % confidence interval of `mean`; null if there is no mean or only
    /// one mission.
    pub confidence: Option<f64>,
    /// Mean makespan of the missions that finished; null if none did.
    pub mean_of_finished: Option<f64>,
    /// Number of finished missions; for the optimum, of missions for which it was searched.
    pub finished: u64,
    /// Number of deadlocked missions.
    pub unfinished: u64,
    /// Number of missions that drew no message. They have no makespan and are not part of the mean.
    pub empty: u64,
    /// Mean makespan divided by the mean optimum; null if no optimum was searched or a mission did
    /// not finish.
    pub ratio: Option<f64>,
    /// Number of missions for which the optimum is proved. Present only for the optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<u64>,
    /// Mean lower bound. Present only for the optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// Curves over a parameter.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "traffic-sweep"))]
pub struct TrafficSweep<'a> {
    /// The network.
    pub network: &'a str,
    /// What the routing is and why it was chosen, for each switching if the reasons differ; null if it
    /// was requested.
    pub routing_reason: Option<&'a str>,
    /// The rules.
    #[serde(flatten)]
    pub rules: TrafficRules,
    /// The distribution of the messages.
    #[serde(flatten)]
    pub messages: TrafficMessages,
    /// Random seed.
    pub seed: u64,
    /// Number of missions per point; null in a steady state.
    pub missions: Option<u64>,
    /// The phases of a steady state; null without one.
    pub phases: Option<SteadyPhases>,
    /// The points of all curves.
    pub points: Vec<SweepPoint<'a>>,
    /// With `--over rate` only: where each curve saturates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturation: Option<Vec<SaturationReport<'a>>>,
    /// False after an interrupt: then points are missing.
    pub complete: bool,
}

/// A point of a curve.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepPoint<'a> {
    /// The curve: switching, routing and policy.
    pub curve: &'a str,
    /// The value of the parameter.
    #[serde(flatten)]
    pub at: SweptValue,
    /// Mean makespan of all missions with messages or, with `--over interval` and `--over rate`, mean latency of
    /// all messages that arrived after the warm-up; null if one of them did not finish, or if there is
    /// no steady state.
    pub mean: Option<f64>,
    /// Half the width of the 95 % confidence interval of `mean`; null if there is no mean or only
    /// one value.
    pub confidence: Option<f64>,
    /// Mean of those that finished; null if none did, or if there is no steady state.
    pub mean_of_finished: Option<f64>,
    /// Number of finished missions or, with `--over interval` and `--over rate`, of delivered
    /// messages that arrived after the warm-up.
    pub finished: u64,
    /// Number of deadlocked missions or, with `--over interval` and `--over rate`, of messages that
    /// arrived after the warm-up and were not delivered.
    pub unfinished: u64,
    /// Number of missions that drew no message; missing in a steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<u64>,
    /// With `--over interval` only: number of messages of the warm-up that were not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished_warm_up: Option<u64>,
    /// With `--over interval` only: false after a deadlock, or if latencies grow with time because
    /// more messages arrive than the network can carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// With `--over rate` only: load of the messages that arrived during the measurement, in flits
    /// per sending processor and cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// With `--over rate` only: load delivered during the measurement, in flits per sending
    /// processor and cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<f64>,
    /// With `--over rate` only: whether the network cannot carry this load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturated: Option<bool>,
    /// With `--over rate` only: number of messages in a deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlocked: Option<u64>,
}

/// The saturation point of a curve, in flits per sending processor and cycle.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SaturationReport<'a> {
    /// The curve: switching, routing and policy.
    pub curve: &'a str,
    /// The largest load that does not saturate the network; null if no load does.
    pub stable: Option<f64>,
    /// The smallest load that saturates the network; null if none does.
    pub saturated: Option<f64>,
    /// The largest load accepted below saturation; null if no load saturates the network.
    pub accepted: Option<f64>,
    /// The load at which a channel or the port of a processor is always in use; null if paths are not
    /// fixed.
    pub limit: Option<f64>,
    /// The channel or port that is always in use at `limit`.
    pub limited_by: Option<&'a str>,
}

/// The value of the parameter that varies, under its name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SweptValue {
    /// The probability of a message.
    Density(f64),
    /// The number of destinations.
    HotSpots(f64),
    /// The standard deviation of lengths.
    Sigma(f64),
    /// The mean time between arrivals.
    Interval(f64),
    /// The offered load.
    Rate(f64),
}
