//! Independent check of the log of a traffic run. It shares only the types of `model` with the
//! simulator. It checks that no link is used twice at once, that hops are in order, that lengths
//! are kept, and that nothing starts before its cause.

mod flits;

use pavane_model::{ChannelId, Duplex, Network, ProcessorId};
use rustc_hash::FxHashMap;

/// A message as given in the mission. Times are whole ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedMessage {
    /// Time from which it can be sent.
    pub arrival: u64,
    /// Time that a link takes to carry it.
    pub length: u64,
    /// Source processor.
    pub source: ProcessorId,
    /// Destination processor.
    pub destination: ProcessorId,
    /// Messages that must be delivered before it is sent.
    pub after: Vec<u32>,
    /// Delivery time claimed by the run.
    pub completion: u64,
}

/// A channel held by a message. The holds of a message are in the order of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedHold {
    /// The message.
    pub message: u32,
    /// The channel.
    pub channel: ChannelId,
    /// Start time.
    pub start: u64,
    /// End time.
    pub end: u64,
}

/// How messages hold links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggedSwitching {
    /// One link after another; each router stores the whole message.
    Message,
    /// All links at once.
    Circuit,
    /// The next link at the same instant, or later with the whole message stored in between.
    CutThrough,
    /// Link after link, all released at once. Several messages may hold a link, one per virtual
    /// channel; the link carries one at a time.
    Wormhole {
        /// Virtual channels per link.
        lanes: usize,
    },
    /// Flit by flit, in cycles. A hold lasts from the cycle in which the first flit crosses the
    /// channel to the end of the cycle in which the last one does.
    Flits {
        /// Virtual channels per channel.
        lanes: usize,
        /// Ticks per cycle; a link carries one flit in each.
        cycle: u64,
    },
}

/// An inconsistency in a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Complaint {
    /// An unknown message or channel.
    #[error("hold {hold} names a message or channel that does not exist")]
    Unknown {
        /// The hold, from 0.
        hold: usize,
    },
    /// The channels of a message do not lead from its source to its destination.
    #[error("message {message}: its channels do not lead from its source to its destination")]
    BrokenPath {
        /// The message.
        message: u32,
    },
    /// A hold with the wrong duration.
    #[error(
        "message {message}: channel {channel} is held for {held} ticks, but the length is {length}"
    )]
    WrongLength {
        /// The message.
        message: u32,
        /// The channel.
        channel: ChannelId,
        /// Duration of the hold.
        held: u64,
        /// Expected duration.
        length: u64,
    },
    /// A hop that starts too early.
    #[error("message {message}: channel {channel} is taken at {start}, {reason}")]
    TooEarly {
        /// The message.
        message: u32,
        /// The channel.
        channel: ChannelId,
        /// Its start time.
        start: u64,
        /// What should have happened before.
        reason: String,
    },
    /// The delivery time differs from the end of the last hop.
    #[error("message {message}: delivered at {completion}, but its last hop ends at {end}")]
    WrongCompletion {
        /// The message.
        message: u32,
        /// Delivery time claimed by the run.
        completion: u64,
        /// End of the last hop.
        end: u64,
    },
    /// Two messages on one link at once.
    #[error("messages {first} and {second} are both on channel {channel} or its link at {time}")]
    LinkUsedTwice {
        /// One message.
        first: u32,
        /// The other.
        second: u32,
        /// A channel of the link.
        channel: ChannelId,
        /// Time of the overlap.
        time: u64,
    },
}

/// Checks a log and returns everything that is inconsistent; empty if the log is possible.
pub fn check_log(
    network: &Network,
    duplex: Duplex,
    switching: LoggedSwitching,
    messages: &[LoggedMessage],
    holds: &[LoggedHold],
) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut hops: Vec<Vec<LoggedHold>> = vec![Vec::new(); messages.len()];
    for (number, hold) in holds.iter().enumerate() {
        let is_known = hold.channel.index() < network.channel_count();
        match hops.get_mut(hold.message as usize).filter(|_| is_known) {
            Some(list) => list.push(*hold),
            None => complaints.push(Complaint::Unknown { hold: number }),
        }
    }
    for (number, message) in (0..).zip(messages) {
        let hops = &hops[number as usize];
        check_path(network, number, message, hops, &mut complaints);
        if let LoggedSwitching::Flits { cycle, .. } = switching {
            flits::check_times(cycle, number, message, hops, messages, &mut complaints);
        } else {
            check_times(switching, number, message, hops, messages, &mut complaints);
        }
    }
    if let LoggedSwitching::Flits { lanes, cycle } = switching {
        // Virtual channels belong to one direction of a link.
        check_lanes(network, Duplex::Full, lanes, holds, &mut complaints);
        flits::check_links(network, duplex, cycle, messages, holds, &mut complaints);
    } else {
        check_links(network, duplex, switching, messages, holds, &mut complaints);
    }
    complaints
}

