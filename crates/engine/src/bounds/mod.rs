//! Lower bounds on the number of steps, one file per argument. Every bound carries a certificate
//! from which the judge derives it anew.

mod ball;
mod congestion;
mod cut;
mod cut_growth;
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
mod send;
mod send_growth;
mod words;

use pavane_model::{Bound, Certificate, Problem};

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
    ("joint-growth", joint_growth::bound),
    ("nested-growth", nested_growth::bound),
    ("independent-set", independent_set::bound),
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
}

/// Tries every argument on a problem, read forwards.
pub fn all(problem: &Problem) -> Bounds {
    let forward;
    let is_backward = problem.is_backward();
    let problem = match is_backward {
        true => {
            forward = problem.forward();
            &forward
        }
        false => problem,
    };
    let mut bounds: Vec<Bound> = Vec::new();
    let mut skipped = Vec::new();
    let mut prices = None;
    for (_, bound) in BOUNDS {
        match bound(problem) {
            Finding::Proved(bound) => bounds.push(bound),
            Finding::Priced(bound, found) => {
                bounds.push(bound);
                prices = Some(found);
            }
            Finding::NotApplicable => {}
            Finding::Skipped { reason, why } => skipped.push(Skipped { reason, why }),
        }
    }
    if is_backward {
        for bound in &mut bounds {
            bound.explanation = format!("read backwards in time, {}", bound.explanation);
        }
    }
    let most = bounds.iter().map(|bound| bound.steps).max();
    let best = bounds.iter().find(|bound| Some(bound.steps) == most).cloned();
    let best = best.expect("somebody wants a message, so the receive bound is there");
    Bounds { best, bounds, skipped, prices }
}
