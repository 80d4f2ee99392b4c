//! Eccentricity: under store-and-forward a message takes one step per hop from its origin to a
//! destination, and at least one.

use super::{Argument, Claim, Refusal, check_message, check_store_and_forward};
use crate::cost::{Cost, Size};
use crate::distance::distances_from;
use pavane_model::{Certificate, MessageId, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Eccentricity { message, to } = claim.certificate else { return None };
    Some(Box::new(Eccentricity { message, to }))
}

struct Eccentricity {
    message: MessageId,
    to: ProcessorId,
}

impl Argument for Eccentricity {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(size.neighbours() + size.search() + size.deliveries)
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let &Self { message, to } = self;
        check_store_and_forward(problem)?;
        check_message(problem, message)?;
        if !problem.messages().destinations(message).contains(&to) {
            let problem =
                format!("processor {to} is not a destination of message number {message}");
            return Err(problem.into());
        }
        let origin = problem.home(problem.messages().origin(message));
        let hops = distances_from(problem.network(), origin)[problem.home(to).index()];
        Ok(u64::from(hops.max(1)))
    }
}
