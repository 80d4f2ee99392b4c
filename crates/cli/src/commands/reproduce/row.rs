//! What came of an entry of a table: a row of the output, and of the file that `--resume` reads.

use super::table::Entry;
use pavane_engine::success::Success;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// The table.
    pub table: String,
    /// What stands after `pavane solve`.
    pub problem: String,
    /// Processors.
    pub processors: usize,
    /// The steps that the paper reports.
    pub paper: u32,
    /// How many of a hundred runs of the paper reached them.
    pub paper_rate: Option<u32>,
    /// The algorithm, the paper's unless another was asked for.
    pub engine: String,
    /// At the paper's number of steps (at the bound, if that is larger) and, if fewer are
    /// possible, at the bound; by annealing too where the algorithm missed a run.
    pub trials: Vec<Tried>,
    /// The steps of our best engine.
    pub best: Option<u32>,
    /// The bound.
    pub bound: u32,
    /// Where the paper and we disagree, and why.
    pub remarks: Vec<String>,
    /// With what it was made, so that a file is not resumed with something else.
    pub setup: String,
}

/// How often so many steps were reached.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tried {
    /// Who tried.
    pub engine: String,
    /// The steps.
    pub steps: u32,
    /// Runs that reached them.
    pub hits: usize,
    /// Runs.
    pub runs: usize,
    /// Evaluations of those that did, on average.
    pub mean_evaluations: Option<f64>,
    /// Whether time ended a run before its evaluations were spent.
    pub cut_short: bool,
    /// Time that all runs together took, side by side.
    pub seconds: f64,
}

impl Tried {
    /// The summary of a trial.
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

    /// The share of runs that reached the steps, in percent.
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

/// What can be said where the paper and we disagree.
pub fn remarks(entry: &Entry, trials: &[Tried], best: Option<u32>, bound: u32) -> Vec<String> {
    let mut remarks = Vec::new();
    if entry.steps < bound {
        remarks.push(format!("the bound is {bound}, above the paper's {}", entry.steps));
    }
    if best.is_some_and(|best| best < entry.steps) {
        remarks.push("fewer steps than the paper's are possible here".to_owned());
    }
    let Some(own) = trials.first() else { return remarks };
    if entry.rate.is_some_and(|rate| own.rate() < f64::from(rate)) {
        remarks.push(format!("{}: fewer successes than the paper's", own.engine));
    } else if own.hits == 0 {
        remarks.push(format!("{}: not reached", own.engine));
    }
    if !entry.note.is_empty() {
        remarks.push(entry.note.to_owned());
    }
    remarks
}

/// The head of the printed table.
pub const HEAD: &str =
    "paper  rate  engine     steps   hits  evaluations  per run  best bound  problem";

impl Row {
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
