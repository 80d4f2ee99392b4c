//! The places where the routers of a network are drawn. A file may give positions, each network
//! family has its customary layout, coordinates make a grid, switches are placed in levels above
//! their processors, and all other networks are laid out by forces. Neighbours are about 1 apart.

pub(crate) mod cells;
mod family;
mod fat_tree;
mod force;
mod grid;
mod groups;
mod levels;
mod multilevel;
mod quadtree;

pub(crate) use groups::{Group, groups};

use pavane_model::Network;
use std::f64::consts::TAU;

/// A point in the plane, x to the right and y downwards.
pub type Place = (f64, f64);

/// A place for every router.
pub fn places(network: &Network) -> Vec<Place> {
    laid_out(network).0
}

/// How the places of routers were chosen, which decides how links run between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayoutKind {
    /// In levels: all links are straight, as they run between two levels.
    Levels,
    /// In groups on a circle: links bend towards its middle.
    Circle,
    /// By forces: links run in all directions.
    Forces,
    /// Otherwise: links bend around routers.
    Other,
}

/// Networks with more routers than this are laid out by forces on several levels.
const FEW: usize = 400;

/// A place for every router, and how it was chosen.
pub(crate) fn laid_out(network: &Network) -> (Vec<Place>, LayoutKind) {
    if let Some(places) = kept(network) {
        return (places, LayoutKind::Other);
    }
    if let Some(places) = family::places(network) {
        return (places, family::kind(network));
    }
    if let Some(places) = grid::places(network) {
        return (places, LayoutKind::Other);
    }
    match levels::places(network) {
        Some(places) => (places, LayoutKind::Levels),
        None if network.router_count() > FEW => (multilevel::places(network), LayoutKind::Forces),
        None => (force::places(network), LayoutKind::Forces),
    }
}

/// The family in a network's name, and its parameters that are numbers: `fat-tree:8` or `octagon:8@2`.
fn family_and_numbers(network: &Network) -> (&str, Vec<usize>) {
    let name = network.name().split('@').next().unwrap_or_default();
    let (family, parameters) = name.split_once(':').unwrap_or((name, ""));
    (family, parameters.split(',').filter_map(|word| word.parse().ok()).collect())
}

/// The positions given in a file, scaled so that the median channel has length 1. Returns `None` if
/// two routers have the same position, because they would hide each other.
fn kept(network: &Network) -> Option<Vec<Place>> {
    let mut places = network.positions().to_vec();
    let mut sorted = places.clone();
    sorted.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    force::scale(network, &mut places);
    (!places.is_empty()).then_some(places)
}

/// Routers on a circle, the first at the top, consecutive ones 1 apart.
fn circle(routers: usize) -> Vec<Place> {
    let radius = (routers as f64 / TAU).max(0.8);
    (0..routers).map(|at| polar(radius, at as f64 / routers as f64)).collect()
}

/// The point at a fraction of a full turn from the top, clockwise.
fn polar(radius: f64, turn: f64) -> Place {
    let angle = TAU * turn;
    (radius * angle.sin(), -radius * angle.cos())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn routers_have_places_of_their_own() {
        for name in [
            "mesh:3x4",
            "torus:4x4x3",
            "ring:9",
            "kautz:3,2",
            "tree:2,3",
            "fat-tree:4",
            "fat-tree:8",
            "hypercube:7",
            "folded-hypercube:4",
            "octagon:8",
            "dgx-1v",
            "dgx-h100",
            "nvl72",
            "dragonfly:2,4,2",
            "ccc:3",
            "butterfly:3",
            "omega:3",
            "petersen",
            "star:9",
            "path:30",
            "tree:2,6",
            "random-regular:64,4,1",
            "slim-fly:5",
            "de-bruijn:2,6",
            "coated-mesh:4x4",
            "path:2",
        ] {
            let network = topology::build(name).unwrap();
            let places = places(&network);
            assert_eq!(places.len(), network.router_count());
            assert!(places.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{name}");
            for one in 0..places.len() {
                for other in one + 1..places.len() {
                    let distance = force::between(places[one], places[other]).2;
                    assert!(distance > 0.05, "{name}: {one} and {other} are {distance} apart");
                }
            }
        }
    }

    #[test]
    fn a_mesh_is_drawn_as_it_is_written() {
        let mesh = topology::build("mesh:2x3").unwrap();
        let expected = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 1.0)];
        assert_eq!(places(&mesh), expected);
    }
}
