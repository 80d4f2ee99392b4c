//! Mesh: a grid whose rows are paths.

use super::error::TopologyError;
use super::grid::{self, Row};
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    grid::build(parameters, &parameters.sides()?, Row::Path)
}
