//! V6: every destination gets its message, and no transfer is useless: nobody receives a message
//! twice, its origin never, and nobody receives one that it neither wants nor passes on later.

use crate::case::{Case, Report};
use crate::group::Groups;
use crate::violation::{Direction, Violation};
use pavane_model::MessageId;

const NEVER: u32 = u32::MAX;

/// What became of one message, for every processor. Blank between messages.
struct Traces {
    /// The transfer by which a processor first received it.
    received_by: Vec<u32>,
    /// The last transfer by which it passed it on.
    passed_by: Vec<u32>,
    /// Whether it wants it.
    is_wanted: Vec<bool>,
}

/// Reports every delivery that is missing and every transfer that is useless.
pub(super) fn check(case: &Case<'_>, by_message: &Groups, report: &mut Report) {
    let processors = case.network().processor_count();
    let mut traces = Traces {
        received_by: vec![NEVER; processors],
        passed_by: vec![NEVER; processors],
        is_wanted: vec![false; processors],
    };
    for (message, transfers) in by_message.iter() {
        let message = MessageId(message as u32);
        let destinations = case.problem.messages().destinations(message);
        for destination in destinations {
            traces.is_wanted[destination.index()] = true;
        }
        for &number in transfers {
            traces.passed_by[case.schedule.transfer(number as usize).from.index()] = number;
        }
        check_message(case, message, transfers, &mut traces, report);
        for destination in destinations {
            traces.is_wanted[destination.index()] = false;
        }
        for &number in transfers {
            let transfer = case.schedule.transfer(number as usize);
            traces.passed_by[transfer.from.index()] = NEVER;
            traces.received_by[transfer.to.index()] = NEVER;
        }
    }
}

fn check_message(
    case: &Case<'_>,
    message: MessageId,
    transfers: &[u32],
    traces: &mut Traces,
    report: &mut Report,
) {
    let direction = Direction::of(case.original);
    let name = |number: u32| case.transfer_name(number as usize);
    for &number in transfers {
        let processor = case.schedule.transfer(number as usize).to;
        let first = traces.received_by[processor.index()];
        if processor == case.problem.messages().origin(message) {
            report.add(Violation::BackToOrigin { at: name(number), processor, direction });
        } else if first != NEVER {
            let (first, second) = (name(first), name(number));
            report.add(Violation::ReceivedTwice { processor, first, second, direction });
        } else {
            traces.received_by[processor.index()] = number;
            let passed = traces.passed_by[processor.index()];
            let is_passed_on =
                passed != NEVER && case.step_of(passed as usize) > case.step_of(number as usize);
            if !traces.is_wanted[processor.index()] && !is_passed_on {
                report.add(Violation::Useless { at: name(number), processor, direction });
            }
        }
    }
    for &processor in case.problem.messages().destinations(message) {
        if traces.received_by[processor.index()] == NEVER {
            let label = case.original.label(message);
            report.add(Violation::NotDelivered { label, processor, direction });
        }
    }
}
