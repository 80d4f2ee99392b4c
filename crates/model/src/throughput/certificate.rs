//! Proofs of throughput limits.

use crate::ids::RouterId;
use crate::list;
use serde::{Deserialize, Serialize};

/// A proof of a throughput limit. Routers and channels are always those of the network in the file,
/// also for a reduce or gather, whose data travels towards the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "Fields")]
pub enum LimitCertificate {
    /// A set of routers: what must leave it, in all phases, divided by the bandwidth that leaves it.
    Cut {
        /// The routers of the set.
        routers: Vec<RouterId>,
    },
    /// Weighted cuts, each for one phase: the sum of weight times what must leave the set in the
    /// phase, divided by the sum of bandwidth times price. The price of a channel is the weight of the
    /// cuts that it leaves, in the phase where that is largest.
    Cuts {
        /// The cuts.
        cuts: Vec<PhaseCut>,
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

/// The fields of all kinds. A derived reader for a tagged enum would first buffer every value.
#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
struct Fields {
    kind: String,
    #[serde(default, deserialize_with = "list::optional")]
    routers: Option<Vec<RouterId>>,
    #[serde(default, deserialize_with = "list::optional")]
    cuts: Option<Vec<PhaseCut>>,
    #[serde(default, deserialize_with = "list::optional")]
    prices: Option<Vec<u64>>,
}

impl TryFrom<Fields> for LimitCertificate {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let missing =
            |name: &str| format!("a certificate of kind {} needs the field `{name}`", fields.kind);
        match fields.kind.as_str() {
            "cut" => Ok(Self::Cut { routers: fields.routers.ok_or_else(|| missing("routers"))? }),
            "cuts" => Ok(Self::Cuts { cuts: fields.cuts.ok_or_else(|| missing("cuts"))? }),
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
