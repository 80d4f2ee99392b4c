//! What every engine answers: is there a schedule of at most so many steps?

use crate::budget::{Budget, Interrupt};
use crate::chromosome::{PathTable, PathTables};
use crate::parameters::{Parameter, ParameterError, Parameters};
use crate::rng::Rng;
use crate::scatter::PrivateFacts;
use crate::symmetry::{
    FreeGroup, Freedom, find_abelian_group, find_even_group, problem_symmetries,
};
use pavane_cluster::Cluster;
use pavane_model::{Bound, Certificate, Problem, Schedule};
use pavane_networks::symmetry::Symmetries;
use pavane_verify::exact;
use std::sync::{Arc, OnceLock};

/// A fact about a problem that several engines use, kept once it has been computed.
#[derive(Debug)]
pub(crate) struct Known<T>(OnceLock<T>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Known<T> {
    /// The fact, computed by `find` if it is not known. `None` from `find` means that it was
    /// interrupted: nothing is kept. Threads that ask at the same time compute the fact separately
    /// and do not wait for each other, because the thread that computes it may need their help.
    pub fn get(&self, find: impl FnOnce() -> Option<T>) -> Option<&T> {
        if self.0.get().is_none() {
            let found = find()?;
            return Some(self.0.get_or_init(|| found));
        }
        self.0.get()
    }

    /// The same where an interrupt only makes `find` stop early: what it finds after that is not kept.
    pub fn get_until(&self, interrupt: &Interrupt, find: impl FnOnce() -> T) -> Option<&T> {
        self.get(|| Some(find()).filter(|_| !interrupt.is_raised()))
    }

    /// Sets the fact, unless it is known already.
    pub fn set(&self, value: T) {
        // The value that was there first stays.
        let _ = self.0.set(value);
    }
}

/// A problem with the facts that several engines use, each computed once. Clones share the facts.
#[derive(Debug, Clone)]
pub struct Context {
    facts: Arc<Facts>,
    parameters: Parameters,
    best: Option<Arc<Schedule>>,
    start: Option<Arc<Schedule>>,
    helpers: Option<Arc<dyn Helpers>>,
}

#[derive(Debug)]
struct Facts {
    problem: Problem,
    private: PrivateFacts,
    paths: PathTables,
    symmetries: Known<Option<Symmetries>>,
    free_group: Known<Option<FreeGroup>>,
    abelian_group: Known<Option<FreeGroup>>,
}

impl Context {
    /// For a problem that runs forwards (see [`Problem::forward`]).
    pub fn new(problem: Problem) -> Self {
        debug_assert!(!problem.is_backward(), "engines see forward problems only");
        let facts = Facts {
            problem,
            private: PrivateFacts::default(),
            paths: PathTables::default(),
            symmetries: Known::default(),
            free_group: Known::default(),
            abelian_group: Known::default(),
        };
        Self {
            facts: Arc::new(facts),
            parameters: Parameters::default(),
            best: None,
            start: None,
            helpers: None,
        }
    }

    /// Sets the prices of the channels, if they are known, before any engine computes them.
    pub fn set_prices(&self, prices: Option<&[f64]>) {
        if let Some(prices) = prices {
            self.facts.private.set_prices(prices.to_vec());
        }
    }

    /// The same, for an engine with these parameters.
    pub fn with_parameters(mut self, parameters: Parameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// The same, with an incomplete schedule to start from.
    pub fn with_start(mut self, start: Option<Arc<Schedule>>) -> Self {
        self.start = start;
        self
    }

    /// The same, with the best schedule so far, for engines that shorten it.
    pub fn with_best(&self, best: Option<Arc<Schedule>>) -> Self {
        Self { best, ..self.clone() }
    }

    /// The same, with other ranks that can execute parts of an attempt.
    pub fn with_helpers(self, helpers: Option<Arc<dyn Helpers>>) -> Self {
        Self { helpers, ..self }
    }

    /// Other ranks that can execute parts of an attempt.
    pub fn helpers(&self) -> Option<&dyn Helpers> {
        self.helpers.as_deref()
    }

    /// An incomplete schedule to start from, as a fault leaves it.
    pub fn start(&self) -> Option<&Schedule> {
        self.start.as_deref()
    }

    /// The parameter values of the engine that was chosen.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.facts.problem
    }

    /// The best schedule so far, for engines that shorten it.
    pub fn best(&self) -> Option<&Schedule> {
        self.best.as_deref()
    }

    /// The paths that chromosomes choose from, at most `detour` channels longer than the shortest.
    pub fn paths(&self, detour: u32) -> &PathTable {
        self.paths_until(detour, &Interrupt::never()).expect("it is never interrupted")
    }

    /// The same; `None` at an interrupt.
    pub fn paths_until(&self, detour: u32, interrupt: &Interrupt) -> Option<&PathTable> {
        self.facts.paths.get(self.problem(), detour, interrupt)
    }

    /// Facts about personalised messages.
    pub(crate) fn private(&self) -> &PrivateFacts {
        &self.facts.private
    }

    /// The automorphisms of the network that keep how much every router's processors send and
    /// receive; `None` if there are none but the identity, if they are not found in a second, or at
    /// an interrupt.
    pub fn symmetries(&self, interrupt: &Interrupt) -> Option<&Symmetries> {
        let find = || problem_symmetries(self.problem(), interrupt);
        self.facts.symmetries.get_until(interrupt, find)?.as_ref()
    }

    /// A large group of them that moves every processor, always the same one; `None` if there is
    /// none, or at an interrupt. [`crate::symmetry::find_free_group`] finds others.
    pub fn free_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem().network(), &mut Rng::seeded(0));
            let symmetries = self.symmetries(interrupt)?;
            let group = find_even_group(network, symmetries, Freedom::Processors, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.facts.free_group.get_until(interrupt, find)?.as_ref()
    }

    /// The same for abelian groups.
    pub fn abelian_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem().network(), &mut Rng::seeded(0));
            let group = find_abelian_group(network, self.symmetries(interrupt)?, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.facts.abelian_group.get_until(interrupt, find)?.as_ref()
    }
}

