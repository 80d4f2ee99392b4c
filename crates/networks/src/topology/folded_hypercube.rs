//! Folded hypercube (K-ring): a hypercube in which every router is also linked to the one whose
//! number differs in all bits. El-Amawy and Latifi, IEEE TPDS 2(1), 1991.

use super::error::TopologyError;
use super::hypercube::{links, power};
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [dimension] = parameters.numbers()?;
    // In one dimension both links would join the same two routers.
    parameters.at_least("d", dimension, 2)?;
    let routers = power(2, dimension);
    let link_count = routers.saturating_mul(u128::from(dimension) + 1) / 2;
    let all = routers.saturating_sub(1) as u32;
    let across = (0..(routers / 2) as u32).map(move |x| (x, x ^ all));
    parameters.direct(routers, link_count, links(dimension as u32).chain(across))
}
