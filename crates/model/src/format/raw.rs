//! The JSON structure of a schedule file, before labels are resolved.

use super::raw_steps::RawSteps;
use crate::bound::Bound;
use crate::collective::{Collective, Kind, ListedMessage};
use crate::ids::ProcessorId;
use crate::list;
use crate::rules::Model;
use crate::strict_json;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(expecting = "a schedule: an object with format, network, model, collective and steps")]
pub(super) struct RawFile {
    pub format: String,
    pub network: RawNetwork,
    pub model: Model,
    pub collective: RawCollective,
    #[serde(default)]
    pub bound: Option<Bound>,
    /// Absent in a refutation.
    #[serde(default)]
    pub steps: Option<RawSteps>,
    #[serde(default)]
    pub phases: Vec<RawPhase>,
    #[serde(default, deserialize_with = "list::bounded")]
    pub faults: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a network: an object with routers, channels and processors")]
pub(super) struct RawNetwork {
    #[serde(default)]
    pub name: String,
    pub routers: u32,
    #[serde(deserialize_with = "list::bounded")]
    pub channels: Vec<(u32, u32)>,
    #[serde(deserialize_with = "list::bounded")]
    pub processors: Vec<Option<u32>>,
    /// The pairs of channels that form links. If absent, opposite channels are paired in order.
    #[serde(default, deserialize_with = "list::optional", skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<(u32, u32)>>,
    /// Whether no channel belongs to a link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub directed: bool,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The router positions in drawings: x to the right, y downwards.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<(f64, f64)>,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub latency_ns: Vec<Option<f64>>,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub bandwidth_gbytes: Vec<Option<f64>>,
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a collective: an object with kind, senders and receivers")]
pub(super) struct RawCollective {
    /// The name of a [`Kind`], or `all-reduce` in a file with phases.
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
}

impl RawCollective {
    /// Converts to a collective; fails if the kind is unknown.
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
        let name = if self.name.is_empty() { &self.kind } else { &self.name };
        Ok(match kind {
            Kind::Messages => Collective::listed(name, self.messages),
            kind => Collective::between(kind, name, self.senders, self.receivers),
        })
    }
}

impl From<&Collective> for RawCollective {
    fn from(collective: &Collective) -> Self {
        let kind = match collective.kind {
            Kind::Broadcast => "broadcast",
            Kind::Scatter => "scatter",
            Kind::Gather => "gather",
            Kind::Reduce => "reduce",
            Kind::Messages => "messages",
        };
        Self {
            kind: kind.to_owned(),
            name: collective.name.clone(),
            senders: collective.senders.clone(),
            receivers: collective.receivers.clone(),
            messages: collective.list.clone(),
        }
    }
}

/// A phase of an all-reduce: its collective, and how many steps of the file belong to it.
#[derive(Serialize, Deserialize)]
#[serde(from = "PhaseFields")]
pub(super) struct RawPhase {
    #[serde(flatten)]
    pub collective: RawCollective,
    pub steps: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
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
    steps: u32,
    #[serde(default)]
    bound: Option<Bound>,
}

impl From<PhaseFields> for RawPhase {
    fn from(fields: PhaseFields) -> Self {
        let PhaseFields { kind, name, senders, receivers, messages, steps, bound } = fields;
        let collective = RawCollective { kind, name, senders, receivers, messages };
        Self { collective, steps, bound }
    }
}
