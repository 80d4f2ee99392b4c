//! Violations of the rules, described so that a reader can check them by hand. Steps, and the
//! transfers within a step, are counted from 0 as in the file.

use pavane_model::{ChannelId, Label, MessageId, Problem, ProcessorId, RouterId};
use std::fmt;

/// The rule that a violation breaks, named as in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A path is a chain of channels from home to home that visits no router twice.
    Path,
    /// No channel is used by two transfers; half duplex: no link.
    V1,
    /// No processor sends or receives more than its ports allow.
    V2,
    /// The sender of a message holds it. A personalised message goes straight to its destination.
    V3,
    /// Paths are as short as the routing requires.
    V4,
    /// Under store-and-forward a path has at most one channel.
    V5,
    /// Every destination receives its messages, and no transfer is useless.
    V6,
    /// In a k-synchronous schedule, the sender held the message at the start of the synchronous step.
    V7,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::V1 => "V1",
            Self::V2 => "V2",
            Self::V3 => "V3",
            Self::V4 => "V4",
            Self::V5 => "V5",
            Self::V6 => "V6",
            Self::V7 => "V7",
        })
    }
}

/// Identifies a transfer within the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferName {
    /// Its step.
    pub step: u32,
    /// Its index within the step.
    pub index: usize,
    /// The message number.
    pub message: MessageId,
    /// The message as named in the file; `None` if there is no such message.
    pub label: Option<Label>,
    /// The sending processor.
    pub from: ProcessorId,
    /// The receiving processor.
    pub to: ProcessorId,
}

impl fmt::Display for TransferName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transfer {} (message ", self.index)?;
        match self.label {
            Some(label) => write!(f, "{label}")?,
            None => write!(f, "number {}", self.message)?,
        }
        write!(f, " from {} to {})", self.from, self.to)
    }
}

/// A channel with its two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelName {
    /// Its number.
    pub channel: ChannelId,
    /// The router where it starts.
    pub tail: RouterId,
    /// The router where it ends.
    pub head: RouterId,
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "channel {} ({} -> {})", self.channel, self.tail, self.head)
    }
}

/// Direction of a collective. It decides how a violation is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Broadcasts, scatters and lists of messages.
    Forwards,
    /// Gathers and reduces.
    Backwards,
}

