//! V6: every destination receives its message, and no transfer is useless: no processor receives a
//! message twice, or its own message, or one that it neither wants nor forwards later.

use super::Carried;
use crate::case::{Case, Report};
use crate::violation::{Direction, Violation};
use pavane_model::MessageId;

const NEVER: usize = usize::MAX;

/// State of the current message at every processor. Reset between messages.
pub(super) struct Delivery<'a> {
    case: &'a Case<'a>,
    /// The transfer by which a processor first received it.
    received_by: Vec<usize>,
    /// The last transfer by which it forwarded it.
    passed_by: Vec<usize>,
    /// Whether it wants it.
    is_wanted: Vec<bool>,
}

impl<'a> Delivery<'a> {
    pub fn new(case: &'a Case<'a>) -> Self {
        let processors = case.network().processor_count();
        Self {
            case,
            received_by: vec![NEVER; processors],
            passed_by: vec![NEVER; processors],
            is_wanted: vec![false; processors],
        }
    }

    /// Reports every missing delivery of the message and every useless transfer.
    pub fn check(&mut self, message: MessageId, carried: &[Carried<'_>], report: &mut Report) {
        let destinations = self.case.problem.messages().destinations(message);
        for destination in destinations {
            self.is_wanted[destination.index()] = true;
        }
        for Carried { number, transfer } in carried {
            self.passed_by[transfer.from.index()] = *number;
        }
        self.check_receipts(message, carried, report);
        self.check_destinations(message, report);
        for destination in destinations {
            self.is_wanted[destination.index()] = false;
        }
        for Carried { transfer, .. } in carried {
            self.passed_by[transfer.from.index()] = NEVER;
            self.received_by[transfer.to.index()] = NEVER;
        }
    }

    fn check_receipts(&mut self, message: MessageId, carried: &[Carried<'_>], report: &mut Report) {
        let case = self.case;
        let direction = Direction::of(case.original);
        for Carried { number, transfer } in carried {
            let processor = transfer.to;
            let first = self.received_by[processor.index()];
            let at = || case.transfer_name(*number);
            if processor == case.problem.messages().origin(message) {
                report.add(Violation::BackToOrigin { at: at(), processor, direction });
            } else if first != NEVER {
                let (first, second) = (case.transfer_name(first), at());
                report.add(Violation::ReceivedTwice { processor, first, second, direction });
            } else {
                self.received_by[processor.index()] = *number;
                let is_wanted = self.is_wanted[processor.index()];
                let passed = self.passed_by[processor.index()];
                let is_passed_on =
                    || passed != NEVER && case.step_of(passed) > case.step_of(*number);
                if !is_wanted && !is_passed_on() {
                    report.add(Violation::Useless { at: at(), processor, direction });
                }
            }
        }
    }

    fn check_destinations(&self, message: MessageId, report: &mut Report) {
        for &processor in self.case.problem.messages().destinations(message) {
            if self.received_by[processor.index()] == NEVER {
                let label = self.case.original.label(message);
                let direction = Direction::of(self.case.original);
                report.add(Violation::NotDelivered { label, processor, direction });
            }
        }
    }
}
