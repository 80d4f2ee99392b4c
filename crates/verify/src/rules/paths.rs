//! Paths: everything that a transfer names exists, and its path is a chain of channels from the
//! home of `from` to the home of `to` that visits no router twice.

use crate::case::{Case, Report};
use crate::violation::Violation;
use fixedbitset::FixedBitSet;
use pavane_model::{RouterId, Transfer};

/// Reports every malformed transfer. Returns the transfers without a proper path.
pub(super) fn check(case: &Case<'_>, report: &mut Report) -> FixedBitSet {
    let mut broken = FixedBitSet::with_capacity(case.schedule.transfer_count());
    // For each router, the number of the last transfer that visited it, plus one.
    let mut last_visit = vec![0u32; case.network().router_count()];
    for number in 0..case.schedule.transfer_count() {
        if case.must_stop(number) {
            break;
        }
        let transfer = case.schedule.transfer(number);
        let is_proper = check_names(case, number, &transfer, report)
            && check_chain(case, number, &transfer, report)
            && check_visits(case, number, &transfer, &mut last_visit, report);
        broken.set(number, !is_proper);
    }
    broken
}

/// Whether message, processors and channels exist.
fn check_names(
    case: &Case<'_>,
    number: usize,
    transfer: &Transfer<'_>,
    report: &mut Report,
) -> bool {
    let at = || case.transfer_name(number);
    let mut is_sound = true;
    let mut add = |violation| {
        report.add(violation);
        is_sound = false;
    };
    if !case.has_message(transfer.message) {
        add(Violation::NoSuchMessage { at: at(), last: case.problem.messages().len() - 1 });
    }
    for processor in [transfer.from, transfer.to] {
        if !case.has_processor(processor) {
            add(Violation::NoSuchProcessor { at: at(), processor });
        }
    }
    if transfer.from == transfer.to {
        add(Violation::ToItself { at: at() });
    }
    for &channel in transfer.path {
        if !case.has_channel(channel) {
            let count = case.network().channel_count();
            add(Violation::NoSuchChannel { at: at(), channel, count });
        }
    }
    is_sound
}

/// Whether the path starts and ends at the right homes and has no gap. An empty path ends where it
/// starts.
fn check_chain(
    case: &Case<'_>,
    number: usize,
    transfer: &Transfer<'_>,
    report: &mut Report,
) -> bool {
    let network = case.network();
    let at = || case.transfer_name(number);
    let mut is_sound = true;
    let (start, end) = (case.problem.home(transfer.from), case.problem.home(transfer.to));
    let first = transfer.path.first().map_or(start, |&channel| network.channel(channel).tail);
    let last = transfer.path.last().map_or(start, |&channel| network.channel(channel).head);
    for (is_first, router, processor, home) in
        [(true, first, transfer.from, start), (false, last, transfer.to, end)]
    {
        if router != home {
            // A reversed schedule swaps start and end.
            let is_start = is_first != case.is_backward();
            report.add(Violation::NotAtHome { at: at(), is_start, router, processor, home });
            is_sound = false;
        }
    }
    for pair in transfer.path.windows(2) {
        if network.channel(pair[0]).head != network.channel(pair[1]).tail {
            let names = (case.channel_name(pair[0]), case.channel_name(pair[1]));
            let (before, after) = if case.is_backward() { (names.1, names.0) } else { names };
            report.add(Violation::Gap { at: at(), before, after });
            is_sound = false;
        }
    }
    is_sound
}

/// Whether a path without gaps visits every router at most once.
fn check_visits(
    case: &Case<'_>,
    number: usize,
    transfer: &Transfer<'_>,
    last_visit: &mut [u32],
    report: &mut Report,
) -> bool {
    let network = case.network();
    let visit = number as u32 + 1;
    let mut is_sound = true;
    last_visit[case.problem.home(transfer.from).index()] = visit;
    for &channel in transfer.path {
        let router: RouterId = network.channel(channel).head;
        if std::mem::replace(&mut last_visit[router.index()], visit) == visit {
            report.add(Violation::RouterTwice { at: case.transfer_name(number), router });
            is_sound = false;
        }
    }
    is_sound
}
