//! Hoffman-Singleton graph, the Moore graph of degree 7: five pentagons P (routers 5h + j) and five
//! pentagrams Q (routers 25 + 5i + j), vertex j of P_h linked to vertex h·i + j of Q_i. Robertson's
//! construction.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    parameters.none()?;
    let vertices = || (0..5).flat_map(|part| (0..5).map(move |j| (part, j)));
    let pentagons = vertices().map(|(h, j)| (5 * h + j, 5 * h + (j + 1) % 5));
    let pentagrams = vertices().map(|(i, j)| (25 + 5 * i + j, 25 + 5 * i + (j + 2) % 5));
    let across = vertices()
        .flat_map(|(h, j)| (0..5).map(move |i| (5 * h + j, 25 + 5 * i + (h * i + j) % 5)));
    parameters.direct(50, 175, pentagons.chain(pentagrams).chain(across))
}
