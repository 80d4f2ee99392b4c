//! Proofs of lower bounds on the period, and of the impossibility of a period.

use crate::ids::{ProcessorId, RouterId};
use crate::list;
use serde::{Deserialize, Serialize};

/// A proof of a lower bound on the period. If words may not wrap, a channel is not used in the first
/// and the last `depth` slots of a period, which adds `2·depth` to capacity, cut and prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(!try_from, rename = "certificate"))]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "TdmFields")]
pub enum TdmCertificate {
    /// The words that one processor sends or receives, times phits. If words may not wrap, only those
    /// with at least `hops` hops count, and the last of them needs `depth·(hops + 1)` slots more.
    Ports {
        /// The processor.
        processor: ProcessorId,
        /// Whether it sends or receives them.
        direction: PortDirection,
        /// The least distance of the counted words. 0 counts all of them.
        hops: u32,
    },
    /// The hops that all words need, times phits, divided by the number of channels.
    Capacity {},
    /// The words that must leave a set of routers, times phits, divided by the number of channels that
    /// leave it.
    Cut {
        /// The routers of the set.
        routers: Vec<RouterId>,
    },
    /// A price for every channel: the sum of the cheapest allowed routes of all words, times phits,
    /// divided by the sum of all prices.
    Prices {
        /// The prices.
        prices: Vec<u64>,
    },
    /// All ports that are used are used by the same number of words, so with that period every port is
    /// busy in every slot. The slots of all injections then add up to those of all ejections, modulo the
    /// period, but the offsets between injection and ejection do not add up to a multiple of the period.
    /// Holds for one phit, minimal routing and words that may wrap.
    Residue {},
    /// No port injects two words at once, so the injections of the words with at least `hops` hops have a
    /// least sum of slots; their ejections have a largest one. The offsets `depth·(hops + 1)` between them
    /// must fit into the difference. Holds for words that may not wrap.
    Offsets {
        /// The least distance of the counted words. 0 counts all of them.
        hops: u32,
    },
    /// Refutes a period, and is no bound: between two starts of a message with a demanded latency at least
    /// the period divided by its weight passes once, and with the shortest way that is too long.
    Latency {
        /// The sender of the message.
        from: ProcessorId,
        /// The receiver.
        to: ProcessorId,
    },
    /// A refutation of the formula that there is a schedule with one of some periods.
    Exact(TdmExact),
}

/// No schedule has a period from `from` to `to`: the formula that claims otherwise has no model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct TdmExact {
    /// The first period that is refuted.
    pub from: u32,
    /// The last one.
    pub to: u32,
    /// The version of the formula.
    pub encoding: u32,
    /// The file with the proof, in LRAT, in the folder of the schedule.
    pub proof: String,
    /// The proof that the period is at least `from`. May be absent if `from` is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Box<TdmCertificate>>,
}

/// Whether a port sends or receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PortDirection {
    /// An injection port.
    Send,
    /// An ejection port.
    Receive,
}

impl TdmCertificate {
    /// The word for the kind of proof, as in the file.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Ports { .. } => "ports",
            Self::Capacity {} => "capacity",
            Self::Cut { .. } => "cut",
            Self::Prices { .. } => "prices",
            Self::Residue {} => "residue",
            Self::Offsets { .. } => "offsets",
            Self::Latency { .. } => "latency",
            Self::Exact(_) => "exact",
        }
    }
}

/// The fields of all kinds. A derived reader for a tagged enum would first buffer every value.
#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
struct TdmFields {
    kind: String,
    #[serde(default)]
    processor: Option<ProcessorId>,
    #[serde(default)]
    direction: Option<PortDirection>,
    #[serde(default)]
    hops: u32,
    #[serde(default, deserialize_with = "list::optional")]
    routers: Option<Vec<RouterId>>,
    #[serde(default, deserialize_with = "list::optional")]
    prices: Option<Vec<u64>>,
    #[serde(default)]
    from: Option<u32>,
    #[serde(default)]
    to: Option<u32>,
    #[serde(default)]
    encoding: Option<u32>,
    #[serde(default)]
    proof: Option<String>,
    #[serde(default)]
    below: Option<Box<TdmCertificate>>,
}

impl TryFrom<TdmFields> for TdmCertificate {
    type Error = String;

    fn try_from(fields: TdmFields) -> Result<Self, String> {
        let missing =
            |name: &str| format!("a certificate of kind {} needs the field `{name}`", fields.kind);
        match fields.kind.as_str() {
            "ports" => Ok(Self::Ports {
                processor: fields.processor.ok_or_else(|| missing("processor"))?,
                direction: fields.direction.ok_or_else(|| missing("direction"))?,
                hops: fields.hops,
            }),
            "capacity" => Ok(Self::Capacity {}),
            "cut" => Ok(Self::Cut { routers: fields.routers.ok_or_else(|| missing("routers"))? }),
            "prices" => {
                Ok(Self::Prices { prices: fields.prices.ok_or_else(|| missing("prices"))? })
            }
            "residue" => Ok(Self::Residue {}),
            "offsets" => Ok(Self::Offsets { hops: fields.hops }),
            "latency" => Ok(Self::Latency {
                from: fields.from.map(ProcessorId).ok_or_else(|| missing("from"))?,
                to: fields.to.map(ProcessorId).ok_or_else(|| missing("to"))?,
            }),
            "exact" if matches!(fields.below.as_deref(), Some(Self::Exact(_))) => {
                Err("the proof below a certificate of kind exact may not be of kind exact"
                    .to_owned())
            }
            "exact" => Ok(Self::Exact(TdmExact {
                from: fields.from.ok_or_else(|| missing("from"))?,
                to: fields.to.ok_or_else(|| missing("to"))?,
                encoding: fields.encoding.ok_or_else(|| missing("encoding"))?,
                proof: fields.proof.clone().ok_or_else(|| missing("proof"))?,
                below: fields.below.clone(),
            })),
            other => Err(format!(
                "unknown kind of certificate {:?}; known are ports, capacity, cut, prices, residue, offsets, latency and exact",
                crate::words::excerpt(other)
            )),
        }
    }
}
