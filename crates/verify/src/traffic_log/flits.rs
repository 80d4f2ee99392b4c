//! Logs of wormhole switching flit by flit. A log has the first and the last flit of every message
//! on every channel, so the judge checks that the other flits fit in between.

use super::{Complaint, LoggedHold, LoggedMessage};
use pavane_model::{ChannelId, Duplex, Network};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Checks the times of one message: every flit takes a cycle on every channel, and no flit is on a
/// channel before the cycle after it was on the previous one.
pub(super) fn check_times(
    cycle: u64,
    number: u32,
    message: &LoggedMessage,
    hops: &[LoggedHold],
    messages: &[LoggedMessage],
    complaints: &mut Vec<Complaint>,
) {
    let others = message.after.iter().map(|&other| messages[other as usize].completion);
    let ready = others.max().unwrap_or(0).max(message.arrival);
    let length = message.length.next_multiple_of(cycle);
    let end = hops.last().map_or(ready + length, |hop| hop.end + cycle);
    if message.completion < end || !message.completion.is_multiple_of(cycle) {
        let completion = message.completion;
        complaints.push(Complaint::WrongCompletion { message: number, completion, end });
    }
    let mut before: Option<&LoggedHold> = None;
    for hop in hops {
        let (channel, start) = (hop.channel, hop.start);
        let held = hop.end.saturating_sub(hop.start);
        if held < length || !hop.start.is_multiple_of(cycle) || !hop.end.is_multiple_of(cycle) {
            complaints.push(Complaint::WrongLength { message: number, channel, held, length });
        }
        let reason = match before {
            None if start < ready + cycle => {
                Some(format!("but the router cannot have a flit before {}", ready + cycle))
            }
            Some(before) if start < before.start + cycle || hop.end < before.end + cycle => {
                Some(format!("but the previous channel from {} to {}", before.start, before.end))
            }
            _ => None,
        };
        if let Some(reason) = reason {
            complaints.push(Complaint::TooEarly { message: number, channel, start, reason });
        }
        before = Some(hop);
    }
}

/// Checks that the flits of all messages fit on every link, one per cycle. They do if and only if
/// the flit with the earliest deadline can always go first.
pub(super) fn check_links(
    network: &Network,
    duplex: Duplex,
    cycle: u64,
    messages: &[LoggedMessage],
    holds: &[LoggedHold],
    complaints: &mut Vec<Complaint>,
) {
    let mut links: BTreeMap<ChannelId, Vec<&LoggedHold>> = BTreeMap::new();
    for hold in holds.iter().filter(|hold| hold.channel.index() < network.channel_count()) {
        let opposite = network.opposite(hold.channel).filter(|_| duplex == Duplex::Half);
        let link = opposite.map_or(hold.channel, |other| other.min(hold.channel));
        links.entry(link).or_default().push(hold);
    }
    for (channel, mut holds) in links {
        holds.sort_by_key(|hold| hold.start);
        let mut coming = holds.into_iter().peekable();
        // Deadline, message, and flits to go.
        let mut waiting: BinaryHeap<Reverse<(u64, u32, u64)>> = BinaryHeap::new();
        let mut time = 0;
        let mut last = 0;
        loop {
            if waiting.is_empty() {
                let Some(hold) = coming.peek() else { break };
                time = time.max(hold.start);
            }
            while let Some(hold) = coming.next_if(|hold| hold.start <= time) {
                let length = messages.get(hold.message as usize).map_or(0, |it| it.length);
                waiting.push(Reverse((hold.end, hold.message, length.div_ceil(cycle))));
            }
            let Some(Reverse((deadline, message, flits))) = waiting.pop() else { continue };
            let free = coming.peek().map_or(u64::MAX, |hold| (hold.start - time).div_ceil(cycle));
            let sent = flits.min(free);
            time += sent * cycle;
            if time > deadline {
                let (first, second) = (last, message);
                complaints.push(Complaint::LinkUsedTwice { first, second, channel, time });
                break;
            }
            last = message;
            if sent < flits {
                waiting.push(Reverse((deadline, message, flits - sent)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LoggedSwitching, check_log};
    use super::*;
    use pavane_model::{NetworkBuilder, ProcessorId};

    /// On a path of three, message 0 goes from 0 over 1 to 2 and message 1 from 1 to 2. Both have
    /// four flits; a cycle has ten ticks. They share the second channel from 20 on.
    fn complaints(change: impl FnOnce(&mut [LoggedMessage], &mut [LoggedHold])) -> Vec<Complaint> {
        let mut builder = NetworkBuilder::new("path:3", 3);
        builder.link(0, 1).link(1, 2).processor_on_each_router();
        let network = builder.build().unwrap();
        let message = |source, completion| LoggedMessage {
            arrival: 0,
            length: 40,
            source: ProcessorId(source),
            destination: ProcessorId(2),
            after: Vec::new(),
            completion,
        };
        let hold = |message, channel, start, end| LoggedHold {
            message,
            channel: ChannelId(channel),
            start,
            end,
        };
        let mut messages = [message(0, 110), message(1, 60)];
        let mut holds = [hold(0, 0, 10, 50), hold(0, 2, 20, 90), hold(1, 2, 10, 50)];
        change(&mut messages, &mut holds);
        let switching = LoggedSwitching::Flits { lanes: 2, cycle: 10 };
        check_log(&network, Duplex::Full, switching, &messages, &holds)
    }

    #[test]
    fn a_log_that_could_have_happened_passes() {
        assert_eq!(complaints(|_, _| {}), []);
    }

    #[test]
    fn every_mistake_is_found() {
        use Complaint::*;
        let found = |list: Vec<Complaint>, is_it: fn(&Complaint) -> bool| {
            assert!(list.iter().any(is_it), "{list:?}");
        };
        // Eight flits do not fit into seven cycles.
        found(complaints(|_, holds| holds[1].end = 80), |c| matches!(c, LinkUsedTwice { .. }));
        found(complaints(|_, holds| holds[1].start = 10), |c| matches!(c, TooEarly { .. }));
        found(complaints(|_, holds| holds[0].start = 0), |c| matches!(c, TooEarly { .. }));
        found(complaints(|_, holds| holds[2].end = 40), |c| matches!(c, WrongLength { .. }));
        found(complaints(|_, holds| holds[2].start = 15), |c| matches!(c, WrongLength { .. }));
        found(complaints(|m, _| m[0].completion = 90), |c| matches!(c, WrongCompletion { .. }));
        found(complaints(|m, _| m[1].after = vec![0]), |c| matches!(c, TooEarly { .. }));
    }
}
