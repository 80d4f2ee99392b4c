//! The JSON structure of a schedule file, before labels are resolved.

use super::raw_steps::RawSteps;
use crate::bound::Bound;
use crate::collective::{Chunks, Collective, Kind, ListedMessage};
use crate::ids::ProcessorId;
use crate::list;
use crate::rules::Model;
use crate::strict_json;
use crate::whole::Whole;
use serde::{Deserialize, Serialize};

/// A schedule of a collective communication on an interconnection network, or a refutation: a problem
/// and a bound, without steps. More fields may be added; these keep their meaning.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Schedule file"))]
#[serde(expecting = "a schedule: an object with format, network, model, collective and steps")]
pub(super) struct RawFile {
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = [super::FORMAT, super::REFUTATION]))
    )]
    pub format: String,
    pub network: RawNetwork,
    pub model: Model,
    pub collective: RawCollective,
    /// Claimed lower bound on the number of steps.
    #[serde(default)]
    pub bound: Option<Bound>,
    /// The transfers of each step. Absent in a refutation.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<Vec<Vec<super::schema::TransferInSchema>>>")
    )]
    pub steps: Option<RawSteps>,
    /// Present in a k-synchronous schedule: the steps of the file are rounds, and entry s is the number
    /// of rounds of synchronous step s.
    #[serde(default, deserialize_with = "list::bounded")]
    pub rounds: Vec<u32>,
    /// The phases of an all-reduce, in their order: a reduce, then a broadcast from its roots to the
    /// same group.
    #[serde(default)]
    pub phases: Vec<RawPhase>,
    /// Of an all-reduce: when the broadcast starts, if before the end of the reduce, and the bound of the
    /// whole.
    #[serde(default)]
    pub whole: Whole,
    /// As the faults of the network.
    #[serde(default, deserialize_with = "list::bounded")]
    pub faults: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "network"))]
#[serde(expecting = "a network: an object with routers, channels and processors")]
pub(crate) struct RawNetwork {
    #[serde(default)]
    pub name: String,
    /// Number of routers, including lost ones.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub routers: u32,
    /// `[tail router, head router]` of every channel that is not lost.
    #[serde(deserialize_with = "list::bounded")]
    pub channels: Vec<(u32, u32)>,
    /// The home router of every processor; null if the processor is lost.
    #[serde(deserialize_with = "list::bounded")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub processors: Vec<Option<u32>>,
    /// The pairs of channels that form links. If absent, opposite channels are paired in order.
    #[serde(default, deserialize_with = "list::optional", skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<(u32, u32)>>,
    /// Whether no channel belongs to a link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub directed: bool,
    /// A name for every router.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The router positions in drawings: x to the right, y downwards.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<(f64, f64)>,
    /// Latency of every channel.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub latency_ns: Vec<Option<f64>>,
    /// Bandwidth of every channel in bytes per nanosecond.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub bandwidth_gbytes: Vec<Option<f64>>,
    /// The switches that copy.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub multicast: Vec<u32>,
    /// The lost parts: `0-1` is a link (or the channel from 0 to 1 of a directed network), `0:1` one
    /// direction of a link, `5` a router.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "collective"))]
#[serde(expecting = "a collective: an object with kind, senders and receivers")]
pub(crate) struct RawCollective {
    /// `broadcast`, `scatter`, `gather`, `reduce` or `messages`; `all-reduce` in a file with phases.
    pub kind: String,
    #[serde(default)]
    pub name: String,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub senders: Vec<ProcessorId>,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<ProcessorId>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict_json::objects"
    )]
    pub messages: Vec<ListedMessage>,
    /// Present if the messages are chunks of larger ones, all chunks of one message in a row. The
    /// chunks of a reduce are those of the broadcast that it is when read backwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Chunks>,
}

impl RawCollective {
    /// The kind of the collective before its messages were cut into chunks.
    pub fn whole_kind(&self) -> &str {
        self.chunks.map_or(&self.kind, |chunks| kind_name(chunks.of))
    }

    /// Converts to a collective; fails if the kind is unknown or the messages are not the chunks that
    /// they are said to be.
    pub fn into_collective(self) -> Result<Collective, String> {
        let kind = match self.kind.as_str() {
            "broadcast" => Kind::Broadcast,
            "scatter" => Kind::Scatter,
            "gather" => Kind::Gather,
            "reduce" => Kind::Reduce,
            "messages" => Kind::Messages,
            other => {
                return Err(format!(
                    "unknown kind of collective {other:?}; known are broadcast, scatter, gather, \
                     reduce and messages"
                ));
            }
        };
        let name = if self.name.is_empty() { self.whole_kind() } else { &self.name }.to_owned();
        if let Some(chunks) = self.chunks {
            let collective = Collective {
                kind: Kind::Messages,
                name,
                senders: self.senders,
                receivers: self.receivers,
                list: self.messages,
                chunks: Some(chunks),
            };
            if kind != stored_kind(&collective) || !collective.has_right_chunks() {
                return Err(format!(
                    "its messages are not those of a {} cut into {} chunks each",
                    kind_name(chunks.of),
                    chunks.count
                ));
            }
            return Ok(collective);
        }
        Ok(match kind {
            Kind::Messages => Collective::listed(&name, self.messages),
            kind => Collective::between(kind, &name, self.senders, self.receivers),
        })
    }
}

impl From<&Collective> for RawCollective {
    fn from(collective: &Collective) -> Self {
        Self {
            kind: kind_name(stored_kind(collective)).to_owned(),
            name: collective.name.clone(),
            senders: collective.senders.clone(),
            receivers: collective.receivers.clone(),
            messages: collective.list.clone(),
            chunks: collective.chunks,
        }
    }
}

/// The kind in a file. A reduce in chunks is called a reduce, because its transfers are judged
/// backwards.
fn stored_kind(collective: &Collective) -> Kind {
    match collective.whole_kind() {
        Kind::Reduce => Kind::Reduce,
        _ => collective.kind,
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Broadcast => "broadcast",
        Kind::Scatter => "scatter",
        Kind::Gather => "gather",
        Kind::Reduce => "reduce",
        Kind::Messages => "messages",
    }
}

/// A phase of an all-reduce: its collective, and how many steps of the file belong to it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(!from, rename = "phase"))]
#[serde(from = "PhaseFields")]
pub(super) struct RawPhase {
    #[serde(flatten)]
    pub collective: RawCollective,
    /// Number of steps of the file that belong to this phase.
    pub steps: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
}

/// All fields of a phase in one struct. Reading into a flattened struct would first buffer every
/// value in a tree, which takes 16 times the memory of a list of numbers.
#[derive(Deserialize)]
#[serde(expecting = "a phase: an object with kind, senders, receivers and steps")]
struct PhaseFields {
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default, deserialize_with = "list::bounded")]
    senders: Vec<ProcessorId>,
    #[serde(default, deserialize_with = "list::bounded")]
    receivers: Vec<ProcessorId>,
    #[serde(default)]
    messages: Vec<ListedMessage>,
    #[serde(default)]
    chunks: Option<Chunks>,
    steps: u32,
    #[serde(default)]
    bound: Option<Bound>,
}

impl From<PhaseFields> for RawPhase {
    fn from(fields: PhaseFields) -> Self {
        let PhaseFields { kind, name, senders, receivers, messages, chunks, steps, bound } = fields;
        let collective = RawCollective { kind, name, senders, receivers, messages, chunks };
        Self { collective, steps, bound }
    }
}
