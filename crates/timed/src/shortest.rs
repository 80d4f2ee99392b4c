//! Trees of quickest paths, for small messages: every message takes the way with the smallest latency
//! plus transmission times, around channels that already carry much.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::{ChannelId, RouterId};
use rand::{Rng, RngExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The bytes that cross every channel or link so far, as time.
pub(crate) struct Loads(pub Vec<u64>);

/// The tree of quickest paths of a message of this many bytes. `weight` says in percent how much the
/// time counts that channels already need for other messages.
pub(crate) fn tree(
    all: &TimedCase,
    case: &PhaseCase,
    message: usize,
    bytes: u64,
    weight: u64,
    loads: &mut Loads,
    rng: &mut impl Rng,
) -> Vec<ChannelId> {
    let origin = case.origin(message);
    let enters = quickest(all, case, &[origin], bytes, weight, loads, rng);
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
            let Some(channel) = enters[router.index()] else { break };
            channels.push(channel);
            router = case.ends(channel).0;
        }
        channels[first..].reverse();
        for channel in &channels[first..] {
            let resource = all.resource[channel.index()] as usize;
            loads.0[resource] += all.times.occupied(*channel, bytes);
        }
    }
    channels
}

/// For every router, the last channel of the quickest path from one of several routers.
pub(crate) fn quickest(
    all: &TimedCase,
    case: &PhaseCase,
    from: &[RouterId],
    bytes: u64,
    weight: u64,
    loads: &Loads,
    rng: &mut impl Rng,
) -> Vec<Option<ChannelId>> {
    let mut enters = vec![None; case.routers()];
    let mut least = vec![u128::MAX; case.routers()];
    from.iter().for_each(|from| least[from.index()] = 0);
    let mut queue: BinaryHeap<Reverse<(u128, u32, RouterId)>> =
        from.iter().map(|&from| Reverse((0, 0, from))).collect();
    while let Some(Reverse((time, _, router))) = queue.pop() {
        if time > least[router.index()] {
            continue;
        }
        for &channel in case.outgoing(router) {
            let (_, to) = case.ends(channel);
            let busy = loads.0[all.resource[channel.index()] as usize];
            let own = all.times.occupied(channel, bytes) + all.times.latency(channel);
            let arrival = time + 100 * u128::from(own) + u128::from(weight) * u128::from(busy);
            if arrival < least[to.index()] {
                least[to.index()] = arrival;
                enters[to.index()] = Some(channel);
                queue.push(Reverse((arrival, rng.random(), to)));
            }
        }
    }
    enters
}
