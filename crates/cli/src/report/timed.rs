//! Output of `pavane solve --minimize time` and of `pavane repair` for timed schedules.

use crate::report::repair::KeepReport;
use pavane_model::ProcessorId;
use serde::Serialize;
use serde_json::{Map, Value};

/// A timed schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "timed-solution"))]
pub struct TimedReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The number of processors that take part.
    pub processors: usize,
    /// The size given by `--bytes`. Absent with `--sizes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The number of chunks.
    pub chunks: usize,
    /// The number of sends.
    pub sends: usize,
    /// The time of the schedule.
    pub microseconds: f64,
    /// The same in nanoseconds, an exact fraction.
    pub time_ns: String,
    /// Algorithm bandwidth of nccl-tests in GB/s. Null with `--sizes`.
    pub algorithm_gbytes: Option<f64>,
    /// Bus bandwidth of nccl-tests in GB/s. Null where nccl-tests has no convention.
    pub bus_gbytes: Option<f64>,
    /// The proved lower bound in microseconds.
    pub bound_microseconds: f64,
    /// The same in nanoseconds, an exact fraction.
    pub bound_ns: String,
    /// The argument for the bound in words.
    pub explanation: String,
    /// By how many per cent the schedule exceeds the bound.
    pub gap_percent: f64,
    /// Whether the schedule takes exactly the bound.
    pub optimal: bool,
    /// The same in words.
    pub status: String,
    /// The method that found the schedule.
    pub found_by: &'a str,
    /// Wall-clock time of the search.
    pub seconds: f64,
    /// The file of the schedule. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The schedule, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Map<String, Value>>,
}

/// A repaired timed schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "timed-repair"))]
pub struct TimedRepairReport<'a> {
    /// The network.
    pub network: &'a str,
    /// All lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The time of the schedule before.
    pub microseconds_before: f64,
    /// The time of the repaired schedule.
    pub microseconds: f64,
    /// The same in nanoseconds, an exact fraction.
    pub time_ns: String,
    /// The proved lower bound on the network with the faults.
    pub bound_microseconds: f64,
    /// The same in nanoseconds, an exact fraction.
    pub bound_ns: String,
    /// The argument for the bound in words.
    pub explanation: String,
    /// By how many per cent the schedule exceeds the bound.
    pub gap_percent: f64,
    /// Whether the schedule takes exactly the bound.
    pub optimal: bool,
    /// The same in words.
    pub status: String,
    /// The sends before.
    pub sends_before: usize,
    /// Those of them whose channel, chunk and origin still exist.
    pub sends_valid: usize,
    /// The valid sends that stay, perhaps at another time.
    pub sends_kept: usize,
    /// The sends that are new.
    pub sends_new: usize,
    /// How much of the schedule is kept.
    pub keep: KeepReport,
    /// The time of another schedule that is quicker or keeps more. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_microseconds: Option<f64>,
    /// The percentage of the valid sends that the other schedule keeps. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_kept_percent: Option<f64>,
    /// The participating processors that were lost.
    pub missing: &'a [ProcessorId],
    /// Wall-clock time.
    pub seconds: f64,
    /// The file of the schedule. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The schedule, in the format of its file. Present only without `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Map<String, Value>>,
}
