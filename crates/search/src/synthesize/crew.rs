//! What the workers of a search have in common, on whichever rank they are: the problem with its facts,
//! the engines, and what ends the search.

use super::choice::{choose_engines, choose_parameters};
use super::options::Options;
use super::outcome::SynthesisError;
use super::task::{Answer, Assignment};
use crate::attempt::{Attempt, Context, Engine, Helpers};
use crate::budget::{Budget, Clock, Interrupt, part_of_time};
use pavane_cluster::{Cluster, Pool, Stop};
use pavane_model::Problem;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Times the patience for improvements that a search with an incomplete schedule to start from may take.
const FRUITLESS: u32 = 2;

/// Choosing engines and the simple bounds may take one of so many parts of the time.
const CHOOSING: u32 = 4;

/// The workers that execute the tasks of a search.
pub(super) type Workers = Pool<Assignment, Answer>;

/// What the workers of a search have in common.
pub(super) struct Crew {
    pub context: Context,
    /// The engines that search, and behind them the one that can also prove if it is one of several.
    pub engines: Vec<&'static dyn Engine>,
    /// How many of them search.
    pub searching: usize,
    pub options: Options,
    /// Ends what comes before the first schedule.
    pub early: Interrupt,
    deadline: Mutex<Option<Instant>>,
    /// The workers, for engines that spread an attempt over all ranks.
    pub workers: OnceLock<Workers>,
}

/// What rank 0 tells the workers of other ranks before the first task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SetUp {
    engines: Vec<String>,
    prices: Option<Vec<f64>>,
}

impl Crew {
    /// Chooses the engines for a problem; the time of the search begins.
    pub fn choose(problem: &Problem, options: &Options) -> Result<Self, SynthesisError> {
        let time = time_without_schedule(options);
        let deadline = time.and_then(|time| Clock::start().after(time));
        let early = stops(options).until(part_of_time(deadline, CHOOSING));
        let context = Context::new(problem.forward()).with_start(options.start.clone());
        let (mut engines, exact) = choose_engines(&context, options, &early)?;
        let context = context.with_parameters(choose_parameters(&engines, options)?);
        let searching = engines.len();
        engines.extend(exact);
        let (deadline, options) = (Mutex::new(deadline), options.clone());
        Ok(Self { context, engines, searching, options, early, deadline, workers: OnceLock::new() })
    }

    /// Prepares another rank for the tasks of rank 0, whose deadline counts.
    pub fn join(
        problem: &Problem,
        options: &Options,
        set_up: &SetUp,
    ) -> Result<Self, SynthesisError> {
        let engines: Vec<&'static dyn Engine> =
            set_up.engines.iter().filter_map(|name| options.catalogue.find(name)).collect();
        let context = Context::new(problem.forward())
            .with_start(options.start.clone())
            .with_parameters(choose_parameters(&engines, options)?);
        context.set_prices(set_up.prices.as_deref());
        let (searching, options, early) = (engines.len(), options.clone(), stops(options));
        let (deadline, workers) = (Mutex::default(), OnceLock::new());
        Ok(Self { context, engines, searching, options, early, deadline, workers })
    }

    /// What other ranks are told.
    pub fn set_up(&self, prices: Option<Vec<f64>>) -> SetUp {
        let engines = self.engines.iter().map(|engine| engine.name().to_owned()).collect();
        SetUp { engines, prices }
    }

    /// Executes a task, or a part of one, within the limits of the search.
    pub fn execute(&self, assignment: &Assignment, stop: &Stop) -> Answer {
        let budget = self.budget().unless(stop.clone());
        match assignment {
            Assignment::Task { task, best } => {
                let context = self.context.with_best(best.clone());
                let context = context.with_helpers(self.other_ranks(task.engine));
                task.execute(&self.engines, &context, self.options.seed, budget)
            }
            Assignment::Part { engine, request } => {
                if let Some(execute) = self.engines[*engine].describe().execute_part {
                    execute(&self.context, request, &self.options.cluster, &budget);
                }
                Answer { engine: *engine, attempt: Attempt::OutOfBudget, evaluations: 0 }
            }
        }
    }

    fn other_ranks(&self, engine: usize) -> Option<Arc<dyn Helpers>> {
        let cluster = self.options.cluster.clone();
        let workers = self.workers.get().filter(|_| !cluster.is_alone())?.clone();
        Some(Arc::new(OtherRanks { workers, cluster, engine }))
    }

    /// Any number of evaluations within the limits of the search.
    pub fn budget(&self) -> Budget {
        Budget::unlimited(&self.interrupt()).telling(self.options.progress.open.clone())
    }

    /// What ends the search: its deadline, the caller, or the end of the run.
    pub fn interrupt(&self) -> Interrupt {
        stops(&self.options).until(self.deadline())
    }

    pub fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().expect("no thread panics while it holds this lock")
    }

    pub fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().expect("no thread panics while it holds this lock") = deadline;
    }

    /// How many tasks the workers can execute at the same time: one if an attempt uses all of them.
    pub fn tasks_at_once(&self, workers: &Workers) -> usize {
        let is_spread = self.engines.iter().any(|engine| engine.describe().is_spread);
        if is_spread { 1 } else { workers.width() }
    }
}

/// The way from an engine's attempt on rank 0 to the other ranks.
#[derive(Debug)]
struct OtherRanks {
    workers: Workers,
    cluster: Cluster,
    engine: usize,
}

impl Helpers for OtherRanks {
    fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    fn request(&self, rank: usize, request: Vec<u8>) {
        self.workers.send_to(rank, Assignment::Part { engine: self.engine, request });
    }
}

/// What ends a search besides its deadline: the caller, or the end of the run.
fn stops(options: &Options) -> Interrupt {
    Interrupt::never().unless(options.stop.clone()).unless(options.cluster.stop())
}

/// How long a search without any schedule may take: as long as needed, unless there is an incomplete
/// schedule to start from, because then other methods can follow.
pub(super) fn time_without_schedule(options: &Options) -> Option<Duration> {
    let is_limited = options.time.is_some() || options.evaluations.is_some();
    match options.start.is_some() && !is_limited {
        true => Some(FRUITLESS * options.patience),
        false => options.time,
    }
}
