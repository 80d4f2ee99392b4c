//! Grid layout by coordinates: the last runs to the right, the one before downwards, and further
//! ones at a slant.

use super::Place;
use pavane_model::Network;

/// A grid, if the names of all routers are coordinates.
pub(super) fn places(network: &Network) -> Option<Vec<Place>> {
    let coordinates = |router| -> Option<Vec<f64>> {
        let name = network.router_name(router);
        name.split(',').map(|word| word.parse::<u32>().ok().map(f64::from)).collect()
    };
    let all: Vec<Vec<f64>> = network.routers().map(coordinates).collect::<Option<_>>()?;
    let dimensions = all.first()?.len();
    if dimensions < 2 || all.iter().any(|one| one.len() != dimensions) {
        return None;
    }
    // Every further coordinate has a different slant, so that few lines coincide.
    let place = |one: &Vec<f64>| {
        let mut place = (one[dimensions - 1], one[dimensions - 2]);
        for (behind, at) in one[..dimensions - 2].iter().rev().enumerate() {
            let far = 1.0 + behind as f64;
            place = (place.0 + at * 0.31 * far, place.1 + at * 0.23 / far);
        }
        place
    };
    Some(all.iter().map(place).collect())
}
