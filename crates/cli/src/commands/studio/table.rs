//! Reproduces a table of the papers row by row, as `pavane reproduce` does.

use super::job::Job;
use crate::args::tables::ReproduceArgs;
use crate::commands::reproduce::{self, tables};
use crate::output::Failure;
use pavane_search::parameters::Preset;
use std::sync::PoisonError;
use std::time::Duration;

/// Maximum number of runs per problem, and time limit per run.
const MOST_RUNS: u64 = 10;
const RUN: Duration = Duration::from_secs(10);

/// The names of the tables, each with its paper and its number of problems.
pub fn names() -> Vec<(&'static str, &'static str, usize)> {
    let all = tables().unwrap_or_default();
    all.into_iter().map(|table| (table.name, table.paper, table.entries.len())).collect()
}

/// Computes the rows of a table.
pub fn run(job: &Job, name: &str, runs: u64) -> Result<(), String> {
    let all = tables().map_err(text)?;
    let table = all.iter().find(|table| table.name == name);
    let table = table.ok_or_else(|| format!("unknown table {name:?}"))?;
    let args = ReproduceArgs {
        tables: vec![name.to_owned()],
        list: false,
        runs: runs.clamp(1, MOST_RUNS),
        preset: Preset::Tuned,
        engine: None,
        set: Vec::new(),
        evaluations: None,
        time: RUN,
        seed: 1,
        threads: Some(1),
        resume: None,
        plot: None,
        json: true,
    };
    for entry in &table.entries {
        let row = reproduce::row(entry, &args, &job.stop).map_err(text)?;
        if job.is_stopped() {
            return Err(job.excuse());
        }
        job.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    }
    Ok(())
}

fn text(failure: Failure) -> String {
    failure.text().to_owned()
}
