//! Parts that the output of several commands has in common.

use pavane_model::Bound;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The bound of a collective: that of its only phase, or the sum over its phases.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum TotalBound<'a> {
    /// The bound of the only phase.
    Phase(&'a Bound),
    /// The sum over several phases.
    Sum(SummedBound),
}

/// The sum of the bounds of several phases.
#[derive(Serialize, JsonSchema)]
pub struct SummedBound {
    /// No schedule with these phases has fewer steps.
    pub steps: u32,
    /// Always `phases`.
    pub reason: &'static str,
    /// The argument in words.
    pub explanation: &'static str,
    /// Always null; the certificates are those of the phases. `pavane solve` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<()>,
}

/// The origin of a schedule: the field `made_by` of its file.
#[derive(Serialize, JsonSchema)]
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
#[derive(Serialize, JsonSchema)]
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
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "error")]
pub struct ErrorReport<'a> {
    /// `error`, or `impossible` if there is provably no result (exit code 3).
    pub status: &'static str,
    /// What is wrong.
    pub error: &'a str,
    /// The exit code.
    pub exit_code: u8,
}
