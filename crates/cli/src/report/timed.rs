//! Output of `pavane solve --minimize time`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A timed schedule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "timed-solution")]
pub struct TimedReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network.
    pub faults: &'a [String],
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
