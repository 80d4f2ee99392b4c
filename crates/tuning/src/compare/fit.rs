//! Whether schedules are of the same collective.

use pavane_model::{Kind, Problem, ProcessorId};
use std::collections::BTreeSet;

/// An origin and the processors that want its message, without itself.
type Demand = (ProcessorId, BTreeSet<ProcessorId>);

/// Whether two problems, or the phases of two all-reduces, demand the same. The sums of an all-reduce may
/// be completed at other processors.
pub fn is_same_collective(found: &[&Problem], wanted: &[Problem]) -> bool {
    let is_same = found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(one, other)| {
            one.collective().kind == other.collective().kind && demands(one) == demands(other)
        });
    is_same || is_same_sum(found, wanted)
}

/// The demands of a problem, read forwards, in order.
fn demands(problem: &Problem) -> Vec<Demand> {
    let messages = problem.messages();
    let demand = |message| {
        let origin = messages.origin(message);
        let others = messages.destinations(message).iter().copied();
        (origin, others.filter(|&to| to != origin).collect())
    };
    let mut demands: Vec<Demand> = messages.ids().map(demand).collect();
    demands.sort_unstable();
    demands
}

/// Whether both are all-reduces among the same processors.
fn is_same_sum(found: &[&Problem], wanted: &[Problem]) -> bool {
    let [reduce, broadcast] = found else { return false };
    let [first, second] = wanted else { return false };
    let roots = |problem: &Problem| -> Vec<ProcessorId> {
        demands(problem).into_iter().map(|(origin, _)| origin).collect()
    };
    let members = [*reduce, *broadcast, first, second].map(members);
    reduce.collective().kind == Kind::Reduce
        && broadcast.collective().kind == Kind::Broadcast
        && roots(reduce) == roots(broadcast)
        && members[0].is_some()
        && members.iter().all(|it| *it == members[0])
}

/// The processors of every message, if they are the same for all messages.
fn members(problem: &Problem) -> Option<BTreeSet<ProcessorId>> {
    let mut all = demands(problem).into_iter().map(|(origin, mut others)| {
        others.insert(origin);
        others
    });
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}
