//! The JSON structure of a timed schedule, before labels are resolved.

use super::certificate::TimeCertificate;
use crate::collective::ListedMessage;
use crate::format::raw::{RawCollective, RawNetwork};
use crate::format::raw_label::RawLabel;
use crate::fraction::Fraction;
use crate::ids::ProcessorId;
use crate::list;
use crate::rules::Duplex;
use serde::Deserialize;

/// A timed schedule. More fields may be added; these keep their meaning.
#[derive(Deserialize)]
#[serde(
    expecting = "a timed schedule: an object with format, network, collective, bytes, time_unit_ns, chunks and sends"
)]
pub(super) struct RawTimed {
    pub format: String,
    pub network: RawNetwork,
    pub collective: RawCollective,
    #[serde(default)]
    pub bytes: Option<u64>,
    /// The bytes of every message, in the order of the messages.
    #[serde(default, deserialize_with = "list::optional")]
    pub sizes: Option<Vec<u64>>,
    #[serde(default)]
    pub duplex: Option<Duplex>,
    pub time_unit_ns: Fraction,
    #[serde(default, deserialize_with = "list::optional")]
    pub chunks: Option<Vec<RawChunk>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub sends: Option<Vec<(u32, u32, u64)>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub phases: Option<Vec<RawTimedPhase>>,
    #[serde(default)]
    pub time: Option<u64>,
    #[serde(default)]
    pub bound: Option<RawTimeBound>,
}

#[derive(Deserialize)]
#[serde(expecting = "a bound: an object with time and certificate")]
pub(super) struct RawTimeBound {
    pub time: u64,
    pub certificate: TimeCertificate,
}

#[derive(Deserialize)]
#[serde(expecting = "a phase: an object with kind, senders, receivers, chunks and sends")]
pub(super) struct RawTimedPhase {
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default, deserialize_with = "list::bounded")]
    senders: Vec<ProcessorId>,
    #[serde(default, deserialize_with = "list::bounded")]
    receivers: Vec<ProcessorId>,
    #[serde(default, deserialize_with = "list::bounded")]
    messages: Vec<ListedMessage>,
    #[serde(deserialize_with = "list::bounded")]
    chunks: Vec<RawChunk>,
    #[serde(deserialize_with = "list::bounded")]
    sends: Vec<(u32, u32, u64)>,
}

impl RawTimedPhase {
    pub fn split(self) -> (RawCollective, Vec<RawChunk>, Vec<(u32, u32, u64)>) {
        let Self { kind, name, senders, receivers, messages, chunks, sends } = self;
        let collective = RawCollective { kind, name, senders, receivers, messages, chunks: None };
        (collective, chunks, sends)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a chunk: an object with message, offset and bytes")]
pub(super) struct RawChunk {
    pub message: RawLabel,
    pub offset: u64,
    pub bytes: u64,
}
