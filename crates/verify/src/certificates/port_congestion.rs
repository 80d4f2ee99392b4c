//! Port congestion: like congestion, but under store-and-forward every hop takes a channel, a send
//! port and a receive port, and all three have prices.

use super::congestion::{Needs, most_per_step, prices_cost};
use super::{Argument, Claim, Refusal, check_store_and_forward, for_each_origin};
use crate::cost::{Cost, Size};
use pavane_model::{Certificate, Problem, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::PortCongestion { channels, sends, receives } = claim.certificate else {
        return None;
    };
    Some(Box::new(PortCongestion { channels, sends, receives }))
}

struct PortCongestion<'a> {
    channels: &'a [u64],
    sends: &'a [u64],
    receives: &'a [u64],
}

impl Argument for PortCongestion<'_> {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        let listed = (self.channels.len() + self.sends.len() + self.receives.len()) as u64;
        let entries = 2 * size.search();
        Cost::of(prices_cost(problem, size).saturating_add(listed + entries))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem, self.channels, self.sends, self.receives)?)
    }
}

fn derive(
    problem: &Problem,
    channels: &[u64],
    sends: &[u64],
    receives: &[u64],
) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let network = problem.network();
    let (routers, count) = (network.router_count(), network.channel_count());
    if channels.len() != count || sends.len() != routers || receives.len() != routers {
        return Err(format!(
            "the numbers of prices do not match {count} channels and {routers} routers"
        ));
    }
    let hop = |tail: RouterId, head: RouterId, channel: u64| {
        let ports = sends[tail.index()].checked_add(receives[head.index()]);
        ports.and_then(|ports| ports.checked_add(channel)).ok_or("the prices are too large")
    };
    let priced = network.channels().iter().zip(channels);
    let hops: Vec<u64> =
        priced.map(|(ends, &price)| hop(ends.tail, ends.head, price)).collect::<Result<_, _>>()?;
    let within: Vec<u64> =
        network.routers().map(|router| hop(router, router, 0)).collect::<Result<_, _>>()?;
    let messages = problem.messages();
    let needs = Needs::of(messages);
    let entries: Vec<u128> =
        network.routers().map(|home| entry(problem, &hops, &within, home)).collect();
    let mut paid = 0u128;
    for_each_origin(problem, |origin, group, distance| {
        let (straight, anyway) = needs.paths(problem, &hops, origin, distance);
        for &message in group {
            let homes: Vec<RouterId> =
                messages.destinations(message).iter().map(|&to| problem.home(to)).collect();
            paid += match homes[..] {
                [home] if home == origin => u128::from(within[origin.index()]),
                [home] => straight[home.index()],
                _ => for_several(&entries, &anyway, &homes),
            };
        }
    });
    let mut most = most_per_step(problem, channels);
    for processor in network.living_processors() {
        let home = problem.home(processor).index();
        most += u128::from(sends[home]) * u128::from(problem.send_ports(processor));
        most += u128::from(receives[home]) * u128::from(problem.receive_ports(processor));
    }
    match most {
        0 => Err("all prices are zero".to_owned()),
        most => Ok(u64::try_from(paid.div_ceil(most)).unwrap_or(u64::MAX)),
    }
}

/// Price of a message with several destinations. It enters each destination by a separate transfer
/// and travels hop by hop to the most expensive one; the larger price counts.
fn for_several(entries: &[u128], anyway: &[u128], homes: &[RouterId]) -> u128 {
    let dearest = homes.iter().map(|home| anyway[home.index()]).max().unwrap_or(0);
    dearest.max(homes.iter().map(|home| entries[home.index()]).sum())
}

/// Minimum price of a transfer into a processor on this router: over a channel, or from another
/// processor on the same router.
fn entry(problem: &Problem, hops: &[u64], within: &[u64], home: RouterId) -> u128 {
    let network = problem.network();
    let over_channel = network.in_channels(home).iter().map(|channel| hops[channel.index()]);
    let has_neighbour = network.residents(home).len() > 1;
    let from_neighbour = has_neighbour.then_some(within[home.index()]);
    u128::from(over_channel.chain(from_neighbour).min().unwrap_or(0))
}