impl Direction {
    /// The direction of a problem.
    pub(crate) fn of(problem: &Problem) -> Self {
        if problem.is_backward() { Self::Backwards } else { Self::Forwards }
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The problem has no such message.
    #[error("step {}: {at}: there is no message with this number (valid: 0 to {last})", at.step)]
    NoSuchMessage {
        /// The transfer.
        at: TransferName,
        /// The highest message number.
        last: usize,
    },
    /// There is no such processor, or a fault removed it.
    #[error("step {}: {at}: processor {processor} does not exist or is lost to a fault", at.step)]
    NoSuchProcessor {
        /// The transfer.
        at: TransferName,
        /// The processor.
        processor: ProcessorId,
    },
    /// A processor sends to itself.
    #[error("step {}: {at}: processor {} sends to itself", at.step, at.from)]
    ToItself {
        /// The transfer.
        at: TransferName,
    },
    /// There is no such channel.
    #[error("step {}: {at}: there is no channel {channel}; the network has {count}", at.step)]
    NoSuchChannel {
        /// The transfer.
        at: TransferName,
        /// The channel.
        channel: ChannelId,
        /// Number of channels in the network.
        count: usize,
    },
    /// A path does not start or end at the processor's home.
    #[error(
        "step {}: {at}: its path {} at router {router}, but processor {processor} is on router \
         {home}",
        at.step,
        if *.is_start { "starts" } else { "ends" }
    )]
    NotAtHome {
        /// The transfer.
        at: TransferName,
        /// Whether the start of the path is wrong, rather than the end.
        is_start: bool,
        /// The router where the path starts or ends.
        router: RouterId,
        /// The sending or receiving processor.
        processor: ProcessorId,
        /// The home of that processor.
        home: RouterId,
    },
    /// Two consecutive channels do not meet.
    #[error("step {}: {at}: {before} does not lead to {after}", at.step)]
    Gap {
        /// The transfer.
        at: TransferName,
        /// The first channel.
        before: ChannelName,
        /// The second channel.
        after: ChannelName,
    },
    /// A path visits a router twice.
    #[error("step {}: {at}: its path visits router {router} twice", at.step)]
    RouterTwice {
        /// The transfer.
        at: TransferName,
        /// The router.
        router: RouterId,
    },
    /// Two transfers use one channel.
    #[error("step {}: {channel} is used by {first} and {second}", first.step)]
    ChannelUsedTwice {
        /// The channel.
        channel: ChannelName,
        /// The first transfer on it.
        first: TransferName,
        /// Another transfer on it.
        second: TransferName,
    },
    /// Two transfers use the opposite channels of a half-duplex link.
    #[error(
        "step {}: {channel} is used by {first}, and the opposite {opposite} of the same \
         half-duplex link by {second}",
        first.step
    )]
    LinkUsedBothWays {
        /// One channel of the link.
        channel: ChannelName,
        /// The opposite channel.
        opposite: ChannelName,
        /// The transfer on the channel.
        first: TransferName,
        /// The transfer on the opposite channel.
        second: TransferName,
    },
    /// A processor has more transfers in a step than ports.
    #[error(
        "step {step}: processor {processor} {} {transfers} times over {ports} port{}",
        if *.is_sending { "sends" } else { "receives" },
        if *.ports == 1 { "" } else { "s" }
    )]
    TooFewPorts {
        /// The step.
        step: u32,
        /// The processor.
        processor: ProcessorId,
        /// Whether it is sending, rather than receiving.
        is_sending: bool,
        /// Number of transfers.
        transfers: u32,
        /// Number of ports.
        ports: u32,
    },
    /// A processor sends a message that it does not hold.
    #[error("step {}: {at}: {}", at.step, not_held(at, *.received, *.direction))]
    NotHeld {
        /// The transfer.
        at: TransferName,
        /// The step in which the sender receives the message (backwards: the receiver sends it on),
        /// if any.
        received: Option<u32>,
        /// Direction of the collective.
        direction: Direction,
    },
    /// A root sends a sum before it is complete, where the phases of an all-reduce overlap.
    #[error(
        "step {}: {at}: this sum is not complete before; its last contribution arrives in step {} by \
         {last} of the reduce",
        at.step,
        last.step
    )]
    SumNotComplete {
        /// The transfer of the broadcast.
        at: TransferName,
        /// The last transfer to the root in the reduce.
        last: TransferName,
    },
    /// A personalised message is not sent in one transfer.
    #[error(
        "step {}: {at}: this message has one destination, so under wormhole it goes from {from} \
         to {to} in one transfer",
        at.step
    )]
    NotStraight {
        /// The transfer.
        at: TransferName,
        /// Origin of the message.
        from: ProcessorId,
        /// Its destination.
        to: ProcessorId,
    },
    /// A path, or all hops of a personalised message together, are longer than allowed.
    #[error(
        "step {}: {at}: {} {hops} channels, but the shortest path has {shortest} and at most {most} \
         {} allowed",
        at.step,
        if *.is_chain { "the hops of this message, of which this is the last, together have" }
        else { "its path has" },
        if *.most == 1 { "is" } else { "are" }
    )]
    TooLong {
        /// The transfer; for several hops, the last one.
        at: TransferName,
        /// Whether it concerns several hops together.
        is_chain: bool,
        /// Number of channels.
        hops: u32,
        /// Number of channels of a shortest path.
        shortest: u32,
        /// Maximum number allowed.
        most: u32,
    },
    /// The hops of a personalised message together visit a router twice.
    #[error(
        "step {}: {at}: the hops of this message, of which this is the last, together visit router \
         {router} twice",
        at.step
    )]
    ChainVisitsTwice {
        /// The last hop.
        at: TransferName,
        /// The router.
        router: RouterId,
    },
    /// A path has several channels under store-and-forward.
    #[error(
        "step {}: {at}: its path has {hops} channels; under store-and-forward at most 1 is allowed",
        at.step
    )]
    NotOneHop {
        /// The transfer.
        at: TransferName,
        /// Number of channels of its path.
        hops: usize,
    },
    /// A destination never receives its message.
    #[error("{}", not_delivered(*.label, *.processor, *.direction))]
    NotDelivered {
        /// The message.
        label: Label,
        /// The destination; backwards, the contributor.
        processor: ProcessorId,
        /// Direction of the collective.
        direction: Direction,
    },
    /// A processor receives a message twice.
    #[error(
        "step {}: {second}: processor {processor} {} this message in step {} already, by {first}",
        second.step,
        match .direction { Direction::Forwards => "receives", Direction::Backwards => "forwards" },
        first.step
    )]
    ReceivedTwice {
        /// The processor.
        processor: ProcessorId,
        /// The earlier transfer.
        first: TransferName,
        /// The later transfer.
        second: TransferName,
        /// Direction of the collective.
        direction: Direction,
    },
    /// A message is sent to its own origin.
    #[error("step {}: {at}: processor {processor} {}", at.step, match .direction {
        Direction::Forwards => "receives a message of its own",
        Direction::Backwards => "sends a message of which it is the root",
    })]
    BackToOrigin {
        /// The transfer.
        at: TransferName,
        /// The origin; backwards, the root.
        processor: ProcessorId,
        /// Direction of the collective.
        direction: Direction,
    },
    /// A processor receives a message that it neither wants nor forwards.
    #[error("step {}: {at}: processor {processor} {}", at.step, match .direction {
        Direction::Forwards => "is not a destination of this message and does not forward it later",
        Direction::Backwards => "neither contributes to this message nor received a part of it before",
    })]
    Useless {
        /// The transfer.
        at: TransferName,
        /// The receiver; backwards, the sender.
        processor: ProcessorId,
        /// Direction of the collective.
        direction: Direction,
    },
    /// The rounds of a k-synchronous schedule are not its steps.
    #[error("the synchronous steps have {rounds} rounds, but the schedule has {steps} steps")]
    OtherRounds {
        /// The rounds of all synchronous steps.
        rounds: u64,
        /// The steps of the schedule.
        steps: u32,
    },
    /// A processor receives a message and sends it on in the same synchronous step.
    #[error("step {}: {at}: {}", at.step, not_synchronous(at, *.group, *.direction))]
    NotSynchronous {
        /// The transfer.
        at: TransferName,
        /// The synchronous step, from 0.
        group: u32,
        /// Direction of the collective.
        direction: Direction,
    },
    /// Further violations of a rule, counted but not listed.
    #[error("and {count} more")]
    More {
        /// The rule.
        rule: Rule,
        /// Their number.
        count: u64,
    },
}

fn not_held(at: &TransferName, received: Option<u32>, direction: Direction) -> String {
    let step = at.step;
    match (direction, received) {
        (Direction::Forwards, None) => format!("processor {} never receives this message", at.from),
        (Direction::Forwards, Some(received)) => {
            format!("processor {} receives this message in step {received}, not before", at.from)
        }
        (Direction::Backwards, None) => format!("processor {} never forwards this message", at.to),
        (Direction::Backwards, Some(sent)) => {
            format!(
                "processor {} forwards this message in step {sent}, not after step {step}",
                at.to
            )
        }
    }
}

fn not_synchronous(at: &TransferName, group: u32, direction: Direction) -> String {
    let (processor, does) = match direction {
        Direction::Forwards => (at.from, "receives this message"),
        Direction::Backwards => (at.to, "sends this message on"),
    };
    format!("processor {processor} {does} in the same synchronous step {group}")
}

fn not_delivered(label: Label, processor: ProcessorId, direction: Direction) -> String {
    match direction {
        Direction::Forwards => format!("message {label}: processor {processor} never receives it"),
        Direction::Backwards => {
            format!("message {label}: processor {processor} never sends its part of it")
        }
    }
}
