//! Output of `pavane check-plan`.

use serde::Serialize;

/// The verdict on a plan for GPUs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "plan"))]
pub struct PlanReport<'a> {
    /// The file.
    pub file: &'a str,
    /// The format of the file.
    pub format: &'a str,
    /// The name in the file.
    pub name: &'a str,
    /// The collective in the file.
    pub collective: &'a str,
    /// Number of ranks.
    pub ranks: usize,
    /// Number of operations.
    pub operations: usize,
    /// Number of messages that a connection holds before its sender must wait; null if the format has
    /// no such limit.
    pub slots: Option<u32>,
    /// Whether the outputs were compared with those of the collective.
    pub outputs_compared: bool,
    /// Whether no fault was found.
    pub right: bool,
    /// The faults.
    pub faults: Vec<PlanFaultReport<'a>>,
}

/// A fault of a plan.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanFaultReport<'a> {
    /// `deadlock`, `missing data`, `data race`, `wrong data`, `misfit`, `not received` or `too large`.
    pub kind: &'a str,
    /// The fault in words.
    pub message: String,
}
