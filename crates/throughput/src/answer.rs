//! The limit and a plan of a whole collective. An all-reduce has two phases, a reduce-scatter and an
//! all-gather, which share the channels at the same time.

use crate::attained::Attained;
use crate::phases::share;
use crate::reached::{Reached, ThroughputError, reach};
use crate::reason::simple_reason;
pub use crate::reason::{Reason, WeightedCuts};
use pavane_model::throughput::{ThroughputLimit, ThroughputPlan};
use pavane_model::{Fraction, Problem};

/// The limit of a collective with its reason, and a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The phases.
    pub phases: Vec<Reached>,
    /// Nanoseconds per byte of a message that no plan can undercut.
    pub limit: Fraction,
    /// Why; `None` if no message needs a channel.
    pub reason: Option<Reason>,
    /// Nanoseconds per byte of a message that the plan takes: the largest ratio of load to bandwidth.
    pub time: Fraction,
    /// The plan, with the limit and its certificate, for the judge and for files.
    pub plan: ThroughputPlan,
}

impl Answer {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit
    }
}

/// Computes the limit of a collective and searches for a plan, with at most `trees` trees per root
/// if that is given. `stop` is asked now and then whether to end the search; then the plan is a
/// simple one.
pub fn answer(
    name: &str,
    problems: &[Problem],
    trees: Option<u32>,
    stop: &dyn Fn() -> bool,
) -> Result<Answer, ThroughputError> {
    let reached = |problem| reach(problem, trees, stop);
    let phases: Vec<Reached> = problems.iter().map(reached).collect::<Result<_, _>>()?;
    let mut best = Attained::new(problems, phases)?;
    let (mut limit, mut reason) = match &best.phases[..] {
        [only] => (only.limit, only.bottleneck.clone().map(Reason::Cut)),
        phases => simple_reason(problems, phases)?,
    };
    if problems.len() > 1
        && best.time > limit
        && let Some(shared) = share(problems, &best.phases, trees, stop)
    {
        if let Some((higher, why)) = shared.proof.filter(|proof| proof.0 > limit) {
            (limit, reason) = (higher, Some(why));
        }
        if let Some(faster) = shared.plan.filter(|plan| plan.time < best.time) {
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
    Ok(Answer { phases, limit, reason, time, plan })
}
