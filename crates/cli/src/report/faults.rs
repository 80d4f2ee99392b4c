//! Output of `pavane faults`.

use crate::commands::faults::row::FaultFinding;
use pavane_model::Model;
use serde::Serialize;
use std::collections::BTreeMap;

/// The cost of every fault.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "faults"))]
pub struct FaultsReport<'a> {
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
    pub collectives: Vec<CollectiveReport<'a>>,
}

/// The cost of every fault for one collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CollectiveReport<'a> {
    /// The collective.
    pub collective: &'a str,
    /// The rules of the communication model.
    pub model: Model,
    /// The result without further faults.
    pub no_fault: FindingReport<'a>,
    /// The classes of fault sets that are equivalent by symmetry of the network.
    pub classes: Vec<ClassReport<'a>>,
    /// The summary over all fault sets.
    pub summary: SummaryReport,
}

/// The result for a fault set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingReport<'a> {
    /// The result.
    #[serde(flatten)]
    pub finding: &'a FaultFinding,
    /// Whether the schedule is proved optimal.
    pub optimal: bool,
    /// Additional steps in percent; null if there is no schedule.
    pub loss_percent: Option<f64>,
}

/// A class of equivalent fault sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassReport<'a> {
    /// The result for the first member.
    #[serde(flatten)]
    pub finding: FindingReport<'a>,
    /// The first member: one entry per fault, by router names, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The same in one text.
    pub name: String,
    /// Number of members.
    pub count: usize,
    /// The members, by router names.
    pub members: Vec<Vec<String>>,
}

/// The summary of all fault sets for one collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryReport {
    /// Maximum number of steps; null if no fault set has a schedule.
    pub worst_steps: Option<u32>,
    /// The first fault set with that many steps.
    pub worst_fault: Option<String>,
    /// Mean of the additional steps in percent; null if no fault set has a schedule.
    pub mean_loss_percent: Option<f64>,
    /// Number of fault sets by number of steps.
    pub steps: BTreeMap<String, usize>,
    /// Number of fault sets that disconnect processors.
    pub disconnecting: usize,
    /// Number of fault sets that leave no messages or for which no schedule was found.
    pub without_schedule: usize,
    /// Number of fault sets with an optimal schedule.
    pub optimal: usize,
}
