//! What every engine answers: is there a schedule of at most so many steps?

use crate::budget::{Budget, Interrupt};
use crate::chromosome::{PathTable, PathTables};
use crate::evolution::Archipelago;
use crate::parameters::{Parameter, Parameters};
use crate::rng::Rng;
use crate::scatter::PrivateFacts;
use crate::symmetry::{
    FreeGroup, Freedom, find_abelian_group, find_even_group, problem_symmetries,
};
use pavane_model::{Problem, Schedule};
use pavane_networks::symmetry::Symmetries;
use std::sync::{Arc, Mutex, OnceLock};

/// Something that several engines want to know of a problem, kept once it is worked out.
#[derive(Debug)]
pub(crate) struct Known<T>(OnceLock<T>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> From<T> for Known<T> {
    fn from(value: T) -> Self {
        Self(OnceLock::from(value))
    }
}

impl<T> Known<T> {
    /// What is known, or what `find` finds; if it was interrupted, which it says by `None`, nothing is
    /// kept. Threads that ask at the same time do not wait for each other, because a thread that
    /// waits may be the one that has to help with the work.
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
}

/// A problem with what several engines want to know of it, worked out once.
#[derive(Debug)]
pub struct Context {
    problem: Problem,
    private: PrivateFacts,
    paths: PathTables,
    parameters: Parameters,
    symmetries: Known<Option<Symmetries>>,
    free_group: Known<Option<FreeGroup>>,
    abelian_group: Known<Option<FreeGroup>>,
    best: Mutex<Option<Arc<Schedule>>>,
    start: Option<Arc<Schedule>>,
    archipelago: Option<Archipelago>,
}

impl Context {
    /// For a problem that runs forwards (see [`Problem::forward`]).
    pub fn new(problem: Problem) -> Self {
        debug_assert!(!problem.is_backward(), "engines see forward problems only");
        Self {
            problem,
            private: PrivateFacts::default(),
            paths: PathTables::default(),
            parameters: Parameters::default(),
            symmetries: Known::default(),
            free_group: Known::default(),
            abelian_group: Known::default(),
            best: Mutex::default(),
            start: None,
            archipelago: None,
        }
    }

    /// Notes how dear each channel is, if that is known, before any engine asks for it.
    pub fn set_prices(&mut self, prices: Option<&[f64]>) {
        if let Some(prices) = prices {
            self.private.set_prices(prices.to_vec());
        }
    }

    /// The same, for an engine with these parameters.
    pub fn with_parameters(mut self, parameters: Parameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// The same, where there is a schedule with gaps to begin from.
    pub fn with_start(mut self, start: Option<Arc<Schedule>>) -> Self {
        self.start = start;
        self
    }

    /// The same, where islands may live on other ranks, which wait for them ([`crate::evolution::serve`]).
    pub fn with_archipelago(mut self, archipelago: Archipelago) -> Self {
        self.archipelago = Some(archipelago);
        self
    }

    /// Where islands may live besides here.
    pub fn archipelago(&self) -> Option<&Archipelago> {
        self.archipelago.as_ref()
    }

    /// A schedule with gaps to begin from, as faults leave it.
    pub fn start(&self) -> Option<&Schedule> {
        self.start.as_deref()
    }

    /// The values of the parameters of the engine that was chosen.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The best schedule so far, for engines that shorten it; only the driver sets it, and only
    /// between rounds.
    pub fn best(&self) -> Option<Arc<Schedule>> {
        self.best.lock().expect("no thread panics while it holds this").clone()
    }

    /// Makes a schedule, already judged, the best so far.
    pub fn set_best(&self, schedule: Schedule) {
        let mut best = self.best.lock().expect("no thread panics while it holds this");
        *best = Some(Arc::new(schedule));
    }

    /// The paths that chromosomes choose from, at most `detour` channels longer than the shortest.
    pub fn paths(&self, detour: u32) -> &PathTable {
        self.paths_until(detour, &Interrupt::never()).expect("it is never interrupted")
    }

    /// The same; `None` at an interrupt.
    pub fn paths_until(&self, detour: u32, interrupt: &Interrupt) -> Option<&PathTable> {
        self.paths.get(&self.problem, detour, interrupt)
    }

    /// What engines for private messages want to know.
    pub(crate) fn private(&self) -> &PrivateFacts {
        &self.private
    }

    /// The automorphisms of the network that keep how much every router's processors send and
    /// receive; `None` if there are none but the identity, if they are not found in a second, or at
    /// an interrupt.
    pub fn symmetries(&self, interrupt: &Interrupt) -> Option<&Symmetries> {
        let find = || problem_symmetries(&self.problem, interrupt);
        self.symmetries.get_until(interrupt, find)?.as_ref()
    }

    /// A large group of them that moves every processor, always the same one; `None` if there is
    /// none, or at an interrupt. [`crate::symmetry::find_free_group`] finds others.
    pub fn free_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem.network(), &mut Rng::seeded(0));
            let symmetries = self.symmetries(interrupt)?;
            let group = find_even_group(network, symmetries, Freedom::Processors, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.free_group.get_until(interrupt, find)?.as_ref()
    }

    /// The same for groups whose members commute.
    pub fn abelian_group(&self, interrupt: &Interrupt) -> Option<&FreeGroup> {
        let find = || {
            let (network, rng) = (self.problem.network(), &mut Rng::seeded(0));
            let group = find_abelian_group(network, self.symmetries(interrupt)?, interrupt, rng);
            (group.order() > 1).then_some(group)
        };
        self.abelian_group.get_until(interrupt, find)?.as_ref()
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

/// A refutation of "there is a schedule of at most so many steps", not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The steps that are too few.
    pub steps: u32,
    /// The derivation of a contradiction from the formula of the problem, in LRAT.
    pub lrat: Vec<u8>,
}

/// A way to find schedules.
pub trait Engine: Sync {
    /// The name that `--engine` takes.
    fn name(&self) -> &'static str;

    /// What it is for, in a line.
    fn purpose(&self) -> &'static str {
        ""
    }

    /// What its user may set.
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    /// Whether it is made for problems like this one.
    fn takes(&self, problem: &Problem) -> bool;

    /// Whether it has anything to offer for this problem, which may take a moment to find out; no at
    /// an interrupt.
    fn helps(&self, _: &Context, _: &Interrupt) -> bool {
        true
    }

    /// Whether the problem is so large that other engines have nothing to add; no at an interrupt.
    fn suffices(&self, _: &Context, _: &Interrupt) -> bool {
        false
    }

    /// Whether it reaches the bound at once if at all, so that the bound is worth a first try.
    fn aims_at_bound(&self) -> bool {
        false
    }

    /// Whether the prices of channels, which take a moment, help it to build a schedule of private messages.
    fn wants_prices(&self) -> bool {
        true
    }

    /// Evaluations that one serious try at so many steps costs: the driver's first quota.
    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        16 * problem.messages().delivery_count() as u64 * u64::from(steps)
    }

    /// Whether one try is spread over all ranks, so that the others serve and do not search.
    fn has_islands(&self) -> bool {
        false
    }

    /// Whether it can also prove that there is no schedule; such engines are asked last.
    fn is_exact(&self) -> bool {
        false
    }

    /// A schedule of as many steps as it takes, quickly; `None` from an engine that may fail.
    /// Only the interrupt of the budget may cut it short, and then the answer is `None`.
    fn construct(&self, _: &Context, _: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        None
    }

    /// Is there a schedule of at most `steps` steps? The same arguments give the same answer.
    fn attempt(&self, context: &Context, steps: u32, budget: &mut Budget, rng: &mut Rng)
    -> Attempt;
}
