//! What can be wrong with a schedule, in words that a reader can check by hand. Steps, and the
//! transfers within a step, are counted from 0 as in the file.

use pavane_model::{ChannelId, Label, MessageId, Problem, ProcessorId, RouterId};
use std::fmt;

/// The rule that a violation breaks, by its name in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A path is a chain of channels from home to home that visits no router twice.
    Path,
    /// No channel is used by two transfers; half duplex: no link.
    V1,
    /// No processor sends or receives more than its ports allow.
    V2,
    /// Who sends a message holds it; a message for one destination goes straight.
    V3,
    /// Paths are as short as the routing demands.
    V4,
    /// Under store-and-forward a path has at most one channel.
    V5,
    /// Everybody gets what it wants, and no transfer is useless.
    V6,
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
        })
    }
}

/// A transfer, named so that it can be found in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferName {
    /// Its step.
    pub step: u32,
    /// Its place within the step.
    pub index: usize,
    /// The message, by number.
    pub message: MessageId,
    /// The message, as the file calls it; `None` if there is no such message.
    pub label: Option<Label>,
    /// The processor that sends it.
    pub from: ProcessorId,
    /// The processor that receives it.
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
    /// Where it starts.
    pub tail: RouterId,
    /// Where it ends.
    pub head: RouterId,
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "channel {} ({} -> {})", self.channel, self.tail, self.head)
    }
}

/// Which way a collective runs: the same violation has other words in a gather or reduce.
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
        match problem.is_backward() {
            true => Self::Backwards,
            false => Self::Forwards,
        }
    }
}

