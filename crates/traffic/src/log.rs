//! The log of a run: which message held which channel from when to when.

use crate::links::Links;
use crate::switching::Record;
use pavane_model::ChannelId;

/// One channel held by one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The message.
    pub message: u32,
    /// The channel.
    pub channel: ChannelId,
    /// From when, in ticks.
    pub start: u64,
    /// Until when.
    pub end: u64,
}

/// All holds of a run, in the order in which they were begun or, under wormhole, ended.
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
        // Within a message holds were recorded hop by hop.
        self.holds.sort_by_key(|hold| hold.message);
    }

    /// For how long each link was held, in ticks.
    pub fn link_loads(&self, links: &Links) -> Vec<u64> {
        let mut loads = vec![0; links.count()];
        for hold in &self.holds {
            loads[links.of(hold.channel) as usize] += hold.end - hold.start;
        }
        loads
    }
}
