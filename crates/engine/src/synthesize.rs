//! The driver: owns "fewest". It asks engines for schedules of so many steps, raises and lowers
//! that number, keeps the best schedule, and lets nothing out that the judge has not passed.

use crate::attempt::{Attempt, Context, Engine};
use crate::bounds::{self, Bounds};
use crate::budget::{Budget, Clock, is_past};
use crate::portfolio::{Round, Task, run};
use crate::rng::Rng;
use pavane_model::{Problem, Schedule};
use pavane_verify::{CheckedSchedule, Violation, verify};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tries of a round, whatever the number of threads: part of what a seed means.
const TASKS: u64 = 4;

/// The same where tries are dear: they differ little, and the time is better spent on fewer steps.
const DEAR_TASKS: u64 = 2;

/// Evaluations from which on a try is dear.
const DEAR: u64 = 20_000_000;

/// How far above the bound is gone without any schedule before more effort is made.
const HIGHEST: u32 = 1 << 16;

/// How a schedule is searched for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only the engine of this name; otherwise all that take the problem.
    pub engine: Option<String>,
    /// Where chance starts.
    pub seed: u64,
    /// Tries that run at the same time. The answer does not depend on it.
    pub threads: usize,
    /// Evaluations after which the search ends.
    pub evaluations: Option<u64>,
    /// Time after which the search ends, counted from its start.
    pub time: Option<Duration>,
    /// Time after which the search ends, counted from the first schedule; unless `time` or
    /// `evaluations` is given.
    pub patience: Duration,
    /// Only a schedule of at most so many steps will do, and the first one ends the search.
    pub steps: Option<u32>,
    /// Raised by others to end the search with the best schedule so far.
    pub stop: Arc<AtomicBool>,
    /// Where the search stands, for others to read.
    pub progress: Arc<Progress>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: None,
            seed: 1,
            threads: 1,
            evaluations: None,
            time: None,
            patience: Duration::from_secs(30),
            steps: None,
            stop: Arc::default(),
            progress: Arc::default(),
        }
    }
}

/// Where a search stands. Zero means not yet.
#[derive(Debug, Default)]
pub struct Progress {
    /// The bound.
    pub bound: AtomicU32,
    /// The number of steps that is being tried.
    pub trying: AtomicU32,
    /// Steps of the best schedule.
    pub best: AtomicU32,
    /// Messages without a place, in the try that spoke last.
    pub open: Arc<AtomicU64>,
}

/// What came of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The best schedule, judged; `None` if there was no time for any, or none short enough.
    pub solution: Option<Solution>,
    /// What is proved about the number of steps.
    pub bounds: Bounds,
    /// Evaluations made.
    pub evaluations: u64,
    /// Answers of engines that the judge refused: bugs of ours.
    pub refusals: Vec<Refusal>,
}

/// A judged schedule and where it came from.
#[derive(Debug)]
pub struct Solution {
    /// The schedule.
    pub checked: CheckedSchedule,
    /// The engine that found it.
    pub engine: &'static str,
}

/// An engine's answer that the judge refused.
#[derive(Debug)]
pub struct Refusal {
    /// The engine.
    pub engine: &'static str,
    /// What the judge found.
    pub violations: Vec<Violation>,
}

/// Why a search was not begun.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// Fewer steps asked for than are possible.
    #[error("{steps} steps are not possible: {explanation}")]
    BelowBound {
        /// What was asked for.
        steps: u32,
        /// The bound in words.
        explanation: String,
    },
    /// No engine of that name.
    #[error("no engine is called {name:?}; there are {known}")]
    NoSuchEngine {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No engine takes such problems.
    #[error("no engine is made for this problem yet")]
    NoEngine,
    /// The engine asked for does not take such problems.
    #[error("the engine {name} is not made for this problem; for it there are {fitting}")]
    WrongEngine {
        /// What was asked for.
        name: String,
        /// The names of those that are.
        fitting: String,
    },
}

/// Finds the shortest schedule it can within the limits of `options`.
pub fn synthesize(problem: &Problem, options: &Options) -> Result<Outcome, SynthesisError> {
    synthesize_with(problem, options, crate::ENGINES, bounds::all(problem))
}

