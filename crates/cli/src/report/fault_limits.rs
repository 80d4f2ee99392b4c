//! Output of `pavane faults --throughput`.

use pavane_model::ProcessorId;
use pavane_throughput::fault_limit::LimitStatus;
use serde::Serialize;

/// The throughput that every fault costs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "fault-limits"))]
pub struct FaultLimitsReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The parts that the network has lost before, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// Number of simultaneous faults.
    pub count: u32,
    /// Number of fault sets that were examined.
    pub sets: usize,
    /// Number of all fault sets, as text because it may be large.
    pub all_sets: String,
    /// Whether only a sample of the fault sets was examined.
    pub is_sample: bool,
    /// Random seed.
    pub seed: u64,
    /// The collectives.
    pub collectives: Vec<LimitsReport<'a>>,
}

/// The throughput that every fault costs one collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsReport<'a> {
    /// The collective.
    pub collective: &'a str,
    /// The limit without further faults.
    pub no_fault: FaultedLimit<'a>,
    /// The classes of fault sets that are equivalent by symmetry of the network and its bandwidths:
    /// those that disconnect processors first, then by falling cost.
    pub classes: Vec<LimitClass<'a>>,
    /// The summary over all fault sets.
    pub summary: LimitSummary,
}

/// The limit after a set of faults.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultedLimit<'a> {
    /// Whether there is a limit.
    pub status: LimitStatus,
    /// Nanoseconds per byte of a message (shard), an exact fraction; null if there is no limit.
    pub ns_per_byte: Option<String>,
    /// Algorithm bandwidth of nccl-tests in GB/s: bytes by time. Null if there is no limit or no message
    /// needs a channel.
    pub algorithm_gbytes: Option<f64>,
    /// The algorithm bandwidth that is lost in GB/s; negative if there is more than without the faults.
    pub cost_gbytes: Option<f64>,
    /// The same in percent of the algorithm bandwidth without the faults.
    pub cost_percent: Option<f64>,
    /// Why there is no limit. Null if there is one or if processors are disconnected.
    pub why: Option<&'a String>,
    /// Disconnected pairs of a sender and a receiver.
    pub pairs: &'a [(ProcessorId, ProcessorId)],
    /// The processors lost.
    pub missing: &'a [ProcessorId],
    /// Whether `--time` ended the computation, so that the true limit may be slower.
    pub stopped: bool,
}

/// A class of equivalent fault sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitClass<'a> {
    /// The limit after the first member.
    #[serde(flatten)]
    pub limit: FaultedLimit<'a>,
    /// The first member, by router numbers.
    pub faults: Vec<String>,
    /// The first member, by router names.
    pub name: String,
    /// Number of members.
    pub count: usize,
    /// The members, by router numbers.
    pub members: Vec<Vec<String>>,
}

/// The summary of all fault sets for one collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitSummary {
    /// The largest cost in percent; null if no fault set has a limit.
    pub worst_cost_percent: Option<f64>,
    /// The first fault set with this cost.
    pub worst_fault: Option<String>,
    /// Mean cost in percent; null if no fault set has a limit.
    pub mean_cost_percent: Option<f64>,
    /// Number of fault sets that cost nothing.
    pub without_cost: usize,
    /// Number of fault sets that disconnect processors.
    pub disconnecting: usize,
    /// Number of fault sets after which there is no limit.
    pub without_limit: usize,
}
