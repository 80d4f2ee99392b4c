//! The timed schedule file, `pavane/timed/1`: which chunk of which message crosses which channel,
//! and when. Channels have bandwidths and latencies, and all times are exact.
//!
//! A send of a chunk starts at `start`, occupies its channel for its bytes divided by the bandwidth,
//! and the chunk arrives one latency later.
//!
//! ```
//! use pavane_model::timed;
//!
//! let file = r#"{"format": "pavane/timed/1",
//!   "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1],
//!               "bandwidth_gbytes": [25, 25], "latency_ns": [700, 700]},
//!   "collective": {"kind": "broadcast", "senders": [0], "receivers": [1]},
//!   "bytes": 100, "time_unit_ns": "1",
//!   "chunks": [{"message": [0], "offset": 0, "bytes": 50}, {"message": [0], "offset": 50, "bytes": 50}],
//!   "sends": [[0, 0, 0], [1, 0, 2]],
//!   "time": 704}"#;
//! let schedule = timed::read(file.as_bytes(), "schedule.json", 1000)?;
//! assert_eq!(schedule.phases[0].sends.len(), 2);
//!
//! let mut copy = Vec::new();
//! timed::write(&mut copy, &schedule, &Default::default())?;
//! assert_eq!(timed::read(&copy[..], "copy.json", 1000)?, schedule);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod from_steps;
mod raw;
mod read;
#[cfg(feature = "schema")]
mod schema;
mod sizes;
#[cfg(test)]
mod tests;
mod write;

pub use certificate::TimeCertificate;
pub use from_steps::{StepsError, equal_chunks, from_steps, sends_along};
pub use read::{read, read_file};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use write::{write, write_file};

use crate::fraction::Fraction;
use crate::ids::{ChannelId, MessageId};
use crate::problem::Problem;
use crate::rules::Duplex;

/// The value of the `format` field of a timed schedule.
pub const FORMAT: &str = "pavane/timed/1";

/// A timed schedule. The reader only checks that everything it names exists; the judge decides
/// whether the schedule is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedSchedule {
    /// The name of the collective. A schedule with one phase is written with the name in its problem
    /// instead.
    pub name: String,
    /// One phase; an all-reduce has two, a reduce and a broadcast, which may overlap in time.
    pub phases: Vec<TimedPhase>,
    /// The size of the messages.
    pub size: BufferSize,
    /// Whether both directions of a link can be used at the same time.
    pub duplex: Duplex,
    /// The unit of all times, in nanoseconds.
    pub time_unit_ns: Fraction,
    /// The time that the schedule claims to take: its last arrival, in units.
    pub time: Option<u64>,
    /// The bound that the schedule claims for all schedules.
    pub bound: Option<TimeBound>,
}

/// The size of the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BufferSize {
    /// The size of the buffer as nccl-tests counts it: the gathered buffer of an all-gather, the
    /// buffer of a broadcast or reduction, the send or receive buffer of an all-to-all, scatter or
    /// gather; the size of every message of a list. Equal messages differ by at most one byte.
    Bytes(u64),
    /// The bytes of every message, by its number.
    Each(Vec<u64>),
}

/// A collective with its chunks and sends.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedPhase {
    /// The problem. Its rules are those of [`Model::without_ports`](crate::Model::without_ports).
    pub problem: Problem,
    /// The chunks of all messages.
    pub chunks: Vec<Chunk>,
    /// The sends, sorted by start.
    pub sends: Vec<Send>,
}

/// A range of bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// The message, by its number in the problem.
    pub message: MessageId,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// One chunk crosses one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Send {
    /// The index of the chunk.
    pub chunk: u32,
    /// The channel.
    pub channel: ChannelId,
    /// The time at which the channel starts to carry it, in units.
    pub start: u64,
}

/// A lower bound on the time of all schedules, with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeBound {
    /// The bound in units; a fraction is rounded down.
    pub time: u64,
    /// The proof.
    pub certificate: TimeCertificate,
}