/// As [`synthesize`], with the engines and the bounds given.
pub fn synthesize_with(
    problem: &Problem,
    options: &Options,
    engines: &[&'static dyn Engine],
    bounds: Bounds,
) -> Result<Outcome, SynthesisError> {
    if let Some(steps) = options.steps.filter(|&steps| steps < bounds.best.steps) {
        let explanation = bounds.best.explanation.clone();
        return Err(SynthesisError::BelowBound { steps, explanation });
    }
    let context = Context::new(problem.forward());
    let engines = choose_engines(&context, options, engines)?;
    options.progress.bound.store(bounds.best.steps, Ordering::Relaxed);
    let search = Search {
        problem,
        context,
        options,
        engines,
        bound: bounds.best.steps,
        deadline: None,
        best: None,
        spent: 0,
        rounds: 0,
        refusals: Vec::new(),
    };
    let (solution, evaluations, refusals) = search.run();
    Ok(Outcome { solution, bounds, evaluations, refusals })
}

fn choose_engines(
    context: &Context,
    options: &Options,
    engines: &[&'static dyn Engine],
) -> Result<Vec<&'static dyn Engine>, SynthesisError> {
    let names = |list: &[&'static dyn Engine]| {
        list.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
    };
    let fitting: Vec<&'static dyn Engine> =
        engines.iter().copied().filter(|engine| engine.takes(context.problem())).collect();
    if fitting.is_empty() {
        return Err(SynthesisError::NoEngine);
    }
    let Some(name) = &options.engine else {
        return Ok(fitting.into_iter().filter(|engine| engine.helps(context)).collect());
    };
    if !engines.iter().any(|engine| engine.name() == name) {
        let known = names(engines);
        return Err(SynthesisError::NoSuchEngine { name: name.clone(), known });
    }
    let chosen: Vec<_> = fitting
        .iter()
        .copied()
        .filter(|engine| engine.name() == name && engine.helps(context))
        .collect();
    match chosen.is_empty() {
        true => {
            let fitting = names(&fitting);
            Err(SynthesisError::WrongEngine { name: name.clone(), fitting })
        }
        false => Ok(chosen),
    }
}

struct Search<'a> {
    problem: &'a Problem,
    context: Context,
    options: &'a Options,
    engines: Vec<&'static dyn Engine>,
    bound: u32,
    deadline: Option<Instant>,
    best: Option<Solution>,
    spent: u64,
    rounds: u64,
    refusals: Vec<Refusal>,
}

