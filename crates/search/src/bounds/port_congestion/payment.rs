//! Minimum payment of all messages, and maximum payment of a step, at prices for channels and
//! ports.

use crate::bounds::congestion::shared::costs_from;
use crate::budget::Interrupt;
use crate::prices::{Demand, Lanes, Routes, Scratch, spare_of};
use pavane_model::{ChannelId, Duplex, MessageId, Problem, RouterId};

/// Integer prices for every channel, and for sending and receiving at every router.
#[derive(Debug, Default)]
pub struct PortPrices {
    pub channels: Vec<u64>,
    pub sends: Vec<u64>,
    pub receives: Vec<u64>,
}

impl PortPrices {
    /// Minimum payment of all messages; `None` after an interrupt.
    pub fn paid(&self, problem: &Problem, interrupt: &Interrupt) -> Option<u128> {
        let hops = self.of_hops(problem);
        let over_channels = self.paid_over_channels(problem, &hops, interrupt)?;
        Some(over_channels + self.paid_by_others(problem, &hops, interrupt)?)
    }

    /// Payment for a hop over each channel, with its ports.
    pub fn of_hops(&self, problem: &Problem) -> Vec<u64> {
        let channels = problem.network().channels().iter().zip(&self.channels);
        channels
            .map(|(c, price)| self.sends[c.tail.index()] + price + self.receives[c.head.index()])
            .collect()
    }

    /// Maximum payment of a step. Under half duplex only the more expensive channel of a link
    /// counts.
    pub fn limit(&self, problem: &Problem) -> u128 {
        let network = problem.network();
        let price = |channel: ChannelId| u128::from(self.channels[channel.index()]);
        let mut limit = 0;
        for channel in (0..self.channels.len() as u32).map(ChannelId) {
            limit += match (problem.model().duplex, network.opposite(channel)) {
                (Duplex::Half, Some(other)) if other < channel => 0,
                (Duplex::Half, Some(other)) => price(channel).max(price(other)),
                _ => price(channel),
            };
        }
        for processor in network.living_processors() {
            let home = problem.home(processor).index();
            limit += u128::from(self.sends[home]) * u128::from(problem.send_ports(processor));
            limit += u128::from(self.receives[home]) * u128::from(problem.receive_ports(processor));
        }
        limit
    }

    /// Payment of the personalised messages between different routers.
    fn paid_over_channels(
        &self,
        problem: &Problem,
        hops: &[u64],
        interrupt: &Interrupt,
    ) -> Option<u128> {
        let demand = Demand::of(problem);
        let spare = spare_of(problem.model().routing, problem.network());
        let lanes = Lanes { of_channel: (0..hops.len() as u32).collect(), count: hops.len() };
        let mut scratch = Scratch::default();
        let mut paid = 0;
        for group in &demand.groups {
            if interrupt.is_raised() {
                return None;
            }
            let routes = Routes::new(&demand.network, &lanes, group, spare);
            routes.sweep(hops, &mut scratch);
            let payments = routes.payments(&scratch);
            paid += payments.map(|(cost, n)| u128::from(cost) * u128::from(n)).sum::<u128>();
        }
        Some(paid)
    }

    /// Payment of the messages with several destinations and of personalised messages within one
    /// router.
    fn paid_by_others(
        &self,
        problem: &Problem,
        hops: &[u64],
        interrupt: &Interrupt,
    ) -> Option<u128> {
        let messages = problem.messages();
        let home = |message: MessageId| problem.home(messages.origin(message));
        let mut others: Vec<MessageId> = messages
            .ids()
            .filter(|&m| match messages.destinations(m) {
                [to] => problem.home(*to) == home(m),
                _ => true,
            })
            .collect();
        others.sort_by_key(|&message| home(message));
        let mut paid = 0;
        for group in others.chunk_by(|&a, &b| home(a) == home(b)) {
            let cost = costs_from(problem.network(), home(group[0]), hops);
            for &message in group {
                if interrupt.is_raised() {
                    return None;
                }
                let to = messages.destinations(message).iter();
                let homes: Vec<RouterId> = to.map(|&to| problem.home(to)).collect();
                paid += match homes[..] {
                    [home] => self.within(home),
                    _ => self.paid_by_shared(problem, hops, &cost, &homes),
                };
            }
        }
        Some(paid)
    }

    /// Payment of a transfer between processors of one router.
    fn within(&self, router: RouterId) -> u128 {
        u128::from(self.sends[router.index()]) + u128::from(self.receives[router.index()])
    }

    /// The larger of one transfer into every destination, and the hops to the most expensive
    /// destination.
    fn paid_by_shared(
        &self,
        problem: &Problem,
        hops: &[u64],
        cost: &[u64],
        homes: &[RouterId],
    ) -> u128 {
        let network = problem.network();
        let cheapest_in = |&home: &RouterId| {
            let entering = network.in_channels(home).iter();
            let over_channels = entering.map(|channel| u128::from(hops[channel.index()]));
            let from_neighbour = (network.residents(home).len() > 1).then(|| self.within(home));
            over_channels.chain(from_neighbour).min().unwrap_or(0)
        };
        let dearest = homes.iter().map(|home| u128::from(cost[home.index()])).max();
        dearest.unwrap_or(0).max(homes.iter().map(cheapest_in).sum())
    }
}
