//! How hops are priced when a message is routed.

use super::super::super::layout::Layout;
use super::edge::HopEdge;
use super::loads::Loads;
use super::tolls::Tolls;

/// Weight of a channel relative to a port. A channel has only one pair of ends to serve, so it
/// should be loaded less.
const CHANNEL: f32 = 1.1;

/// Cap on the relative load in the cost, so that all costs are finite.
const MOST_SHARE: f32 = 1.5;

/// The price of one more use of a hop.
pub(super) enum Costs {
    /// By powers of the loads.
    Powers(Powers),
    /// By tolls.
    Tolls(Tolls),
}

impl Costs {
    /// Powers of the loads with equal weights.
    pub fn powers(entries: usize, scale: f32, power: i32) -> Self {
        Self::Powers(Powers { scale, power, weights: vec![1.0; entries] })
    }

    /// Cost of one more use of a hop.
    pub fn of(&self, layout: &Layout<'_>, loads: &Loads, edge: HopEdge) -> f32 {
        match self {
            Self::Powers(powers) => powers.cost(layout, loads, edge),
            Self::Tolls(tolls) => tolls.cost(layout, loads, edge),
        }
    }
}

/// Parameters of the cost of loads.
pub(super) struct Powers {
    /// Inverse of the load that costs 1.
    scale: f32,
    power: i32,
    pub weights: Vec<f32>,
}

impl Powers {
    fn cost(&self, layout: &Layout<'_>, loads: &Loads, edge: HopEdge) -> f32 {
        let [send, receive, channel] = loads.of(layout, edge);
        let of_one = |at: usize, weight: f32| match loads.most(at, 1) {
            None => 0.0,
            Some(room) => {
                let share = weight * (loads.uses(at) + 1) as f32 / room as f32 * self.scale;
                self.weights[at] * share.min(MOST_SHARE).powi(self.power)
            }
        };
        let own = if channel == send { 0.0 } else { of_one(channel, CHANNEL) };
        of_one(send, 1.0) + of_one(receive, 1.0) + own
    }
}
