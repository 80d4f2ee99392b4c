//! Ways in which a timed schedule is wrong.

use pavane_model::problem::Label;
use pavane_model::{ChannelId, Fraction, ProcessorId, RouterId};
use std::fmt;

/// The rules of timed schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimedRule {
    /// The chunks of a message are ranges that together are the message.
    Chunks,
    /// The sends of one channel do not overlap; under half duplex, nor do those of one link.
    Channels,
    /// A router sends only what has arrived there.
    Holding,
    /// A switch that does not copy sends on every copy once.
    Switches,
    /// Every destination receives every byte, and no processor receives a byte twice.
    Delivery,
    /// The broadcast of a sum starts after its reduction.
    Order,
    /// The schedule takes the time that it claims.
    Time,
}

impl fmt::Display for TimedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chunks => "chunks",
            Self::Channels => "channels",
            Self::Holding => "holding",
            Self::Switches => "switches",
            Self::Delivery => "delivery",
            Self::Order => "order",
            Self::Time => "time",
        })
    }
}

/// A send by its place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendName {
    /// The phase, if there are several.
    pub phase: Option<usize>,
    /// Its index in the list of the phase.
    pub index: usize,
    /// The index of its chunk.
    pub chunk: u32,
    /// The channel.
    pub channel: ChannelId,
    /// Its start, in units of the file.
    pub start: u64,
}

impl fmt::Display for SendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { phase, index, chunk, channel, start } = self;
        if let Some(phase) = phase {
            write!(f, "phase {phase}, ")?;
        }
        write!(f, "send {index} (chunk {chunk} on channel {channel} at {start})")
    }
}

/// One way in which a timed schedule is wrong. Channels are those of the file; in a reduce or gather
/// the data travels towards the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedViolation {
    /// A chunk without bytes.
    #[error("{}chunk {chunk} is empty", phase_words(.phase))]
    EmptyChunk {
        /// The phase, if there are several.
        phase: Option<usize>,
        /// The chunk.
        chunk: usize,
    },
    /// A gap or an overlap between chunks.
    #[error(
        "{}chunk {chunk} of message {label} starts at byte {offset}, but the chunks before it end at \
         byte {expected}", phase_words(.phase)
    )]
    ChunkPlace {
        /// The phase, if there are several.
        phase: Option<usize>,
        /// The chunk.
        chunk: usize,
        /// The message.
        label: Label,
        /// The first byte of the chunk.
        offset: u64,
        /// Where it should start.
        expected: u64,
    },
    /// A message with too few or too many bytes.
    #[error(
        "{}the chunks of message {label} have {found} bytes, but it has {}", phase_words(.phase),
        range(*.least, *.most)
    )]
    MessageSize {
        /// The phase, if there are several.
        phase: Option<usize>,
        /// The message.
        label: Label,
        /// The bytes of its chunks.
        found: u64,
        /// The fewest bytes that are right.
        least: u64,
        /// The most bytes that are right.
        most: u64,
    },
    /// Messages that are not the buffer.
    #[error("{}all chunks have {sum} bytes, but the buffer has {bytes}", phase_words(.phase))]
    BufferSize {
        /// The phase, if there are several.
        phase: Option<usize>,
        /// The bytes of all chunks.
        sum: u128,
        /// The bytes of the buffer.
        bytes: u64,
    },
    /// Two sends at the same time on one channel or half-duplex link.
    #[error("{other} starts before {one} has left the channel")]
    Overlap {
        /// The earlier send.
        one: SendName,
        /// The later send.
        other: SendName,
    },
    /// A router that does not have the chunk.
    #[error(
        "{send}: router {router} {} the chunk at that time",
        if *.is_backward { "cannot yet be done with" } else { "does not have" }
    )]
    NotThere {
        /// The send.
        send: SendName,
        /// The router.
        router: RouterId,
        /// Whether time is reversed: in a reduce, the router sends its part on before it is complete.
        is_backward: bool,
    },
    /// A switch that copies or adds although it cannot.
    #[error(
        "{send}: switch {router} has {} every copy of the chunk already, and cannot {}",
        if *.is_backward { "received" } else { "sent on" },
        if *.is_backward { "add" } else { "copy" }
    )]
    Copies {
        /// The send.
        send: SendName,
        /// The switch.
        router: RouterId,
        /// Whether time is reversed.
        is_backward: bool,
    },
    /// A router with processors that has the chunk already.
    #[error(
        "{send}: router {router} {} the chunk a second time",
        if *.is_backward { "sends" } else { "receives" }
    )]
    Twice {
        /// The send.
        send: SendName,
        /// The router.
        router: RouterId,
        /// Whether time is reversed.
        is_backward: bool,
    },
    /// A destination that does not receive a chunk, or a contributor that does not send one.
    #[error(
        "processor {processor} never {} chunk {chunk} of message {label}",
        if *.is_backward { "contributes to" } else { "receives" }
    )]
    Missing {
        /// The chunk.
        chunk: usize,
        /// Its message.
        label: Label,
        /// The processor.
        processor: ProcessorId,
        /// Whether time is reversed.
        is_backward: bool,
    },
    /// A sum that is sent before it is complete.
    #[error("{send}: the sum at root {root} is not complete at that time")]
    Incomplete {
        /// The send.
        send: SendName,
        /// The root.
        root: ProcessorId,
    },
    /// Another time than claimed.
    #[error("the schedule claims to take {claimed} units, but it takes {time}")]
    OtherTime {
        /// The claimed time.
        claimed: u64,
        /// The true time.
        time: Fraction,
    },
    /// Violations that are not listed.
    #[error("{count} more violations of the rule {rule}")]
    More {
        /// The rule.
        rule: TimedRule,
        /// Their number.
        count: u64,
    },
}

impl TimedViolation {
    /// The rule that is broken.
    pub fn rule(&self) -> TimedRule {
        match self {
            Self::EmptyChunk { .. }
            | Self::ChunkPlace { .. }
            | Self::MessageSize { .. }
            | Self::BufferSize { .. } => TimedRule::Chunks,
            Self::Overlap { .. } => TimedRule::Channels,
            Self::NotThere { .. } => TimedRule::Holding,
            Self::Copies { .. } => TimedRule::Switches,
            Self::Twice { .. } | Self::Missing { .. } => TimedRule::Delivery,
            Self::Incomplete { .. } => TimedRule::Order,
            Self::OtherTime { .. } => TimedRule::Time,
            Self::More { rule, .. } => *rule,
        }
    }

    /// The number of violations that it stands for.
    pub fn count(&self) -> u64 {
        match self {
            Self::More { count, .. } => *count,
            _ => 1,
        }
    }
}

fn phase_words(phase: &Option<usize>) -> String {
    phase.map_or_else(String::new, |phase| format!("phase {phase}, "))
}

fn range(least: u64, most: u64) -> String {
    if least == most { least.to_string() } else { format!("{least} or {most}") }
}
