//! Output of `pavane bound`.

use super::common::TotalBound;
use pavane_model::Bound;
use pavane_model::Model;
use pavane_model::collective::Kind;
use serde::Serialize;

/// The lower bounds of a collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "bounds"))]
pub struct BoundsReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The collective.
    pub collective: &'a str,
    /// The largest bound; for an all-reduce, that of the whole.
    pub bound: TotalBound<'a>,
    /// One bound of each kind.
    pub bounds: Vec<&'a Bound>,
    /// The arguments that were not tried.
    pub skipped: Vec<SkippedReport<'a>>,
    /// What only a collective of one phase has.
    #[serde(flatten)]
    pub phase: Option<PhaseFields>,
    /// The phases of an all-reduce. Absent for a collective of one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<BoundsReport<'a>>>,
}

/// The problem of one phase. Absent for an all-reduce, whose phases have these fields.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseFields {
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The kind of collective.
    pub kind: Kind,
    /// The rules of the communication model.
    pub model: Model,
}

/// An argument that was not tried.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "skipped"))]
pub struct SkippedReport<'a> {
    /// The kind of argument.
    pub reason: &'static str,
    /// Why it was skipped.
    pub why: &'a str,
}
