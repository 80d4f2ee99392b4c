//! Output of `pavane throughput`.

use super::atlas::AtlasUseReport;
use pavane_model::collective::Kind;
use pavane_throughput::rates;
use serde::Serialize;
use serde_json::{Map, Value};

/// The throughput limit of a collective, and a plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "throughput"))]
pub struct ThroughputReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The number of processors that take part.
    pub processors: usize,
    /// The number of messages (shards).
    pub messages: usize,
    /// The size given by `--bytes`. Absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// With `--sizes`: the bytes of a message of size 1, the greatest common divisor of all sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_bytes: Option<u64>,
    /// The proved limit.
    pub limit: LimitReport,
    /// What the plan attains.
    pub attained: AttainedReport,
    /// What the atlas has for the problem. Present only with `--atlas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atlas: Option<AtlasUseReport>,
    /// The phases of an all-reduce, each as if it had all channels. Absent for a collective of one
    /// phase, and for a plan of the atlas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<PhaseReport>>,
    /// Wall-clock time of the computation.
    pub seconds: f64,
    /// The file of the plan. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The plan, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Map<String, Value>>,
}

/// A time, in all customary units.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Rate {
    /// Nanoseconds per byte of a message (shard), an exact fraction. With `--sizes`: per byte of a
    /// message of size 1, which stands for `unit_bytes` bytes.
    pub ns_per_byte: String,
    /// Algorithm bandwidth of nccl-tests in GB/s: bytes by time. Null if no message needs a channel.
    pub algorithm_gbytes: Option<f64>,
    /// Bus bandwidth of nccl-tests in GB/s. Null where nccl-tests has no convention: several senders
    /// that are not the receivers.
    pub bus_gbytes: Option<f64>,
    /// The time for `bytes`, or for the sizes of the file. Absent without `--bytes` and `--sizes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microseconds: Option<f64>,
}

impl From<rates::Rate> for Rate {
    fn from(rate: rates::Rate) -> Self {
        Self {
            ns_per_byte: rate.ns_per_byte.to_string(),
            algorithm_gbytes: rate.algorithm_gbytes,
            bus_gbytes: rate.bus_gbytes,
            microseconds: rate.microseconds,
        }
    }
}

/// The limit that no plan can undercut.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitReport {
    /// The limit.
    #[serde(flatten)]
    pub rate: Rate,
    /// The argument in words.
    pub explanation: String,
    /// The cut that proves it. Null if no message needs a channel, or if an all-reduce has another
    /// argument.
    pub bottleneck: Option<BottleneckReport>,
}

/// A cut, the messages that must cross it, and the channels that they can take.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BottleneckReport {
    /// The names of the routers that the messages must leave.
    pub routers: Vec<String>,
    /// The processors on these routers.
    pub processors: Vec<u32>,
    /// The number of messages that must leave.
    pub messages: u64,
    /// The number of channels that leave.
    pub channels: usize,
    /// The total bandwidth of these channels in GB/s, an exact fraction.
    pub bandwidth_gbytes: String,
}

/// What the plan attains, as accepted by the judge.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttainedReport {
    /// The time of the plan.
    #[serde(flatten)]
    pub rate: Rate,
    /// The number of different trees.
    pub trees: usize,
    /// The largest number of trees of one root.
    pub trees_per_root: usize,
    /// The most processors and multicast switches on a way from a root, without the root.
    pub depth: u32,
    /// The paths of personalised messages; absent for trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<PathCounts>,
    /// Whether the plan attains the limit, so that it is throughput-optimal.
    pub optimal: bool,
    /// By how many per cent the time of the plan exceeds the limit.
    pub excess_percent: f64,
    /// The result in words.
    pub status: String,
}

/// The paths of a plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathCounts {
    /// The number of different paths.
    pub paths: usize,
    /// The largest number of paths of one message.
    pub paths_per_message: usize,
    /// The most channels of one path.
    pub longest: usize,
}

/// A phase of an all-reduce.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseReport {
    /// The kind of collective.
    pub kind: Kind,
    /// Nanoseconds per byte of a shard that the phase needs at least if it has all channels.
    pub limit_ns_per_byte: String,
    /// Nanoseconds per byte of a shard that its trees take if they have all channels.
    pub ns_per_byte: String,
    /// The number of different trees.
    pub trees: usize,
    /// The most processors and multicast switches on a way from a root.
    pub depth: u32,
}
