//! The JSON structure of a throughput plan, before labels are resolved.

use super::certificate::LimitCertificate;
use crate::collective::ListedMessage;
use crate::format::raw::{RawCollective, RawNetwork};
use crate::format::raw_label::RawLabel;
use crate::fraction::Fraction;
use crate::ids::ProcessorId;
use crate::list;
use serde::Deserialize;

/// A throughput plan of a collective communication on an interconnection network: weighted trees or
/// paths for every message. More fields may be added; these keep their meaning.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Throughput plan"))]
#[serde(expecting = "a throughput plan: an object with format, network, collective and scale")]
pub(super) struct RawPlan {
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::FORMAT)))]
    pub format: String,
    pub network: RawNetwork,
    pub collective: RawCollective,
    /// The weights of every message of size 1 add up to this number.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub scale: u64,
    /// The size of every message, in the order of the messages. If absent, all have size 1.
    #[serde(default, deserialize_with = "list::optional")]
    pub sizes: Option<Vec<u64>>,
    /// The trees of a broadcast, reduce or list of messages.
    #[serde(default, deserialize_with = "list::optional")]
    pub trees: Option<Vec<RawRoute>>,
    /// The paths of a scatter or gather.
    #[serde(default, deserialize_with = "list::optional")]
    pub paths: Option<Vec<RawRoute>>,
    /// The phases of an all-reduce: a reduce, then a broadcast from its roots to the same group. They
    /// use the channels at the same time.
    #[serde(default, deserialize_with = "list::optional")]
    pub phases: Option<Vec<RawPlanPhase>>,
    /// The time of the plan in nanoseconds per byte of a message of size 1.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub ns_per_byte: Option<Fraction>,
    /// The time that no plan can beat.
    #[serde(default)]
    pub limit: Option<RawLimit>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "limit"))]
#[serde(expecting = "a limit: an object with ns_per_byte and certificate")]
pub(super) struct RawLimit {
    /// Nanoseconds per byte of a message of size 1: a fraction or decimal, such as `7/300` or `12.5`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub ns_per_byte: Fraction,
    pub certificate: LimitCertificate,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "phase"))]
#[serde(expecting = "a phase: an object with kind, senders, receivers and trees")]
pub(super) struct RawPlanPhase {
    /// `reduce` or `broadcast`.
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
    trees: Vec<RawRoute>,
}

impl RawPlanPhase {
    pub fn split(self) -> (RawCollective, Vec<RawRoute>) {
        let Self { kind, name, senders, receivers, messages, trees } = self;
        (RawCollective { kind, name, senders, receivers, messages, chunks: None }, trees)
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "route"))]
#[serde(expecting = "an object with message, weight and channels")]
pub(super) struct RawRoute {
    /// `[origin]` in a broadcast, `[origin, destination]` in a scatter, `[contributor, root]` in a
    /// gather, `[root]` in a reduce, `[index]` in a list of messages.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u32>", length(min = 1, max = 2)))]
    pub message: RawLabel,
    /// The part of the message that goes this way, in units of 1/scale.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub weight: u64,
    /// Channel numbers in the order of travel. A switch that does not copy is left as often as it is
    /// entered, so a channel of a tree may occur several times.
    #[serde(deserialize_with = "list::bounded")]
    pub channels: Vec<u32>,
}
