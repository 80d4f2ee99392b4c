//! Output of `pavane compare`.

use super::verify::ForeignClaims;
use serde::Serialize;

/// Schedules of several algorithms, by size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "comparison"))]
pub struct AlgorithmComparison<'a> {
    /// The network.
    pub network: &'a str,
    /// The lost parts of the network, in the syntax of `--fault`.
    pub faults: Vec<String>,
    /// The collective.
    pub collective: &'a str,
    /// The number of processors that take part.
    pub processors: usize,
    /// The sizes.
    pub sizes: Vec<SizeComparison>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The picture. Present only with `-o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// All algorithms for one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "size-comparison"))]
pub struct SizeComparison {
    /// The size.
    pub bytes: u64,
    /// The proved lower bound in microseconds.
    pub bound_microseconds: f64,
    /// The algorithms, the quickest one first.
    pub algorithms: Vec<ComparedAlgorithm>,
}

/// The judged schedule of an algorithm.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "compared-algorithm"))]
pub struct ComparedAlgorithm {
    /// Its name: `pavane`, `ring`, `tree`, `recursive doubling`, `bruck`, `direct`, or a file.
    pub name: String,
    /// The time of the schedule.
    pub microseconds: f64,
    /// The same in nanoseconds, an exact fraction.
    pub time_ns: String,
    /// Algorithm bandwidth of nccl-tests in GB/s.
    pub algorithm_gbytes: Option<f64>,
    /// Bus bandwidth of nccl-tests in GB/s. Null where nccl-tests has no convention.
    pub bus_gbytes: Option<f64>,
    /// The time divided by the bound.
    pub times_bound: f64,
    /// The number of chunks.
    pub chunks: usize,
    /// The number of sends.
    pub sends: usize,
    /// What the file of another program claims. Present only for such a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<ForeignClaims>,
}
