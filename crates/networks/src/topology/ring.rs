//! Ring: router `i` is linked to router `i + 1`, and the last to the first.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n] = parameters.numbers()?;
    parameters.at_least("n", n, 3)?;
    let routers = n as u32;
    parameters.direct(n.into(), n.into(), (0..routers).map(|i| (i, (i + 1) % routers)))
}
