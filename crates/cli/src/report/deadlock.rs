//! Output of `pavane deadlock`.

use pavane_model::Duplex;
use serde::Serialize;

/// Whether a routing table is free of deadlock.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "deadlock"))]
pub struct DeadlockReport<'a> {
    /// The network.
    pub network: &'a str,
    /// The routing table.
    pub routing: &'a str,
    /// Whether a message holds channels (full) or both channels of its links (half).
    pub duplex: Duplex,
    /// Whether the channel dependencies have no cycle.
    pub deadlock_free: bool,
    /// A cycle of channels, as `tail>head`, or `tail>head/class` if there are several classes of
    /// virtual channels, or of links, as `tail-head`, under half duplex; null if there is none.
    pub cycle: Option<Vec<String>>,
    /// Number of channels.
    pub channels: usize,
    /// Number of classes of virtual channels of each channel.
    pub classes: u32,
    /// Number of dependencies between channels, or between links under half duplex.
    pub dependencies: usize,
    /// Total length of all paths divided by that of shortest paths.
    pub stretch: f64,
    /// A remark on the routing table; may be empty.
    pub remark: &'a str,
}
