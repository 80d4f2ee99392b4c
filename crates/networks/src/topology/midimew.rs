//! Midimew: the circulant network of degree 4 with the smallest diameter and average distance. Its
//! offsets are ±(b − 1) and ±b with b = ⌈√(N/2)⌉. Beivide et al., IEEE Trans. Computers 40(10),
//! 1991.

use super::circulant::from_offsets;
use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n] = parameters.numbers()?;
    parameters.at_least("N", n, 5)?;
    // The smallest b with 2·b² ≥ N.
    let b = u128::from(n).div_ceil(2).isqrt() as u64;
    let b = if 2 * u128::from(b) * u128::from(b) < n.into() { b + 1 } else { b };
    from_offsets(parameters, n, &[b - 1, b])
}
