//! Cut queue: messages queue at the channels into a set of routers, none before it can have come there, and the
//! last to enter must still be spread inside. Half duplex: both ways queue at the same links.

use super::{growth, marked};
use pavane_model::{ChannelId, Duplex, MessageId, Problem, RouterId, Switching};

/// A message that must cross: steps before it can, and steps after it has.
pub(super) type Crossing = (u64, u64);

pub(super) fn derive(problem: &Problem, routers: &[RouterId]) -> Result<u64, String> {
    let is_inside = marked(problem, routers)?;
    let inward = Side::new(problem, is_inside.clone());
    let mut crossings = inward.crossings()?;
    let steps = most_steps(&crossings, inward.room())?;
    if problem.model().duplex == Duplex::Full {
        return Ok(steps);
    }
    let outward = Side::new(problem, is_inside.iter().map(|inside| !inside).collect());
    crossings.extend(outward.crossings()?);
    // Links are counted where they enter; what only leaves is in no link.
    let is_alone = |channel: &&ChannelId| problem.network().opposite(**channel).is_none();
    let alone = outward.channels.iter().filter(is_alone).count() as u64;
    Ok(steps.max(most_steps(&crossings, inward.channels.len() as u64 + alone)?))
}

/// Steps until all have crossed, so many in a step, and the last has arrived, for the worst choice of those that
/// come late and have far to go.
pub(super) fn most_steps(crossings: &[Crossing], room: u64) -> Result<u64, String> {
    if crossings.is_empty() {
        return Ok(0);
    }
    if room == 0 {
        return Err("no channel enters the set".to_owned());
    }
    let sorted = |value: fn(&Crossing) -> u64| {
        let mut values: Vec<u64> = crossings.iter().map(value).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let mut most = 0;
    for before in sorted(|crossing| crossing.0) {
        for &after in &sorted(|crossing| crossing.1) {
            let counts = |crossing: &&Crossing| crossing.0 >= before && crossing.1 >= after;
            let count = crossings.iter().filter(counts).count() as u64;
            if count > 0 {
                most = most.max(before + count.div_ceil(room) + after);
            }
        }
    }
    Ok(most)
}

/// A set of routers and the channels that enter it.
struct Side<'a> {
    problem: &'a Problem,
    is_inside: Vec<bool>,
    channels: Vec<ChannelId>,
}

impl<'a> Side<'a> {
    fn new(problem: &'a Problem, is_inside: Vec<bool>) -> Self {
        let network = problem.network();
        let enters = |channel: &ChannelId| {
            let ends = network.channel(*channel);
            !is_inside[ends.tail.index()] && is_inside[ends.head.index()]
        };
        let channels = (0..network.channel_count() as u32).map(ChannelId).filter(enters).collect();
        Self { problem, is_inside, channels }
    }

    /// Messages that can enter in one step: hop by hop, ports at both ends are needed too.
    fn room(&self) -> u64 {
        let channels = self.channels.len() as u64;
        if self.problem.model().switching == Switching::Wormhole {
            return channels;
        }
        let network = self.problem.network();
        let (mut tails, mut heads) =
            (vec![0u64; network.router_count()], vec![0u64; network.router_count()]);
        for &channel in &self.channels {
            tails[network.channel(channel).tail.index()] += 1;
            heads[network.channel(channel).head.index()] += 1;
        }
        let (mut sent, mut received) = (0, 0);
        for router in network.routers() {
            let residents = network.residents(router).iter();
            let sends = residents.clone().map(|&p| u64::from(self.problem.send_ports(p))).sum();
            let receives = residents.map(|&p| u64::from(self.problem.receive_ports(p))).sum();
            sent += tails[router.index()].min(sends);
            received += heads[router.index()].min(receives);
        }
        channels.min(sent).min(received)
    }

    /// The messages with an origin outside and a destination inside.
    fn crossings(&self) -> Result<Vec<Crossing>, String> {
        let (network, messages) = (self.problem.network(), self.problem.messages());
        let routers: Vec<RouterId> =
            network.routers().filter(|router| self.is_inside[router.index()]).collect();
        let is_by_hops = self.problem.model().switching == Switching::StoreAndForward;
        let tails = self.channels.iter().map(|&channel| network.channel(channel).tail);
        let heads = self.channels.iter().map(|&channel| network.channel(channel).head);
        let to_border =
            spread(network.router_count(), tails, |router| network.predecessors(router));
        let from_border =
            spread(network.router_count(), heads, |router| network.successors(router));
        let mut crossings = Vec::new();
        for message in messages.ids() {
            let origin = self.problem.home(messages.origin(message));
            let inside = self.homes_inside(message);
            if self.is_inside[origin.index()] || inside.is_empty() {
                continue;
            }
            // From the step on in which it enters.
            let mut spreads = match inside.len() {
                1 => 1,
                _ => growth::derive_inside(self.problem, message, &routers)?,
            };
            let mut before = 0;
            if is_by_hops {
                before = u64::from(to_border[origin.index()]);
                let furthest = inside.iter().map(|home| from_border[home.index()]).max();
                spreads = spreads.max(1 + u64::from(furthest.unwrap_or(0)));
            }
            crossings.push((before, spreads.saturating_sub(1)));
        }
        Ok(crossings)
    }

    fn homes_inside(&self, message: MessageId) -> Vec<RouterId> {
        let destinations = self.problem.messages().destinations(message).iter();
        let homes = destinations.map(|&to| self.problem.home(to));
        homes.filter(|home| self.is_inside[home.index()]).collect()
    }
}

/// Hops from the nearest of some routers, from neighbour to neighbour.
fn spread<'n>(
    routers: usize,
    starts: impl Iterator<Item = RouterId>,
    neighbours: impl Fn(RouterId) -> &'n [RouterId],
) -> Vec<u32> {
    let mut hops = vec![u32::MAX; routers];
    let mut reached: Vec<RouterId> = Vec::new();
    for start in starts {
        if hops[start.index()] == u32::MAX {
            hops[start.index()] = 0;
            reached.push(start);
        }
    }
    let mut at = 0;
    while let Some(&router) = reached.get(at) {
        at += 1;
        for &next in neighbours(router) {
            if hops[next.index()] == u32::MAX {
                hops[next.index()] = hops[router.index()] + 1;
                reached.push(next);
            }
        }
    }
    hops
}
