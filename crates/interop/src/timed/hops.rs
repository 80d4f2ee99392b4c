//! Timed schedules as transfers between routers with processors. A way across switches is one transfer;
//! what a switch copies or adds is one transfer for every copy or part.

use pavane_model::timed::{Chunk, TimedSchedule};
use pavane_model::{ChannelId, Fraction, RouterId};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A send with its times in nanoseconds.
pub(super) struct TimedSend {
    pub phase: usize,
    pub chunk: usize,
    pub channel: ChannelId,
    pub start_ns: Fraction,
    pub arrival_ns: Fraction,
}

/// A chunk that goes from one rank to another.
pub(super) struct Hop {
    pub from: usize,
    pub to: usize,
    pub bytes: u64,
    /// The first channel.
    pub channel: ChannelId,
    /// The transfers that must have arrived before this one starts.
    pub after: Vec<usize>,
}

/// All sends in the order of their starts. `None` if an exact time needs more than 128 bits.
pub(super) fn sends(schedule: &TimedSchedule) -> Option<Vec<TimedSend>> {
    let network = schedule.phases.first()?.problem.network();
    let (bandwidths, latencies) = (network.bandwidths().ok()?, network.latencies().ok()?);
    let mut all = Vec::new();
    for (phase, one) in schedule.phases.iter().enumerate() {
        for send in &one.sends {
            let start_ns = Fraction::from(send.start).checked_mul(schedule.time_unit_ns)?;
            let bytes = Fraction::from(one.chunks[send.chunk as usize].bytes);
            let carried = bytes.checked_div(bandwidths[send.channel.index()])?;
            let arrival_ns =
                start_ns.checked_add(carried)?.checked_add(latencies[send.channel.index()])?;
            let (chunk, channel) = (send.chunk as usize, send.channel);
            all.push(TimedSend { phase, chunk, channel, start_ns, arrival_ns });
        }
    }
    all.sort_by_key(|send| send.start_ns);
    Some(all)
}

/// The routers with processors, which are the ranks.
pub(super) fn ranks(schedule: &TimedSchedule) -> Vec<RouterId> {
    let network = schedule.phases[0].problem.network();
    network.routers().filter(|&router| !network.residents(router).is_empty()).collect()
}

/// A copy or part in a switch: the rank that it comes from, its first channel, and what it waited for.
type Passing = (usize, ChannelId, Vec<usize>);

/// The transfers in the order of the starts of their sends.
pub(super) fn hops(schedule: &TimedSchedule, sends: &[TimedSend]) -> Vec<Hop> {
    let network = schedule.phases[0].problem.network();
    let rank: BTreeMap<RouterId, usize> = ranks(schedule).into_iter().zip(0..).collect();
    let mut arrived: HashMap<(usize, usize, RouterId), Vec<usize>> = HashMap::new();
    let mut passing: HashMap<(usize, usize, RouterId), VecDeque<Passing>> = HashMap::new();
    let mut hops: Vec<Hop> = Vec::new();
    // Sends to switches count when they arrive, before sends that start at the same time.
    for send in sends {
        let ends = network.channel(send.channel);
        let key = |router| (send.phase, send.chunk, router);
        let is_sum = schedule.phases[send.phase].problem.is_backward();
        let carried: Vec<Passing> = if let Some(&from) = rank.get(&ends.tail) {
            let mut after = arrived.get(&key(ends.tail)).cloned().unwrap_or_default();
            if send.phase == 1 {
                after.extend(sums(schedule, send, ends.tail, &arrived));
            }
            vec![(from, send.channel, after)]
        } else {
            let waiting = passing.entry(key(ends.tail)).or_default();
            if network.is_multicast(ends.tail) {
                if is_sum {
                    waiting.drain(..).collect()
                } else {
                    waiting.front().cloned().into_iter().collect()
                }
            } else {
                waiting.pop_front().into_iter().collect()
            }
        };
        let Some(&to) = rank.get(&ends.head) else {
            passing.entry(key(ends.head)).or_default().extend(carried);
            continue;
        };
        let bytes = schedule.phases[send.phase].chunks[send.chunk].bytes;
        for (from, channel, after) in carried {
            arrived.entry(key(ends.head)).or_default().push(hops.len());
            hops.push(Hop { from, to, bytes, channel, after });
        }
    }
    hops
}

/// In an all-reduce: the transfers that bring the parts of a sum to its root.
fn sums(
    schedule: &TimedSchedule,
    send: &TimedSend,
    router: RouterId,
    arrived: &HashMap<(usize, usize, RouterId), Vec<usize>>,
) -> Vec<usize> {
    let [reduce, broadcast] = &schedule.phases[..] else { return Vec::new() };
    let sent = &broadcast.chunks[send.chunk];
    let root = broadcast.problem.messages().origin(sent.message);
    if broadcast.problem.home(root) != router {
        return Vec::new();
    }
    let overlaps = |chunk: &Chunk| {
        reduce.problem.messages().origin(chunk.message) == root
            && chunk.offset < sent.offset + sent.bytes
            && sent.offset < chunk.offset + chunk.bytes
    };
    let chunks = reduce.chunks.iter().enumerate().filter(|(_, chunk)| overlaps(chunk));
    chunks.filter_map(|(chunk, _)| arrived.get(&(0, chunk, router))).flatten().copied().collect()
}
