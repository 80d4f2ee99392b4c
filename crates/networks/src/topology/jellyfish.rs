//! Jellyfish: switches with `r` random links each. Singla, Hong, Popa and Godfrey, NSDI 2012. The
//! links are those of `random-regular` with the same parameters. Every switch has one processor;
//! the paper's s servers per switch are written `@s`.

use super::error::TopologyError;
use super::parameters::Parameters;
use super::random_regular;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    random_regular::build(parameters)
}
