//! Proofs of throughput limits.

use crate::ids::RouterId;
use crate::list;
use serde::{Deserialize, Serialize};

/// A proof of a throughput limit. Routers and channels are always those of the network in the file,
/// also for a reduce or gather, whose data travels towards the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(!try_from, rename = "certificate"))]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "LimitFields")]
pub enum LimitCertificate {
    /// A set of routers: what must leave it, in all phases, divided by the bandwidth that leaves it.
    Cut {
        /// The routers of the set.
        routers: Vec<RouterId>,
    },
    /// Weighted cuts, each for one phase: the sum of weight times what must leave the set in the
    /// phase, divided by the sum of bandwidth times price. The price of a channel is the weight of the
    /// cuts that it leaves, plus the weights of the switches that it enters, minus those of the
    /// switches that it leaves, in the phase where that is largest; at least 0.
    Cuts {
        /// The cuts.
        cuts: Vec<PhaseCut>,
        /// Switches that do not copy. A plan enters them as often as it leaves them, so their weights
        /// do not change what it pays.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        switches: Vec<PhaseSwitch>,
    },
    /// A price for every channel: the sum of size times the price of the cheapest path to the
    /// dearest destination, over all messages, divided by the sum of bandwidth times price.
    Prices {
        /// The prices.
        prices: Vec<u64>,
    },
}

/// A weighted cut of one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "a cut: an object with phase, weight and routers")]
pub struct PhaseCut {
    /// The phase, from 0.
    pub phase: u32,
    /// The weight.
    pub weight: u64,
    /// The routers of the set.
    #[serde(deserialize_with = "list::bounded")]
    pub routers: Vec<RouterId>,
}

/// A weighted switch of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "a switch: an object with phase, weight and router")]
pub struct PhaseSwitch {
    /// The phase, from 0.
    pub phase: u32,
    /// The weight; it may be negative.
    pub weight: i64,
    /// The switch.
    pub router: RouterId,
}

/// The fields of all kinds. A derived reader for a tagged enum would first buffer every value.
#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
struct LimitFields {
    kind: String,
    #[serde(default, deserialize_with = "list::optional")]
    routers: Option<Vec<RouterId>>,
    #[serde(default, deserialize_with = "list::optional")]
    cuts: Option<Vec<PhaseCut>>,
    #[serde(default, deserialize_with = "list::optional")]
    switches: Option<Vec<PhaseSwitch>>,
    #[serde(default, deserialize_with = "list::optional")]
    prices: Option<Vec<u64>>,
}

impl TryFrom<LimitFields> for LimitCertificate {
    type Error = String;

    fn try_from(fields: LimitFields) -> Result<Self, String> {
        let missing =
            |name: &str| format!("a certificate of kind {} needs the field `{name}`", fields.kind);
        match fields.kind.as_str() {
            "cut" => Ok(Self::Cut { routers: fields.routers.ok_or_else(|| missing("routers"))? }),
            "cuts" => Ok(Self::Cuts {
                cuts: fields.cuts.ok_or_else(|| missing("cuts"))?,
                switches: fields.switches.unwrap_or_default(),
            }),
            "prices" => {
                Ok(Self::Prices { prices: fields.prices.ok_or_else(|| missing("prices"))? })
            }
            other => Err(format!(
                "unknown kind of certificate {:?}; known are cut, cuts and prices",
                crate::words::excerpt(other)
            )),
        }
    }
}
