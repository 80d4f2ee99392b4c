//! Complete graph: all pairs of `n` routers are linked.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n] = parameters.numbers()?;
    parameters.at_least("n", n, 2)?;
    let n = u128::from(n);
    let links = (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| (a, b)));
    parameters.direct(n, n * (n - 1) / 2, links)
}