fn check_path(
    network: &Network,
    number: u32,
    message: &LoggedMessage,
    hops: &[LoggedHold],
    complaints: &mut Vec<Complaint>,
) {
    let mut at = network.home(message.source);
    for hop in hops {
        let channel = network.channel(hop.channel);
        at = if at == Some(channel.tail) { Some(channel.head) } else { None };
    }
    if at.is_none() || at != network.home(message.destination) {
        complaints.push(Complaint::BrokenPath { message: number });
    }
}

fn check_times(
    switching: LoggedSwitching,
    number: u32,
    message: &LoggedMessage,
    hops: &[LoggedHold],
    messages: &[LoggedMessage],
    complaints: &mut Vec<Complaint>,
) {
    let others = message.after.iter().map(|&other| messages[other as usize].completion);
    let ready = others.max().unwrap_or(0).max(message.arrival);
    let end = hops.iter().map(|hop| hop.end).max().unwrap_or(ready);
    if message.completion != end {
        let completion = message.completion;
        complaints.push(Complaint::WrongCompletion { message: number, completion, end });
    }
    for (place, hop) in hops.iter().enumerate() {
        let held = hop.end.saturating_sub(hop.start);
        let is_right = match switching {
            LoggedSwitching::Wormhole { .. } => held >= message.length && hop.end == end,
            _ => held == message.length,
        };
        if !is_right {
            let (channel, length) = (hop.channel, message.length);
            complaints.push(Complaint::WrongLength { message: number, channel, held, length });
        }
        let before = place.checked_sub(1).map(|place| hops[place]);
        let problem = match (before, switching) {
            (None, _) if hop.start < ready => {
                Some(format!("but the message is not ready before {ready}"))
            }
            (Some(before), LoggedSwitching::Message) if hop.start < before.end => Some(format!(
                "but the router has received the whole message only at {}",
                before.end
            )),
            (Some(before), LoggedSwitching::CutThrough)
                if hop.start < before.end && hop.start != before.start =>
            {
                Some(format!("which is neither at {} nor after {}", before.start, before.end))
            }
            (Some(before), LoggedSwitching::Circuit) if hop.start != before.start => {
                Some(format!("but the previous channel at {}", before.start))
            }
            (Some(before), LoggedSwitching::Wormhole { .. }) if hop.start < before.start => {
                Some(format!("but the previous channel at {}", before.start))
            }
            _ => None,
        };
        if let Some(reason) = problem {
            let (channel, start) = (hop.channel, hop.start);
            complaints.push(Complaint::TooEarly { message: number, channel, start, reason });
        }
    }
}

/// Sorts the uses of every link by time and compares neighbours.
fn check_links(
    network: &Network,
    duplex: Duplex,
    switching: LoggedSwitching,
    messages: &[LoggedMessage],
    holds: &[LoggedHold],
    complaints: &mut Vec<Complaint>,
) {
    let mut links: FxHashMap<ChannelId, Vec<(u64, u64, u32)>> = FxHashMap::default();
    let mut names = Vec::new();
    for hold in holds.iter().filter(|hold| hold.channel.index() < network.channel_count()) {
        let opposite = network.opposite(hold.channel).filter(|_| duplex == Duplex::Half);
        let link = opposite.map_or(hold.channel, |other| other.min(hold.channel));
        let length = messages.get(hold.message as usize).map_or(0, |message| message.length);
        // Under wormhole switching the link carries the message in the last `length` ticks of the
        // hold.
        let start = match switching {
            LoggedSwitching::Wormhole { .. } => hold.end.saturating_sub(length),
            _ => hold.start,
        };
        let list = links.entry(link).or_insert_with(|| {
            names.push(link);
            Vec::new()
        });
        list.push((start, hold.end, hold.message));
    }
    names.sort_unstable();
    for channel in names {
        let Some(list) = links.get_mut(&channel) else { continue };
        list.sort_unstable();
        for pair in list.windows(2) {
            let ((_, end, first), (time, _, second)) = (pair[0], pair[1]);
            if time < end {
                complaints.push(Complaint::LinkUsedTwice { first, second, channel, time });
            }
        }
    }
    if let LoggedSwitching::Wormhole { lanes } = switching {
        check_lanes(network, duplex, lanes, holds, complaints);
    }
}

