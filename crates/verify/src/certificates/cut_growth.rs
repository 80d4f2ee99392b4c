//! Cut growth: growth within a set of routers that excludes the origin. Per step, new holders
//! inside get the message over the channels into the set or from holders inside.

use super::{Argument, Claim, Refusal, channels_into, check_message, marked, sums_of_largest};
use crate::cost::{Cost, Size, sorting};
use pavane_model::{Certificate, MessageId, Problem, ProcessorId, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::CutGrowth { message, routers } = claim.certificate else { return None };
    Some(Box::new(CutGrowth { message: *message, routers }))
}

struct CutGrowth<'a> {
    message: MessageId,
    routers: &'a [RouterId],
}

impl Argument for CutGrowth<'_> {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        let listed = self.routers.len() as u64;
        Cost::of(listed + size.search() + size.deliveries + 4 * sorting(size.processors))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_message(problem, self.message)?;
        let is_inside = marked(problem, self.routers)?;
        let messages = problem.messages();
        let lives_inside = |processor: ProcessorId| is_inside[problem.home(processor).index()];
        if lives_inside(messages.origin(self.message)) {
            return Err("the set contains the origin of the message".into());
        }
        let destinations = messages.destinations(self.message).iter();
        let wanted = destinations.filter(|&&to| lives_inside(to)).count() as u64;
        Ok(holders_after(problem, &is_inside, wanted)?.len() as u64 - 1)
    }
}

/// Maximum number of processors in a set of routers that can hold a message from outside after 0,
/// 1, 2, … steps, up to the step after which at least `wanted` can.
pub(super) fn holders_after(
    problem: &Problem,
    is_inside: &[bool],
    wanted: u64,
) -> Result<Vec<u64>, String> {
    let inside = problem.network().living_processors();
    let inside = inside.filter(|&processor| is_inside[problem.home(processor).index()]);
    let sends = sums_of_largest(inside.map(|p| u64::from(problem.send_ports(p))).collect());
    let entering = channels_into(problem, is_inside);
    let mut curve = vec![0u64];
    let mut holders = 0u64;
    while holders < wanted {
        let next = holders + entering + sends[holders as usize];
        if next == holders {
            return Err("the message cannot enter the set".to_owned());
        }
        holders = next.min(sends.len() as u64 - 1);
        curve.push(holders);
    }
    Ok(curve)
}
