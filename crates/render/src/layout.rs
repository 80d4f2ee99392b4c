//! Where the routers of a network are drawn: on a grid if their names are coordinates, on a circle
//! if all look alike, otherwise pushed apart and pulled together along channels, after Fruchterman
//! and Reingold, 1991. Neighbours are about 1 apart.

use pavane_model::Network;
use std::f64::consts::TAU;

/// A place on the plane, x to the right and y downwards.
pub type Place = (f64, f64);

/// Regular networks up to this size are drawn on a circle.
const SMALL: usize = 24;

/// Larger networks are drawn on a circle too: forces take too long.
const LARGE: usize = 400;

/// Rounds of pushing and pulling.
const ROUNDS: usize = 200;

/// A place for every router.
pub fn places(network: &Network) -> Vec<Place> {
    if let Some(places) = grid(network) {
        return places;
    }
    let routers = network.router_count();
    let degree = |router| network.out_channels(router).len();
    let is_regular =
        network.routers().all(|router| degree(router) == degree(pavane_model::RouterId(0)));
    let places = circle(routers);
    match (is_regular && routers <= SMALL) || routers > LARGE {
        true => places,
        false => scaled(network, pushed_and_pulled(network, places)),
    }
}

/// Two coordinates as they are, the first downwards; more go behind each other.
fn grid(network: &Network) -> Option<Vec<Place>> {
    let coordinates = |router| -> Option<Vec<f64>> {
        let name = network.router_name(router);
        name.split(',').map(|word| word.parse::<u32>().ok().map(f64::from)).collect()
    };
    let all: Vec<Vec<f64>> = network.routers().map(coordinates).collect::<Option<_>>()?;
    let dimensions = all.first()?.len();
    if dimensions < 2 || all.iter().any(|one| one.len() != dimensions) {
        return None;
    }
    // Every further coordinate shifts by a different slant, so that few lines cover each other.
    let place = |one: &Vec<f64>| {
        let mut place = (one[dimensions - 1], one[dimensions - 2]);
        for (behind, at) in one[..dimensions - 2].iter().rev().enumerate() {
            let far = 1.0 + behind as f64;
            place = (place.0 + at * 0.37 * far, place.1 + at * 0.29 / far);
        }
        place
    };
    Some(all.iter().map(place).collect())
}

/// Around a circle, the first at the top, neighbours in the list 1 apart.
fn circle(routers: usize) -> Vec<Place> {
    let radius = (routers as f64 / TAU).max(0.8);
    let place = |at: usize| {
        let angle = TAU * at as f64 / routers as f64;
        (radius * angle.sin(), -radius * angle.cos())
    };
    (0..routers).map(place).collect()
}

fn pushed_and_pulled(network: &Network, mut places: Vec<Place>) -> Vec<Place> {
    let routers = places.len();
    let mut heat = (routers as f64).sqrt() / 2.0;
    for _ in 0..ROUNDS {
        let mut moves = vec![(0.0, 0.0); routers];
        for one in 0..routers {
            for other in one + 1..routers {
                let (dx, dy, distance) = between(places[one], places[other]);
                let push = 1.0 / (distance * distance);
                shift(&mut moves, one, other, (dx * push, dy * push));
            }
        }
        for channel in network.channels() {
            let (tail, head) = (channel.tail.index(), channel.head.index());
            let (dx, dy, distance) = between(places[tail], places[head]);
            let pull = -distance / 2.0;
            shift(&mut moves, tail, head, (dx * pull, dy * pull));
        }
        for (place, (dx, dy)) in places.iter_mut().zip(moves) {
            let length = dx.hypot(dy).max(1e-9);
            let limited = length.min(heat) / length;
            *place = (place.0 + dx * limited, place.1 + dy * limited);
        }
        heat *= 0.97;
    }
    places
}

/// From the second to the first, and how far it is.
fn between(one: Place, other: Place) -> (f64, f64, f64) {
    let (dx, dy) = (one.0 - other.0, one.1 - other.1);
    (dx, dy, dx.hypot(dy).max(0.01))
}

fn shift(moves: &mut [Place], one: usize, other: usize, by: Place) {
    moves[one] = (moves[one].0 + by.0, moves[one].1 + by.1);
    moves[other] = (moves[other].0 - by.0, moves[other].1 - by.1);
}

/// As large that channels are 1 long in the middle of their order.
fn scaled(network: &Network, places: Vec<Place>) -> Vec<Place> {
    let mut lengths: Vec<f64> = network
        .channels()
        .iter()
        .map(|c| between(places[c.tail.index()], places[c.head.index()]).2)
        .collect();
    lengths.sort_by(f64::total_cmp);
    let scale = lengths.get(lengths.len() / 2).map_or(1.0, |length| 1.0 / length);
    places.into_iter().map(|(x, y)| (x * scale, y * scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::topology;

    #[test]
    fn routers_have_places_of_their_own() {
        for name in [
            "mesh:3x4",
            "torus:4x4x3",
            "ring:9",
            "kautz:3,2",
            "tree:2,3",
            "fat-tree:4",
            "hypercube:6",
            "path:2",
        ] {
            let network = topology::build(name).unwrap();
            let places = places(&network);
            assert_eq!(places.len(), network.router_count());
            assert!(places.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{name}");
            for one in 0..places.len() {
                for other in one + 1..places.len() {
                    let distance = between(places[one], places[other]).2;
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
