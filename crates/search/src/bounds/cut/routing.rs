//! Load that one routing of all messages puts on the busiest channel. No cut can prove more steps,
//! so a cut search that reaches this number can stop.

use super::demand::CutDemand;
use crate::bounds::hops::BreadthFirst;
use crate::budget::Interrupt;
use pavane_model::{ChannelId, Duplex, Network, Problem, RouterId};

/// Routes messages from one router, or to one router, on shortest paths, split evenly wherever
/// paths branch.
pub struct EvenRouting<'a> {
    network: &'a Network,
    is_out: bool,
    search: BreadthFirst,
    amounts: Vec<f64>,
    /// Load of each channel so far.
    pub load: Vec<f64>,
}

impl<'a> EvenRouting<'a> {
    /// Starts without messages; `is_out` says whether they leave one router or go to it.
    pub fn new(network: &'a Network, is_out: bool) -> Self {
        let search =
            if is_out { BreadthFirst::new(network) } else { BreadthFirst::backwards(network) };
        let amounts = vec![0.0; network.router_count()];
        Self { network, is_out, search, amounts, load: vec![0.0; network.channel_count()] }
    }

    /// Adds the messages between `router` and each other router.
    pub fn add(&mut self, router: RouterId, messages: &[u64]) {
        for (amount, &messages) in self.amounts.iter_mut().zip(messages) {
            *amount = messages as f64;
        }
        let (distance, order) = self.search.distances_and_order(router);
        for &at in order.iter().skip(1).rev() {
            let at = RouterId(at);
            let (channels, network) = if self.is_out {
                (self.network.in_channels(at), self.network)
            } else {
                (self.network.out_channels(at), self.network)
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

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.load.fill(0.0);
    }

    /// Steps that the busiest channel needs; under half duplex, the busiest link.
    pub fn steps(&self, duplex: Duplex) -> u64 {
        let all = (0..self.load.len() as u32).map(ChannelId);
        let loads = all.map(|channel| {
            let other = match duplex {
                Duplex::Full => None,
                Duplex::Half => self.network.opposite(channel),
            };
            self.load[channel.index()] + other.map_or(0.0, |other| self.load[other.index()])
        });
        // Subtracts the rounding error: a sum slightly above an integer counts as that integer.
        (loads.fold(0.0, f64::max) - 1e-6).ceil() as u64
    }
}

/// Steps that no cut can exceed. Falls back to the number of messages if no routing is quick to
/// compute.
pub fn ceiling(
    problem: &Problem,
    demand: &CutDemand,
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
