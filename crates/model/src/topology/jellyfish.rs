//! Jellyfish: switches linked at random, `r` links each. Singla, Hong, Popa and Godfrey, NSDI
//! 2012. The links are drawn as for `random-regular`, so the same numbers give the same links; one
//! processor per switch, and the paper's s servers per switch are written `@s`.

use super::parameters::Parameters;
use super::random_regular;
use crate::network::{Network, NetworkError};

pub fn build(parameters: &Parameters<'_>) -> Result<Network, NetworkError> {
    random_regular::build(parameters)
}
