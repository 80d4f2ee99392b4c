//! Torus: a grid whose rows are rings. A row of two has one link, not two.

use super::error::TopologyError;
use super::grid::{self, Row};
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    grid::build(parameters, &parameters.sides()?, Row::Ring)
}
