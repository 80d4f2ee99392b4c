//! The phases of an all-reduce on a network: the limit of all their plans, and a plan in which they
//! divide the channels as well as possible.

use crate::attained::Attained;
use crate::division::{Relays, divide, has_relays, pack_all};
use crate::forward::Forward;
use crate::graph::Ratio;
use crate::reached::Reached;
use crate::reason::{Reason, division_reason};
use crate::trees::Broadcasts;
use pavane_model::{Fraction, Problem};

/// What is known about phases that divide the channels.
pub(crate) struct Shared {
    /// A limit and why it holds.
    pub proof: Option<(Fraction, Reason)>,
    /// The best plan found, if it is faster than the simple one.
    pub plan: Option<Attained>,
}

/// Divides the channels between phases, with at most `trees` trees per root if that is given. `simple` is
/// a plan that need not be found again. None if the linear program is too large.
pub(crate) fn share(
    problems: &[Problem],
    simple: &Attained,
    trees: Option<u32>,
    stop: &dyn Fn() -> bool,
) -> Option<Shared> {
    let forwards: Vec<Forward> =
        problems.iter().map(Forward::new).collect::<Result<_, _>>().ok()?;
    let phases: Vec<Broadcasts> = forwards.iter().map(Forward::broadcasts).collect();
    let mut shared = Shared { proof: None, plan: None };
    let all = [Relays::Free, Relays::Receive, Relays::Forward];
    let demands = if phases.iter().any(has_relays) { &all[..] } else { &all[..1] };
    for &demand in demands {
        let division = divide(&phases, demand, stop)?;
        if demand == Relays::Free {
            shared.proof = division_reason(problems, &division).ok().flatten();
        }
        let fastest = shared.plan.as_ref().unwrap_or(simple).time;
        if shared.proof.as_ref().is_some_and(|&(limit, _)| limit == fastest) {
            break;
        }
        let loads = division.loads;
        let plan = loads.and_then(|loads| pack(problems, &forwards, simple, &loads, stop));
        let faster = plan.filter(|plan| plan.time < fastest && has_few_trees(plan, trees));
        shared.plan = faster.or(shared.plan);
    }
    Some(shared)
}

/// A limit from the linear program if cuts alone may prove too little: a switch that does not copy can
/// send more than it gets.
pub(crate) fn proof_with_switches(
    problem: &Problem,
    stop: &dyn Fn() -> bool,
) -> Option<(Fraction, Reason)> {
    let forward = Forward::new(problem).ok()?;
    if !forward.has_greedy_switch() {
        return None;
    }
    let division = divide(&[forward.broadcasts()], Relays::Free, stop)?;
    division_reason(std::slice::from_ref(problem), &division).ok().flatten()
}

/// Packs trees into the loads of all phases.
fn pack(
    problems: &[Problem],
    forwards: &[Forward],
    simple: &Attained,
    loads: &[Vec<Ratio>],
    stop: &dyn Fn() -> bool,
) -> Option<Attained> {
    let phases: Vec<Broadcasts> = forwards.iter().map(Forward::broadcasts).collect();
    let plans = pack_all(&phases, loads, stop)?;
    let reached =
        plans.into_iter().zip(forwards).zip(&simple.phases).map(|((plan, forward), old)| {
            let time = forward.scaled.ns_per_byte(plan.time)?;
            Some(Reached { time, plan, is_stopped: false, ..old.clone() })
        });
    Attained::new(problems, reached.collect::<Option<_>>()?).ok()
}

fn has_few_trees(plan: &Attained, most: Option<u32>) -> bool {
    let exceeds = |most| plan.phases.iter().any(|it| it.plan.trees_per_sender() > most as usize);
    !most.is_some_and(exceeds)
}
