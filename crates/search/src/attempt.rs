//! The engine interface: is there a schedule of at most S steps?

use crate::budget::{Budget, Interrupt};
use crate::facts::Facts;
use crate::parameters::{Parameter, ParameterError, Parameters, Preset};
use crate::rng::Rng;
use crate::symmetry::FreeGroup;
use pavane_cluster::Cluster;
use pavane_model::{Bound, Certificate, Problem, Schedule};
use pavane_networks::symmetry::Symmetries;
use pavane_verify::exact;
use std::any::Any;
use std::sync::Arc;

/// A problem with the facts that several engines use, each computed once. Clones share the facts.
#[derive(Debug, Clone)]
pub struct Context {
    facts: Arc<Facts>,
    parameters: Parameters,
    best: Option<Arc<Schedule>>,
    start: Option<Arc<Schedule>>,
    helpers: Option<Arc<dyn Helpers>>,
}

impl Context {
    /// For a problem that runs forwards (see [`Problem::forward`]).
    pub fn new(problem: Problem) -> Self {
        debug_assert!(!problem.is_backward(), "engines see forward problems only");
        Self {
            facts: Arc::new(Facts::new(problem)),
            parameters: Parameters::default(),
            best: None,
            start: None,
            helpers: None,
        }
    }

    /// Sets known prices of the channels, before any engine computes them.
    pub fn set_prices(&self, prices: Option<&[f64]>) {
        if let Some(prices) = prices {
            self.facts.set_prices(prices.to_vec());
        }
    }

    /// Sets the parameters of the engine.
    pub fn with_parameters(mut self, parameters: Parameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets an incomplete schedule to start from.
    pub fn with_start(mut self, start: Option<Arc<Schedule>>) -> Self {
        self.start = start;
        self
    }

    /// A copy with the best schedule so far, for engines that shorten it.
    pub fn with_best(&self, best: Option<Arc<Schedule>>) -> Self {
        Self { best, ..self.clone() }
    }

    /// Sets other ranks that can execute parts of an attempt.
    pub fn with_helpers(self, helpers: Option<Arc<dyn Helpers>>) -> Self {
        Self { helpers, ..self }
    }

    /// Other ranks that can execute parts of an attempt.
    pub fn helpers(&self) -> Option<&dyn Helpers> {
        self.helpers.as_deref()
    }

    /// An incomplete schedule to start from, for example the rest of a schedule after a fault.
    pub fn start(&self) -> Option<&Schedule> {
        self.start.as_deref()
    }

    /// The parameter values of the engine that was chosen.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        self.facts.problem()
    }

    /// The best schedule so far, for engines that shorten it.
    pub fn best(&self) -> Option<&Schedule> {
        self.best.as_deref()
    }

    /// Facts of a type that an engine defines ([`Facts::of`]).
    pub fn facts_of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.facts.of()
    }

    /// The prices of the channels ([`Facts::prices`]).
    pub fn prices(&self, interrupt: &Interrupt) -> Option<&[f64]> {
        self.facts.prices(interrupt)
    }

    /// The automorphisms of the problem ([`Facts::symmetries`]).
    pub fn symmetries(&self, interrupt: &Interrupt) -> Option<&Symmetries> {
        self.facts.symmetries(interrupt)
    }

    /// A large group of automorphisms that moves every processor ([`Facts::free_group`]).
    pub fn free_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        self.facts.free_group(interrupt)
    }

    /// As [`Self::free_group`], but abelian ([`Facts::abelian_group`]).
    pub fn abelian_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        self.facts.abelian_group(interrupt)
    }
}

/// An engine's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// A schedule of at most the requested number of steps (not yet judged).
    Found(Schedule),
    /// The shortest schedule found; it has more steps than requested (not yet judged).
    Longer(Schedule),
    /// A proof that no such schedule exists (not yet checked).
    Impossible(Proof),
    /// No schedule was found within the budget.
    OutOfBudget,
}

/// Step counts up to which the exact engine runs without a request for a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProofLimits {
    /// Largest step count with the same effort as for a requested proof.
    pub cheap: u32,
    /// Largest step count with an attempt at a proof.
    pub affordable: u32,
}

/// A proof that no schedule of at most `steps` steps exists, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The step count proved impossible.
    pub steps: u32,
    /// The derivation of a contradiction from the formula of the problem, in LRAT.
    pub lrat: Vec<u8>,
}

impl Proof {
    /// The bound that follows from the proof, which must be checked first. The caller sets the name
    /// of the proof file.
    pub fn bound(&self) -> Bound {
        let (steps, encoding) = (self.steps, exact::VERSION);
        let certificate = Certificate::Exact { steps, encoding, proof: String::new() };
        let many = if steps == 1 { "1 step is".to_owned() } else { format!("{steps} steps are") };
        Bound {
            steps: steps + 1,
            reason: certificate.reason().to_owned(),
            explanation: format!("{many} impossible, by a proof that the judge has checked"),
            certificate: Some(certificate),
        }
    }
}

