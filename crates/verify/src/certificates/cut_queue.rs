//! Cut queue: messages queue for the channels into a set of routers. Each one joins the queue no
//! earlier than it can reach the border, and the last to enter must still spread inside. Under half
//! duplex, both directions queue for the same links.

use super::cut_growth::holders_after;
use super::queue::{Crossings, most_steps, queue_cost};
use super::{Argument, Claim, Refusal, marked};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{Neighbours, UNREACHABLE};
use pavane_model::{Certificate, ChannelId, Duplex, MessageId, Problem, RouterId, Switching};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::CutQueue { routers } = claim.certificate else { return None };
    Some(Box::new(CutQueue { routers }))
}

struct CutQueue<'a> {
    routers: &'a [RouterId],
}

impl Argument for CutQueue<'_> {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        let listed = self.routers.len() as u64;
        let sides = 8 * size.neighbours()
            + 4 * size.search()
            + 8 * sorting(size.processors)
            + 4 * size.traffic();
        let linear = Cost::of(listed + sides);
        // The check itself reports routers that do not exist.
        let Ok(is_inside) = marked(problem, self.routers) else { return linear };
        let (mut befores, mut afters) = (0, 0);
        for side in [Side::inward(problem, &is_inside), Side::outward(problem, &is_inside)] {
            let (before, after) = side.depths();
            befores += before + 1;
            afters += after + 1;
        }
        // Growth inside has as many different durations as there are different numbers of
        // destinations. If these are n different numbers, they sum to at least n(n + 1)/2
        // deliveries.
        afters += 2 * (1 + (2 * size.deliveries).isqrt());
        let queues = 2 * queue_cost(size.messages, befores, afters);
        Cost::of(linear.operations.saturating_add(queues))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        let is_inside = marked(problem, self.routers)?;
        let inward = Side::inward(problem, &is_inside);
        let mut crossings = inward.crossings()?;
        let steps = most_steps(&crossings, inward.room())?;
        if problem.model().duplex == Duplex::Full {
            return Ok(steps);
        }
        let outward = Side::outward(problem, &is_inside);
        crossings.append(&outward.crossings()?);
        // Links are counted among the entering channels. A leaving channel without an opposite adds
        // one.
        let is_alone = |channel: &&ChannelId| problem.network().opposite(**channel).is_none();
        let alone = outward.channels.iter().filter(is_alone).count() as u64;
        Ok(steps.max(most_steps(&crossings, inward.channels.len() as u64 + alone)?))
    }
}

/// A set of routers with the channels that enter it.
pub(crate) struct Side<'a> {
    problem: &'a Problem,
    is_inside: Vec<bool>,
    channels: Vec<ChannelId>,
}

impl<'a> Side<'a> {
    /// Whether a router is in the set.
    pub fn has(&self, router: RouterId) -> bool {
        self.is_inside[router.index()]
    }

    /// The channels that enter the set.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// The set itself, with the channels that enter it.
    pub fn inward(problem: &'a Problem, is_inside: &[bool]) -> Self {
        Self::new(problem, is_inside.to_vec())
    }

    /// The complement of the set, with the channels that enter the complement.
    pub fn outward(problem: &'a Problem, is_inside: &[bool]) -> Self {
        Self::new(problem, is_inside.iter().map(|inside| !inside).collect())
    }

    fn new(problem: &'a Problem, is_inside: Vec<bool>) -> Self {
        let network = problem.network();
        let enters = |channel: &ChannelId| {
            let ends = network.channel(*channel);
            !is_inside[ends.tail.index()] && is_inside[ends.head.index()]
        };
        let channels = (0..network.channel_count() as u32).map(ChannelId).filter(enters).collect();
        Self { problem, is_inside, channels }
    }

    /// Messages that can enter in one step. Under store-and-forward, ports at both ends limit them
    /// too.
    pub fn room(&self) -> u64 {
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

    /// Steps that a message needs to the border from every router outside, and from the border to every
    /// router inside: the hops under store-and-forward, none under wormhole.
    pub fn steps_at_border(&self) -> (Vec<u64>, Vec<u64>) {
        if self.problem.model().switching == Switching::Wormhole {
            return (vec![0; self.is_inside.len()], vec![0; self.is_inside.len()]);
        }
        let steps = |hops: Vec<u32>| hops.into_iter().map(u64::from).collect();
        let (to_border, from_border) = self.hops();
        (steps(to_border), steps(from_border))
    }

    /// Hops from every router to the nearest entering channel, and from the entering channels to
    /// every router.
    fn hops(&self) -> (Vec<u32>, Vec<u32>) {
        let network = self.problem.network();
        let tails = self.channels.iter().map(|&channel| network.channel(channel).tail);
        let heads = self.channels.iter().map(|&channel| network.channel(channel).head);
        let to_border = Neighbours::against(network).distances(tails);
        let from_border = Neighbours::along(network).distances(heads);
        (to_border, from_border)
    }

    /// Maximum number of hops to the border from outside, and from the border inside; 0 under
    /// wormhole.
    fn depths(&self) -> (u64, u64) {
        if self.problem.model().switching == Switching::Wormhole {
            return (0, 0);
        }
        let deepest = |hops: &[u32], is_inside: bool| {
            let routers = hops.iter().zip(&self.is_inside);
            let counted = routers.filter(|&(&h, &inside)| inside == is_inside && h != UNREACHABLE);
            u64::from(counted.map(|(&hops, _)| hops).max().unwrap_or(0))
        };
        let (to_border, from_border) = self.hops();
        (deepest(&to_border, false), deepest(&from_border, true))
    }

    /// The messages with an origin outside and a destination inside.
    fn crossings(&self) -> Result<Crossings, String> {
        let messages = self.problem.messages();
        let is_by_hops = self.problem.model().switching == Switching::StoreAndForward;
        let (to_border, from_border) = self.hops();
        let is_outside = |message: MessageId| {
            !self.is_inside[self.problem.home(messages.origin(message)).index()]
        };
        let outside = || messages.ids().filter(|&message| is_outside(message));
        let most = outside().map(|message| self.homes_inside(message).count()).max();
        // A single destination needs no growth.
        let most = most.filter(|&most| most > 1).unwrap_or(0);
        let holders = holders_after(self.problem, &self.is_inside, most as u64)?;
        let mut crossings = Crossings::default();
        for message in outside() {
            let wanted = self.homes_inside(message).count();
            if wanted == 0 {
                continue;
            }
            // Steps to spread inside, counted from the step in which the message enters.
            let mut spreads = match wanted {
                1 => 1,
                _ => holders.partition_point(|&holders| holders < wanted as u64) as u64,
            };
            let mut before = 0;
            if is_by_hops {
                let origin = self.problem.home(messages.origin(message));
                before = u64::from(to_border[origin.index()]);
                let furthest = self.homes_inside(message).map(|home| from_border[home.index()]);
                spreads = spreads.max(1 + u64::from(furthest.max().unwrap_or(0)));
            }
            crossings.push((before, spreads.saturating_sub(1)));
        }
        Ok(crossings)
    }

    fn homes_inside(&self, message: MessageId) -> impl Iterator<Item = RouterId> {
        let destinations = self.problem.messages().destinations(message).iter();
        let homes = destinations.map(|&to| self.problem.home(to));
        homes.filter(|home| self.is_inside[home.index()])
    }
}
