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

/// A timed schedule of a collective communication on an interconnection network: which chunk crosses
/// which channel, and when. More fields may be added; these keep their meaning.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Timed schedule"))]
#[serde(
    expecting = "a timed schedule: an object with format, network, collective, bytes, time_unit_ns, chunks and sends"
)]
pub(super) struct RawTimed {
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::FORMAT)))]
    pub format: String,
    /// The network. A network without bandwidths has 1 GB/s on every channel, one without latencies 0.
    pub network: RawNetwork,
    pub collective: RawCollective,
    /// The size of the buffer in bytes, as nccl-tests counts it. Its blocks differ by at most one byte.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Instead of `bytes`: the bytes of every message, in the order of the messages.
    #[serde(default, deserialize_with = "list::optional")]
    pub sizes: Option<Vec<u64>>,
    /// Whether both directions of a link can be used at the same time. If absent, they can.
    #[serde(default)]
    pub duplex: Option<Duplex>,
    /// The unit of all times in nanoseconds: a fraction or decimal, such as `1/300`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub time_unit_ns: Fraction,
    /// The chunks of all messages. Absent in an all-reduce.
    #[serde(default, deserialize_with = "list::optional")]
    pub chunks: Option<Vec<RawChunk>>,
    /// The sends, `[chunk, channel, start]`: the index of a chunk, the index of a channel, and a time in
    /// units. Absent in an all-reduce.
    #[serde(default, deserialize_with = "list::optional")]
    pub sends: Option<Vec<(u32, u32, u64)>>,
    /// The phases of an all-reduce: a reduce, and a broadcast from its roots to the same group. They may
    /// overlap in time.
    #[serde(default, deserialize_with = "list::optional")]
    pub phases: Option<Vec<RawTimedPhase>>,
    /// The last arrival in units.
    #[serde(default)]
    pub time: Option<u64>,
    /// A time that no schedule can beat.
    #[serde(default)]
    pub bound: Option<RawTimeBound>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "time-bound"))]
#[serde(expecting = "a bound: an object with time and certificate")]
pub(super) struct RawTimeBound {
    /// The bound in units, rounded down.
    pub time: u64,
    pub certificate: TimeCertificate,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "timed-phase"))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "chunk"))]
#[serde(expecting = "a chunk: an object with message, offset and bytes")]
pub(super) struct RawChunk {
    /// The label of its message.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u32>", length(min = 1, max = 2)))]
    pub message: RawLabel,
    /// Its first byte in the message.
    pub offset: u64,
    /// Its number of bytes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub bytes: u64,
}