/// Other ranks that execute parts of an attempt for the engine that leads it on rank 0.
pub trait Helpers: std::fmt::Debug + Send + Sync {
    /// The ranks. The parts and the leader exchange messages with their own tags.
    fn cluster(&self) -> &Cluster;

    /// Asks a rank to execute a part ([`Traits::execute_part`]).
    fn request(&self, rank: usize, request: Vec<u8>);
}

/// Static properties of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Traits {
    /// Unique name, by which users select it.
    pub name: &'static str,
    /// Purpose, in one line.
    pub purpose: &'static str,
    /// Parameters that a user may set.
    pub parameters: &'static [Parameter],
    /// Whether it can also prove that no schedule exists; such engines run last in a round.
    pub is_exact: bool,
    /// Whether it either meets the bound immediately or fails, so the first round targets the
    /// bound.
    pub aims_at_bound: bool,
    /// Whether the prices of channels help it to construct a schedule of personalised messages.
    pub wants_prices: bool,
    /// Whether it shortens the best schedule so far ([`Context::best`]).
    pub uses_best: bool,
    /// Whether a single attempt uses all workers.
    pub is_spread: bool,
    /// Whether it lists all paths, and accepts every problem with a list that is short enough.
    pub lists_paths: bool,
    /// Executes a part of an attempt that the same engine leads on rank 0 ([`Helpers::request`]).
    pub execute_part: Option<ExecutePart>,
}

/// The arguments are the context, the request of rank 0, the ranks and the limits.
pub type ExecutePart = fn(&Context, &[u8], &Cluster, &Budget);

impl Default for Traits {
    fn default() -> Self {
        Self {
            name: "",
            purpose: "",
            parameters: &[],
            is_exact: false,
            aims_at_bound: false,
            wants_prices: true,
            uses_best: false,
            is_spread: false,
            lists_paths: false,
            execute_part: None,
        }
    }
}

impl Traits {
    /// Checks a preset and settings of the form `name=value` for the engine.
    pub fn set(&self, preset: Preset, settings: &[String]) -> Result<Parameters, ParameterError> {
        Parameters::new(self.name, self.parameters, preset, settings)
    }
}

/// How useful an engine is for a problem that it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It does not help.
    Useless,
    /// It may find the best schedule.
    Useful,
    /// The problem is so large that other engines do not help.
    Sufficient,
}

impl Fit {
    /// [`Fit::Useful`] or [`Fit::Useless`].
    pub fn useful_if(is_useful: bool) -> Self {
        if is_useful { Self::Useful } else { Self::Useless }
    }
}

/// What an engine can do for a problem, and how much work it needs.
pub trait Suitability {
    /// Whether it supports problems like this one.
    fn takes(&self, problem: &Problem) -> bool;

    /// How useful it is for a problem that it takes; may be slow. An interrupted engine is useless, or
    /// at most useful.
    fn fit(&self, _: &Context, _: &Interrupt) -> Fit {
        Fit::Useful
    }

    /// Evaluations of a first attempt with this number of steps.
    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        16 * problem.messages().delivery_count() as u64 * u64::from(steps)
    }

    /// The same for an attempt that starts from an incomplete schedule ([`Context::start`]).
    fn repair_quota(&self, problem: &Problem, steps: u32) -> u64 {
        self.first_quota(problem, steps)
    }

    /// Evaluations of an attempt to meet the simple bounds before the slow ones are computed; 0 if
    /// there is no such attempt.
    fn early_quota(&self, _: &Problem) -> u64 {
        0
    }

    /// Processor time of an evaluation, about, in units of ten nanoseconds. Engines that search the
    /// same problem have equal shares of the time.
    fn cost(&self, _: &Problem, _steps: u32) -> u64 {
        1
    }

    /// The largest number of steps that fits in memory with these parameters; an error if it is less
    /// than `steps`.
    fn room(&self, _: &Context, _steps: u32) -> Result<u32, ParameterError> {
        Ok(u32::MAX)
    }

    /// Step counts up to which an exact engine runs without a request for a proof.
    fn proof_limits(&self, _: &Problem) -> ProofLimits {
        ProofLimits::default()
    }
}

/// A method of finding schedules.
pub trait Engine: Suitability + Sync {
    /// Its static properties.
    fn describe(&self) -> Traits;

    /// A schedule with any number of steps, quickly; `None` from an engine that may fail.
    /// Only the interrupt of the budget may cut it short, and then the answer is `None`.
    fn construct(&self, _: &Context, _: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        None
    }

    /// Is there a schedule of at most `steps` steps? The same arguments give the same answer. An
    /// engine that only constructs answers with its construction.
    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        match self.construct(context, budget, rng) {
            Some(schedule) if schedule.step_count() <= steps => Attempt::Found(schedule),
            Some(schedule) => Attempt::Longer(schedule),
            None => Attempt::OutOfBudget,
        }
    }

    /// The name that selects it.
    fn name(&self) -> &'static str {
        self.describe().name
    }
}
