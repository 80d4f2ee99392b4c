//! Path: router `i` is linked to router `i + 1`.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n] = parameters.numbers()?;
    parameters.at_least("n", n, 2)?;
    parameters.direct(n.into(), u128::from(n) - 1, (1..n as u32).map(|i| (i - 1, i)))
}
