//! V7: a schedule that claims to be k-synchronous has as many steps as rounds, and `from` holds the
//! message at the start of the synchronous step, not only of the round: it is the origin, or received
//! the message in an earlier synchronous step.

use crate::case::{Case, Report};
use crate::group::Groups;
use crate::violation::{Direction, Violation};
use pavane_model::MessageId;

/// Reports rounds that do not add up, and transfers of messages that came in the same synchronous step.
pub(super) fn check(case: &Case<'_>, by_message: &Groups, report: &mut Report) {
    let counts = case.schedule.rounds();
    if counts.is_empty() {
        return;
    }
    let steps = case.schedule.step_count();
    let rounds: u64 = counts.iter().copied().map(u64::from).sum();
    if rounds != u64::from(steps) {
        report.add(Violation::OtherRounds { rounds, steps });
        return;
    }
    let group_of_step: Vec<u32> = (0..)
        .zip(counts)
        .flat_map(|(group, &count)| std::iter::repeat_n(group, count as usize))
        .collect();
    let group_of = |number: u32| group_of_step[case.step_of(number as usize) as usize];
    let mut received: Vec<Option<u32>> = vec![None; case.network().processor_count()];
    for (message, numbers) in by_message.iter() {
        if case.must_stop(message) {
            return;
        }
        let origin = case.problem.messages().origin(MessageId(message as u32));
        for &number in numbers {
            let to = case.schedule.transfer(number as usize).to;
            let group = group_of(number);
            let first = received[to.index()].get_or_insert(group);
            *first = group.min(*first);
        }
        for &number in numbers {
            let (from, group) = (case.schedule.transfer(number as usize).from, group_of(number));
            // V3 reports a message that comes later, or never.
            if from != origin && received[from.index()] == Some(group) {
                let backwards = counts.len() as u32 - 1 - group;
                report.add(Violation::NotSynchronous {
                    at: case.transfer_name(number as usize),
                    group: if case.is_backward() { backwards } else { group },
                    direction: Direction::of(case.original),
                });
            }
        }
        for &number in numbers {
            received[case.schedule.transfer(number as usize).to.index()] = None;
        }
    }
}
