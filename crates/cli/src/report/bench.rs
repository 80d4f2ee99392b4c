//! Output of `pavane bench`.

use serde::Serialize;

/// The runs on one problem.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchRow<'a> {
    /// The arguments of `pavane solve`.
    pub problem: &'a str,
    /// The fewest known steps.
    pub best_known: u32,
    /// The proved lower bound.
    pub bound: u32,
    /// Number of steps of every run; null if no schedule was found.
    pub steps: &'a [Option<u32>],
    /// Number of runs that reached the fewest known steps.
    pub hits: usize,
    /// Number of runs.
    pub runs: usize,
    /// Mean number of evaluations.
    pub evaluations_per_run: f64,
    /// Mean wall-clock time.
    pub seconds_per_run: f64,
}

/// The schedule of one problem beside a published one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeBenchRow {
    /// Network, collective and options.
    pub problem: String,
    /// The time of the schedule.
    pub microseconds: f64,
    /// The lower bound on the time of all schedules.
    pub bound_microseconds: f64,
    /// By how many per cent the time exceeds the bound.
    pub gap_percent: f64,
    /// The published time; null if the list has none.
    pub published_microseconds: Option<f64>,
    /// Who published it.
    pub source: String,
    /// Whether the time is at most the published one; null if the list has none.
    pub is_reached: Option<bool>,
    /// Wall-clock time of the search and the judgement.
    pub seconds: f64,
}

/// The limit and the plan of one problem.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThroughputBenchRow {
    /// The arguments of `pavane throughput`.
    pub problem: String,
    /// The proved limit in nanoseconds per byte of a message, an exact fraction.
    pub limit_ns_per_byte: String,
    /// Whether it is the known limit of the list; null if the list has none.
    pub is_known: Option<bool>,
    /// The limit as algorithm bandwidth in GB/s; null if it has none.
    pub algorithm_gbytes: Option<f64>,
    /// Wall-clock time of the limit alone; null if it is computed together with the plan.
    pub limit_seconds: Option<f64>,
    /// Wall-clock time of the limit, the plan and its judgement.
    pub plan_seconds: f64,
    /// By how many per cent the time of the plan exceeds the limit.
    pub excess_percent: f64,
    /// Whether the plan attains the limit.
    pub optimal: bool,
}
