//! Cube-connected cycles: a hypercube whose corners are rings of `d` routers. Router (x, i),
//! numbered x·d + i, is linked to (x, i ± 1) and to (x ⊕ 2^i, i). Preparata and Vuillemin, CACM
//! 24(5), 1981.

use super::error::TopologyError;
use super::hypercube::power;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [dimension] = parameters.numbers()?;
    parameters.at_least("d", dimension, 3)?;
    let routers = power(2, dimension).saturating_mul(dimension.into());
    let d = dimension as u32;
    let links = (0..routers as u32).flat_map(|router| {
        let (x, i) = (router / d, router % d);
        let cube = (x & (1 << i) == 0).then_some((router, (x | 1 << i) * d + i));
        [(router, x * d + (i + 1) % d)].into_iter().chain(cube)
    });
    parameters.direct(routers, (routers / 2).saturating_mul(3), links)
}
