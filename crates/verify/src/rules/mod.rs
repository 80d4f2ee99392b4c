//! The rules, one file each. They check a forward problem and report in terms of the original one.

mod channels;
mod delivery;
mod nearness;
mod paths;
mod ports;
mod possession;
mod rounds;
mod routing;
mod switching;

use crate::case::{Case, Report};
use crate::group::Groups;
use pavane_model::{MessageId, Transfer};

/// Applies every rule; `None` if interrupted before all have been applied.
pub(crate) fn check(case: &Case<'_>, report: &mut Report) -> Option<()> {
    let go_on = || (!case.must_stop(0)).then_some(());
    go_on()?;
    let broken_paths = paths::check(case, report);
    go_on()?;
    channels::check(case, report);
    go_on()?;
    ports::check(case, report);
    switching::check(case, report);
    go_on()?;
    let by_message = transfers_by_message(case);
    check_messages(case, &by_message, report);
    rounds::check(case, &by_message, report);
    go_on()?;
    routing::check(case, &by_message, &broken_paths, report);
    (!case.is_cut_short.get()).then_some(())
}

/// A transfer of the current message, with its number.
struct Carried<'a> {
    number: usize,
    transfer: Transfer<'a>,
}

/// Applies the rules that look at one message at a time.
fn check_messages(case: &Case<'_>, by_message: &Groups, report: &mut Report) {
    let mut possession = possession::Possession::new(case);
    let mut delivery = delivery::Delivery::new(case);
    let mut carried = Vec::new();
    for (message, numbers) in by_message.iter() {
        if case.must_stop(message) {
            return;
        }
        let message = MessageId(message as u32);
        carried.clear();
        carried.extend(numbers.iter().map(|&number| {
            let number = number as usize;
            Carried { number, transfer: case.schedule.transfer(number) }
        }));
        possession.check(message, &carried, report);
        delivery.check(message, &carried, report);
    }
}

/// The transfers of every message in order of time. Transfers of messages or processors that do not
/// exist were already reported, and are left out.
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
