//! V3: `from` holds the message before the step, because it is the origin or received it in an
//! earlier step. Under wormhole, a personalised message goes from origin to destination in one
//! transfer. Under store-and-forward its hops need no separate rule here: every receiver wants the
//! message or forwards it (V6), so its transfers form a chain.

use super::Carried;
use crate::case::{Case, Report};
use crate::violation::{Direction, Violation};
use pavane_model::{MessageId, Switching};

const NEVER: usize = usize::MAX;

/// Holders of the current message.
pub(super) struct Possession<'a> {
    case: &'a Case<'a>,
    /// The first transfer that brings it to each processor; reset to `NEVER` between messages.
    brought_by: Vec<usize>,
}

impl<'a> Possession<'a> {
    pub fn new(case: &'a Case<'a>) -> Self {
        Self { case, brought_by: vec![NEVER; case.network().processor_count()] }
    }

    /// Reports every transfer whose sender does not hold the message, and every personalised
    /// message that is not sent in one transfer under wormhole.
    pub fn check(&mut self, message: MessageId, carried: &[Carried<'_>], report: &mut Report) {
        for Carried { number, transfer } in carried {
            let brought_by = &mut self.brought_by[transfer.to.index()];
            *brought_by = *number.min(brought_by);
        }
        self.check_holders(message, carried, report);
        for Carried { transfer, .. } in carried {
            self.brought_by[transfer.to.index()] = NEVER;
        }
        let is_wormhole = self.case.problem.model().switching == Switching::Wormhole;
        if is_wormhole && self.case.problem.messages().is_personalised(message) {
            self.check_straight(message, carried, report);
        }
    }

    fn check_holders(&self, message: MessageId, carried: &[Carried<'_>], report: &mut Report) {
        let case = self.case;
        let origin = case.problem.messages().origin(message);
        for Carried { number, transfer } in carried {
            if transfer.from == origin {
                continue;
            }
            let brought_by = self.brought_by[transfer.from.index()];
            // Transfers are numbered in order of steps, so earlier steps have lower numbers.
            let first_of_step = case.schedule.transfer_numbers(case.step_of(*number)).start;
            if brought_by == NEVER || brought_by >= first_of_step {
                let received = (brought_by != NEVER).then(|| case.step_of(brought_by));
                report.add(Violation::NotHeld {
                    at: case.transfer_name(*number),
                    received: received.map(|step| case.step_name(step)),
                    direction: Direction::of(case.original),
                });
            }
        }
    }

    fn check_straight(&self, message: MessageId, carried: &[Carried<'_>], report: &mut Report) {
        let origin = self.case.problem.messages().origin(message);
        let destination = self.case.problem.messages().destinations(message)[0];
        for Carried { number, transfer } in carried {
            if (transfer.from, transfer.to) != (origin, destination) {
                let at = self.case.transfer_name(*number);
                let (from, to) = if self.case.is_backward() {
                    (destination, origin)
                } else {
                    (origin, destination)
                };
                report.add(Violation::NotStraight { at, from, to });
            }
        }
    }
}
