//! How ports and channels are priced when a message is routed.

use super::loads::Loads;
use super::tolls::Tolls;

/// Weight of a channel relative to a port. A channel has only one pair of ends to serve, so it
/// should be loaded less.
const CHANNEL: f32 = 1.1;

/// Cap on the relative load in the cost, so that all costs are finite.
const MOST_SHARE: f32 = 1.5;

/// The price of one more use of a port or channel.
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

    /// Cost of one more use of an entry; zero if it is not limited.
    pub fn of(&self, loads: &Loads, at: usize) -> f32 {
        match self {
            Self::Powers(powers) => powers.cost(loads, at),
            Self::Tolls(tolls) => tolls.cost(loads, at),
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
    fn cost(&self, loads: &Loads, at: usize) -> f32 {
        let Some(room) = loads.most(at, 1) else { return 0.0 };
        let weight = if loads.is_channel(at) { CHANNEL } else { 1.0 };
        let share = weight * (loads.uses(at) + 1) as f32 / room as f32 * self.scale;
        self.weights[at] * share.min(MOST_SHARE).powi(self.power)
    }
}