/// An engine's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// A schedule of at most that many steps (not yet judged).
    Found(Schedule),
    /// A schedule of more steps than asked for, the best that came up on the way (not yet judged).
    Longer(Schedule),
    /// There is none, and this is why (not yet checked).
    Impossible(Proof),
    /// None was found within the budget.
    OutOfBudget,
}

/// The numbers of steps up to which an exact engine is asked though the caller asks for no proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProofLimits {
    /// The most steps for which a proof is worth as much effort as if the caller asked for one.
    pub cheap: u32,
    /// The most steps for which a proof is worth an attempt.
    pub affordable: u32,
}

/// A refutation of "there is a schedule of at most so many steps", not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The steps that are too few.
    pub steps: u32,
    /// The derivation of a contradiction from the formula of the problem, in LRAT.
    pub lrat: Vec<u8>,
}

impl Proof {
    /// The bound that the proof gives once it is checked. The caller sets the file of the proof.
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
    /// The ranks; the parts exchange messages with the leader over channels of their own.
    fn cluster(&self) -> &Cluster;

    /// Asks a rank to execute a part ([`Engine::execute_part`]).
    fn request(&self, rank: usize, request: Vec<u8>);
}

/// What is the same for all problems about an engine.
#[derive(Debug, Clone, Copy)]
pub struct Traits {
    /// The name that `--engine` takes.
    pub name: &'static str,
    /// What it is for, in a line.
    pub purpose: &'static str,
    /// What a user may set.
    pub parameters: &'static [Parameter],
    /// Whether it can also prove that there is no schedule; such engines are asked last.
    pub is_exact: bool,
    /// Whether it reaches the bound at once or not at all, so that the bound is worth a first round.
    pub aims_at_bound: bool,
    /// Whether the prices of channels help it to construct a schedule of personalised messages.
    pub wants_prices: bool,
    /// Whether it shortens the best schedule so far ([`Context::best`]).
    pub uses_best: bool,
    /// Whether an attempt uses all workers by itself.
    pub is_spread: bool,
    /// Whether it takes every problem whose paths it can list.
    pub lists_paths: bool,
}

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
        }
    }
}

/// What an engine has to offer for a problem that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Nothing.
    Useless,
    /// Schedules that may be the best.
    Useful,
    /// The problem is so large that other engines have nothing to add.
    Sufficient,
}

impl Fit {
    /// Useful or useless.
    pub fn useful_if(is_useful: bool) -> Self {
        if is_useful { Self::Useful } else { Self::Useless }
    }
}

/// A way to find schedules.
pub trait Engine: Sync {
    /// What is the same for all problems.
    fn describe(&self) -> Traits;

    /// The name that `--engine` takes.
    fn name(&self) -> &'static str {
        self.describe().name
    }

    /// Whether it is made for problems like this one.
    fn takes(&self, problem: &Problem) -> bool;

    /// What it has to offer for a problem that it takes, which may take a moment to find out. An
    /// interrupted engine is useless, or at most useful.
    fn fit(&self, _: &Context, _: &Interrupt) -> Fit {
        Fit::Useful
    }

    /// Evaluations of one serious attempt at so many steps: the driver's first quota.
    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        16 * problem.messages().delivery_count() as u64 * u64::from(steps)
    }

    /// The same for an attempt that starts from an incomplete schedule ([`Context::start`]).
    fn repair_quota(&self, problem: &Problem, steps: u32) -> u64 {
        self.first_quota(problem, steps)
    }

    /// The most steps for which its parameters leave memory to spare; an error if they do not even leave
    /// enough for `steps`.
    fn room(&self, _: &Context, _steps: u32) -> Result<u32, ParameterError> {
        Ok(u32::MAX)
    }

    /// The numbers of steps up to which an exact engine can afford a proof.
    fn proof_limits(&self, _: &Problem) -> ProofLimits {
        ProofLimits::default()
    }

    /// A schedule of as many steps as it takes, quickly; `None` from an engine that may fail.
    /// Only the interrupt of the budget may cut it short, and then the answer is `None`.
    fn construct(&self, _: &Context, _: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        None
    }

    /// Is there a schedule of at most `steps` steps? The same arguments give the same answer.
    fn attempt(&self, context: &Context, steps: u32, budget: &mut Budget, rng: &mut Rng)
    -> Attempt;

    /// Executes a part of an attempt that the same engine leads on rank 0 ([`Helpers::request`]).
    fn execute_part(&self, _: &Context, _request: &[u8], _: &Cluster, _: &Budget) {}
}
