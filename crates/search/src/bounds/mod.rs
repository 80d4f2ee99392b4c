//! Lower bounds on the number of steps, one file per argument (`ball.rs` has two: `ball` and
//! `send-ball`). Every bound carries a certificate from which the judge derives it independently.

mod ball;
mod branches;
mod congestion;
mod cut;
mod cut_growth;
mod cut_queue;
mod distance;
mod eccentricity;
mod finding;
mod growth;
mod halves;
pub(crate) mod hops;
mod independent_set;
mod joint_growth;
mod late_entry;
mod neighbour_growth;
mod nested_growth;
mod port_congestion;
mod port_distance;
mod queue;
mod receive;
mod refused;
mod relay;
mod send;
mod send_growth;
mod separator;
mod whole;
mod words;

pub use finding::Finding;
pub use refused::RefusedBound;
pub use whole::of_whole;

use crate::budget::Interrupt;
use pavane_model::{Bound, Problem};
use pavane_verify::check_bound;

/// A kind of argument, applied to a problem that runs forward (see [`Problem::forward`]). After an
/// interrupt it soon returns the best bound so far or [`Finding::Skipped`].
pub type Argument = fn(&Problem, &Interrupt) -> Finding;

/// The arguments by name, simplest first: of equal bounds the first is reported.
pub const BOUNDS: &[(&str, Argument)] = &[
    ("growth", growth::bound),
    ("receive", receive::bound),
    ("send", send::bound),
    ("distance", distance::bound),
    ("port-distance", port_distance::bound),
    ("eccentricity", eccentricity::bound),
    ("cut", cut::bound),
    ("ball", ball::bound),
    ("send-ball", ball::send_bound),
    ("send-growth", send_growth::bound),
    ("neighbour-growth", neighbour_growth::bound),
    ("cut-growth", cut_growth::bound),
    ("cut-queue", cut_queue::bound),
    ("joint-growth", joint_growth::bound),
    ("nested-growth", nested_growth::bound),
    ("late-entry", late_entry::bound),
    ("independent-set", independent_set::bound),
    ("branches", branches::bound),
    ("relay", relay::bound),
    ("separator", separator::bound),
    ("congestion", congestion::bound),
    ("port-congestion", port_congestion::bound),
];

/// The argument that runs even after an interrupt in every problem: it is quick and always gives a bound.
const LEAST: &str = "receive";

/// An argument that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The name of its certificate.
    pub reason: &'static str,
    /// Why it was skipped, with the numbers.
    pub why: String,
}

/// The last of the arguments at the start of [`BOUNDS`] that run before any search. They are fast,
/// and the first schedule found often meets one of them.
const LAST_SIMPLE: &str = "eccentricity";

/// Estimated operations up to which the simple arguments run even after a deadline or an interrupt: a few
/// milliseconds.
const QUICK: u64 = 2_000_000;

/// The last of the arguments that run before the first construction. They need no distances.
const LAST_IMMEDIATE: &str = "send";

/// All lower bounds of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// The largest bound; of equal bounds the one with the simplest argument.
    pub best: Bound,
    /// The best bound of every kind, in the order of [`BOUNDS`].
    pub bounds: Vec<Bound>,
    /// The arguments that were skipped.
    pub skipped: Vec<Skipped>,
    /// Prices of the channels, 1 on average, if an argument computed them.
    pub prices: Option<Vec<f64>>,
    /// For each argument of [`BOUNDS`], whether it ran to completion.
    done: [bool; BOUNDS.len()],
}

/// Tries every argument on the forward problem. The judge checks each bound.
///
/// ```
/// use pavane_search::bounds;
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, Problem};
/// use pavane_networks::topology;
///
/// let network = topology::build("ring:6")?;
/// let phases = collective::build("all-to-all", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let bounds = bounds::all(&problem)?;
/// assert_eq!(bounds.best.steps, 5);
/// assert!(bounds.best.certificate.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(problem: &Problem) -> Result<Bounds, RefusedBound> {
    all_until(problem, &Interrupt::never(), &|_| {})
}

/// Like [`all`], but skips the remaining arguments after an interrupt. The progress callback `tell`
/// is called before each argument with the number of arguments before it.
pub fn all_until(
    problem: &Problem,
    interrupt: &Interrupt,
    tell: &dyn Fn(usize),
) -> Result<Bounds, RefusedBound> {
    let mut bounds = none();
    bounds.try_to(BOUNDS.len(), problem, interrupt, tell)?;
    Ok(bounds)
}

/// Tries only the simple arguments; [`Bounds::complete`] tries the others.
pub fn simple(problem: &Problem, interrupt: &Interrupt) -> Result<Bounds, RefusedBound> {
    let mut bounds = none();
    bounds.complete_simple(problem, interrupt)?;
    Ok(bounds)
}

