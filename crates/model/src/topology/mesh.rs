//! Mesh: a grid whose rows are paths.

use super::grid::{self, Row};
use super::parameters::Parameters;
use crate::network::{Network, NetworkError};

pub fn build(parameters: &Parameters<'_>) -> Result<Network, NetworkError> {
    grid::build(parameters, &parameters.sides()?, Row::Path)
}
