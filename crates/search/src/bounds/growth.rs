//! Growth bound: every holder of a message informs at most as many processors per step as it has
//! send ports. The bound counts the holders in the best case.

use super::finding::Finding;
use super::{hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, MessageId, Problem, ProcessorId, Switching};
use std::collections::BTreeMap;

/// Finds the message with several destinations that needs the most steps to reach enough holders.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let messages = problem.messages();
    let mut shared = messages.ids().filter(|&m| messages.destinations(m).len() > 1).peekable();
    if shared.peek().is_none() {
        return Finding::NotApplicable;
    }
    if interrupt.is_raised() {
        return Finding::out_of_time("growth", "no message");
    }
    let found = match problem.model().switching {
        Switching::Wormhole => Ok(worst(problem, shared, |_| u64::MAX)),
        Switching::StoreAndForward => worst_within_reach(problem, interrupt),
    };
    let (steps, message) = match found {
        Ok(found) => found,
        Err(why) => return Finding::Skipped { reason: "growth", why },
    };
    let origin = messages.origin(message);
    let explanation = format!(
        "the message of {}, which has {}, needs at least {} to reach {}",
        words::processor(problem.network(), origin),
        words::counted(problem.send_ports(origin), "port"),
        words::steps(steps),
        words::counted(messages.destinations(message).len(), "processor"),
    );
    Finding::proved(steps, Certificate::Growth { message }, explanation)
}

/// Steps that one message needs to reach enough holders.
pub fn steps_of(problem: &Problem, message: MessageId) -> u64 {
    let one = std::iter::once(message);
    match problem.model().switching {
        Switching::Wormhole => worst(problem, one, |_| u64::MAX).0,
        Switching::StoreAndForward => {
            let origin = problem.home(problem.messages().origin(message));
            let within = processors_within(problem, &problem.network().distances_from(origin));
            worst(problem, one, |steps| reach(&within, steps)).0
        }
    }
}

/// Under store-and-forward a processor cannot hold a message after fewer steps than its hops from
/// the origin.
fn worst_within_reach(
    problem: &Problem,
    interrupt: &Interrupt,
) -> Result<(u64, MessageId), String> {
    let messages = problem.messages();
    let mut best = (0, MessageId(0));
    // On symmetric networks, all origins have the same figures and only the first needs the sum.
    let mut latest = None;
    hops::from_origins(problem, interrupt, |_, group, distance| {
        let is_shared = |&m: &MessageId| messages.destinations(m).len() > 1;
        let mut shared = group.iter().copied().filter(is_shared).peekable();
        if shared.peek().is_none() {
            return;
        }
        let within = processors_within(problem, distance);
        let ports = |&m: &MessageId| problem.send_ports(messages.origin(m));
        let demand = shared.peek().map(|m| (ports(m), messages.destinations(*m).len()));
        let figures = (within, demand);
        if group.len() == 1 && latest.as_ref() == Some(&figures) {
            return;
        }
        let found = worst(problem, shared, |steps| reach(&figures.0, steps));
        latest = (group.len() == 1).then_some(figures);
        if found.0 > best.0 {
            best = found;
        }
    })?;
    Ok(best)
}

/// How many living processors there are within 0, 1, 2, … hops.
fn processors_within(problem: &Problem, distance: &[u32]) -> Vec<u64> {
    let mut within: Vec<u64> = Vec::new();
    for router in problem.network().routers() {
        let hops = distance[router.index()];
        let residents = problem.network().residents(router).len() as u64;
        if hops != u32::MAX && residents > 0 {
            within.resize(within.len().max(hops as usize + 1), 0);
            within[hops as usize] += residents;
        }
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}

fn reach(within: &[u64], steps: u64) -> u64 {
    within[within.len().min(steps as usize + 1) - 1]
}

/// Returns the message that needs the most steps if at most `reach(t)` processors can hold it after
/// t steps. Messages whose origins have equally many ports are represented by the one with the most
/// destinations.
fn worst(
    problem: &Problem,
    shared: impl Iterator<Item = MessageId>,
    reach: impl Fn(u64) -> u64,
) -> (u64, MessageId) {
    let messages = problem.messages();
    let mut most: BTreeMap<u32, (usize, MessageId)> = BTreeMap::new();
    for message in shared {
        let ports = problem.send_ports(messages.origin(message));
        let destinations = messages.destinations(message).len();
        let entry = most.entry(ports).or_insert((destinations, message));
        if destinations > entry.0 {
            *entry = (destinations, message);
        }
    }
    let mut best = (0, MessageId(0));
    for (&ports, &(destinations, message)) in &most {
        let others = ports_of_others(problem, messages.origin(message));
        let steps = steps_to_inform(ports.into(), &others, destinations as u64, &reach);
        if steps > best.0 {
            best = (steps, message);
        }
    }
    best
}

/// The send ports of all processors except the origin, in descending order.
fn ports_of_others(problem: &Problem, origin: ProcessorId) -> Vec<u64> {
    let others = problem.network().living_processors().filter(|&p| p != origin);
    let mut ports: Vec<u64> = others.map(|p| problem.send_ports(p).into()).collect();
    ports.sort_unstable_by(|a, b| b.cmp(a));
    ports
}

/// Steps until the origin and as many others as there are destinations hold a message.
fn steps_to_inform(
    origin_ports: u64,
    others: &[u64],
    destinations: u64,
    reach: impl Fn(u64) -> u64,
) -> u64 {
    let (mut holders, mut ports, mut steps) = (1u64, origin_ports, 0);
    while holders < destinations + 1 {
        steps += 1;
        let next = (holders + ports).min(reach(steps)).min(others.len() as u64 + 1);
        ports += others[holders as usize - 1..next as usize - 1].iter().sum::<u64>();
        holders = next;
    }
    steps
}
