//! The log of a run: which message held which channel, and when.

use crate::switching::Record;
use pavane_model::ChannelId;

/// A channel held by a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The message.
    pub message: u32,
    /// The channel.
    pub channel: ChannelId,
    /// Start in ticks.
    pub start: u64,
    /// End in ticks.
    pub end: u64,
}

/// All holds of a run, in the order of their starts; under wormhole, in the order of their ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The holds.
    pub holds: Vec<Hold>,
}

impl Record for Log {
    fn hold(&mut self, message: u32, channel: u32, start: u64, end: u64) {
        self.holds.push(Hold { message, channel: ChannelId(channel), start, end });
    }
}

impl Log {
    /// Sorts by message, then by hop.
    pub fn by_message(&mut self) {
        // The sort is stable, and the holds of a message were recorded hop by hop.
        self.holds.sort_by_key(|hold| hold.message);
    }
}
