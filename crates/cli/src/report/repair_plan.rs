//! Output of `pavane repair` for throughput plans.

use super::repair::KeepReport;
use super::throughput::{LimitReport, Rate};
use pavane_model::ProcessorId;
use pavane_throughput::repair::RouteChanges;
use serde::Serialize;
use serde_json::{Map, Value};

/// A repaired throughput plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "plan-repair"))]
pub struct PlanRepair<'a> {
    /// The network.
    pub network: &'a str,
    /// Whether the network is the one that the name refers to.
    pub network_checked: bool,
    /// Whether the bandwidths are those of the named network.
    pub bandwidths_checked: bool,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// Whether the messages are those of the named collective.
    pub collective_checked: bool,
    /// The time of the plan before the repair.
    pub before: Rate,
    /// The proved limit of the network with the faults.
    pub limit: LimitReport,
    /// What the repaired plan attains, as accepted by the judge.
    pub attained: RepairedTime,
    /// The changes of the routes: trees, or paths of personalised messages.
    pub routes: Routes,
    /// How much of the weight of the routes that are still valid was to be kept, and how much was.
    pub keep: KeepReport,
    /// Another plan that is faster but keeps too little, or keeps more but is slower. Null if there is
    /// none.
    pub other: Option<OtherPlan>,
    /// The participating processors that were lost.
    pub missing: &'a [ProcessorId],
    /// Wall-clock time.
    pub seconds: f64,
    /// The file of the plan. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The plan, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Map<String, Value>>,
}

/// What a repaired plan attains.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepairedTime {
    /// The time of the plan.
    #[serde(flatten)]
    pub rate: Rate,
    /// Whether the plan attains the limit, so that it is throughput-optimal.
    pub optimal: bool,
    /// By how many per cent the time of the plan exceeds the limit.
    pub excess_percent: f64,
    /// The result in words.
    pub status: String,
}

/// Numbers of routes by the effect of a repair.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Routes {
    /// Routes before.
    before: usize,
    /// Routes before that are still valid: the faults remove at most branches to lost processors.
    valid_after_fault: usize,
    /// Valid routes that are kept, perhaps with another weight.
    kept: usize,
    /// Routes before whose message takes other routes now.
    rerouted: usize,
    /// Routes that did not exist before.
    new: usize,
    /// Routes of messages that no longer exist.
    dropped: usize,
}

impl From<RouteChanges> for Routes {
    fn from(changes: RouteChanges) -> Self {
        let RouteChanges { before, valid, kept, rerouted, new, dropped, .. } = changes;
        Self { before, valid_after_fault: valid, kept, rerouted, new, dropped }
    }
}

/// A plan that was not chosen.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherPlan {
    /// Nanoseconds per byte of a message (shard), an exact fraction.
    pub ns_per_byte: String,
    /// The share of the valid weight that it keeps.
    pub kept_percent: f64,
}
