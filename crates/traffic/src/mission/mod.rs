//! A mission: messages between processors, each with a length and an arrival time. It is done when
//! the last message is delivered. The order of the messages gives their sequence numbers.

mod collective;
mod file;
mod generate;
mod permutation;
mod steady;

pub use collective::{from_collective, from_messages};
pub use file::{parse, read, write_csv, write_json};
pub use generate::{Pattern, Uniform};
pub use permutation::Permutation;
pub use steady::Arrivals;

use crate::error::{MOST_MESSAGES, TrafficError};
use crate::ticks;
use pavane_model::{Network, ProcessorId, quantity};

/// A message of a mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Time from which it can be sent, in ticks.
    pub arrival: u64,
    /// Time that a link takes to carry it, in ticks; positive.
    pub length: u64,
    /// The sending processor.
    pub source: ProcessorId,
    /// The receiving processor.
    pub destination: ProcessorId,
}

/// Messages, and dependencies between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mission {
    pub(crate) messages: Vec<Message>,
    /// For every message, those that wait for its delivery; empty if there are no dependencies.
    followers: Vec<Vec<u32>>,
    /// For every message, the number of messages that it waits for.
    waits_for: Vec<u32>,
}

impl Mission {
    /// Creates a mission after checking its messages.
    pub fn new(network: &Network, messages: Vec<Message>) -> Result<Self, TrafficError> {
        check_count(messages.len() as u64)?;
        for (number, message) in messages.iter().enumerate() {
            let place = || format!("message {number}");
            check_pair(network, message.source, message.destination, place)?;
            let length = ticks::to_units(message.length);
            check_length(length, place)?;
            check_arrival(ticks::to_units(message.arrival), place)?;
        }
        let mission = Self { messages, ..Self::default() };
        mission.check_clock(network)?;
        Ok(mission)
    }

    /// Adds dependencies, as pairs of a message and an earlier one whose delivery it waits for.
    pub fn with_waits(mut self, pairs: &[(u32, u32)]) -> Self {
        self.followers = vec![Vec::new(); self.messages.len()];
        self.waits_for = vec![0; self.messages.len()];
        for &(later, earlier) in pairs {
            debug_assert!(
                earlier < later,
                "message {later} waits for {earlier}, which is not earlier"
            );
            self.followers[earlier as usize].push(later);
            self.waits_for[later as usize] += 1;
        }
        self
    }

    /// The messages, in order of their sequence numbers.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether some messages wait for others.
    pub fn has_waits(&self) -> bool {
        !self.followers.is_empty()
    }

    /// The messages that wait for a message.
    pub fn followers(&self, message: u32) -> &[u32] {
        self.followers.get(message as usize).map_or(&[], Vec::as_slice)
    }

    /// The number of messages that each message waits for.
    pub fn waits_for(&self) -> &[u32] {
        &self.waits_for
    }

    /// Arrival time of the first message.
    pub fn start(&self) -> u64 {
        self.messages.iter().map(|message| message.arrival).min().unwrap_or(0)
    }

    /// Fails if time could overflow even if all messages are sent one after another through every
    /// router.
    pub(crate) fn check_clock(&self, network: &Network) -> Result<(), TrafficError> {
        let total: u128 = self.messages.iter().map(|message| u128::from(message.length)).sum();
        let last = self.messages.iter().map(|message| message.arrival).max().unwrap_or(0);
        if total * network.router_count() as u128 + u128::from(last) < 1 << 62 {
            Ok(())
        } else {
            Err(TrafficError::TooLong)
        }
    }
}

/// Fails unless the number of messages is positive and within the limit.
pub(crate) fn check_count(count: u64) -> Result<(), TrafficError> {
    match count {
        0 => Err(TrafficError::Empty),
        count if count > MOST_MESSAGES => Err(TrafficError::TooManyMessages { count }),
        _ => Ok(()),
    }
}

/// Fails unless both processors exist and differ.
fn check_pair(
    network: &Network,
    source: ProcessorId,
    destination: ProcessorId,
    place: impl Fn() -> String,
) -> Result<(), TrafficError> {
    for processor in [source, destination] {
        if network.home(processor).is_none() {
            let last = network.processor_count().saturating_sub(1);
            let there_are = if processor.index() > last {
                format!("valid: 0 to {last}")
            } else {
                "lost to a fault".to_owned()
            };
            let processor = u64::from(processor.0);
            return Err(TrafficError::NoSuchProcessor { place: place(), processor, there_are });
        }
    }
    if source == destination {
        Err(TrafficError::ToItself { place: place(), processor: source.0 })
    } else {
        Ok(())
    }
}

/// Converts a length common to all messages to ticks. It must be positive.
pub fn common_length(length: f64) -> Result<u64, TrafficError> {
    check_positive("the length".to_owned(), length)?;
    Ok(ticks::from_units(length))
}

fn check_length(length: f64, place: impl Fn() -> String) -> Result<(), TrafficError> {
    check_positive(format!("{}: the length", place()), length)
}

fn check_positive(what: String, length: f64) -> Result<(), TrafficError> {
    if length > 0.0 && length <= ticks::LONGEST {
        return Ok(());
    }
    let range = format!("more than 0 and at most {}", ticks::LONGEST);
    Err(TrafficError::OutOfRange { what, value: quantity::shown(length), range })
}

fn check_arrival(arrival: f64, place: impl Fn() -> String) -> Result<(), TrafficError> {
    // NaN is in no range.
    if (0.0..=ticks::LATEST).contains(&arrival) {
        return Ok(());
    }
    Err(TrafficError::OutOfRange {
        what: format!("{}: the arrival", place()),
        value: quantity::shown(arrival),
        range: format!("from 0 to {}", ticks::LATEST),
    })
}
