//! Torus: a grid whose rows are rings. A row of two has one link, not two.

use super::grid::{self, Row};
use super::parameters::Parameters;
use crate::network::{Network, NetworkError};

pub fn build(parameters: &Parameters<'_>) -> Result<Network, NetworkError> {
    grid::build(parameters, &parameters.sides()?, Row::Ring)
}
