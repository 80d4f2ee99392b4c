//! Output of `pavane tune`.

use serde::Serialize;

/// The best schedule for every size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tuning"))]
pub struct TuningReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The number of processors that take part.
    pub processors: usize,
    /// The sizes.
    pub sizes: Vec<TunedSizeReport>,
    /// The ranges of sizes, each with its schedule, without gaps. They end at the largest tuned size if the
    /// tuning was stopped.
    pub ranges: Vec<TunedRange>,
    /// Why no schedule can be written for a library. Empty if there are ranges.
    pub no_plan: Vec<String>,
    /// Whether all sizes were tuned.
    pub complete: bool,
    /// Wall-clock time.
    pub seconds: f64,
    /// The folder.
    pub folder: String,
}

/// The predictions for one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tuned-size"))]
pub struct TunedSizeReport {
    /// The size.
    pub bytes: u64,
    /// The proved lower bound in microseconds.
    pub bound_microseconds: f64,
    /// The quickest timed schedule found, in microseconds.
    pub timed_microseconds: f64,
    /// The schedule of the range, which libraries can execute, in microseconds; null if there is none.
    pub microseconds: Option<f64>,
    /// Its algorithm bandwidth of nccl-tests in GB/s.
    pub algorithm_gbytes: Option<f64>,
    /// Its bus bandwidth of nccl-tests in GB/s. Null where nccl-tests has no convention.
    pub bus_gbytes: Option<f64>,
    /// Rings, in microseconds; null for collectives without rings.
    pub ring_microseconds: Option<f64>,
    /// Double binary trees, in microseconds; null for collectives without trees.
    pub tree_microseconds: Option<f64>,
    /// The file of the quickest timed schedule in the folder.
    pub timed_file: String,
    /// The name of the schedule of the range; null if there is none.
    pub schedule: Option<String>,
}

/// A range of sizes with one schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "tuned-range"))]
pub struct TunedRange {
    /// The smallest size in bytes.
    pub min_bytes: u64,
    /// The largest size in bytes.
    pub max_bytes: u64,
    /// The name of the schedule.
    pub schedule: String,
    /// Its files in the folder.
    pub files: Vec<String>,
    /// Formats that cannot express it, with the reason.
    pub not_written: Vec<String>,
}
