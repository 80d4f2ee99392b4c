//! Heawood graph, the cage of degree 3 and girth 6: a ring of 14 routers in which every even `i` is
//! also linked to `i + 5`.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    parameters.none()?;
    let ring = (0..14).map(|i| (i, (i + 1) % 14));
    let chords = (0..14).step_by(2).map(|i| (i, (i + 5) % 14));
    parameters.direct(14, 21, ring.chain(chords))
}
