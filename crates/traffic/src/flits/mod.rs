//! Wormhole switching flit by flit: virtual channels with buffers of a few flits, credits, and one
//! flit per link and cycle. A flit is one unit of length, a cycle one unit of time.
//!
//! In every cycle, a processor passes one flit to its router; every message whose header is at the
//! front of a buffer asks for a virtual channel of its next channel; every link carries one flit, of
//! the message with the highest key among those that have a virtual channel and a free place in the
//! next buffer; and every processor takes one flit from its router. A hop takes one cycle. A place in
//! a buffer can be used again two cycles after the flit in it was sent.

pub mod load;
pub mod saturation;

mod destinations;
mod fabric;
mod limit;
mod mission;

pub use limit::{LimitingResource, LoadLimit};
pub use load::{Load, LoadPoint, Phases, message_load};
pub use saturation::{LoadCurve, Saturation};

pub(crate) use mission::{check_flits, run_mission};

use crate::error::TrafficError;
use crate::routing::{EscapeRouting, Routes, RoutingTable};
use pavane_model::Network;

/// Virtual channels and their buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlitRules {
    /// Number of virtual channels of every channel.
    pub lanes: u32,
    /// Number of flits that the buffer of a virtual channel holds.
    pub buffer: u32,
}

impl FlitRules {
    /// Virtual channels and buffers of steady-state measurements, as usual with BookSim.
    pub const USUAL: Self = Self { lanes: 8, buffer: 8 };

    /// Fails unless all numbers are positive and the buffers of the network fit into memory.
    fn check(self, network: &Network) -> Result<(), TrafficError> {
        let ports = network.channel_count() + network.processor_count();
        let places = [self.lanes, self.buffer].map(u64::from).iter().product::<u64>();
        if (1..=MOST_PLACES / (ports as u64).max(1)).contains(&places) {
            return Ok(());
        }
        Err(TrafficError::OutOfRange {
            what: "the number of virtual channels times the depth of their buffers".to_owned(),
            value: format!("{} · {}", self.lanes, self.buffer),
            range: format!("from 1 to {} in this network", MOST_PLACES / (ports as u64).max(1)),
        })
    }
}

/// Largest number of flits in all buffers.
const MOST_PLACES: u64 = 1 << 28;

/// How headers choose their next channel and virtual channel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FlitRouting<'a> {
    /// By a table, on the virtual channels of its classes.
    Table(&'a RoutingTable),
    /// By free virtual channels, with escape channels.
    Escape(&'a EscapeRouting),
    /// By the path of each message, on any virtual channel.
    Paths(&'a Routes),
}

impl FlitRouting<'_> {
    /// Fails unless there is a virtual channel for every class and the buffers fit into memory.
    pub(crate) fn check(self, rules: FlitRules, network: &Network) -> Result<(), TrafficError> {
        rules.check(network)?;
        let (what, needed) = match self {
            Self::Table(table) => (table.name(), table.classes()),
            Self::Escape(routing) => ("escape routing", routing.lanes_needed()),
            Self::Paths(_) => ("the routing", 1),
        };
        if rules.lanes < needed {
            return Err(TrafficError::OutOfRange {
                what: "the number of virtual channels".to_owned(),
                value: rules.lanes.to_string(),
                range: format!("at least {needed} with {what}"),
            });
        }
        Ok(())
    }
}
