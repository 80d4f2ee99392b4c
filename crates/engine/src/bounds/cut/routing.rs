//! What some routing of all messages puts on the busiest channel: no cut can ask for more, so a
//! search that has found as much can stop.

use super::demand::Demand;
use crate::bounds::hops::BreadthFirst;
use crate::budget::Interrupt;
use pavane_model::{ChannelId, Duplex, Network, Problem, RouterId};

/// Messages for one router, or of one router, on shortest paths to all others, split evenly
/// wherever paths part.
pub struct EvenRouting<'a> {
    network: &'a Network,
    is_out: bool,
    search: BreadthFirst,
    amounts: Vec<f64>,
    /// What each channel carries so far.
    pub load: Vec<f64>,
}

impl<'a> EvenRouting<'a> {
    /// No messages yet; they will go out of one router, or into it.
    pub fn new(network: &'a Network, is_out: bool) -> Self {
        let search = match is_out {
            true => BreadthFirst::new(network),
            false => BreadthFirst::backwards(network),
        };
        let amounts = vec![0.0; network.router_count()];
        Self { network, is_out, search, amounts, load: vec![0.0; network.channel_count()] }
    }

    /// Adds the messages between `router` and each other one.
    pub fn add(&mut self, router: RouterId, messages: &[u64]) {
        for (amount, &messages) in self.amounts.iter_mut().zip(messages) {
            *amount = messages as f64;
        }
        let (distance, order) = self.search.distances_and_order(router);
        for &at in order.iter().skip(1).rev() {
            let at = RouterId(at);
            let (channels, network) = match self.is_out {
                true => (self.network.in_channels(at), self.network),
                false => (self.network.out_channels(at), self.network),
            };
            let nearer = |&channel: &ChannelId| {
                let ends = network.channel(channel);
                let other = if self.is_out { ends.tail } else { ends.head };
                (distance[other.index()] < distance[at.index()]).then_some((channel, other))
            };
            let ways = channels.iter().filter_map(nearer);
            let share = self.amounts[at.index()] / ways.clone().count() as f64;
            for (channel, other) in ways {
                self.load[channel.index()] += share;
                self.amounts[other.index()] += share;
            }
        }
    }

    /// Takes all messages away.
    pub fn clear(&mut self) {
        self.load.fill(0.0);
    }

    /// Steps that the busiest channel needs, in half duplex the busiest link.
    pub fn steps(&self, duplex: Duplex) -> u64 {
        let all = (0..self.load.len() as u32).map(ChannelId);
        let loads = all.map(|channel| {
            let other = match duplex {
                Duplex::Full => None,
                Duplex::Half => self.network.opposite(channel),
            };
            self.load[channel.index()] + other.map_or(0.0, |other| self.load[other.index()])
        });
        // Shares do not add up exactly; a sum a hair above a whole number is that number.
        (loads.fold(0.0, f64::max) - 1e-6).ceil() as u64
    }
}

/// Steps that no cut can exceed; without a routing that is quick to find, as many as messages.
pub fn ceiling(
    problem: &Problem,
    demand: &Demand,
    routers: &[RouterId],
    looks: u64,
    interrupt: &Interrupt,
) -> u64 {
    let network = problem.network();
    let messages = problem.messages().len() as u64;
    let size = network.router_count() + network.channel_count();
    let origins = routers.iter().filter(|router| demand.has_origin_at(router.index()));
    if demand.has_shared() || (origins.clone().count() * size) as u64 > looks {
        return messages;
    }
    let mut routing = EvenRouting::new(network, true);
    for &router in origins {
        if interrupt.is_raised() {
            return messages;
        }
        if let Some(given) = demand.given_by(router.index()) {
            routing.add(router, &given);
        }
    }
    routing.steps(problem.model().duplex).min(messages)
}
