//! An all-reduce as a whole: when its broadcast starts, and a lower bound on its number of steps. The
//! broadcast of a sum may start as soon as that sum is complete, while others are still reduced.

use crate::ids::RouterId;
use crate::list;
use serde::{Deserialize, Serialize};

/// What a file of an all-reduce says about its phases together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "whole"))]
#[serde(expecting = "the whole of an all-reduce: an object with start and bound")]
pub struct Whole {
    /// The number of steps of the all-reduce before the first step of its broadcast; if absent, all
    /// steps of the reduce.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// Claimed lower bound on the number of steps of the all-reduce.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<WholeBound>,
}

impl Whole {
    /// The number of steps of the all-reduce, given those of its phases.
    pub fn steps(&self, reduce: u32, broadcast: u32) -> u32 {
        reduce.max(self.start.unwrap_or(reduce).saturating_add(broadcast))
    }
}

/// A proved lower bound on the number of steps of an all-reduce, whose phases may overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "whole-bound"))]
#[serde(expecting = "a bound: an object with steps and certificate")]
pub struct WholeBound {
    /// No schedule of the all-reduce has fewer steps.
    pub steps: u32,
    /// The argument in words, with its numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    /// The certificate.
    pub certificate: WholeCertificate,
}

/// Evidence for a bound on an all-reduce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "whole-certificate"))]
#[serde(expecting = "a certificate: an object with a kind")]
pub struct WholeCertificate {
    /// The kind of argument.
    pub kind: WholeKind,
    /// The set of an argument about a set of routers.
    #[serde(default, deserialize_with = "list::bounded", skip_serializing_if = "Vec::is_empty")]
    pub routers: Vec<RouterId>,
}

/// The kinds of arguments for a bound on an all-reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WholeKind {
    /// The routers that contributions and sums must enter, divided by the channels.
    Entries,
    /// The receives of contributions and sums, divided by the ports.
    Receives,
    /// The bound of the broadcast, after the least steps of a reduce; or that of the reduce, before the
    /// least steps of a broadcast.
    Phase,
    /// Contributions and sums queue at the channels into a set of routers. No sum enters before it can be
    /// complete, and no contribution enters after the last step from which its sum can still spread.
    Queue,
}

impl WholeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Entries, Self::Receives, Self::Phase, Self::Queue];

    /// The name in a schedule file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Receives => "receives",
            Self::Phase => "phase",
            Self::Queue => "queue",
        }
    }
}
