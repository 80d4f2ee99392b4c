//! The JSON structure of a TDM schedule, before names are resolved.

use super::certificate::TdmCertificate;
use super::demand::{TdmDemand, TdmMessage};
use crate::format::raw::RawNetwork;
use crate::ids::ProcessorId;
use crate::list;
use crate::rules::Routing;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// A periodic schedule of a time-division-multiplexed network on chip. More fields may be added; these
/// keep their meaning.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "TDM schedule"))]
#[serde(expecting = "a TDM schedule: an object with format, network, period, demand and words")]
pub(super) struct RawTdm {
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::FORMAT)))]
    pub format: String,
    pub network: RawNetwork,
    /// Slots after which the schedule repeats.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub period: u32,
    /// Slots per hop.
    #[serde(default = "one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub depth: u32,
    /// Slots that every use of a port or channel lasts.
    #[serde(default = "one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub phits: u32,
    /// Whether a word may be under way when the next period begins.
    #[serde(default = "yes")]
    pub wrap: bool,
    /// Which routes are allowed.
    #[serde(default = "minimal")]
    pub routing: Routing,
    /// `all-to-all`, or a list of messages `[from, to, weight]` or `[from, to, weight, max_latency]`.
    #[serde(deserialize_with = "demand")]
    #[cfg_attr(feature = "schema", schemars(with = "RawDemand"))]
    pub demand: TdmDemand,
    /// One entry for every word of every message.
    #[serde(deserialize_with = "list::bounded")]
    pub words: Vec<RawWord>,
    /// A period that no schedule undercuts, and the proof.
    #[serde(default)]
    pub bound: Option<RawBound>,
}

/// A proof that no schedule has a period: the fields of a schedule without words.
#[derive(Deserialize)]
#[serde(
    expecting = "a refuted period: an object with format, network, period, demand and certificate"
)]
pub(super) struct RawTdmRefutation {
    pub format: String,
    pub network: RawNetwork,
    /// The refuted period.
    pub period: u32,
    #[serde(default = "one")]
    pub depth: u32,
    #[serde(default = "one")]
    pub phits: u32,
    #[serde(default = "yes")]
    pub wrap: bool,
    #[serde(default = "minimal")]
    pub routing: Routing,
    #[serde(deserialize_with = "demand")]
    pub demand: TdmDemand,
    pub certificate: TdmCertificate,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn minimal() -> Routing {
    Routing::Minimal
}

/// The two forms of a demand.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, untagged)]
#[allow(dead_code, reason = "it only describes the schema")]
enum RawDemand {
    Name(AllToAllName),
    Messages(Vec<RawMessageNumbers>),
}

#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(inline)]
#[allow(dead_code, reason = "it only describes the schema")]
enum AllToAllName {
    #[schemars(rename = "all-to-all")]
    AllToAll,
}

/// From, to, weight and, optionally, max_latency.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(inline)]
#[allow(dead_code, reason = "it only describes the schema")]
struct RawMessageNumbers(#[schemars(length(min = 3, max = 4))] Vec<u32>);

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "word"))]
#[serde(expecting = "a word: an object with message, start and path")]
pub(super) struct RawWord {
    /// The sender and the receiver.
    pub message: (u32, u32),
    /// The slot of the injection, below the period.
    pub start: u32,
    /// Channel numbers in the order of travel.
    #[serde(deserialize_with = "list::bounded")]
    pub path: Vec<u32>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "bound"))]
#[serde(expecting = "a bound: an object with period, reason and certificate")]
pub(super) struct RawBound {
    pub period: u32,
    pub reason: String,
    pub certificate: TdmCertificate,
}

fn demand<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TdmDemand, D::Error> {
    deserializer.deserialize_any(DemandVisitor)
}

struct DemandVisitor;

impl<'de> Visitor<'de> for DemandVisitor {
    type Value = TdmDemand;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all-to-all\" or a list of messages [from, to, weight]")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TdmDemand, E> {
        match text {
            "all-to-all" => Ok(TdmDemand::AllToAll),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<TdmDemand, A::Error> {
        let list = list::bounded(serde::de::value::SeqAccessDeserializer::new(list))?;
        Ok(TdmDemand::Messages(list.into_iter().map(|RawMessage(message)| message).collect()))
    }
}

/// A message: `[from, to, weight]` or `[from, to, weight, max_latency]`.
struct RawMessage(TdmMessage);

impl<'de> Deserialize<'de> for RawMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = RawMessage;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message: a list of from, to, weight and, optionally, max_latency")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<RawMessage, A::Error> {
        let mut next = |at: usize| {
            let number = numbers.next_element::<u32>()?;
            number.ok_or_else(|| A::Error::invalid_length(at, &self))
        };
        let (from, to, weight) = (ProcessorId(next(0)?), ProcessorId(next(1)?), next(2)?);
        let max_latency = numbers.next_element()?;
        match numbers.next_element::<u32>()? {
            None => Ok(RawMessage(TdmMessage { from, to, weight, max_latency })),
            Some(_) => Err(A::Error::invalid_length(5, &self)),
        }
    }
}
