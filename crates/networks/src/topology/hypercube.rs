//! Hypercube: routers are linked if their numbers differ in exactly one bit.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [dimension] = parameters.numbers()?;
    parameters.at_least("d", dimension, 1)?;
    let routers = power(2, dimension);
    let link_count = routers.saturating_mul(dimension.into()) / 2;
    parameters.direct(routers, link_count, links(dimension as u32))
}

/// The links of a hypercube, router by router, each listed at its lower end.
pub fn links(dimension: u32) -> impl Iterator<Item = (u32, u32)> {
    let upper = move |x: u32| (0..dimension).map(|bit| 1 << bit).filter(move |bit| x & bit == 0);
    (0..1u32.checked_shl(dimension).unwrap_or(0))
        .flat_map(move |x| upper(x).map(move |bit| (x, x | bit)))
}

/// `base` to the power of `exponent`, saturating.
pub fn power(base: u64, exponent: u64) -> u128 {
    let exponent = u32::try_from(exponent).unwrap_or(u32::MAX);
    u128::from(base).saturating_pow(exponent)
}
