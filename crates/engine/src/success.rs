//! How often an engine succeeds: several runs from different seeds at a given number of steps, each
//! with a budget in evaluations. A run counts only if the judge passes its schedule.

use crate::attempt::{Attempt, Context, Engine};
use crate::budget::{Budget, Clock};
use crate::evolution::check_memory;
use crate::parameters::{ParameterError, Parameters, Preset};
use crate::rng::Rng;
use pavane_model::{Problem, Schedule};
use pavane_verify::verify;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How many times the first quota of an engine a run may spend by default: tries of one, two, four
/// and eight times as much.
pub const EFFORT: u64 = 15;

/// What is tried, and how often.
#[derive(Clone)]
pub struct Trial {
    /// Who tries.
    pub engine: &'static dyn Engine,
    /// Which values its parameters have, unless they are set.
    pub preset: Preset,
    /// Parameters: `name=value`.
    pub settings: Vec<String>,
    /// The steps that a schedule may have.
    pub steps: u32,
    /// How many runs.
    pub runs: u64,
    /// Where chance starts; the runs have different streams of it.
    pub seed: u64,
    /// Evaluations of a run at the most; [`EFFORT`] times the engine's first quota by default.
    pub evaluations: Option<u64>,
    /// Time of a run at the most.
    pub time: Option<Duration>,
    /// Raised by others to end the trial.
    pub stop: Arc<AtomicBool>,
    /// Runs that have ended, for others to read.
    pub done: Arc<AtomicU64>,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Success {
    /// The steps that were tried.
    pub steps: u32,
    /// The runs, by number.
    pub runs: Vec<Run>,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Whether it found a schedule.
    pub end: End,
    /// Evaluations that it made.
    pub evaluations: u64,
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// A schedule that the judge passes, of so many steps.
    Found(u32),
    /// Its evaluations are spent.
    Spent,
    /// Time or somebody else ended it.
    Stopped,
    /// A schedule that the judge refuses, and why: a bug of ours.
    Refused(String),
}

impl Success {
    /// Runs that found a schedule.
    pub fn hits(&self) -> usize {
        self.runs.iter().filter(|run| matches!(run.end, End::Found(_))).count()
    }

    /// Evaluations of the runs that found a schedule, on average.
    pub fn mean_evaluations(&self) -> Option<f64> {
        let found = self.runs.iter().filter(|run| matches!(run.end, End::Found(_)));
        let sum: u64 = found.map(|run| run.evaluations).sum();
        (self.hits() > 0).then(|| sum as f64 / self.hits() as f64)
    }

    /// Whether time or somebody else ended a run, so that another day may give another answer.
    pub fn is_cut_short(&self) -> bool {
        self.runs.iter().any(|run| run.end == End::Stopped)
    }
}

/// Tries a problem; the same trial gives the same answer on any number of threads, unless it is
/// cut short.
pub fn measure(problem: &Problem, trial: &Trial) -> Result<Success, ParameterError> {
    let parameters = Parameters::new(trial.engine, trial.preset, &trial.settings)?;
    let context = Context::new(problem.forward()).with_parameters(parameters);
    check_memory(trial.engine, context.parameters(), context.problem(), trial.steps)?;
    let run = |number: u64| {
        let run = one_run(problem, &context, trial, number);
        trial.done.fetch_add(1, Ordering::Relaxed);
        run
    };
    Ok(Success { steps: trial.steps, runs: (0..trial.runs).into_par_iter().map(run).collect() })
}

fn one_run(problem: &Problem, context: &Context, trial: &Trial, number: u64) -> Run {
    let first = trial.engine.first_quota(context.problem(), trial.steps);
    let limit = trial.evaluations.unwrap_or(first.saturating_mul(EFFORT));
    let deadline = trial.time.and_then(|time| Clock::start().after(time));
    let mut rng = Rng::stream(trial.seed, number);
    let mut spent = 0;
    // The papers know one long run; else several tries that grow, as the driver has them.
    let mut quota = match trial.preset {
        Preset::Paper => limit,
        Preset::Tuned => first,
    };
    while spent < limit {
        let quota_left = quota.min(limit - spent);
        let mut budget = Budget::evaluations(quota_left).until(deadline).unless(trial.stop.clone());
        let attempt = trial.engine.attempt(context, trial.steps, &mut budget, &mut rng);
        spent += budget.spent().max(1);
        if let Attempt::Found(schedule) = attempt {
            return Run { end: judged(problem, schedule), evaluations: spent };
        }
        if budget.is_stopped() {
            return Run { end: End::Stopped, evaluations: spent };
        }
        quota = quota.saturating_mul(2);
    }
    Run { end: End::Spent, evaluations: spent }
}

fn judged(problem: &Problem, schedule: Schedule) -> End {
    let schedule = match problem.is_backward() {
        true => schedule.reversed(),
        false => schedule,
    };
    match verify(problem.clone(), schedule) {
        Ok(checked) => End::Found(checked.schedule().step_count()),
        Err(violations) => {
            End::Refused(violations.first().map(ToString::to_string).unwrap_or_default())
        }
    }
}
