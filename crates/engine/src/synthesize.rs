//! The driver: owns "fewest". It asks engines for schedules of so many steps, raises and lowers
//! that number, keeps the best schedule, and lets nothing out that the judge has not passed.

mod choice;

use crate::attempt::{Attempt, Context, Engine, Proof};
use crate::bounds::{self, Bounds, RefusedBound};
use crate::budget::{Budget, Clock, is_past};
use crate::exact;
use crate::parameters::{ParameterError, Preset};
use crate::portfolio::{Round, Task, run};
use crate::rng::Rng;
use choice::{choose_engines, choose_parameters};
use pavane_model::{Problem, Schedule};
use pavane_verify::exact::check_refutation;
use pavane_verify::{CheckedSchedule, verify};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tries of a round, whatever the number of threads: part of what a seed means.
const TASKS: u64 = 4;

/// The same where tries are dear: they differ little, and the time is better spent on fewer steps.
const DEAR_TASKS: u64 = 2;

/// How the effort grows where tries are dear: fast, so that little of the time goes into efforts
/// that were too small.
const DEAR_GROWTH: u64 = 4;

/// Evaluations from which on a try is dear.
const DEAR: u64 = 20_000_000;

/// How many times more an exact engine may spend where a proof is asked for.
const PROVING: u64 = 8;

/// Only so near below the best schedule is it asked whether there is any other at all.
const NEAR: u32 = 3;

/// Times the patience for improvements that going on from a schedule with gaps may be fruitless.
const FRUITLESS: u32 = 2;

/// How far above the bound is gone without any schedule before more effort is made.
const HIGHEST: u32 = 1 << 16;

/// How a schedule is searched for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only the engine of this name; otherwise all that take the problem.
    pub engine: Option<String>,
    /// Which values the parameters of that engine have, unless they are set.
    pub preset: Option<Preset>,
    /// Parameters of that engine: `name=value`.
    pub settings: Vec<String>,
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
    /// A schedule with gaps, of the problem read forwards, to begin from: what it has is kept as far
    /// as that goes, and only the engines of [`crate::fault::ENGINES`] search.
    pub start: Option<Arc<Schedule>>,
    /// Only a schedule of at most so many steps will do, and the first one ends the search.
    pub steps: Option<u32>,
    /// Whether effort goes into proving that no shorter schedule exists, however large the problem.
    /// Then `steps` may also be below the bound, to have that proved.
    pub prove: bool,
    /// Raised by others to end the search with the best schedule so far.
    pub stop: Arc<AtomicBool>,
    /// Where the search stands, for others to read.
    pub progress: Arc<Progress>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: None,
            preset: None,
            settings: Vec::new(),
            seed: 1,
            threads: 1,
            evaluations: None,
            time: None,
            patience: Duration::from_secs(30),
            start: None,
            steps: None,
            prove: false,
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
    /// The proof, checked, that so many steps are too few, if one was found; the bound is at least
    /// one more.
    pub proof: Option<Proof>,
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
    /// What the judge found first.
    pub problem: String,
}

/// Why a search was not begun.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// No engine of that name.
    #[error("no engine is called {name:?}; there are {known}")]
    NoSuchEngine {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Parameters that cannot be set so.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// A bound that the judge refuses.
    #[error(transparent)]
    RefusedBound(#[from] RefusedBound),
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
    let context = Context::new(problem.forward()).with_start(options.start.clone());
    let (engines, exact) = choose_engines(&context, options)?;
    let context = context.with_parameters(choose_parameters(&engines, options)?);
    let bounds = bounds::simple(problem)?;
    let search = Search {
        problem,
        context,
        options,
        engines,
        exact,
        bound: bounds.best.steps,
        bounds,
        proof: None,
        deadline: time_without_schedule(options).and_then(|time| Clock::start().after(time)),
        best: None,
        spent: 0,
        rounds: 0,
        is_begun: false,
        refusals: Vec::new(),
    };
    search.run()
}

/// How long is searched for a first schedule; for as long as it takes, unless there is a schedule
/// with gaps, because then there are others to ask.
fn time_without_schedule(options: &Options) -> Option<Duration> {
    let is_limited = options.time.is_some() || options.evaluations.is_some();
    match options.start.is_some() && !is_limited {
        true => Some(FRUITLESS * options.patience),
        false => options.time,
    }
}

struct Search<'a> {
    problem: &'a Problem,
    context: Context,
    options: &'a Options,
    engines: Vec<&'static dyn Engine>,
    exact: Option<&'static dyn Engine>,
    bounds: Bounds,
    /// The bound, or more where that is proved.
    bound: u32,
    proof: Option<Proof>,
    deadline: Option<Instant>,
    best: Option<Solution>,
    spent: u64,
    rounds: u64,
    /// Whether the search proper has begun, after first tries.
    is_begun: bool,
    refusals: Vec<Refusal>,
}