/// Whether a simple argument shows that at least `steps` steps are needed. Stops at the first one that
/// does.
pub fn simple_reach(
    problem: &Problem,
    steps: u32,
    interrupt: &Interrupt,
) -> Result<bool, RefusedBound> {
    let mut bounds = none();
    for end in 1..=end_of(LAST_SIMPLE) {
        bounds.try_to(end, problem, interrupt, &|_| {})?;
        if bounds.best.steps >= steps {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tries only the arguments that need no distances; [`Bounds::complete_simple`] tries the other
/// simple ones.
pub(crate) fn immediate(problem: &Problem, interrupt: &Interrupt) -> Result<Bounds, RefusedBound> {
    let mut bounds = none();
    bounds.try_to(end_of(LAST_IMMEDIATE), problem, interrupt, &|_| {})?;
    Ok(bounds)
}

/// The place after an argument in [`BOUNDS`].
fn end_of(name: &str) -> usize {
    place(name).map_or(BOUNDS.len(), |at| at + 1)
}

fn none() -> Bounds {
    // The receive bound always replaces this value, because every message has a destination.
    let none =
        Bound { steps: 0, reason: String::new(), explanation: String::new(), certificate: None };
    let (bounds, skipped) = (Vec::new(), Vec::new());
    Bounds { best: none, bounds, skipped, prices: None, done: [false; BOUNDS.len()] }
}

impl Bounds {
    /// Tries the remaining simple arguments.
    pub(crate) fn complete_simple(
        &mut self,
        problem: &Problem,
        interrupt: &Interrupt,
    ) -> Result<(), RefusedBound> {
        self.try_to(end_of(LAST_SIMPLE), problem, interrupt, &|_| {})
    }

    /// Tries the remaining arguments until an interrupt. A later call continues from there.
    pub fn complete(
        &mut self,
        problem: &Problem,
        interrupt: &Interrupt,
    ) -> Result<(), RefusedBound> {
        self.try_to(BOUNDS.len(), problem, interrupt, &|_| {})
    }

    fn try_to(
        &mut self,
        end: usize,
        problem: &Problem,
        interrupt: &Interrupt,
        tell: &dyn Fn(usize),
    ) -> Result<(), RefusedBound> {
        self.drop_skipped_by_interrupt();
        let forward = problem.is_backward().then(|| problem.forward());
        let forward = forward.as_ref().unwrap_or(problem);
        let (never, is_quick) = (Interrupt::never(), simple_cost(problem) <= QUICK);
        for (at, (reason, argument)) in BOUNDS.iter().enumerate().take(end) {
            if self.done[at] {
                continue;
            }
            tell(at);
            let is_kept = *reason == LEAST || (is_quick && at < end_of(LAST_SIMPLE));
            let interrupt = if is_kept { &never } else { interrupt };
            if interrupt.is_raised() {
                let why = "out of time before it was tried".to_owned();
                self.skipped.push(Skipped { reason, why });
                continue;
            }
            let finding = argument(forward, interrupt);
            self.done[at] = !interrupt.is_raised();
            self.note(finding, problem)?;
        }
        Ok(())
    }

    /// Removes arguments skipped by an interrupt from the list, so that they are tried again.
    fn drop_skipped_by_interrupt(&mut self) {
        let done = &self.done;
        self.skipped.retain(|skipped| place(skipped.reason).is_some_and(|at| done[at]));
    }

    /// Records a finding after the judge accepts it.
    fn note(&mut self, finding: Finding, problem: &Problem) -> Result<(), RefusedBound> {
        let mut bound = match finding {
            Finding::Proved(bound) => bound,
            Finding::Priced(bound, prices) => {
                self.prices = Some(prices);
                bound
            }
            Finding::NotApplicable => return Ok(()),
            Finding::Skipped { reason, why } => {
                self.skipped.push(Skipped { reason, why });
                return Ok(());
            }
        };
        if problem.is_backward() {
            bound.explanation = format!("in the time-reversed problem, {}", bound.explanation);
        }
        match check_bound(problem, &bound) {
            Ok(_) => {}
            // The judge could not check this bound in a file either.
            Err(error) if error.over_limit().is_some() => {
                let reason = place(&bound.reason).map_or("", |at| BOUNDS[at].0);
                self.skipped.push(Skipped { reason, why: error.to_string() });
                return Ok(());
            }
            Err(error) => return Err(RefusedBound { reason: bound.reason, error }),
        }
        // Two arguments may have the same kind of certificate, and one that was interrupted before may
        // give a better bound now.
        let is_same = |other: &Bound| other.reason == bound.reason;
        if self.bounds.iter().any(|other| is_same(other) && other.steps > bound.steps) {
            return Ok(());
        }
        self.bounds.retain(|other| !is_same(other));
        let at = self.bounds.partition_point(|other| place(&other.reason) < place(&bound.reason));
        self.bounds.insert(at, bound);
        let most = self.bounds.iter().map(|bound| bound.steps).max();
        let best = self.bounds.iter().find(|bound| Some(bound.steps) == most);
        self.best = best.unwrap_or(&self.best).clone();
        Ok(())
    }

    /// Whether every argument ran to completion, without an interrupt.
    pub fn is_complete(&self) -> bool {
        self.done.iter().all(|&done| done)
    }
}

/// Estimated operations of a simple argument: a search from every processor, and every delivery.
fn simple_cost(problem: &Problem) -> u64 {
    let network = problem.network();
    let search = (network.router_count() + network.channel_count()) as u64;
    let searches = (network.processor_count() as u64).saturating_mul(search);
    searches.saturating_add(problem.messages().delivery_count() as u64)
}

/// The place of an argument in [`BOUNDS`].
fn place(reason: &str) -> Option<usize> {
    BOUNDS.iter().position(|(other, _)| *other == reason)
}
