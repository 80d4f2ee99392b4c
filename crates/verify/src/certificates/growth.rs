//! Growth: a holder of a message informs at most as many processors per step as it has send ports.
//! This limits how fast the number of holders can grow.

use super::{Argument, Claim, Refusal, check_message, sums_of_largest};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{UNREACHABLE, distances_from};
use pavane_model::{Certificate, MessageId, Problem, ProcessorId, RouterId, Switching};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Growth { message } = claim.certificate else { return None };
    Some(Box::new(Growth { message }))
}

struct Growth {
    message: MessageId,
}

impl Argument for Growth {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(curve_cost(size))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_message(problem, self.message)?;
        let messages = problem.messages();
        let wanted = messages.destinations(self.message).len() as u64;
        let others = others_after(problem, messages.origin(self.message), wanted)?;
        Ok(others.len() as u64 - 1)
    }
}

/// Operations of [`others_after`].
pub(super) fn curve_cost(size: &Size) -> u64 {
    size.neighbours() + 2 * size.search() + 4 * sorting(size.processors)
}

/// Maximum number of processors besides the origin that can hold a message after 0, 1, 2, … steps,
/// up to the step after which at least `wanted` can.
pub(super) fn others_after(
    problem: &Problem,
    origin: ProcessorId,
    wanted: u64,
) -> Result<Vec<u64>, String> {
    let others = problem.network().living_processors().filter(|&processor| processor != origin);
    let sends = sums_of_largest(others.map(|p| u64::from(problem.send_ports(p))).collect());
    let most = sends.len() as u64 - 1;
    // Under store-and-forward, a message needs at least as many steps as hops to reach a processor.
    let within = match problem.model().switching {
        Switching::Wormhole => Vec::new(),
        Switching::StoreAndForward => processors_within(problem, problem.home(origin)),
    };
    let mut curve = vec![0u64];
    let mut holders = 0u64;
    while holders < wanted {
        let steps = curve.len();
        let mut next = holders + u64::from(problem.send_ports(origin)) + sends[holders as usize];
        if let Some(&reached) = within.get(steps) {
            next = next.min(reached - 1);
        }
        // Distances may stall the growth for some steps, but only until the whole network is in
        // reach.
        if next <= holders && steps >= within.len() {
            return Err("no processor can forward the message".to_owned());
        }
        holders = next.max(holders).min(most);
        curve.push(holders);
    }
    Ok(curve)
}

/// Number of living processors within 0, 1, 2, … hops of a router, up to the furthest.
fn processors_within(problem: &Problem, source: RouterId) -> Vec<u64> {
    let network = problem.network();
    let mut within: Vec<u64> = vec![0];
    for (router, hops) in distances_from(network, source).into_iter().enumerate() {
        let residents = network.residents(RouterId(router as u32)).len() as u64;
        if hops != UNREACHABLE {
            within.resize(within.len().max(hops as usize + 1), 0);
            within[hops as usize] += residents;
        }
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}
