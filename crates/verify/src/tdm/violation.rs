//! Ways in which a TDM schedule is wrong.

use pavane_model::{ChannelId, ProcessorId, RouterId};
use std::fmt;

/// The rules of TDM schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TdmRule {
    /// Messages, channels and slots exist.
    Names,
    /// Every message has as many words as its weight.
    Weights,
    /// A route leads from the sender to the receiver, visits no router twice and is allowed by the
    /// routing.
    Routes,
    /// No channel is used twice in a slot.
    Channels,
    /// No processor injects two words in a slot.
    Injection,
    /// No processor ejects two words in a slot.
    Ejection,
    /// If words may not wrap, each one ends before the next period begins.
    Wrap,
    /// No message has a worse latency than demanded.
    Latency,
}

impl fmt::Display for TdmRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Names => "names",
            Self::Weights => "weights",
            Self::Routes => "routes",
            Self::Channels => "channels",
            Self::Injection => "injection",
            Self::Ejection => "ejection",
            Self::Wrap => "wrap",
            Self::Latency => "latency",
        })
    }
}

/// A word by its place in the file and its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordName {
    /// Its index in the list of words.
    pub index: usize,
    /// The sender.
    pub from: ProcessorId,
    /// The receiver.
    pub to: ProcessorId,
}

impl fmt::Display for WordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "word {} ({} -> {})", self.index, self.from, self.to)
    }
}

/// Something that serves one word at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// A channel.
    Channel(ChannelId),
    /// The port through which a processor sends.
    Injection(ProcessorId),
    /// The port through which a processor receives.
    Ejection(ProcessorId),
}

impl Resource {
    /// The rule that protects it.
    pub fn rule(self) -> TdmRule {
        match self {
            Self::Channel(_) => TdmRule::Channels,
            Self::Injection(_) => TdmRule::Injection,
            Self::Ejection(_) => TdmRule::Ejection,
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(channel) => write!(f, "channel {channel}"),
            Self::Injection(processor) => write!(f, "the injection port of processor {processor}"),
            Self::Ejection(processor) => write!(f, "the ejection port of processor {processor}"),
        }
    }
}

/// One way in which a schedule is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TdmViolation {
    /// A period of 0 slots.
    #[error("the period has no slots")]
    NoSlots,
    /// A message that the demand does not have.
    #[error("{word}: there is no such message")]
    NoSuchMessage {
        /// The word.
        word: WordName,
    },
    /// A channel that the network does not have.
    #[error("{word}: there is no channel {channel}")]
    NoSuchChannel {
        /// The word.
        word: WordName,
        /// The channel.
        channel: ChannelId,
    },
    /// A slot after the end of the period.
    #[error("{word}: its start {start} is not below the period {period}")]
    NoSuchSlot {
        /// The word.
        word: WordName,
        /// Its start.
        start: u32,
        /// The period.
        period: u32,
    },
    /// Too few or too many words.
    #[error("message {from} -> {to} has {found} words, but its weight is {weight}")]
    Count {
        /// The sender.
        from: ProcessorId,
        /// The receiver.
        to: ProcessorId,
        /// Number of words.
        found: u64,
        /// Its weight.
        weight: u32,
    },
    /// A route with a gap, or that starts elsewhere.
    #[error(
        "{word}: channel {channel} (entry {entry} of its path) starts at router {tail}, but the word is \
         at router {at}"
    )]
    Gap {
        /// The word.
        word: WordName,
        /// The channel.
        channel: ChannelId,
        /// Its index in the path.
        entry: usize,
        /// Where the channel starts.
        tail: RouterId,
        /// Where the word is.
        at: RouterId,
    },
    /// A route that ends elsewhere.
    #[error("{word}: its path ends at router {at}, not at router {home} of its receiver")]
    EndsElsewhere {
        /// The word.
        word: WordName,
        /// Where it ends.
        at: RouterId,
        /// The router of the receiver.
        home: RouterId,
    },
    /// A route that visits a router again.
    #[error("{word}: its path visits router {router} twice")]
    Loop {
        /// The word.
        word: WordName,
        /// The router.
        router: RouterId,
    },
    /// A route that is longer than the routing allows.
    #[error("{word}: its path has {hops} hops, but at most {most} are allowed")]
    TooLong {
        /// The word.
        word: WordName,
        /// Its hops.
        hops: usize,
        /// The most that are allowed.
        most: u64,
    },
    /// Two words use something at the same time.
    #[error("{resource} is used by {one} from slot {slot} and by {other} from slot {later}{}", last_for(*.phits))]
    Conflict {
        /// What they use.
        resource: Resource,
        /// The first slot of the earlier use.
        slot: u32,
        /// The first slot of the later use.
        later: u32,
        /// Slots that every use lasts.
        phits: u32,
        /// The word of the earlier use.
        one: WordName,
        /// The word of the later use.
        other: WordName,
    },
    /// A use that lasts longer than the period.
    #[error("{word}: a use of {phits} slots does not fit into a period of {period}")]
    TooShort {
        /// The word.
        word: WordName,
        /// Slots that every use lasts.
        phits: u32,
        /// The period.
        period: u32,
    },
    /// A word that is under way when the next period begins.
    #[error(
        "{word}: it ends after {end} slots, but the period has {period} and words may not wrap"
    )]
    Wraps {
        /// The word.
        word: WordName,
        /// Slots from the beginning of the period to its end.
        end: u64,
        /// The period.
        period: u32,
    },
    /// A worse latency than demanded.
    #[error("message {from} -> {to} may take {latency} slots, but at most {most} are demanded")]
    Slow {
        /// The sender.
        from: ProcessorId,
        /// The receiver.
        to: ProcessorId,
        /// Its worst latency.
        latency: u64,
        /// What is demanded.
        most: u32,
    },
    /// Violations that are counted but not listed.
    #[error("{count} more")]
    More {
        /// The rule.
        rule: TdmRule,
        /// Number of violations.
        count: u64,
    },
}

fn last_for(phits: u32) -> String {
    if phits == 1 { String::new() } else { format!(", and every use lasts {phits} slots") }
}

impl TdmViolation {
    /// The rule that is broken.
    pub fn rule(&self) -> TdmRule {
        match self {
            Self::NoSlots
            | Self::NoSuchMessage { .. }
            | Self::NoSuchChannel { .. }
            | Self::NoSuchSlot { .. } => TdmRule::Names,
            Self::Count { .. } => TdmRule::Weights,
            Self::Gap { .. }
            | Self::EndsElsewhere { .. }
            | Self::Loop { .. }
            | Self::TooLong { .. } => TdmRule::Routes,
            Self::Conflict { resource, .. } => resource.rule(),
            Self::TooShort { .. } => TdmRule::Injection,
            Self::Wraps { .. } => TdmRule::Wrap,
            Self::Slow { .. } => TdmRule::Latency,
            Self::More { rule, .. } => *rule,
        }
    }

    /// Number of violations that this one represents.
    pub fn count(&self) -> u64 {
        if let Self::More { count, .. } = self { *count } else { 1 }
    }
}
