//! Schedules with steps as timed schedules without times: the order of the sends stays, but nothing
//! waits for the end of a step.

use super::{BufferSize, Chunk, Send, TimedPhase, TimedSchedule};
use crate::fraction::Fraction;
use crate::ids::{ChannelId, MessageId, ProcessorId, RouterId};
use crate::network::Network;
use crate::problem::Problem;
use crate::rules::Duplex;
use crate::schedule::Schedule;
use std::collections::{BTreeMap, HashSet};

/// Why a schedule with steps does not become a timed schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepsError {
    /// It has other phases.
    #[error("it is a schedule of another collective")]
    Collective,
    /// It is on another network.
    #[error("it is a schedule on another network")]
    Network,
}

/// The sends of a schedule with steps in their order, on the network of `phases`, which has bandwidths
/// and latencies. The network of the schedule may have other numbers of parallel channels. `phases` are the
/// problems with whole messages. All sends start at 0, and the schedule claims no time.
pub fn from_steps(
    name: &str,
    phases: &[Problem],
    schedules: &[(&Problem, &Schedule)],
    size: &BufferSize,
) -> Result<TimedSchedule, StepsError> {
    if phases.len() != schedules.len() {
        return Err(StepsError::Collective);
    }
    let mut timed = Vec::new();
    for (phase, &(problem, schedule)) in phases.iter().zip(schedules) {
        timed.push(timed_phase(phase, problem, schedule, size)?);
    }
    Ok(TimedSchedule {
        name: name.to_owned(),
        phases: timed,
        size: size.clone(),
        duplex: Duplex::Full,
        time_unit_ns: Fraction::ONE,
        time: None,
        bound: None,
    })
}

fn timed_phase(
    phase: &Problem,
    stored: &Problem,
    schedule: &Schedule,
    size: &BufferSize,
) -> Result<TimedPhase, StepsError> {
    let channels = channel_map(stored.network(), phase.network()).ok_or(StepsError::Network)?;
    let (whole, wanted) = (stored.collective().whole(), phase.collective());
    let is_same = whole.kind == wanted.kind
        && whole.senders == wanted.senders
        && whole.receivers == wanted.receivers
        && whole.list == wanted.list;
    if !is_same {
        return Err(StepsError::Collective);
    }
    let (chunks, numbers) =
        equal_chunks(&size.of_messages(phase), stored.collective().chunk_count());
    // The chunks of a gather are messages to its roots; the whole gather is read backwards. Both have the
    // messages in the same order.
    let is_turned = stored.is_backward() != phase.is_backward();
    let reversed = (stored.is_backward() || is_turned).then(|| schedule.reversed());
    let schedule = reversed.as_ref().unwrap_or(schedule);
    let paths = (0..schedule.transfer_count()).filter_map(|number| {
        let transfer = schedule.transfer(number);
        let path = transfer.path.iter().map(|channel| channels[channel.index()]).collect();
        Some((numbers[transfer.message.index()]?, path))
    });
    let paths: Vec<(u32, Vec<ChannelId>)> = paths.collect();
    let paths = paths.iter().map(|(chunk, path)| (*chunk, &path[..]));
    let sends = sends_along(&phase.forward(), phase.is_backward(), &chunks, paths);
    Ok(TimedPhase { problem: phase.clone(), chunks, sends })
}

/// The channel of `wanted` for every channel of `stored`. Both networks may differ in the number of parallel
/// channels only; `None` if they differ otherwise.
fn channel_map(stored: &Network, wanted: &Network) -> Option<Vec<ChannelId>> {
    if stored.has_same_channels_as(wanted) {
        return Some((0..stored.channel_count() as u32).map(ChannelId).collect());
    }
    let homes = |network: &Network| -> Vec<_> {
        (0..network.processor_count() as u32).map(|it| network.home(ProcessorId(it))).collect()
    };
    let by_ends = |network: &Network| {
        let mut by_ends: BTreeMap<(RouterId, RouterId), Vec<ChannelId>> = BTreeMap::new();
        for (number, channel) in (0..).map(ChannelId).zip(network.channels()) {
            by_ends.entry((channel.tail, channel.head)).or_default().push(number);
        }
        by_ends
    };
    let (found, given) = (by_ends(stored), by_ends(wanted));
    if homes(stored) != homes(wanted)
        || stored.router_count() != wanted.router_count()
        || stored.multicast() != wanted.multicast()
        || !found.keys().eq(given.keys())
    {
        return None;
    }
    let mut map = vec![ChannelId(0); stored.channel_count()];
    for (ends, copies) in &found {
        let real = &given[ends];
        for (at, copy) in copies.iter().enumerate() {
            map[copy.index()] = real[at * real.len() / copies.len()];
        }
    }
    Some(map)
}

/// Cuts every message into `count` chunks that differ by a byte at most. Also returns the number of
/// every chunk, by message and place; empty ones have none.
pub fn equal_chunks(sizes: &[u64], count: u32) -> (Vec<Chunk>, Vec<Option<u32>>) {
    let mut chunks = Vec::new();
    let mut numbers = Vec::new();
    for (message, &bytes) in (0..).map(MessageId).zip(sizes) {
        let end = |part: u32| (u128::from(bytes) * u128::from(part) / u128::from(count)) as u64;
        for part in 0..count {
            let (offset, end) = (end(part), end(part + 1));
            numbers.push((offset < end).then_some(chunks.len() as u32));
            if offset < end {
                chunks.push(Chunk { message, offset, bytes: end - offset });
            }
        }
    }
    (chunks, numbers)
}

/// The sends of chunks along paths, in the direction of time, all with start 0. Paths are in the order of
/// the forward phase. A router that copies gets every chunk once, so a path starts at the last router on
/// it that has the chunk already.
pub fn sends_along<'a>(
    forward: &Problem,
    is_backward: bool,
    chunks: &[Chunk],
    paths: impl IntoIterator<Item = (u32, &'a [ChannelId])>,
) -> Vec<Send> {
    let network = forward.network();
    let copies =
        |router: RouterId| !network.residents(router).is_empty() || network.is_multicast(router);
    let mut held: HashSet<(u32, RouterId)> = HashSet::new();
    for (number, chunk) in (0..).zip(chunks) {
        held.insert((number, forward.home(forward.messages().origin(chunk.message))));
    }
    let mut sends = Vec::new();
    for (chunk, path) in paths {
        let has = |channel: &ChannelId| held.contains(&(chunk, network.channel(*channel).head));
        let first = path.iter().rposition(has).map_or(0, |at| at + 1);
        for &channel in &path[first..] {
            let head = network.channel(channel).head;
            if copies(head) {
                held.insert((chunk, head));
            }
            sends.push(Send { chunk, channel, start: 0 });
        }
    }
    if is_backward {
        sends.reverse();
    }
    sends
}
