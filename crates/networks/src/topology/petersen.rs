//! Petersen graph: the ring 0 to 4, the five-pointed star 5 to 9, and spokes from `i` to `i + 5`.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    parameters.none()?;
    let ring = (0..5).map(|i| (i, (i + 1) % 5));
    let spokes = (0..5).map(|i| (i, i + 5));
    let star = (0..5).map(|i| (i + 5, (i + 2) % 5 + 5));
    parameters.direct(10, 15, ring.chain(spokes).chain(star))
}
