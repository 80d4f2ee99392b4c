//! The data shared by all workers of a search on a rank: the problem with its facts, the engines,
//! and the conditions that end the search.

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

/// Time limit of a search that starts from an incomplete schedule, in multiples of
/// [`Options::patience`].
const FRUITLESS: u32 = 2;

/// At most 1/`CHOOSING` of the time is for the choice of engines and the simple bounds.
const CHOOSING: u32 = 4;

/// The workers that execute the tasks of a search.
pub(super) type Workers = Pool<Assignment, Answer>;

/// The data shared by all workers of a search on a rank.
pub(super) struct Crew {
    pub context: Context,
    /// The engines that search, followed by the exact engine if it runs in addition to others.
    pub engines: Vec<&'static dyn Engine>,
    /// Number of engines that search.
    pub searching: usize,
    pub options: Options,
    /// Ends the choice of engines and the simple bounds.
    pub early: Interrupt,
    deadline: Mutex<Option<Instant>>,
    /// The workers, for engines that spread an attempt over all ranks.
    pub workers: OnceLock<Workers>,
}

/// Set-up message for the other ranks, sent by rank 0 before the first task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SetUp {
    engines: Vec<String>,
    prices: Option<Vec<f64>>,
}

impl Crew {
    /// Chooses the engines for a problem. The time limit of the search counts from here.
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

    /// Prepares another rank for the tasks of rank 0. It has no deadline: rank 0 cancels its tasks.
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

    /// Set-up message for the other ranks.
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
        let workers = self.workers.get().filter(|_| cluster.has_others())?.clone();
        Some(Arc::new(OtherRanks { workers, cluster, engine }))
    }

    /// A budget without a limit on evaluations that ends with the search.
    pub fn budget(&self) -> Budget {
        Budget::unlimited(&self.interrupt())
            .telling(self.options.progress.open.clone())
            .flexible(self.options.is_eager())
    }

    /// Raised at the deadline, by the caller, or at the end of the run.
    pub fn interrupt(&self) -> Interrupt {
        stops(&self.options).until(self.deadline())
    }

    pub fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().expect("no thread panics while it holds this lock")
    }

    pub fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().expect("no thread panics while it holds this lock") = deadline;
    }
}

/// Sends parts of an engine's attempt from rank 0 to the other ranks.
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

/// Raised by the caller or at the end of the run.
fn stops(options: &Options) -> Interrupt {
    Interrupt::never().unless(options.stop.clone()).unless(options.cluster.stop())
}

/// Time limit while no schedule is found. A search from an incomplete schedule has one even
/// if the options set no limit, because the caller can try other methods afterwards.
pub(super) fn time_without_schedule(options: &Options) -> Option<Duration> {
    let is_limited = options.time.is_some() || options.evaluations.is_some();
    if options.start.is_some() && !is_limited {
        Some(FRUITLESS * options.patience)
    } else {
        options.time
    }
}
