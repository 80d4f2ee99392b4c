//! Late entry: a message enters every router with destinations other than its own, over a channel.
//! If several processors there want it, an entry in one of the last steps is not enough.
//!
//! Let a router have `w` processors that want a message, each with at most `a` send ports. An entry
//! makes one holder there, and each holder informs at most `a` more processors of the router per
//! step. An entry `j` steps before the last step therefore leads to at most `(1 + a)^j` holders
//! there at the end, and the entries of the message into the router lead to at least `w`. So if an
//! entry counts as `min(1, (1 + a)^j / w)`, those of every pair of a message and a router count as
//! at least 1. The sum over all entries is at least the number of pairs; a step contributes at most
//! one entry for each channel (under half duplex, for each link) into the set of routers, and at
//! most one for each receive port of their processors.

use super::{Argument, Claim, Refusal, marked};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, ChannelId, Duplex, Problem, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::LateEntry { routers } = claim.certificate else { return None };
    Some(Box::new(LateEntry { routers }))
}

struct LateEntry<'a> {
    routers: &'a [RouterId],
}

/// Before this many last steps every entry counts in full, because a router has fewer than 2^32
/// processors. Processors without send ports are counted as if they had one.
const LATE_STEPS: u32 = 32;

/// What an entry in full counts. Smaller values are rounded up.
const WHOLE: u128 = 1 << 40;

impl Argument for LateEntry<'_> {
    fn cost(&self, _: &Problem, size: &Size) -> Cost {
        let counts = 2 * size.traffic() + 2 * size.routers + 2 * size.processors;
        let steps = u64::from(LATE_STEPS + 1) * (2 * size.channels + size.routers);
        Cost::of(self.routers.len() as u64 + counts.saturating_add(steps))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let network = problem.network();
        let mut is_counted = marked(problem, self.routers)?;
        if self.routers.is_empty() {
            is_counted.fill(true);
        }
        let (pairs, fewest) = wanted(problem, &is_counted);
        if pairs == 0 {
            return Err("no message must enter the routers".into());
        }
        let sends: Vec<u128> = network
            .routers()
            .map(|router| {
                let ports = network.residents(router).iter().map(|&p| problem.send_ports(p));
                ports.max().unwrap_or(0).max(1).into()
            })
            .collect();
        let mut missing = u128::from(pairs) * WHOLE;
        // By router: the holders at the end of an entry in the step that is looked at.
        let mut holders = vec![1u128; network.router_count()];
        let mut steps = 0;
        for _ in 0..LATE_STEPS {
            let offered = offered(problem, &is_counted, &counted_as(&holders, &fewest));
            steps += 1;
            if missing <= offered {
                return Ok(steps);
            }
            missing -= offered;
            for (router, holders) in holders.iter_mut().enumerate() {
                *holders = (*holders * (1 + sends[router])).min(1 << 32);
            }
        }
        match offered(problem, &is_counted, &counted_as(&holders, &fewest)) {
            0 => Err("no channel enters the routers".into()),
            offered => Ok(steps + missing.div_ceil(offered) as u64),
        }
    }
}

/// Number of pairs of a message and a router of the set that it must enter; and, by router, the
/// fewest processors there that want one of these messages, or 1 if there is none.
fn wanted(problem: &Problem, is_counted: &[bool]) -> (u64, Vec<u128>) {
    let messages = problem.messages();
    let mut pairs = 0;
    let mut fewest: Vec<Option<u128>> = vec![None; is_counted.len()];
    let mut here = vec![0u128; is_counted.len()];
    for message in messages.ids() {
        let origin = problem.home(messages.origin(message));
        let homes = messages.destinations(message).iter().map(|&to| problem.home(to));
        let entered = homes.filter(|&home| home != origin && is_counted[home.index()]);
        for home in entered.clone() {
            here[home.index()] += 1;
        }
        for home in entered {
            let count = std::mem::take(&mut here[home.index()]);
            if count > 0 {
                pairs += 1;
                let least = fewest[home.index()].get_or_insert(count);
                *least = count.min(*least);
            }
        }
    }
    (pairs, fewest.into_iter().map(|fewest| fewest.unwrap_or(1)).collect())
}

/// By router: what an entry counts that leads to the given number of holders.
fn counted_as(holders: &[u128], fewest: &[u128]) -> Vec<u128> {
    let both = holders.iter().zip(fewest);
    both.map(|(&holders, &fewest)| (holders.min(fewest) * WHOLE).div_ceil(fewest)).collect()
}

/// The most that the entries of one step count, by the value of an entry into each router.
fn offered(problem: &Problem, is_counted: &[bool], value: &[u128]) -> u128 {
    let network = problem.network();
    let into = |channel: ChannelId| {
        let head = network.channel(channel).head.index();
        if is_counted[head] { value[head] } else { 0 }
    };
    let mut over_channels = 0;
    for channel in (0..network.channel_count() as u32).map(ChannelId) {
        let opposite = network.opposite(channel).filter(|_| problem.model().duplex == Duplex::Half);
        over_channels += match opposite {
            None => into(channel),
            Some(other) if channel < other => into(channel).max(into(other)),
            Some(_) => 0,
        };
    }
    let mut over_ports = 0;
    for router in network.routers().filter(|router| is_counted[router.index()]) {
        let residents = network.residents(router).iter();
        let ports: u128 = residents.map(|&p| u128::from(problem.receive_ports(p))).sum();
        let channels = network.in_channels(router).len() as u128;
        over_ports += ports.min(channels) * value[router.index()];
    }
    over_channels.min(over_ports)
}
