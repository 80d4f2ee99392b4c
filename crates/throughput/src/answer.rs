//! The limit and a plan of a whole collective. An all-reduce has two phases, a reduce-scatter and an
//! all-gather, which share the channels at the same time.

use crate::attained::Attained;
use crate::exchange::ExchangeOptions;
use crate::personalised;
pub use crate::personalised::is_personalised;
use crate::phases::{proof_with_switches, share};
use crate::reached::{Reached, ThroughputError, reach};
use crate::reason::simple_reason;
pub use crate::reason::{Priced, Reason, WeightedCuts};
use pavane_model::throughput::{ThroughputLimit, ThroughputPlan};
use pavane_model::{Fraction, Problem};

/// The limit of a collective with its reason, and a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The phases of broadcasts and reductions; empty for personalised messages and plans from files.
    pub phases: Vec<Reached>,
    /// Nanoseconds per byte of a message that no plan can undercut.
    pub limit: Fraction,
    /// Why; `None` if no message needs a channel.
    pub reason: Option<Reason>,
    /// Nanoseconds per byte of a message that the plan takes: the largest ratio of load to bandwidth.
    pub time: Fraction,
    /// The plan, with the limit and its certificate, for the judge and for files.
    pub plan: ThroughputPlan,
    /// Whether the search for a plan was stopped.
    pub is_stopped: bool,
}

/// What the user asks for, and what helps or ends the search.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The most trees per root, if that is limited.
    pub trees: Option<u32>,
    /// The relative size of each personalised message, by its number; all have size 1 if it is empty.
    pub sizes: &'a [u64],
    /// Generators of automorphisms of the network: entry `r` is the image of router `r`. They make
    /// the search for paths quicker; those that do not fit are ignored.
    pub generators: &'a [Vec<u32>],
    /// Polled during the search; once it returns true, the search ends with a simple plan.
    pub stop: &'a dyn Fn() -> bool,
}

impl Answer {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit
    }

    /// Whether the plan has paths instead of trees.
    pub fn has_paths(&self) -> bool {
        matches!(&self.plan.phases[..], [only] if is_personalised(&only.problem))
    }

    /// By how many per cent the plan exceeds the limit.
    pub fn excess_percent(&self) -> f64 {
        let Self { limit, time, .. } = self;
        let more = time.checked_sub(*limit).and_then(|more| more.checked_div(*limit));
        match (self.is_optimal(), more) {
            (true, _) => 0.0,
            (false, Some(more)) => more.to_f64() * 100.0,
            (false, None) => (time.to_f64() / limit.to_f64() - 1.0) * 100.0,
        }
    }
}

/// Computes the limit of a collective and searches for a plan.
pub fn answer(
    name: &str,
    problems: &[Problem],
    request: &Request<'_>,
) -> Result<Answer, ThroughputError> {
    let &Request { trees, sizes, generators, stop } = request;
    // With switches that get less than they could send, a single phase may need weighted cuts. They come
    // before the plan, so that they are found even if the search for a plan is stopped.
    let mut early = None;
    if let [problem] = problems {
        if is_personalised(problem) {
            return personalised::answer(problem, sizes, &ExchangeOptions { generators, stop });
        }
        early = proof_with_switches(problem, stop);
    }
    let goal = early.as_ref().filter(|_| trees.is_none()).map(|proof| proof.0);
    let mut best = match goal.and_then(|goal| plan_beyond_cuts(problems, goal, stop)) {
        Some(best) => best,
        None => {
            let reached = |problem| reach(problem, trees, stop);
            Attained::new(problems, problems.iter().map(reached).collect::<Result<_, _>>()?)?
        }
    };
    let (mut limit, mut reason) = match &best.phases[..] {
        [only] => (only.limit, only.bottleneck.clone().map(Reason::Cut)),
        phases => simple_reason(problems, phases)?,
    };
    if let Some((higher, why)) = early.filter(|proof| proof.0 > limit) {
        (limit, reason) = (higher, Some(why));
    }
    if best.time > limit
        && let Some(shared) = share(problems, &best, trees, stop)
    {
        if let Some((higher, why)) = shared.proof.filter(|proof| proof.0 > limit) {
            (limit, reason) = (higher, Some(why));
        }
        if let Some(faster) = shared.plan {
            best = faster;
        }
    }
    let certificate = reason.as_ref().map(|reason| ThroughputLimit {
        ns_per_byte: limit,
        certificate: reason.certificate(problems),
    });
    let Attained { phases, routes, scale, time } = best;
    let plan = ThroughputPlan {
        name: name.to_owned(),
        phases: routes,
        scale,
        ns_per_byte: Some(time),
        limit: certificate,
    };
    let is_stopped = phases.iter().any(|phase| phase.is_stopped);
    Ok(Answer { phases, limit, reason, time, plan, is_stopped })
}

/// A plan that takes the time `goal`, if no cut proves it: then the search for a plan that attains the
/// cuts is useless. `None` if there is such a cut or no such plan is found.
fn plan_beyond_cuts(
    problems: &[Problem],
    goal: Fraction,
    stop: &dyn Fn() -> bool,
) -> Option<Attained> {
    let simple = problems.iter().map(|problem| reach(problem, None, &|| true));
    let simple: Vec<Reached> = simple.collect::<Result<_, _>>().ok()?;
    if simple.iter().any(|phase| phase.limit >= goal) {
        return None;
    }
    let simple = Attained::new(problems, simple).ok()?;
    share(problems, &simple, None, stop)?.plan.filter(|plan| plan.time == goal)
}

/// The limit of one phase without a plan, in nanoseconds per byte of a message. If `stop` ends the
/// computation for personalised messages, the limit may be smaller than the true one, but no plan can
/// undercut it.
pub fn limit(problem: &Problem, stop: &dyn Fn() -> bool) -> Result<Fraction, ThroughputError> {
    if is_personalised(problem) {
        personalised::limit(problem, stop)
    } else {
        let limit = crate::reached::limit(problem)?;
        let higher = proof_with_switches(problem, stop).map(|(limit, _)| limit);
        Ok(higher.map_or(limit, |higher| higher.max(limit)))
    }
}
