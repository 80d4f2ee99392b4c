//! The load at which a resource is always in use, for fixed paths.

use super::destinations::Destinations;
use crate::mission::Pattern;
use crate::simulator::{RoutingMethod, Simulator};
use pavane_model::printable::printable;
use pavane_model::{Duplex, ProcessorId};

/// The largest load that fixed paths allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadLimit {
    /// In flits per sending processor and cycle.
    pub load: f64,
    /// The resource that is always in use at this load.
    pub resource: LimitingResource,
}

/// A resource that carries one flit per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitingResource {
    /// A link.
    Link(u32),
    /// The way from a router to this processor.
    Receiver(ProcessorId),
    /// The way from every processor to its router.
    Senders,
}

impl LoadLimit {
    /// The resource in words: `the busiest channel, 3>4`.
    pub fn in_words(&self, simulator: &Simulator, duplex: Duplex) -> String {
        match self.resource {
            LimitingResource::Link(link) => {
                let (network, links) = (simulator.network(), simulator.links());
                let channel = network.channel(links.channel(link));
                let ends = [channel.tail, channel.head].map(|router| network.router_name(router));
                let (what, sign) = match duplex {
                    Duplex::Half => ("link", "-"),
                    Duplex::Full => ("channel", ">"),
                };
                format!("the busiest {what}, {}", printable(&ends.join(sign)))
            }
            LimitingResource::Receiver(processor) => {
                format!("the way from the router to processor {processor}")
            }
            LimitingResource::Senders => "the way from a processor to its router".to_owned(),
        }
    }
}

impl Pattern {
    /// The load at which the busiest link carries one flit per cycle or, if processors have ports, a
    /// processor sends or receives one; `None` if the paths are not fixed. A network that is offered
    /// more has no steady state.
    pub fn limit(self, simulator: &Simulator, has_ports: bool, seed: u64) -> Option<LoadLimit> {
        let RoutingMethod::Table(table) = simulator.routing() else { return None };
        let (network, links) = (simulator.network(), simulator.links());
        let mut carried = vec![0.0; links.count()];
        let mut received = vec![0.0; network.processor_count()];
        let mut path = Vec::new();
        for source in Destinations::list(self, network, seed) {
            let share = 1.0 / source.count() as f64;
            for target in (0..source.count()).map(|place| source.target(place)) {
                let (from, to) = network.home(source.processor).zip(network.home(target))?;
                path.clear();
                table.path(network, from, to, &mut path);
                path.iter().for_each(|&channel| carried[links.of(channel) as usize] += share);
                received[target.index()] += share;
            }
        }
        let links = (0..).zip(carried).map(|(link, load)| (load, LimitingResource::Link(link)));
        let receivers = (0..)
            .zip(received)
            .map(|(processor, load)| (load, LimitingResource::Receiver(ProcessorId(processor))));
        let ports = receivers.chain([(1.0, LimitingResource::Senders)]).filter(|_| has_ports);
        let mut busiest = (0.0, LimitingResource::Senders);
        for (load, resource) in links.chain(ports) {
            // Sums of shares differ by rounding.
            if load > busiest.0 + 1e-9 {
                busiest = (load, resource);
            }
        }
        let (load, resource) = busiest;
        (load > 0.0).then_some(LoadLimit { load: 1.0 / load, resource })
    }
}
