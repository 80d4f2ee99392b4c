//! What a priced search knows about a problem before it starts: how scarce the slots of each row are, and
//! which channels continue each other.

use crate::instance::Instance;
use pavane_model::{Channel, ChannelId, Network, RouterId};
use rustc_hash::FxHashMap;

/// No row.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// Pairs of channels in a row above which straight routes are not looked for.
const MOST_PAIRS: usize = 2_000_000;
/// The scarcity of a port that is always busy, in units of the mean channel, and how quickly it falls if
/// the port is busy for a smaller part of the period.
const PORT_SCARCITY: f64 = 2.0;
const PORT_POWER: i32 = 5;
/// The part of the scarcity of a channel that is its price; the rest is the same for all channels.
const PRICED: f64 = 0.5;
/// The largest scarcity of a channel.
const MOST_SCARCITY: f64 = 8.0;

/// Facts about the rows of an instance without symmetry: first the channels, then the ports.
#[derive(Debug)]
pub(crate) struct Guide {
    /// Number of channels.
    pub channels: u32,
    /// How scarce the slots of a row are; 1 is the mean of all channels.
    pub scarcity: Vec<f64>,
    /// The channel that goes straight on after a channel, and the one before it.
    pub next: Vec<u32>,
    pub previous: Vec<u32>,
    /// Per channel, the units until the next channel of a route is used, modulo the period.
    pub hops: Vec<u32>,
}

impl Guide {
    /// `prices` are those of the channels by linear programming, with a mean of 1.
    pub fn new(network: &Network, instance: &Instance, prices: &[f64]) -> Self {
        let channels = network.channel_count();
        let mut words = vec![0u32; instance.moduli.len()];
        for item in &instance.items {
            let routes = &instance.routes[item.routes as usize];
            for edge in [routes.edges[0], routes.edges[routes.edges.len() - 1]] {
                words[edge.block as usize / instance.stride] += 1;
            }
        }
        let scarcity = |(row, &words): (usize, &u32)| match prices.get(row) {
            Some(price) => (PRICED * price + 1.0 - PRICED).min(MOST_SCARCITY),
            None => {
                let slots = f64::from(words) * f64::from(instance.phits);
                let busy = slots / f64::from(instance.period);
                PORT_SCARCITY * busy.powi(PORT_POWER)
            }
        };
        let scarcity = words.iter().enumerate().map(scarcity).collect();
        let (next, previous) = straight(network);
        let depth = u64::from(instance.rules.depth);
        let hop = |channel: &Channel| {
            let unit = u64::from(instance.phases.unit);
            let phase = (u64::from(instance.phases.at(channel.tail)) + depth) % unit;
            ((phase + depth) / unit % u64::from(instance.period)) as u32
        };
        let hops = network.channels().iter().map(hop).collect();
        Self { channels: channels as u32, scarcity, next, previous, hops }
    }

    /// Whether some channels go straight on after others.
    pub fn has_straight_routes(&self) -> bool {
        self.next.iter().any(|&row| row != NO_ROW)
    }
}

/// Whether some channels of a network go straight on after others.
pub(crate) fn has_straight_routes(network: &Network) -> bool {
    straight(network).0.iter().any(|&row| row != NO_ROW)
}

/// For every channel, the one that goes straight on: the only one to a router that two hops reach on one
/// way. On meshes and tori, turns have two ways.
fn straight(network: &Network) -> (Vec<u32>, Vec<u32>) {
    let channels = network.channel_count();
    let mut next = vec![NO_ROW; channels];
    let mut previous = vec![NO_ROW; channels];
    let degree = |router: RouterId| network.out_channels(router).len();
    let pairs: usize = network.channels().iter().map(|channel| degree(channel.head)).sum();
    if pairs > MOST_PAIRS {
        return (next, previous);
    }
    let mut candidates: Vec<(u32, u32)> = Vec::new();
    for source in network.routers() {
        let mut ways: FxHashMap<RouterId, u32> = FxHashMap::default();
        let ahead = |first: ChannelId| {
            let middle = network.channel(first).head;
            network.out_channels(middle).iter().map(move |&then| (first, then))
        };
        let all = || network.out_channels(source).iter().flat_map(|&first| ahead(first));
        for (_, then) in all() {
            *ways.entry(network.channel(then).head).or_default() += 1;
        }
        for &first in network.out_channels(source) {
            ways.insert(network.channel(first).head, 0);
        }
        ways.insert(source, 0);
        candidates.extend(
            all()
                .filter(|(_, then)| ways.get(&network.channel(*then).head) == Some(&1))
                .map(|(first, then)| (first.0, then.0)),
        );
    }
    let (mut after, mut before) = (vec![0u32; channels], vec![0u32; channels]);
    for &(first, then) in &candidates {
        after[first as usize] += 1;
        before[then as usize] += 1;
    }
    for (first, then) in candidates {
        if after[first as usize] == 1 && before[then as usize] == 1 {
            next[first as usize] = then;
            previous[then as usize] = first;
        }
    }
    (next, previous)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;

    #[test]
    fn straight_routes_are_found_on_meshes_and_tori_only() {
        // A row of five routers has three routers with a way straight on, in two directions.
        for (spec, straight_on) in [("torus:5x6", 120), ("mesh:5x5", 60), ("hypercube:4", 0)] {
            let network = pavane_networks::topology::build(spec).unwrap();
            let (next, previous) = straight(&network);
            let found = next.iter().filter(|&&row| row != NO_ROW).count();
            assert_eq!(found, straight_on, "{spec}");
            for (first, &then) in next.iter().enumerate().filter(|(_, then)| **then != NO_ROW) {
                assert_eq!(previous[then as usize], first as u32);
                let channels = network.channels();
                assert_eq!(channels[first].head, channels[then as usize].tail);
            }
        }
    }
}
