//! HyperX: a grid whose rows are complete graphs. Ahn, Binkert, Davis, McLaren and Schreiber, SC
//! 2009. Their T terminals per router are written `@T`; the default is one.

use super::error::TopologyError;
use super::grid::{self, Row};
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    grid::build(parameters, &parameters.sides()?, Row::Complete)
}
