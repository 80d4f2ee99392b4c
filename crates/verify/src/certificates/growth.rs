//! Growth: a holder of a message informs at most as many processors per step as it has send ports,
//! so the number of holders cannot grow faster than the best case.

use super::{check_message, marked};
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, RouterId, Switching};

/// Steps until the origin and as many others as there are destinations can hold the message.
pub(super) fn derive(problem: &Problem, message: MessageId) -> Result<u64, String> {
    check_message(problem, message)?;
    let messages = problem.messages();
    let origin = messages.origin(message);
    let destinations = messages.destinations(message).len() as u64;
    let ports = ports_of(problem, |processor| processor != origin);
    // Under store-and-forward nobody holds a message after fewer steps than hops to its origin.
    let within = match problem.model().switching {
        Switching::Wormhole => Vec::new(),
        Switching::StoreAndForward => processors_within(problem, problem.home(origin)),
    };
    let mut others = 0u64;
    let mut steps = 0;
    while others < destinations {
        let helpers: u64 = ports[..others as usize].iter().sum();
        let mut next = others + u64::from(problem.send_ports(origin)) + helpers;
        steps += 1;
        if let Some(&reached) = within.get(steps as usize) {
            next = next.min(reached - 1);
        }
        // A ball can hold the growth back for a step or more, but not for ever.
        if next <= others && steps as usize >= within.len() {
            return Err("nobody can send the message on".to_owned());
        }
        others = next.max(others).min(ports.len() as u64);
    }
    Ok(steps)
}

/// Steps until all destinations in a set of routers without the origin can hold the message: what
/// enters the set is limited by the channels into it, the rest must come from holders inside.
pub(super) fn derive_inside(
    problem: &Problem,
    message: MessageId,
    routers: &[RouterId],
) -> Result<u64, String> {
    check_message(problem, message)?;
    let is_inside = marked(problem, routers)?;
    let messages = problem.messages();
    if is_inside[problem.home(messages.origin(message)).index()] {
        return Err("the set holds the origin of the message".to_owned());
    }
    let lives_inside = |processor: ProcessorId| is_inside[problem.home(processor).index()];
    let wanted = messages.destinations(message).iter().filter(|&&to| lives_inside(to)).count();
    let entering = channels_into(problem, &is_inside);
    let ports = ports_of(problem, lives_inside);
    let mut holders = 0u64;
    let mut steps = 0;
    while holders < wanted as u64 {
        let helpers: u64 = ports[..holders as usize].iter().sum();
        let next = holders + entering + helpers;
        if next == holders {
            return Err("the message cannot enter the set".to_owned());
        }
        holders = next.min(ports.len() as u64);
        steps += 1;
    }
    Ok(steps)
}

/// The send ports of the living processors that `counts`, the most first.
fn ports_of(problem: &Problem, counts: impl Fn(ProcessorId) -> bool) -> Vec<u64> {
    let processors = problem.network().living_processors().filter(|&p| counts(p));
    let mut ports: Vec<u64> = processors.map(|p| u64::from(problem.send_ports(p))).collect();
    ports.sort_unstable();
    ports.reverse();
    ports
}

/// How many living processors there are within 0, 1, 2, … hops of a router, up to the furthest.
fn processors_within(problem: &Problem, source: RouterId) -> Vec<u64> {
    let network = problem.network();
    let mut within: Vec<u64> = vec![0];
    for (router, hops) in network.distances_from(source).into_iter().enumerate() {
        let residents = network.residents(RouterId(router as u32)).len() as u64;
        if hops != u32::MAX {
            within.resize(within.len().max(hops as usize + 1), 0);
            within[hops as usize] += residents;
        }
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}

/// The channels that lead into the set.
fn channels_into(problem: &Problem, is_inside: &[bool]) -> u64 {
    let network = problem.network();
    let enters = |channel: ChannelId| {
        let ends = network.channel(channel);
        !is_inside[ends.tail.index()] && is_inside[ends.head.index()]
    };
    // Of a link across the border one channel enters, so half duplex changes nothing here.
    (0..network.channel_count() as u32).filter(|&channel| enters(ChannelId(channel))).count() as u64
}
