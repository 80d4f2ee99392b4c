//! The place of a channel in a row of a torus, on which the choice between classes of virtual channels depends.

use pavane_model::Network;

/// The place of a channel in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowChannel {
    /// The dimension along which it leads.
    pub dimension: u32,
    /// Whether it leads from one end of the row to the other.
    pub is_wrap: bool,
}

impl RowChannel {
    /// The places of all channels; `coordinates` are those of the routers.
    pub fn all(network: &Network, coordinates: &[Vec<u32>]) -> Vec<Self> {
        let place = |channel: &pavane_model::Channel| {
            let ends =
                coordinates[channel.tail.index()].iter().zip(&coordinates[channel.head.index()]);
            let distances = ends.map(|(tail, head)| tail.abs_diff(*head));
            let (dimension, distance) =
                (0..).zip(distances).find(|(_, distance)| *distance > 0).unwrap_or((0, 0));
            Self { dimension, is_wrap: distance > 1 }
        };
        network.channels().iter().map(place).collect()
    }
}
