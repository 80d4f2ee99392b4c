//! The throughput plan file, `pavane/throughput/1`: weighted trees or paths for every message, and
//! the limit that no plan can pass. There are no steps: the plan says which share of every message
//! takes which way, and its time per byte is the largest ratio of load to bandwidth.
//!
//! ```
//! use pavane_model::throughput;
//!
//! let file = r#"{"format": "pavane/throughput/1",
//!   "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1],
//!               "bandwidth_gbytes": [25, 25]},
//!   "collective": {"kind": "broadcast", "senders": [0, 1], "receivers": [0, 1]},
//!   "scale": 1,
//!   "trees": [{"message": [0], "weight": 1, "channels": [0]},
//!             {"message": [1], "weight": 1, "channels": [1]}],
//!   "limit": {"ns_per_byte": "1/25", "certificate": {"kind": "cut", "routers": [0]}}}"#;
//! let plan = throughput::read(file.as_bytes(), "plan.json", 1000)?;
//! assert_eq!(plan.phases[0].routes.len(), 2);
//!
//! let mut copy = Vec::new();
//! throughput::write(&mut copy, &plan, &Default::default())?;
//! assert_eq!(throughput::read(&copy[..], "copy.json", 1000)?, plan);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod raw;
mod read;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use certificate::{LimitCertificate, PhaseCut, PhaseSwitch};
pub use read::{read, read_file};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use write::{write, write_file};

use crate::fraction::Fraction;
use crate::ids::{ChannelId, MessageId};
use crate::problem::Problem;

/// The value of the `format` field of a throughput plan.
pub const FORMAT: &str = "pavane/throughput/1";

/// A throughput plan. The reader only checks that everything it names exists; the judge decides
/// whether the plan is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct ThroughputPlan {
    /// The name of the collective. A plan with one phase is written with the name in its problem
    /// instead.
    pub name: String,
    /// One phase; an all-reduce has two, a reduce and a broadcast, which use the channels at the same
    /// time.
    pub phases: Vec<PlanPhase>,
    /// The weights of a message of size 1 add up to this number, at least 1.
    pub scale: u64,
    /// The time per byte that the plan claims to take, in nanoseconds: the largest ratio of load to
    /// bandwidth, where the load of a channel is the sum of the weights that cross it divided by
    /// [`scale`](Self::scale).
    pub ns_per_byte: Option<Fraction>,
    /// The limit that the plan claims for all plans.
    pub limit: Option<ThroughputLimit>,
}

/// A collective with its trees or paths.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanPhase {
    /// The problem. Its rules are those of [`Model::without_ports`](crate::Model::without_ports).
    pub problem: Problem,
    /// The relative size of every message, by its number; empty if all have size 1. The weights of a
    /// message add up to `scale` times its size, and size 0 means that there is nothing to send.
    /// Times per byte are then per unit of size.
    pub sizes: Vec<u64>,
    /// The trees of a broadcast, reduce or list of messages, or the paths of a scatter or gather.
    pub routes: Vec<Route>,
}

impl PlanPhase {
    /// The relative size of a message.
    pub fn size(&self, message: MessageId) -> u64 {
        if self.sizes.is_empty() {
            1
        } else {
            self.sizes.get(message.index()).copied().unwrap_or(0)
        }
    }

    /// Whether its routes are paths: one destination per message, in a scatter or gather.
    pub fn has_paths(&self) -> bool {
        use crate::collective::Kind;
        matches!(self.problem.collective().kind, Kind::Scatter | Kind::Gather)
    }
}

/// A weighted tree or path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The message, by its number in the problem. In files it has its label, as in schedule files:
    /// `[origin]` of a broadcast, `[root]` of a reduce, `[origin, destination]` of a scatter,
    /// `[contributor, root]` of a gather, `[index]` of a list of messages.
    pub message: MessageId,
    /// The part of the message that takes this route, in units of 1/scale; at least 1.
    pub weight: u64,
    /// The channels in an order in which they can be used: a channel comes after the one that brings
    /// the data to its tail. A switch that does not copy uses one outgoing channel per incoming one, so
    /// a channel may occur several times.
    ///
    /// A reduce or gather also lists channels in the order of travel, towards the root. Read backwards,
    /// with every channel turned round, the list is a tree of a broadcast or a path of a scatter.
    pub channels: Vec<ChannelId>,
}

/// A lower bound on the time per byte of all plans, with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct ThroughputLimit {
    /// Nanoseconds per byte of a message of size 1.
    pub ns_per_byte: Fraction,
    /// The proof.
    pub certificate: LimitCertificate,
}