impl Search<'_> {
    fn run(mut self) -> Result<Outcome, SynthesisError> {
        // Who builds schedules of private messages wants the prices that come with the bounds.
        let messages = self.context.problem().messages();
        let is_priced = messages.ids().all(|message| messages.is_private(message));
        if !is_priced {
            self.construct();
        }
        if self.best_steps() != Some(self.bound) {
            self.complete_bounds()?;
        }
        if self.options.steps.is_some_and(|steps| steps < self.bound) {
            self.refute();
            return Ok(self.finish());
        }
        if is_priced {
            self.construct();
        }
        self.aim_at_bound();
        self.search();
        Ok(self.finish())
    }

    /// Tries the arguments for bounds that take longer.
    fn complete_bounds(&mut self) -> Result<(), SynthesisError> {
        self.bounds.complete(self.problem)?;
        self.bound = self.bounds.best.steps;
        self.options.progress.bound.store(self.bound, Ordering::Relaxed);
        self.context.set_prices(self.bounds.prices.as_deref());
        Ok(())
    }

    /// A proof that the steps asked for are too few, though a bound says so too, if one is wanted.
    fn refute(&mut self) {
        let engines = self.engines.iter().copied().chain(self.exact);
        let exact = engines.filter(|engine| engine.is_exact() && self.options.prove).last();
        let (Some(steps), Some(exact)) = (self.options.steps, exact) else { return };
        let mut effort = 1u64;
        while self.proof.is_none() && !self.is_stopped() {
            self.try_steps(&[exact], steps, effort);
            effort = effort.saturating_mul(2);
        }
    }

    /// Tries numbers of steps with growing effort until something ends it.
    fn search(&mut self) {
        let mut effort = 1u64;
        // The most steps that were tried in vain with this effort.
        let mut failed = None;
        while !self.is_done() {
            let steps = self.target(failed);
            self.is_begun = true;
            self.options.progress.trying.store(steps, Ordering::Relaxed);
            self.try_steps(&self.engines.clone(), steps, effort);
            if self.best_steps().is_none_or(|best| best > steps) {
                failed = Some(steps);
            }
            let is_exhausted = match (self.options.steps, self.best_steps()) {
                (None, Some(best)) => failed.is_some_and(|failed| failed + 1 >= best),
                (None, None) => failed.is_some_and(|failed| failed >= self.bound + HIGHEST),
                (Some(_), _) => true,
            };
            if is_exhausted {
                effort = effort.saturating_mul(if self.is_dear() { DEAR_GROWTH } else { 2 });
                failed = None;
            }
        }
    }

    fn finish(self) -> Outcome {
        let Self { mut bounds, proof, spent: evaluations, refusals, .. } = self;
        let wanted = self.options.steps.unwrap_or(u32::MAX);
        let solution = self.best.filter(|best| best.checked.schedule().step_count() <= wanted);
        if let Some(proof) = proof.as_ref().filter(|_| self.bound > bounds.best.steps) {
            bounds.best = exact::bound(proof);
            bounds.bounds.push(bounds.best.clone());
        }
        Outcome { solution, bounds, proof, evaluations, refusals }
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

    /// A first try at the bound by the engines that reach it at once if at all.
    fn aim_at_bound(&mut self) {
        let aiming: Vec<&'static dyn Engine> =
            self.engines.iter().copied().filter(|engine| engine.aims_at_bound()).collect();
        if aiming.is_empty() || self.is_done() {
            return;
        }
        self.try_steps(&aiming, self.options.steps.unwrap_or(self.bound), 1);
    }

    fn try_steps(&mut self, engines: &[&'static dyn Engine], steps: u32, effort: u64) {
        self.rounds += 1;
        let left = self.options.evaluations.map(|limit| limit.saturating_sub(self.spent));
        // An exact engine would try the same thing several times.
        let is_alone = engines.len() == 1 && engines[0].is_exact();
        let count = match (is_alone, self.is_dear()) {
            (true, _) => 1,
            (false, true) => DEAR_TASKS,
            (false, false) => TASKS,
        };
        let searching =
            (0..count).map(|i| engines[(self.rounds * count + i) as usize % engines.len()]);
        let tasks: Vec<Task> = (0..)
            .zip(searching.chain(self.exact.filter(|_| self.is_exact_wanted(steps))))
            .map(|(index, engine)| {
                let quota = engine.first_quota(self.context.problem(), steps);
                let is_proving = self.options.prove && engine.is_exact();
                let effort = if is_proving { effort.saturating_mul(PROVING) } else { effort };
                let quota = quota.saturating_mul(effort);
                let quota = quota.min((left.unwrap_or(u64::MAX) / count).saturating_add(1));
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
            match answer.attempt {
                Attempt::Found(schedule) | Attempt::Longer(schedule) => {
                    self.keep(schedule, answer.engine);
                }
                Attempt::Impossible(proof) => self.raise_bound(proof, answer.engine),
                Attempt::OutOfBudget => {}
            }
        }
    }

    /// Whether it is worth asking if there is a schedule of so many steps at all.
    fn is_exact_wanted(&self, steps: u32) -> bool {
        let is_near = self.best_steps().is_some_and(|best| best <= steps + NEAR);
        // At the bound there is no slack, and that is where searches go wrong.
        let is_tight = steps == self.bound;
        self.options.prove
            || ((is_near || is_tight) && exact::is_small(self.context.problem(), steps))
    }

    /// Checks a proof and raises the bound by it.
    fn raise_bound(&mut self, proof: Proof, engine: &'static str) {
        match check_refutation(self.problem, proof.steps, &mut &proof.lrat[..]) {
            Ok(()) => {
                self.bound = self.bound.max(proof.steps + 1);
                self.options.progress.bound.fetch_max(self.bound, Ordering::Relaxed);
                self.proof = Some(proof);
            }
            Err(error) => self.refusals.push(Refusal { engine, problem: error.to_string() }),
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
                if exact::is_shortened(self.context.problem()) {
                    let forward = match self.problem.is_backward() {
                        true => checked.schedule().reversed(),
                        false => checked.schedule().clone(),
                    };
                    self.context.set_best(forward);
                }
                let is_first = self.best.replace(Solution { checked, engine }).is_none();
                let is_limited = self.options.time.is_some() || self.options.evaluations.is_some();
                if is_first && !is_limited {
                    self.deadline = Clock::start().after(self.options.patience);
                }
            }
            Err(violations) => {
                let problem = violations.first().map(ToString::to_string).unwrap_or_default();
                self.refusals.push(Refusal { engine, problem });
            }
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
            || enough < self.bound
            || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.options.evaluations.is_some_and(|limit| self.spent >= limit)
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
            let above = |failed: u32| (2 * failed + 1).saturating_sub(self.bound).max(failed + 1);
            return failed.map_or(self.bound, above);
        };
        if !self.is_begun {
            return if self.is_dear() { self.bound + (best - self.bound) / 3 } else { self.bound };
        }
        let least = failed.map_or(self.bound, |failed| (failed + 1).max(self.bound));
        best - (best - least).div_ceil(3).max(1)
    }
}
