//! Separator: under wormhole switching a message for one destination travels in one step, so it
//! enters and leaves at least one router of a set that separates its ends. Under half duplex an odd
//! link of a router cannot help to pass a message.

use super::relay::parts_without;
use super::{Argument, Claim, Refusal, marked};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, Duplex, Problem, RouterId, Switching};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::Separator { routers } = claim.certificate else { return None };
    Some(Box::new(Separator { routers }))
}

struct Separator<'a> {
    routers: &'a [RouterId],
}

impl Argument for Separator<'_> {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(
            self.routers.len() as u64 + 2 * size.neighbours() + 4 * size.search() + size.traffic(),
        )
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        if problem.model().switching != Switching::Wormhole {
            return Err("it applies to wormhole switching only".into());
        }
        let is_removed = marked(problem, self.routers)?;
        let part = parts_without(problem, |router| is_removed[router.index()]);
        let messages = problem.messages();
        let mut passing = 0u64;
        for message in messages.ids() {
            let &[to] = messages.destinations(message) else { continue };
            let ends = [messages.origin(message), to].map(|p| part[problem.home(p).index()]);
            if let [Some(from), Some(to)] = ends {
                passing += u64::from(from != to);
            }
        }
        let network = problem.network();
        let members = network.routers().filter(|router| is_removed[router.index()]);
        match (passing, members.map(|router| most_passed(problem, router)).sum()) {
            (0, _) => Ok(0),
            (_, 0) => Err("no message can pass the set".into()),
            (passing, most) => Ok(passing.div_ceil(most)),
        }
    }
}

/// The most messages that can enter and leave a router in one step.
fn most_passed(problem: &Problem, router: RouterId) -> u64 {
    let network = problem.network();
    let (into, out) = (network.in_channels(router), network.out_channels(router));
    let (enter, leave) = (into.len() as u64, out.len() as u64);
    let most = enter.min(leave);
    match problem.model().duplex {
        Duplex::Full => most,
        Duplex::Half => {
            let links =
                out.iter().filter(|&&channel| network.opposite(channel).is_some()).count() as u64;
            most.min((enter + leave - links) / 2)
        }
    }
}
