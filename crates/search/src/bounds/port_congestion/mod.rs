//! Port-congestion bound: under store-and-forward every hop also uses a send port and a receive
//! port. Ports modelled as channels give a larger network, whose congestion bound also holds for
//! the original problem.

mod payment;

use super::finding::Finding;
use super::{congestion, words};
use crate::budget::Interrupt;
use crate::prices::even_out;
use pavane_model::{
    Certificate, ChannelId, Duplex, Model, NetworkBuilder, Ports, Problem, ProcessorId, RouterId,
    Routing, Switching,
};
use payment::PortPrices;

/// Largest number of messages that are copied for the larger network.
const MOST_MESSAGES: usize = 4_000_000;

/// The congestion bound of the network with ports modelled as channels. Applies if some router has
/// fewer ports than channels.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let ports = PortsOfRouters::of(problem);
    if !ports.has_few(problem) {
        return Finding::NotApplicable;
    }
    if problem.messages().len() > MOST_MESSAGES {
        let count = words::counted(problem.messages().len(), "message");
        let why = format!("a second network for {count} would be too large");
        return Finding::Skipped { reason: "port-congestion", why };
    }
    let drawn = match ports.drawn(problem) {
        Ok(drawn) => drawn,
        Err(error) => {
            return Finding::Skipped { reason: "port-congestion", why: error.to_string() };
        }
    };
    match congestion::bound(&drawn, interrupt) {
        Finding::Proved(bound) | Finding::Priced(bound, _) => {
            let Some(Certificate::Congestion { prices }) = bound.certificate else {
                return Finding::NotApplicable;
            };
            proved(problem, ports.prices(problem, &prices), interrupt)
        }
        Finding::NotApplicable => Finding::NotApplicable,
        Finding::Skipped { why, .. } => Finding::Skipped { reason: "port-congestion", why },
    }
}

fn proved(problem: &Problem, prices: PortPrices, interrupt: &Interrupt) -> Finding {
    let Some(paid) = prices.paid(problem, interrupt) else {
        return Finding::out_of_time(
            "port-congestion",
            "computing prices, before all messages were charged",
        );
    };
    let limit = prices.limit(problem);
    let steps = u64::try_from(paid.div_ceil(limit.max(1))).unwrap_or(u64::MAX);
    let explanation = format!(
        "with prices for channels and ports, all messages cost at least {paid} and a step provides \
         at most {limit}, so at least {}",
        words::steps(steps),
    );
    let of_hops: Vec<f64> = prices.of_hops(problem).iter().map(|&price| price as f64).collect();
    let PortPrices { channels, sends, receives } = prices;
    let certificate = Certificate::PortCongestion { channels, sends, receives };
    match Finding::proved(steps, certificate, explanation) {
        // Searches need what a hop costs in total.
        Finding::Proved(bound) if of_hops.iter().any(|&price| price > 0.0) => {
            Finding::Priced(bound, even_out(of_hops))
        }
        finding => finding,
    }
}

/// For every router, the number of channels that represent the send and the receive ports of its
/// processors, at most the channels that leave or enter it.
struct PortsOfRouters {
    sends: Vec<u32>,
    receives: Vec<u32>,
}

impl PortsOfRouters {
    fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let mut sends = vec![0u32; network.router_count()];
        let mut receives = sends.clone();
        for processor in network.living_processors() {
            let home = problem.home(processor);
            let (send, receive) = (&mut sends[home.index()], &mut receives[home.index()]);
            let (out, into) = (network.out_channels(home).len(), network.in_channels(home).len());
            *send = send.saturating_add(problem.send_ports(processor)).min(out as u32);
            *receive = receive.saturating_add(problem.receive_ports(processor)).min(into as u32);
        }
        Self { sends, receives }
    }

    fn has_few_sends(&self, problem: &Problem, router: RouterId) -> bool {
        (self.sends[router.index()] as usize) < problem.network().out_channels(router).len()
    }

    fn has_few_receives(&self, problem: &Problem, router: RouterId) -> bool {
        (self.receives[router.index()] as usize) < problem.network().in_channels(router).len()
    }

    /// Whether some router has fewer ports than channels.
    fn has_few(&self, problem: &Problem) -> bool {
        let mut routers = problem.network().routers();
        routers.any(|r| self.has_few_sends(problem, r) || self.has_few_receives(problem, r))
    }

    /// The same messages on a network in which each router becomes three: one with its processors,
    /// one where its channels start, and one where they end. A hop then takes three channels.
    fn drawn(&self, problem: &Problem) -> Result<Problem, Box<dyn std::error::Error>> {
        let network = problem.network();
        let routers = network.router_count() as u32;
        let mut builder = NetworkBuilder::new(network.name(), 3 * routers);
        for channel in network.channels() {
            builder.channel(routers + channel.tail.0, 2 * routers + channel.head.0);
        }
        for router in 0..routers {
            for _ in 0..self.sends[router as usize] {
                builder.channel(router, routers + router);
            }
            for _ in 0..self.receives[router as usize] {
                builder.channel(2 * routers + router, router);
            }
        }
        for processor in 0..network.processor_count() as u32 {
            let home = network.home(ProcessorId(processor));
            builder.processor(home.map(|router| router.0));
        }
        let routing = match problem.model().routing {
            Routing::Detour(extra) => Routing::Detour(extra.saturating_mul(3)),
            routing => routing,
        };
        // The congestion bound considers channels only. One port, because a router without channels
        // would have no ports, and its processors could not exchange messages.
        let model = Model {
            switching: Switching::Wormhole,
            routing,
            duplex: Duplex::Full,
            ports: Ports::Limited(1),
        };
        let collective = problem.collective().clone();
        Ok(Problem::with_limit(builder.build()?, collective, model, u64::MAX)?)
    }

    /// Converts prices of the larger network to prices of channels and ports. A message pays the
    /// cheapest of the equivalent ports. Where ports are as many as channels, their price is added
    /// to the channels.
    fn prices(&self, problem: &Problem, prices: &[u64]) -> PortPrices {
        let network = problem.network();
        let (of_channels, mut of_ports) = prices.split_at(network.channel_count());
        let mut channels = of_channels.to_vec();
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        let mut cheapest_of = |count: u32| {
            let (now, later) = of_ports.split_at(count as usize);
            of_ports = later;
            now.iter().copied().min().unwrap_or(0)
        };
        let mut add = |to: &[ChannelId], price: u64| {
            to.iter().for_each(|channel| channels[channel.index()] += price);
        };
        for router in network.routers() {
            let send = cheapest_of(self.sends[router.index()]);
            let receive = cheapest_of(self.receives[router.index()]);
            let (few_sends, few_receives) =
                (self.has_few_sends(problem, router), self.has_few_receives(problem, router));
            if !few_sends {
                add(network.out_channels(router), send);
            }
            if !few_receives {
                add(network.in_channels(router), receive);
            }
            sends.push(if few_sends { send } else { 0 });
            receives.push(if few_receives { receive } else { 0 });
        }
        PortPrices { channels, sends, receives }
    }
}
