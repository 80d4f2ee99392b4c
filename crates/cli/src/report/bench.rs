//! Output of `pavane bench`.

use schemars::JsonSchema;
use serde::Serialize;

/// The runs on one problem.
#[derive(Serialize, JsonSchema)]
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
