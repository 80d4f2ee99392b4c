//! Octagon, or Spidergon: a ring with additional links from `i` to `i + n/2`. As a graph it is the
//! Möbius ladder. Karim, Nguyen and Dey, DAC 2001.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let parameters = parameters.or("8");
    let [n] = parameters.numbers()?;
    parameters.at_least("n", n, 8)?;
    if n % 4 != 0 {
        return Err(parameters.wrong(format!("n is {n}, but must be a multiple of 4")));
    }
    let routers = n as u32;
    let ring = (0..routers).map(|i| (i, (i + 1) % routers));
    let across = (0..routers / 2).map(|i| (i, i + routers / 2));
    parameters.direct(n.into(), u128::from(n) / 2 * 3, ring.chain(across))
}
