//! Proofs of lower bounds on the period.

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
            other => Err(format!(
                "unknown kind of certificate {:?}; known are ports, capacity, cut, prices and residue",
                crate::words::excerpt(other)
            )),
        }
    }
}