impl Search<'_> {
    fn run(mut self) -> (Option<Solution>, u64, Vec<Refusal>) {
        self.deadline = self.options.time.and_then(|time| Clock::start().after(time));
        self.construct();
        let mut effort = 1u64;
        // The most steps that were tried in vain with this effort.
        let mut failed = None;
        while !self.is_done() {
            let steps = self.target(failed);
            self.options.progress.trying.store(steps, Ordering::Relaxed);
            self.try_steps(steps, effort);
            if self.best_steps().is_none_or(|best| best > steps) {
                failed = Some(steps);
            }
            let is_exhausted = match (self.options.steps, self.best_steps()) {
                (None, Some(best)) => failed.is_some_and(|failed| failed + 1 >= best),
                (None, None) => failed.is_some_and(|failed| failed >= self.bound + HIGHEST),
                (Some(_), _) => true,
            };
            if is_exhausted {
                effort = effort.saturating_mul(2);
                failed = None;
            }
        }
        let wanted = self.options.steps.unwrap_or(u32::MAX);
        let solution = self.best.filter(|best| best.checked.schedule().step_count() <= wanted);
        (solution, self.spent, self.refusals)
    }

    /// A first schedule, of as many steps as it takes, from every engine that can build one.
    fn construct(&mut self) {
        for (index, engine) in self.engines.clone().into_iter().enumerate() {
            // Without any schedule there is nothing to return, so the clock does not count yet.
            let deadline = self.deadline.filter(|_| self.best.is_some());
            let mut budget = self.budget(u64::MAX).until(deadline);
            let mut rng = Rng::stream(self.options.seed, index as u64);
            let schedule = engine.construct(&self.context, &mut budget, &mut rng);
            self.spent += budget.spent();
            if let Some(schedule) = schedule {
                self.keep(schedule, engine.name());
            }
            if self.best.is_some() && self.is_done() {
                return;
            }
        }
    }

    fn try_steps(&mut self, steps: u32, effort: u64) {
        self.rounds += 1;
        let left = self.options.evaluations.map(|limit| limit.saturating_sub(self.spent));
        let count = if self.is_dear() { DEAR_TASKS } else { TASKS };
        let tasks: Vec<Task> = (0..count)
            .map(|index| {
                let turn = self.rounds * count + index;
                let engine = self.engines[turn as usize % self.engines.len()];
                let quota = engine.first_quota(self.context.problem(), steps);
                let quota = quota.saturating_mul(effort);
                let quota = quota.min(left.unwrap_or(u64::MAX) / count + 1);
                Task { engine, budget: self.budget(quota), stream: self.rounds * TASKS + index }
            })
            .collect();
        let round = Round {
            context: &self.context,
            steps,
            seed: self.options.seed,
            threads: self.options.threads,
        };
        for answer in run(&round, tasks) {
            self.spent += answer.evaluations;
            if let Attempt::Found(schedule) | Attempt::Longer(schedule) = answer.attempt {
                self.keep(schedule, answer.engine);
            }
        }
    }

    /// Judges a schedule and keeps it if it is the best so far.
    fn keep(&mut self, schedule: Schedule, engine: &'static str) {
        if self.best_steps().is_some_and(|best| best <= schedule.step_count()) {
            return;
        }
        let schedule = match self.problem.is_backward() {
            true => schedule.reversed(),
            false => schedule,
        };
        match verify(self.problem.clone(), schedule) {
            Ok(checked) => {
                let steps = checked.schedule().step_count();
                self.options.progress.best.store(steps, Ordering::Relaxed);
                self.best = Some(Solution { checked, engine });
                let is_limited =
                    self.options.time.or(self.options.evaluations.map(|_| Duration::MAX));
                if self.deadline.is_none() && is_limited.is_none() {
                    self.deadline = Clock::start().after(self.options.patience);
                }
            }
            Err(violations) => self.refusals.push(Refusal { engine, violations }),
        }
    }

    fn budget(&self, evaluations: u64) -> Budget {
        Budget::evaluations(evaluations)
            .until(self.deadline)
            .unless(self.options.stop.clone())
            .telling(self.options.progress.open.clone())
    }

    fn best_steps(&self) -> Option<u32> {
        self.best.as_ref().map(|best| best.checked.schedule().step_count())
    }

    fn is_done(&self) -> bool {
        let enough = self.options.steps.unwrap_or(self.bound);
        self.best_steps().is_some_and(|best| best <= enough)
            || self.options.evaluations.is_some_and(|limit| self.spent >= limit)
            || self.options.stop.load(Ordering::Relaxed)
            || is_past(self.deadline)
    }

    /// Whether even one try at the bound takes long.
    fn is_dear(&self) -> bool {
        let quota = |engine: &&dyn Engine| engine.first_quota(self.context.problem(), self.bound);
        self.engines.iter().map(quota).min().is_some_and(|quota| quota > DEAR)
    }

    /// The number of steps to try next: the bound first, or where tries are dear two thirds of the
    /// way down to it; then a third of the way from the best schedule down to what was tried in
    /// vain, because there a try is likely to succeed.
    fn target(&self, failed: Option<u32>) -> u32 {
        if let Some(steps) = self.options.steps {
            return steps;
        }
        let Some(best) = self.best_steps() else {
            // Without any schedule there is no upper end: go up in growing strides.
            return failed.map_or(self.bound, |failed| 2 * failed - self.bound + 1);
        };
        if self.rounds == 0 {
            return if self.is_dear() { self.bound + (best - self.bound) / 3 } else { self.bound };
        }
        let least = failed.map_or(self.bound, |failed| failed + 1);
        best - (best - least).div_ceil(3).max(1)
    }
}
