//! Result of an entry of a table: a row of the output and of the file that `--resume` reads.

use super::table::PaperResult;
use pavane_search::success::Success;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The result of one entry of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableRow {
    /// The table.
    pub table: String,
    /// The arguments of `pavane solve`.
    pub problem: String,
    /// Number of processors.
    pub processors: usize,
    /// Number of steps reported by the paper.
    pub paper: u32,
    /// How many of a hundred runs of the paper reached it.
    pub paper_rate: Option<u32>,
    /// The algorithm: the paper's, unless another was requested.
    pub engine: String,
    /// Trials at the paper's number of steps (at the bound, if that is larger) and, if fewer are
    /// possible, at the bound. Annealing is added if the algorithm failed in a run.
    pub trials: Vec<Tried>,
    /// Number of steps of Pavane's best engine.
    pub best: Option<u32>,
    /// The bound.
    pub bound: u32,
    /// Differences from the paper, and their reasons.
    pub remarks: Vec<String>,
    /// The settings of the row, so that a file is not resumed with different ones.
    pub setup: String,
}

/// How often a number of steps was reached.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tried {
    /// The engine.
    pub engine: String,
    /// Number of steps.
    pub steps: u32,
    /// Number of runs that reached it.
    pub hits: usize,
    /// Number of runs.
    pub runs: usize,
    /// Mean evaluations of the successful runs.
    pub mean_evaluations: Option<f64>,
    /// Whether a deadline ended a run before its evaluations were used up.
    pub cut_short: bool,
    /// Wall-clock time of all runs together; runs are parallel.
    pub seconds: f64,
}

impl Tried {
    /// Summarises a trial.
    pub fn new(engine: &str, success: &Success, time: Duration) -> Self {
        Self {
            engine: engine.to_owned(),
            steps: success.steps,
            hits: success.hits(),
            runs: success.runs.len(),
            mean_evaluations: success.mean_evaluations(),
            cut_short: success.is_cut_short(),
            seconds: time.as_secs_f64(),
        }
    }

    /// Percentage of runs that reached the steps.
    pub fn rate(&self) -> f64 {
        100.0 * self.hits as f64 / self.runs.max(1) as f64
    }

    /// Whether every run reached the steps.
    pub fn is_full(&self) -> bool {
        self.hits == self.runs
    }

    fn words(&self) -> String {
        let evaluations = self.mean_evaluations.map_or("-".to_owned(), |mean| format!("{mean:.0}"));
        let hits = format!("{}/{}{}", self.hits, self.runs, if self.cut_short { "+" } else { "" });
        let seconds = self.seconds / self.runs.max(1) as f64;
        format!("{:9} {:>6} {hits:>6} {evaluations:>12} {seconds:>8.2}s", self.engine, self.steps)
    }
}

/// Remarks on differences from the paper.
pub fn remarks(
    entry: &PaperResult,
    trials: &[Tried],
    best: Option<u32>,
    bound: u32,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if entry.steps < bound {
        remarks.push(format!("the bound is {bound}, more than the {} of the paper", entry.steps));
    }
    if best.is_some_and(|best| best < entry.steps) {
        remarks.push("fewer steps than in the paper are possible".to_owned());
    }
    let Some(own) = trials.first() else { return remarks };
    if entry.rate.is_some_and(|rate| own.rate() < f64::from(rate)) {
        remarks.push(format!("{}: fewer successes than in the paper", own.engine));
    } else if own.hits == 0 {
        remarks.push(format!("{}: not reached", own.engine));
    }
    if !entry.note.is_empty() {
        remarks.push(entry.note.to_owned());
    }
    remarks
}

/// Header of the printed table.
pub const HEAD: &str =
    "paper  rate  engine     steps   hits  evaluations  per run  best bound  problem";

impl TableRow {
    /// The row as lines of the printed table.
    pub fn lines(&self) -> Vec<String> {
        let rate = self.paper_rate.map_or("-".to_owned(), |rate| format!("{rate}%"));
        let best = self.best.map_or("-".to_owned(), |best| best.to_string());
        let mut lines = Vec::new();
        for (index, tried) in self.trials.iter().enumerate() {
            let tail = tried.words();
            lines.push(match index {
                0 => format!(
                    "{:>5} {rate:>5}  {tail} {best:>5} {:>5}  {}",
                    self.paper, self.bound, self.problem
                ),
                _ => format!("{:>11}  {tail}", ""),
            });
        }
        lines.extend(self.remarks.iter().map(|remark| format!("       * {remark}")));
        lines
    }
}
