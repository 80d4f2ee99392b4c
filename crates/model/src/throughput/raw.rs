//! The JSON structure of a throughput plan, before labels are resolved.

use super::certificate::LimitCertificate;
use crate::collective::ListedMessage;
use crate::format::raw::{RawCollective, RawNetwork};
use crate::fraction::Fraction;
use crate::ids::ProcessorId;
use crate::list;
use crate::problem::Label;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// A throughput plan. More fields may be added; these keep their meaning.
#[derive(Deserialize)]
#[serde(expecting = "a throughput plan: an object with format, network, collective and scale")]
pub(super) struct RawPlan {
    pub format: String,
    pub network: RawNetwork,
    pub collective: RawCollective,
    pub scale: u64,
    /// The size of every message, in the order of the messages.
    #[serde(default, deserialize_with = "list::optional")]
    pub sizes: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub trees: Option<Vec<RawRoute>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub paths: Option<Vec<RawRoute>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub phases: Option<Vec<RawPlanPhase>>,
    #[serde(default)]
    pub ns_per_byte: Option<Fraction>,
    #[serde(default)]
    pub limit: Option<RawLimit>,
}

#[derive(Deserialize)]
#[serde(expecting = "a limit: an object with ns_per_byte and certificate")]
pub(super) struct RawLimit {
    pub ns_per_byte: Fraction,
    pub certificate: LimitCertificate,
}

#[derive(Deserialize)]
#[serde(expecting = "a phase: an object with kind, senders, receivers and trees")]
pub(super) struct RawPlanPhase {
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
#[serde(expecting = "an object with message, weight and channels")]
pub(super) struct RawRoute {
    pub message: RawLabel,
    pub weight: u64,
    #[serde(deserialize_with = "list::bounded")]
    pub channels: Vec<u32>,
}

pub(super) struct RawLabel(pub Label);

impl<'de> Deserialize<'de> for RawLabel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(LabelVisitor)
    }
}

struct LabelVisitor;

impl<'de> Visitor<'de> for LabelVisitor {
    type Value = RawLabel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message: a list of one or two numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<RawLabel, A::Error> {
        let Some(one) = numbers.next_element()? else {
            return Err(A::Error::invalid_length(0, &self));
        };
        let Some(two) = numbers.next_element()? else {
            return Ok(RawLabel(Label::One(one)));
        };
        match numbers.next_element::<u32>()? {
            None => Ok(RawLabel(Label::Two(one, two))),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}