/// One thing that is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A message that the problem does not have.
    #[error("step {}: {at}: there is no message of this number; the last is {last}", at.step)]
    NoSuchMessage {
        /// The transfer.
        at: TransferName,
        /// The last message there is.
        last: usize,
    },
    /// A processor that is not there.
    #[error("step {}: {at}: there is no processor {processor}, or a fault took it", at.step)]
    NoSuchProcessor {
        /// The transfer.
        at: TransferName,
        /// The processor.
        processor: ProcessorId,
    },
    /// A processor that sends to itself.
    #[error("step {}: {at}: processor {} sends to itself", at.step, at.from)]
    ToItself {
        /// The transfer.
        at: TransferName,
    },
    /// A channel that is not there.
    #[error("step {}: {at}: there is no channel {channel}; the network has {count}", at.step)]
    NoSuchChannel {
        /// The transfer.
        at: TransferName,
        /// The channel.
        channel: ChannelId,
        /// How many there are.
        count: usize,
    },
    /// A path that starts or ends elsewhere than at home.
    #[error(
        "step {}: {at}: its path {} at router {router}, but processor {processor} lives on router \
         {home}",
        at.step,
        if *.is_start { "starts" } else { "ends" }
    )]
    NotAtHome {
        /// The transfer.
        at: TransferName,
        /// Whether it is about the start of the path.
        is_start: bool,
        /// Where the path starts or ends.
        router: RouterId,
        /// The processor that sends or receives.
        processor: ProcessorId,
        /// Where that processor lives.
        home: RouterId,
    },
    /// Two channels in a row that do not meet.
    #[error("step {}: {at}: {before} does not lead to {after}", at.step)]
    Gap {
        /// The transfer.
        at: TransferName,
        /// The first of the two.
        before: ChannelName,
        /// The second.
        after: ChannelName,
    },
    /// A path that comes back to a router.
    #[error("step {}: {at}: its path visits router {router} twice", at.step)]
    RouterTwice {
        /// The transfer.
        at: TransferName,
        /// The router.
        router: RouterId,
    },
    /// Two transfers on one channel.
    #[error("step {}: {channel} is used by {first} and {second}", first.step)]
    ChannelUsedTwice {
        /// The channel.
        channel: ChannelName,
        /// The first of its users.
        first: TransferName,
        /// Another.
        second: TransferName,
    },
    /// Two transfers on the opposite channels of a half-duplex link.
    #[error(
        "step {}: {channel} is used by {first}, and the opposite {opposite} of the same \
         half-duplex link by {second}",
        first.step
    )]
    LinkUsedBothWays {
        /// A channel.
        channel: ChannelName,
        /// The other channel of its link.
        opposite: ChannelName,
        /// The user of the channel.
        first: TransferName,
        /// The user of its opposite.
        second: TransferName,
    },
    /// More transfers from or to a processor than it has ports.
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
        /// Whether it is about sending.
        is_sending: bool,
        /// How many transfers there are.
        transfers: u32,
        /// How many there may be.
        ports: u32,
    },
    /// A message passed on by who does not have it.
    #[error("step {}: {at}: {}", at.step, not_held(at, *.received, *.direction))]
    NotHeld {
        /// The transfer.
        at: TransferName,
        /// When it receives the message (backwards: passes it on), if ever.
        received: Option<u32>,
        /// Which way the collective runs.
        direction: Direction,
    },
    /// A message for one destination that stops on its way.
    #[error(
        "step {}: {at}: this message has one destination, so under wormhole it goes from {from} \
         to {to} in one transfer",
        at.step
    )]
    NotStraight {
        /// The transfer.
        at: TransferName,
        /// Where the message starts.
        from: ProcessorId,
        /// Where it ends.
        to: ProcessorId,
    },
    /// A path, or the hops of a message for one destination, that take a longer way than allowed.
    #[error(
        "step {}: {at}: {} {hops} channels, but the shortest way has {shortest} and at most {most} \
         {} allowed",
        at.step,
        if *.is_chain { "the hops of this message, of which this is the last, together have" }
        else { "its path has" },
        if *.most == 1 { "is" } else { "are" }
    )]
    TooLong {
        /// The transfer; for a chain of hops, the last one.
        at: TransferName,
        /// Whether it is about several hops together.
        is_chain: bool,
        /// How many channels it takes.
        hops: u32,
        /// The fewest that there could be.
        shortest: u32,
        /// The most that there may be.
        most: u32,
    },
    /// The hops of a message for one destination come back to a router.
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
    /// A path of several channels under store-and-forward.
    #[error(
        "step {}: {at}: its path has {hops} channels; under store-and-forward at most 1 is allowed",
        at.step
    )]
    NotOneHop {
        /// The transfer.
        at: TransferName,
        /// How many channels its path has.
        hops: usize,
    },
    /// A destination that never gets its message.
    #[error("{}", not_delivered(*.label, *.processor, *.direction))]
    NotDelivered {
        /// The message.
        label: Label,
        /// The destination; backwards, the contributor.
        processor: ProcessorId,
        /// Which way the collective runs.
        direction: Direction,
    },
    /// A message received twice.
    #[error(
        "step {}: {second}: processor {processor} {} this message in step {} already, by {first}",
        second.step,
        match .direction { Direction::Forwards => "receives", Direction::Backwards => "sends on" },
        first.step
    )]
    ReceivedTwice {
        /// The processor.
        processor: ProcessorId,
        /// One transfer.
        first: TransferName,
        /// The other.
        second: TransferName,
        /// Which way the collective runs.
        direction: Direction,
    },
    /// A message sent to its own origin.
    #[error("step {}: {at}: processor {processor} {}", at.step, match .direction {
        Direction::Forwards => "receives a message of its own",
        Direction::Backwards => "sends on what is meant for itself",
    })]
    BackToOrigin {
        /// The transfer.
        at: TransferName,
        /// The origin; backwards, the root.
        processor: ProcessorId,
        /// Which way the collective runs.
        direction: Direction,
    },
    /// A message received for nothing.
    #[error("step {}: {at}: processor {processor} {}", at.step, match .direction {
        Direction::Forwards => "neither wants this message nor passes it on later",
        Direction::Backwards => "neither contributes to this message nor received a part of it before",
    })]
    Useless {
        /// The transfer.
        at: TransferName,
        /// Who receives it; backwards, who sends it.
        processor: ProcessorId,
        /// Which way the collective runs.
        direction: Direction,
    },
    /// Violations of one rule that were counted only.
    #[error("and {count} more")]
    More {
        /// The rule.
        rule: Rule,
        /// How many.
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
        (Direction::Backwards, None) => format!("processor {} never sends this message on", at.to),
        (Direction::Backwards, Some(sent)) => {
            format!(
                "processor {} sends this message on in step {sent}, not after step {step}",
                at.to
            )
        }
    }
}

fn not_delivered(label: Label, processor: ProcessorId, direction: Direction) -> String {
    match direction {
        Direction::Forwards => format!("message {label}: processor {processor} never receives it"),
        Direction::Backwards => {
            format!("message {label}: processor {processor} never sends its part of it")
        }
    }
}
