//! V2: within a step, no processor sends or receives more than its ports allow. A transfer between
//! two processors of one router takes ports like any other.

use crate::case::{Case, Report};
use crate::violation::Violation;
use pavane_model::ProcessorId;

/// Reports every processor that sends or receives more in a step than it has ports.
pub(super) fn check(case: &Case<'_>, report: &mut Report) {
    let schedule = case.schedule;
    let processors = case.network().processor_count();
    let mut sends = vec![0u32; processors];
    let mut receives = vec![0u32; processors];
    for step in 0..schedule.step_count() {
        if case.must_stop(step as usize) {
            return;
        }
        for transfer in schedule.step(step) {
            if case.has_processor(transfer.from) {
                sends[transfer.from.index()] += 1;
            }
            if case.has_processor(transfer.to) {
                receives[transfer.to.index()] += 1;
            }
        }
        // Each count is reset when it is read, so that a processor is reported only once.
        for transfer in schedule.step(step) {
            if case.has_processor(transfer.from) {
                let count = std::mem::take(&mut sends[transfer.from.index()]);
                check_count(case, step, transfer.from, true, count, report);
            }
            if case.has_processor(transfer.to) {
                let count = std::mem::take(&mut receives[transfer.to.index()]);
                check_count(case, step, transfer.to, false, count, report);
            }
        }
    }
}

fn check_count(
    case: &Case<'_>,
    step: u32,
    processor: ProcessorId,
    is_from: bool,
    transfers: u32,
    report: &mut Report,
) {
    let ports = if is_from {
        case.problem.send_ports(processor)
    } else {
        case.problem.receive_ports(processor)
    };
    if transfers > ports {
        let step = case.step_name(step);
        // A reversed schedule swaps sending and receiving.
        let is_sending = is_from != case.is_backward();
        report.add(Violation::TooFewPorts { step, processor, is_sending, transfers, ports });
    }
}
