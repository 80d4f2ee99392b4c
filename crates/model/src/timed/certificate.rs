//! Proofs of lower bounds on time.

use crate::ids::{ProcessorId, RouterId};
use crate::list;
use crate::throughput::LimitCertificate;
use serde::{Deserialize, Serialize};

/// A proof of a lower bound on time. Routers and channels are always those of the network in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(!try_from, rename = "time-certificate"))]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "TimeFields")]
pub enum TimeCertificate {
    /// A set of routers and a receiver outside: what the receiver wants from the set must leave it.
    /// A channel that leaves the set is of use only from the time at which the first of these bytes
    /// can reach it until the last moment from which bytes still reach the receiver in time. In a
    /// reduce or gather, time runs backwards and the receiver is a contributor.
    Cut {
        /// The routers of the set.
        routers: Vec<RouterId>,
        /// The receiver.
        receiver: ProcessorId,
    },
    /// A price for every channel: the sum of bytes times the price of the cheapest path, over all
    /// messages, must be paid by channels while they are of use. A message for several destinations
    /// pays at least the cheapest way into each of them from a router that copies.
    Prices {
        /// The prices.
        prices: Vec<u64>,
    },
    /// In an all-reduce every byte is summed at some participant: the smallest sum of the latency
    /// from the farthest participant and that to the farthest one, over all participants.
    Roots,
    /// The throughput limit: without latencies, and with chunks of any size.
    Throughput {
        /// The certificate of the limit.
        limit: LimitCertificate,
    },
}

/// The fields of all kinds. A derived reader for a tagged enum would first buffer every value.
#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
struct TimeFields {
    kind: String,
    #[serde(default, deserialize_with = "list::optional")]
    routers: Option<Vec<RouterId>>,
    #[serde(default)]
    receiver: Option<ProcessorId>,
    #[serde(default, deserialize_with = "list::optional")]
    prices: Option<Vec<u64>>,
    #[serde(default)]
    limit: Option<LimitCertificate>,
}

impl TryFrom<TimeFields> for TimeCertificate {
    type Error = String;

    fn try_from(fields: TimeFields) -> Result<Self, String> {
        let missing =
            |name: &str| format!("a certificate of kind {} needs the field `{name}`", fields.kind);
        match fields.kind.as_str() {
            "cut" => Ok(Self::Cut {
                routers: fields.routers.ok_or_else(|| missing("routers"))?,
                receiver: fields.receiver.ok_or_else(|| missing("receiver"))?,
            }),
            "prices" => {
                Ok(Self::Prices { prices: fields.prices.ok_or_else(|| missing("prices"))? })
            }
            "roots" => Ok(Self::Roots),
            "throughput" => {
                Ok(Self::Throughput { limit: fields.limit.ok_or_else(|| missing("limit"))? })
            }
            other => Err(format!(
                "unknown kind of certificate {:?}; known are cut, prices, roots and throughput",
                crate::words::excerpt(other)
            )),
        }
    }
}
