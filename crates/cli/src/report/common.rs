//! Parts that the output of several commands has in common.

use pavane_model::Bound;
use pavane_model::whole::{WholeBound, WholeCertificate};
use serde::Serialize;
use serde_json::{Map, Value};

/// The bound of a collective: that of its only phase, or that of an all-reduce.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum TotalBound<'a> {
    /// The bound of the only phase.
    Phase(&'a Bound),
    /// The bound of an all-reduce, whose phases may overlap.
    Whole(WholeBoundReport<'a>),
}

/// The bound of an all-reduce.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeBoundReport<'a> {
    /// No schedule of the all-reduce has fewer steps.
    pub steps: u32,
    /// The kind of its certificate.
    pub reason: &'static str,
    /// The argument in words.
    pub explanation: &'a str,
    /// The certificate.
    pub certificate: &'a WholeCertificate,
}

impl<'a> WholeBoundReport<'a> {
    /// The report of a bound.
    pub fn of(bound: &'a WholeBound) -> Self {
        Self {
            steps: bound.steps,
            reason: bound.certificate.kind.name(),
            explanation: &bound.explanation,
            certificate: &bound.certificate,
        }
    }
}

/// The origin of a schedule: the field `made_by` of its file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MadeBy<'a> {
    /// Name and version of the program.
    pub program: &'static str,
    /// The engines that found the schedule. Absent in a refutation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'a str>,
    /// Random seed.
    pub seed: u64,
}

/// A report on a schedule, with the schedule itself or the file that contains it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithSchedule<R> {
    /// The report.
    #[serde(flatten)]
    pub report: R,
    /// The schedule file that was written. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The schedule, in the format of a schedule file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Map<String, Value>>,
}

/// Why a command failed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "error"))]
pub struct ErrorReport<'a> {
    /// `error`, or `impossible` if there is provably no result (exit code 3).
    pub status: &'static str,
    /// What is wrong.
    pub error: &'a str,
    /// The exit code.
    pub exit_code: u8,
}
