//! Output of `pavane import`.

use pavane_model::Bound;
use serde::Serialize;

/// An imported schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "imported"))]
pub struct Imported<'a> {
    /// Whether all phases are valid.
    pub valid: bool,
    /// Number of steps of all phases.
    pub steps: u32,
    /// The phases.
    pub phases: Vec<ImportedPhase<'a>>,
}

/// A phase of an imported schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportedPhase<'a> {
    /// Number of steps.
    pub steps: u32,
    /// The proved lower bound.
    pub bound: &'a Bound,
    /// Whether the phase obeys all rules.
    pub valid: bool,
    /// Whether the phase is valid and has as many steps as the bound.
    pub optimal: bool,
    /// The violations in words.
    pub violations: Vec<String>,
}

/// An imported network that was written to a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "imported-network"))]
pub struct ImportedNetwork<'a> {
    /// The file.
    pub file: String,
    /// The name of the network.
    pub network: &'a str,
    /// Number of routers.
    pub routers: usize,
    /// Number of channels.
    pub channels: usize,
    /// Number of processors.
    pub processors: usize,
}
