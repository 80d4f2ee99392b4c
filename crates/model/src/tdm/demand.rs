//! What a TDM schedule delivers in every period.

use crate::ids::ProcessorId;

/// The messages of every period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TdmDemand {
    /// One word from every processor to every other one.
    AllToAll,
    /// These messages.
    Messages(Vec<TdmMessage>),
}

/// A message: some words per period from one processor to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TdmMessage {
    /// The sender.
    pub from: ProcessorId,
    /// The receiver.
    pub to: ProcessorId,
    /// Words per period, at least 1.
    pub weight: u32,
    /// The most slots from any moment at which data is ready until it has been received.
    pub max_latency: Option<u32>,
}
