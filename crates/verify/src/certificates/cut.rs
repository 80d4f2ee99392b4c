//! Cut: a message with its origin inside a set of routers and a destination outside uses at least
//! one channel that leaves the set, whichever processors forward it.

use super::{Argument, Claim, Refusal, marked};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, ChannelId, Duplex, Problem, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::Cut { routers } = claim.certificate else { return None };
    Some(Box::new(Cut { routers }))
}

struct Cut<'a> {
    routers: &'a [RouterId],
}

impl Argument for Cut<'_> {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        Cost::of(self.routers.len() as u64 + size.search() + size.traffic())
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem, self.routers)?)
    }
}

fn derive(problem: &Problem, routers: &[RouterId]) -> Result<u64, String> {
    let is_inside = marked(problem, routers)?;
    let network = problem.network();
    let messages = problem.messages();
    let (mut outward, mut inward) = (0u64, 0u64);
    for message in messages.ids() {
        let side = is_inside[problem.home(messages.origin(message)).index()];
        let mut homes = messages.destinations(message).iter().map(|&to| problem.home(to));
        if homes.any(|home| is_inside[home.index()] != side) {
            if side { outward += 1 } else { inward += 1 }
        }
    }
    let mut leaving = 0u64;
    let mut entering_alone = 0u64;
    for channel in (0..network.channel_count() as u32).map(ChannelId) {
        let ends = network.channel(channel);
        let is_linked = network.opposite(channel).is_some();
        match (is_inside[ends.tail.index()], is_inside[ends.head.index()]) {
            (true, false) => leaving += 1,
            (false, true) => entering_alone += u64::from(!is_linked),
            _ => {}
        }
    }
    let outward_steps = steps(outward, leaving)?;
    if problem.model().duplex == Duplex::Full {
        return Ok(outward_steps);
    }
    // Half duplex: a link carries one message per step across the border, in either direction. A
    // channel without an opposite carries one more.
    Ok(outward_steps.max(steps(outward + inward, leaving + entering_alone)?))
}

fn steps(messages: u64, channels: u64) -> Result<u64, String> {
    match (messages, channels) {
        (0, _) => Ok(0),
        (_, 0) => Err("no channel leaves the set".to_owned()),
        (messages, channels) => Ok(messages.div_ceil(channels)),
    }
}
