//! Lower bounds on the number of steps, one file per argument. Every bound carries a certificate
//! from which the judge derives it anew.

mod ball;
mod congestion;
mod cut;
mod cut_growth;
mod cut_queue;
mod distance;
mod eccentricity;
mod growth;
mod halves;
mod hops;
mod independent_set;
mod joint_growth;
mod nested_growth;
mod port_congestion;
mod port_distance;
mod receive;
mod relay;
mod send;
mod send_growth;
mod words;

use pavane_model::{Bound, Certificate, Problem};
use pavane_verify::{BoundError, check_bound};

/// What came of trying one kind of argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// A bound: the best one of its kind that was found.
    Proved(Bound),
    /// A bound, and how dear every channel is where many want it, 1 on average: of use to searches.
    Priced(Bound, Vec<f64>),
    /// The argument says nothing about problems like this one.
    NotApplicable,
    /// The argument was left out.
    Skipped {
        /// Which one: the name of its certificate.
        reason: &'static str,
        /// What made it too large, with the numbers.
        why: String,
    },
}

impl Finding {
    /// A bound of `steps` steps with its argument in words.
    fn proved(steps: u64, certificate: Certificate, explanation: String) -> Self {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let reason = certificate.reason().to_owned();
        Self::Proved(Bound { steps, reason, explanation, certificate: Some(certificate) })
    }
}

/// A kind of argument, tried on a problem that runs forwards (see [`Problem::forward`]).
pub type Argument = fn(&Problem) -> Finding;

/// The arguments by name, the simplest first: of equal bounds the first one counts.
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
    ("cut-growth", cut_growth::bound),
    ("cut-queue", cut_queue::bound),
    ("joint-growth", joint_growth::bound),
    ("nested-growth", nested_growth::bound),
    ("independent-set", independent_set::bound),
    ("relay", relay::bound),
    ("congestion", congestion::bound),
    ("port-congestion", port_congestion::bound),
];

/// An argument that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which one: the name of its certificate.
    pub reason: &'static str,
    /// What made it too large, with the numbers.
    pub why: String,
}

/// So many arguments, the first of [`BOUNDS`], are tried before anything is searched for: they take
/// next to no time, and often a first schedule already meets them.
const SIMPLE: usize = 6;

/// All that is known about how many steps a problem needs at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// The largest bound; of equal ones the one with the simplest argument.
    pub best: Bound,
    /// The best bound of every kind, in the order of [`BOUNDS`].
    pub bounds: Vec<Bound>,
    /// The arguments that were left out.
    pub skipped: Vec<Skipped>,
    /// How dear every channel is, 1 on average, where an argument asked for that.
    pub prices: Option<Vec<f64>>,
    /// How many arguments were tried.
    tried: usize,
}

/// A bound that the judge refused: a bug of ours.
#[derive(Debug, thiserror::Error)]
#[error("the {reason} bound did not pass the judge: {error}")]
pub struct RefusedBound {
    reason: String,
    error: BoundError,
}

/// Tries every argument on a problem, read forwards, and has the judge pass each bound.
///
/// ```
/// use pavane_engine::bounds;
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, Problem, topology};
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
    all_while(problem, &|_| true)
}

/// The same, for as long as `go_on` says so, which is told how many arguments were tried.
pub fn all_while(problem: &Problem, go_on: &dyn Fn(usize) -> bool) -> Result<Bounds, RefusedBound> {
    let mut bounds = simple(problem)?;
    bounds.complete(problem, go_on)?;
    Ok(bounds)
}

/// Tries the simple arguments only; [`Bounds::complete`] tries the others.
pub fn simple(problem: &Problem) -> Result<Bounds, RefusedBound> {
    // Replaced by the receive bound at least, because somebody wants a message.
    let none =
        Bound { steps: 0, reason: String::new(), explanation: String::new(), certificate: None };
    let mut bounds =
        Bounds { best: none, bounds: Vec::new(), skipped: Vec::new(), prices: None, tried: 0 };
    bounds.try_to(SIMPLE, problem, &|_| true)?;
    Ok(bounds)
}

impl Bounds {
    /// Tries the arguments that have not been tried, for as long as `go_on` says so, which is told how
    /// many were.
    pub fn complete(
        &mut self,
        problem: &Problem,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Result<(), RefusedBound> {
        self.try_to(BOUNDS.len(), problem, go_on)
    }

    fn try_to(
        &mut self,
        end: usize,
        problem: &Problem,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Result<(), RefusedBound> {
        let forward = problem.is_backward().then(|| problem.forward());
        let forward = forward.as_ref().unwrap_or(problem);
        for (at, (reason, argument)) in BOUNDS.iter().enumerate().take(end).skip(self.tried) {
            if !go_on(at) {
                let why = "the search was ended before".to_owned();
                self.skipped.push(Skipped { reason, why });
                continue;
            }
            let mut bound = match argument(forward) {
                Finding::Proved(bound) => bound,
                Finding::Priced(bound, found) => {
                    self.prices = Some(found);
                    bound
                }
                Finding::NotApplicable => continue,
                Finding::Skipped { reason, why } => {
                    self.skipped.push(Skipped { reason, why });
                    continue;
                }
            };
            if problem.is_backward() {
                bound.explanation = format!("read backwards in time, {}", bound.explanation);
            }
            match check_bound(problem, &bound) {
                Ok(_) => {}
                // A bound whose certificate is too large for the judge is of no use in a file.
                Err(error) if error.over_limit().is_some() => {
                    self.skipped.push(Skipped { reason, why: error.to_string() });
                    continue;
                }
                Err(error) => return Err(RefusedBound { reason: bound.reason, error }),
            }
            if bound.steps > self.best.steps {
                self.best = bound.clone();
            }
            self.bounds.push(bound);
        }
        self.tried = end;
        Ok(())
    }
}
