//! V3: `from` holds the message before the step: it is the origin, or received it in an earlier
//! step. Under wormhole a message for one destination goes from origin to destination in one
//! transfer. Under store-and-forward its hops need no rule of their own here: whoever receives it
//! either wants it or passes it on (V6), so its transfers form one chain.

use crate::case::{Case, Report};
use crate::group::Groups;
use crate::violation::{Direction, Violation};
use pavane_model::{MessageId, Switching};

const NEVER: u32 = u32::MAX;

/// Reports every transfer whose sender does not hold the message, and every private message that
/// stops on its way.
pub(super) fn check(case: &Case<'_>, by_message: &Groups, report: &mut Report) {
    let is_wormhole = case.problem.model().switching == Switching::Wormhole;
    let mut received = vec![NEVER; case.network().processor_count()];
    for (message, transfers) in by_message.iter() {
        let message = MessageId(message as u32);
        check_holders(case, message, transfers, &mut received, report);
        if is_wormhole && case.problem.messages().is_private(message) {
            check_straight(case, message, transfers, report);
        }
    }
}

/// `received` is the step in which each processor first gets the message: `NEVER` for all at the
/// start, and again at the end.
fn check_holders(
    case: &Case<'_>,
    message: MessageId,
    transfers: &[u32],
    received: &mut [u32],
    report: &mut Report,
) {
    let origin = case.problem.messages().origin(message);
    for &number in transfers {
        let to = case.schedule.transfer(number as usize).to.index();
        received[to] = received[to].min(case.step_of(number as usize));
    }
    for &number in transfers {
        let from = case.schedule.transfer(number as usize).from;
        let held_from = received[from.index()];
        let step = case.step_of(number as usize);
        if from != origin && (held_from == NEVER || held_from >= step) {
            report.add(Violation::NotHeld {
                at: case.transfer_name(number as usize),
                received: (held_from != NEVER).then(|| case.step_name(held_from)),
                direction: Direction::of(case.original),
            });
        }
    }
    for &number in transfers {
        received[case.schedule.transfer(number as usize).to.index()] = NEVER;
    }
}

fn check_straight(case: &Case<'_>, message: MessageId, transfers: &[u32], report: &mut Report) {
    let origin = case.problem.messages().origin(message);
    let destination = case.problem.messages().destinations(message)[0];
    for &number in transfers {
        let transfer = case.schedule.transfer(number as usize);
        if (transfer.from, transfer.to) != (origin, destination) {
            let at = case.transfer_name(number as usize);
            let (from, to) = match case.is_backward() {
                true => (destination, origin),
                false => (origin, destination),
            };
            report.add(Violation::NotStraight { at, from, to });
        }
    }
}
