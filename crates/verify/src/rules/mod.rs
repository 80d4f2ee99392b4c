//! The rules, one file each. They look at a problem that runs forwards and report in the words of
//! the original.

mod channels;
mod delivery;
mod nearness;
mod paths;
mod ports;
mod possession;
mod routing;
mod switching;

use crate::case::{Case, Report};
use crate::group::Groups;

/// Tries every rule.
pub(crate) fn check(case: &Case<'_>, report: &mut Report) {
    let broken_paths = paths::check(case, report);
    channels::check(case, report);
    ports::check(case, report);
    switching::check(case, report);
    let by_message = transfers_by_message(case);
    possession::check(case, &by_message, report);
    delivery::check(case, &by_message, report);
    routing::check(case, &by_message, &broken_paths, report);
}

/// The transfers of every message, in the order of time. Those that name a message or a processor
/// that is not there were reported as such and are left out.
fn transfers_by_message(case: &Case<'_>) -> Groups {
    let messages = case.problem.messages().len();
    Groups::new(messages, case.schedule.transfer_count(), |number| {
        let transfer = case.schedule.transfer(number as usize);
        let is_sound = case.has_message(transfer.message)
            && case.has_processor(transfer.from)
            && case.has_processor(transfer.to);
        is_sound.then(|| transfer.message.index())
    })
}
