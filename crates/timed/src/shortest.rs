//! Trees of quickest paths, for small messages: every message takes the way with the smallest latency
//! plus transmission times, around channels that already carry much.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::{ChannelId, RouterId};
use rand::{Rng, RngExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The bytes that cross every channel or link so far, as time.
pub(crate) struct Loads(pub Vec<u64>);

/// How the bytes that channels already carry delay a message in the choice of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delay {
    /// By this part of their time, in percent, at every channel.
    Load(u64),
    /// The message waits until a channel has sent them.
    Queue,
}

impl Delay {
    /// The arrival over a channel, and all times, in hundredths of a unit.
    fn arrival(self, time: u128, own: u64, busy: u64) -> u128 {
        match self {
            Self::Load(percent) => {
                time + 100 * u128::from(own) + u128::from(percent) * u128::from(busy)
            }
            Self::Queue => time.max(100 * u128::from(busy)) + 100 * u128::from(own),
        }
    }

    /// The bytes of a channel, as time, after a message that can start at `time` has taken it.
    fn load(self, busy: u64, time: u128, occupied: u64) -> u64 {
        match self {
            Self::Load(_) => busy + occupied,
            Self::Queue => busy.max((time / 100) as u64) + occupied,
        }
    }
}

/// The ways to the routers from the nearest of several.
pub(crate) struct Ways {
    /// For every router, the last channel of the quickest path.
    pub enters: Vec<Option<ChannelId>>,
    /// For every router, the arrival in hundredths of a unit.
    arrivals: Vec<u128>,
}

/// The tree of quickest paths of a message of this many bytes.
pub(crate) fn tree(
    all: &TimedCase,
    case: &PhaseCase,
    message: usize,
    bytes: u64,
    delay: Delay,
    loads: &mut Loads,
    rng: &mut impl Rng,
) -> Vec<ChannelId> {
    let origin = case.origin(message);
    let ways = quickest(all, case, &[origin], bytes, delay, loads, rng);
    let mut has_chunk = vec![false; case.routers()];
    has_chunk[origin.index()] = true;
    let mut channels = Vec::new();
    for to in case.wanted_at(message) {
        let first = channels.len();
        let mut router = to;
        while router != origin {
            // A switch that does not copy carries every copy on its own.
            if has_chunk[router.index()] && case.copying[router.index()] {
                break;
            }
            has_chunk[router.index()] = true;
            let Some(channel) = ways.enters[router.index()] else { break };
            channels.push(channel);
            router = case.ends(channel).0;
        }
        channels[first..].reverse();
        for channel in &channels[first..] {
            let load = &mut loads.0[all.resource[channel.index()] as usize];
            let time = ways.arrivals[case.ends(*channel).0.index()];
            *load = delay.load(*load, time, all.times.occupied(*channel, bytes));
        }
    }
    channels
}

/// The quickest ways from one of several routers to all.
pub(crate) fn quickest(
    all: &TimedCase,
    case: &PhaseCase,
    from: &[RouterId],
    bytes: u64,
    delay: Delay,
    loads: &Loads,
    rng: &mut impl Rng,
) -> Ways {
    let mut enters = vec![None; case.routers()];
    let mut arrivals = vec![u128::MAX; case.routers()];
    from.iter().for_each(|from| arrivals[from.index()] = 0);
    let mut queue: BinaryHeap<Reverse<(u128, u32, RouterId)>> =
        from.iter().map(|&from| Reverse((0, 0, from))).collect();
    while let Some(Reverse((time, _, router))) = queue.pop() {
        if time > arrivals[router.index()] {
            continue;
        }
        for &channel in case.outgoing(router) {
            let (_, to) = case.ends(channel);
            let busy = loads.0[all.resource[channel.index()] as usize];
            let own = all.times.occupied(channel, bytes) + all.times.latency(channel);
            let arrival = delay.arrival(time, own, busy);
            if arrival < arrivals[to.index()] {
                arrivals[to.index()] = arrival;
                enters[to.index()] = Some(channel);
                queue.push(Reverse((arrival, rng.random(), to)));
            }
        }
    }
    Ways { enters, arrivals }
}
