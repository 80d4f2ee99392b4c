//! Success rate of an engine: several runs with different random streams for a given number of
//! steps, each with a budget of evaluations. A run counts only if the judge accepts its schedule.

use crate::attempt::{Attempt, Context, Engine};
use crate::budget::{Budget, Clock};
use crate::parameters::{ParameterError, Preset};
use crate::rng::Rng;
use pavane_model::{Problem, Schedule};
use pavane_verify::verify;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Default limit of a run, as a multiple of the engine's first quota: attempts of one, two, four
/// and eight times that quota.
pub const EFFORT: u64 = 15;

/// What to measure.
#[derive(Clone)]
pub struct Trial {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// The preset for parameters that are not set.
    pub preset: Preset,
    /// Parameters, as `name=value`.
    pub settings: Vec<String>,
    /// The number of steps that a schedule may have.
    pub steps: u32,
    /// Number of runs.
    pub runs: u64,
    /// Random seed; each run has its own stream.
    pub seed: u64,
    /// Largest number of evaluations of a run; [`EFFORT`] times the engine's first quota by
    /// default.
    pub evaluations: Option<u64>,
    /// Time limit of a run.
    pub time: Option<Duration>,
    /// Stop flag that ends the trial.
    pub stop: Arc<AtomicBool>,
    /// Number of completed runs, for progress reports.
    pub done: Arc<AtomicU64>,
}

/// Result of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Success {
    /// The number of steps that was tried.
    pub steps: u32,
    /// The runs, by number.
    pub runs: Vec<TrialRun>,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialRun {
    /// How it ended.
    pub end: End,
    /// Evaluations spent.
    pub evaluations: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It found a schedule with this many steps, and the judge accepted it.
    Found(u32),
    /// Its evaluations are spent.
    Spent,
    /// The deadline or the stop flag ended it.
    Stopped,
    /// It found a schedule that the judge refused, which is a bug; with the reason.
    Refused(String),
}

impl Success {
    /// Number of runs that found a schedule.
    pub fn hits(&self) -> usize {
        self.runs.iter().filter(|run| matches!(run.end, End::Found(_))).count()
    }

    /// Mean evaluations of the runs that found a schedule.
    pub fn mean_evaluations(&self) -> Option<f64> {
        let found = self.runs.iter().filter(|run| matches!(run.end, End::Found(_)));
        let sum: u64 = found.map(|run| run.evaluations).sum();
        (self.hits() > 0).then(|| sum as f64 / self.hits() as f64)
    }

    /// Whether a deadline or the stop flag ended a run, so that another measurement may differ.
    pub fn is_cut_short(&self) -> bool {
        self.runs.iter().any(|run| run.end == End::Stopped)
    }
}

/// Runs the trial. The same trial gives the same result on any number of threads, unless it is cut
/// short.
pub fn measure(problem: &Problem, trial: &Trial) -> Result<Success, ParameterError> {
    let parameters = trial.engine.describe().set(trial.preset, &trial.settings)?;
    let context = Context::new(problem.forward()).with_parameters(parameters);
    trial.engine.room(&context, trial.steps)?;
    crate::threads::start_threads();
    let run = |number: u64| {
        let run = one_run(problem, &context, trial, number);
        trial.done.fetch_add(1, Ordering::Relaxed);
        run
    };
    Ok(Success { steps: trial.steps, runs: (0..trial.runs).into_par_iter().map(run).collect() })
}

fn one_run(problem: &Problem, context: &Context, trial: &Trial, number: u64) -> TrialRun {
    let first = trial.engine.first_quota(context.problem(), trial.steps);
    let limit = trial.evaluations.unwrap_or(first.saturating_mul(EFFORT));
    let deadline = trial.time.and_then(|time| Clock::start().after(time));
    let mut rng = Rng::stream(trial.seed, number);
    let mut spent = 0;
    // The papers make one long run; otherwise the quota of the attempts doubles, as in the driver.
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
            return TrialRun { end: judged(problem, schedule), evaluations: spent };
        }
        if budget.is_stopped() {
            return TrialRun { end: End::Stopped, evaluations: spent };
        }
        quota = quota.saturating_mul(2);
    }
    TrialRun { end: End::Spent, evaluations: spent }
}

fn judged(problem: &Problem, schedule: Schedule) -> End {
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    match verify(problem.clone(), schedule) {
        Ok(checked) => End::Found(checked.schedule().step_count()),
        Err(violations) => {
            End::Refused(violations.first().map(ToString::to_string).unwrap_or_default())
        }
    }
}
