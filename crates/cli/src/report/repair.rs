//! Output of `pavane repair`.

use super::common::MadeBy;
use pavane_model::Model;
use pavane_model::ProcessorId;
use pavane_search::fault::Changes;
use serde::Serialize;

/// A repaired schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repair<'a> {
    /// The network.
    pub network: &'a str,
    /// Whether the network is the one that the name refers to.
    pub network_checked: bool,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// Whether the messages are those of the named collective.
    pub collective_checked: bool,
    /// The rules of the communication model.
    pub model: Model,
    /// Whether the schedule is optimal, in words.
    pub status: String,
    /// Number of steps before the repair.
    pub steps_before: u32,
    /// Number of steps.
    pub steps: u32,
    /// The proved lower bound.
    pub bound: u32,
    /// The changes of the transfers.
    pub transfers: Transfers,
    /// How much of the schedule was to be kept, and how much was.
    pub keep: KeepReport,
    /// For each phase with a shorter schedule that was rejected in order to keep more transfers, that
    /// schedule.
    pub shorter: Vec<Shorter>,
    /// The participating processors that were lost.
    pub missing: &'a [ProcessorId],
    /// The origin of the schedule.
    pub made_by: MadeBy<'a>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// Numbers of transfers by the effect of a repair.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transfers {
    /// Transfers before.
    before: usize,
    /// Transfers before that no fault touches.
    valid_after_fault: usize,
    /// Same sender, path and step.
    kept: usize,
    /// Another path.
    rerouted: usize,
    /// Same path, another step.
    moved: usize,
    /// New transfers.
    new: usize,
    /// Transfers no longer present.
    dropped: usize,
}

impl From<Changes> for Transfers {
    fn from(changes: Changes) -> Self {
        Self {
            before: changes.before,
            valid_after_fault: changes.untouched,
            kept: changes.kept,
            rerouted: changes.rerouted,
            moved: changes.moved,
            new: changes.new,
            dropped: changes.dropped,
        }
    }
}

/// How much of a schedule was to be kept, and how much was.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeepReport {
    /// The requested share of the transfers that no fault touches.
    pub asked_percent: f64,
    /// The share that was kept.
    pub kept_percent: f64,
    /// Whether the share was required by `--keep`, rather than preferred.
    pub is_demand: bool,
    /// Whether the request was met.
    pub is_reached: bool,
}

/// A shorter schedule that was rejected.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shorter {
    /// Number of steps.
    pub steps: u32,
    /// Number of transfers kept.
    pub kept: usize,
}

/// A schedule from a folder of `pavane faults --save`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoredRepair<'a> {
    /// The collective.
    pub collective: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// Number of steps without faults.
    pub steps_before: u32,
    /// Number of steps.
    pub steps: u32,
    /// The participating processors that were lost.
    pub missing: &'a [ProcessorId],
    /// The file in the folder that contains the schedule.
    pub kept_in: &'a str,
}

/// Why there is no repaired schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "status")]
#[cfg_attr(feature = "schema", schemars(rename = "unrepaired"))]
pub enum Unrepaired<'a> {
    /// No schedule was found within the limits.
    #[serde(rename = "not found")]
    NotFound {
        /// The result in words.
        message: &'a str,
    },
    /// No schedule is possible with these faults.
    #[serde(rename = "impossible")]
    Impossible {
        /// The result in words.
        message: &'a str,
        /// Pairs of a sender and a receiver that are disconnected.
        disconnected: &'a [(ProcessorId, ProcessorId)],
        /// The participating processors that were lost.
        missing: &'a [ProcessorId],
    },
}