/// Checks that no more messages hold a link than it has virtual channels.
fn check_lanes(
    network: &Network,
    duplex: Duplex,
    lanes: usize,
    holds: &[LoggedHold],
    complaints: &mut Vec<Complaint>,
) {
    let link = |channel: ChannelId| {
        let opposite = network.opposite(channel).filter(|_| duplex == Duplex::Half);
        opposite.map_or(channel, |other| other.min(channel))
    };
    // Starts and ends in the order of time. At equal times ends come first, because they free a
    // virtual channel.
    let mut changes: Vec<(ChannelId, u64, bool, u32)> = Vec::new();
    for hold in holds.iter().filter(|hold| hold.channel.index() < network.channel_count()) {
        changes.push((link(hold.channel), hold.start, true, hold.message));
        changes.push((link(hold.channel), hold.end, false, hold.message));
    }
    changes.sort_unstable();
    let mut there: Vec<u32> = Vec::new();
    let mut at = None;
    for (channel, time, begins, message) in changes {
        if at != Some(channel) {
            there.clear();
            at = Some(channel);
        }
        if begins {
            there.push(message)
        } else {
            there.retain(|other| *other != message)
        }
        if begins && there.len() > lanes {
            let first = there[0];
            complaints.push(Complaint::LinkUsedTwice { first, second: message, channel, time });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::NetworkBuilder;

    /// On a path of three, message 0 goes from 0 over 1 to 2 and message 1 from 1 to 2. Both have
    /// length 4.
    fn case() -> (Network, Vec<LoggedMessage>, Vec<LoggedHold>) {
        let mut builder = NetworkBuilder::new("path:3", 3);
        builder.link(0, 1).link(1, 2).processor_on_each_router();
        let network = builder.build().unwrap();
        let message = |source, completion| LoggedMessage {
            arrival: 0,
            length: 4,
            source: ProcessorId(source),
            destination: ProcessorId(2),
            after: Vec::new(),
            completion,
        };
        let hold = |message, channel, start| LoggedHold {
            message,
            channel: ChannelId(channel),
            start,
            end: start + 4,
        };
        let messages = vec![message(0, 8), message(1, 4)];
        (network, messages, vec![hold(0, 0, 0), hold(0, 2, 4), hold(1, 2, 0)])
    }

    fn complaints(
        change: impl FnOnce(&mut Vec<LoggedMessage>, &mut Vec<LoggedHold>),
    ) -> Vec<Complaint> {
        let (network, mut messages, mut holds) = case();
        change(&mut messages, &mut holds);
        check_log(&network, Duplex::Half, LoggedSwitching::Message, &messages, &holds)
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
        found(complaints(|_, holds| holds[1].message = 9), |c| matches!(c, Unknown { .. }));
        found(complaints(|_, holds| holds.swap(0, 1)), |c| matches!(c, BrokenPath { .. }));
        found(complaints(|_, holds| holds.truncate(2)), |c| matches!(c, BrokenPath { .. }));
        found(complaints(|_, holds| holds[2].end = 3), |c| matches!(c, WrongLength { .. }));
        found(complaints(|m, _| m[0].arrival = 1), |c| matches!(c, TooEarly { .. }));
        found(complaints(|m, _| m[1].after = vec![0]), |c| matches!(c, TooEarly { .. }));
        found(complaints(|m, _| m[0].completion = 9), |c| matches!(c, WrongCompletion { .. }));
        let early = |_: &mut Vec<LoggedMessage>, holds: &mut Vec<LoggedHold>| {
            holds[1] = LoggedHold { start: 3, end: 7, ..holds[1] };
        };
        found(complaints(early), |c| matches!(c, TooEarly { .. }));
        found(complaints(early), |c| matches!(c, LinkUsedTwice { .. }));
    }
}
