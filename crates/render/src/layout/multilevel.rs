//! Force-directed layout of large networks, after Walshaw, 2003, and Hu, 2005: neighbours are joined to clusters
//! and the clusters to larger ones, until a few remain. The coarsest network is laid out first, and every finer
//! one starts with the places of its clusters, so that the forces only have to arrange neighbours.

use super::Place;
use super::cells::{Cells, nearest_distances};
use super::force::between;
use super::quadtree::Quadtree;
use pavane_model::Network;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A network with at most this many clusters is not made coarser.
const COARSEST: usize = 24;

/// Iterations of the forces for the coarsest network, and for every finer one.
const FIRST_ROUNDS: u32 = 200;
const ROUNDS: u32 = 50;

/// How much shorter moves are in every round than in the one before.
const COOLING: f64 = 0.92;

/// Minimum distance between two routers, when half of them have a neighbour within 1.
const NEAREST: f64 = 0.7;

/// Passes that separate routers which are too close.
const PARTING: usize = 100;

/// A force towards the middle, which keeps the parts of a disconnected network together.
const GRAVITY: f64 = 0.02;

pub(super) fn places(network: &Network) -> Vec<Place> {
    let mut level = Level::of(network);
    let mut finer: Vec<(Level, Vec<usize>)> = Vec::new();
    while level.len() > COARSEST {
        let (coarser, clusters) = level.coarser();
        // Routers without links are never joined.
        if 10 * coarser.len() > 9 * level.len() {
            break;
        }
        finer.push((std::mem::replace(&mut level, coarser), clusters));
    }
    let mut places: Vec<Place> = (0..level.len()).map(|at| spiral(at, level.spacing())).collect();
    level.relax(&mut places, FIRST_ROUNDS);
    for (level, clusters) in finer.into_iter().rev() {
        let beside = |(at, &cluster): (usize, &usize)| {
            let (dx, dy) = direction(at);
            let far = 0.3 * level.spacing();
            (places[cluster].0 + far * dx, places[cluster].1 + far * dy)
        };
        places = clusters.iter().enumerate().map(beside).collect();
        level.relax(&mut places, ROUNDS);
    }
    spread(&mut places);
    places
}

/// The places of a spiral that fills a disc evenly.
fn spiral(at: usize, spacing: f64) -> Place {
    let far = spacing * (at as f64 + 0.5).sqrt();
    let (dx, dy) = direction(at);
    (far * dx, far * dy)
}

/// A direction for every number; those of consecutive ones differ by the golden angle.
fn direction(at: usize) -> Place {
    let turn = at as f64 * 0.618_033_988_75;
    ((TAU * turn).cos(), (TAU * turn).sin())
}

/// A network whose nodes are routers, or clusters of routers.
struct Level {
    /// The number of routers of every node.
    masses: Vec<f64>,
    /// The other ends of the links of every node, with the number of links between the two.
    neighbours: Vec<Vec<(usize, f64)>>,
}

impl Level {
    fn of(network: &Network) -> Self {
        let ends = network.channels().iter().map(|c| (c.tail.index(), c.head.index(), 1.0));
        Self::with_links(vec![1.0; network.router_count()], ends)
    }

    /// Links between the same nodes count as one with their sum; their direction does not matter.
    fn with_links(masses: Vec<f64>, links: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let mut weights: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (one, other, weight) in links.filter(|(one, other, _)| one != other) {
            *weights.entry((one.min(other), one.max(other))).or_default() += weight;
        }
        let mut neighbours = vec![Vec::new(); masses.len()];
        for ((one, other), weight) in weights {
            neighbours[one].push((other, weight));
            neighbours[other].push((one, weight));
        }
        Self { masses, neighbours }
    }

    fn len(&self) -> usize {
        self.masses.len()
    }

    /// The usual distance between nodes, if that of routers is 1.
    fn spacing(&self) -> f64 {
        (self.masses.iter().sum::<f64>() / self.len().max(1) as f64).sqrt()
    }

    /// Joins every node to a neighbour, and returns the cluster of every node.
    fn coarser(&self) -> (Self, Vec<usize>) {
        const NONE: usize = usize::MAX;
        let mut clusters = vec![NONE; self.len()];
        let mut masses: Vec<f64> = Vec::new();
        let mut order: Vec<usize> = (0..self.len()).collect();
        // Nodes with few neighbours have the least choice.
        order.sort_by_key(|&node| self.neighbours[node].len());
        for node in order {
            if clusters[node] != NONE {
                continue;
            }
            // Light nodes with many links between them are joined first, so that all clusters are about as large.
            let heaviness = |&&(other, weight): &&(usize, f64)| self.masses[other] / weight;
            let lightest = |one: &&(usize, f64), other: &&(usize, f64)| {
                heaviness(one).total_cmp(&heaviness(other))
            };
            let open = self.neighbours[node].iter().filter(|(other, _)| clusters[*other] == NONE);
            let joined = match open.min_by(lightest) {
                Some(&(other, _)) => {
                    clusters[other] = masses.len();
                    masses.push(self.masses[other]);
                    masses.len() - 1
                }
                // Its neighbours are all in clusters: the lightest takes it, as the hub of a star takes its leaves.
                None => {
                    let around = self.neighbours[node].iter().map(|(other, _)| clusters[*other]);
                    let light = around.min_by(|&one, &other| masses[one].total_cmp(&masses[other]));
                    light.unwrap_or_else(|| {
                        masses.push(0.0);
                        masses.len() - 1
                    })
                }
            };
            clusters[node] = joined;
            masses[joined] += self.masses[node];
        }
        let links = self.neighbours.iter().enumerate().flat_map(|(node, neighbours)| {
            let clusters = &clusters;
            let once = neighbours.iter().filter(move |(other, _)| node < *other);
            once.map(move |&(other, weight)| (clusters[node], clusters[other], weight))
        });
        (Self::with_links(masses, links), clusters)
    }

    /// Moves nodes by forces: all repel each other, and links attract. Moves become shorter from round to round.
    fn relax(&self, places: &mut [Place], rounds: u32) {
        let mut longest = self.spacing() * if rounds == ROUNDS { 1.0 } else { 4.0 };
        let gravity = if self.is_connected() { 0.0 } else { GRAVITY };
        for _ in 0..rounds {
            let bodies: Vec<(Place, f64)> =
                places.iter().copied().zip(self.masses.iter().copied()).collect();
            let tree = Quadtree::new(&bodies);
            places.par_iter_mut().enumerate().for_each(|(node, place)| {
                let (mut x, mut y) = tree.push(node);
                for &(other, weight) in &self.neighbours[node] {
                    let (dx, dy, distance) = between(bodies[other].0, bodies[node].0);
                    let pull = weight * distance / self.masses[node];
                    (x, y) = (x + dx * pull, y + dy * pull);
                }
                (x, y) = (x - gravity * place.0, y - gravity * place.1);
                let length = x.hypot(y).max(1e-9);
                let limited = length.min(longest) / length;
                *place = (place.0 + x * limited, place.1 + y * limited);
            });
            longest *= COOLING;
        }
    }

    fn is_connected(&self) -> bool {
        let mut is_reached = vec![false; self.len()];
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut is_reached[node], true) {
                open.extend(self.neighbours[node].iter().map(|(other, _)| *other));
            }
        }
        is_reached.iter().all(|&is_reached| is_reached)
    }
}

/// Scales the places so that half of them have another one within 1, and separates those that are too close.
fn spread(places: &mut [Place]) {
    let mut nearest = nearest_distances(places);
    nearest.sort_by(f64::total_cmp);
    let usual = nearest.get(nearest.len() / 2).copied().unwrap_or(1.0).max(1e-6);
    places.iter_mut().for_each(|place| *place = (place.0 / usual, place.1 / usual));
    for _ in 0..PARTING {
        let cells = Cells::new(places, NEAREST);
        let mut moves = vec![(0.0, 0.0); places.len()];
        let mut is_done = true;
        for (one, &place) in places.iter().enumerate() {
            let low = (place.0 - NEAREST, place.1 - NEAREST);
            let high = (place.0 + NEAREST, place.1 + NEAREST);
            for other in cells.near(low, high).filter(|&other| other != one) {
                let (dx, dy, distance) = between(place, places[other]);
                if distance < NEAREST {
                    is_done = false;
                    // Two routers at the same place are separated in a direction of their own.
                    let (ux, uy) = if distance > 0.01 {
                        (dx / distance, dy / distance)
                    } else {
                        direction(one)
                    };
                    let by = (NEAREST * 1.02 - distance) / 2.0;
                    moves[one] = (moves[one].0 + ux * by, moves[one].1 + uy * by);
                }
            }
        }
        if is_done {
            return;
        }
        places
            .iter_mut()
            .zip(moves)
            .for_each(|(place, (dx, dy))| *place = (place.0 + dx, place.1 + dy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::{Network, NetworkBuilder};
    use pavane_networks::topology;

    /// A mesh without coordinates, whose routers are numbered in another order.
    fn shuffled_mesh(side: u32) -> Network {
        let mut builder = NetworkBuilder::new("shuffled", side * side);
        // The step has no common divisor with the number of routers.
        let number = |row: u32, column: u32| (row * side + column) * 367 % (side * side);
        for row in 0..side {
            for column in 0..side {
                if column + 1 < side {
                    builder.link(number(row, column), number(row, column + 1));
                }
                if row + 1 < side {
                    builder.link(number(row, column), number(row + 1, column));
                }
            }
        }
        builder.processor_on_each_router();
        builder.build().unwrap()
    }

    fn lengths(network: &Network, places: &[Place]) -> Vec<f64> {
        let ends =
            network.channels().iter().map(|c| (places[c.tail.index()], places[c.head.index()]));
        ends.map(|(one, other)| between(one, other).2).collect()
    }

    #[test]
    fn a_mesh_is_unfolded() {
        let mesh = shuffled_mesh(24);
        let found = places(&mesh);
        assert!(lengths(&mesh, &found).into_iter().all(|length| (0.5..2.2).contains(&length)));
    }

    #[test]
    fn routers_are_apart_and_the_parts_of_a_network_together() {
        let mut two = NetworkBuilder::new("two rings and a router", 601);
        for at in 0..300 {
            two.link(at, (at + 1) % 300).link(300 + at, 300 + (at + 1) % 300);
        }
        two.processor_on_each_router();
        let expander = topology::build("random-regular:600,4,1").unwrap();
        for network in [two.build().unwrap(), expander, topology::build("star:500").unwrap()] {
            let found = places(&network);
            assert!(
                nearest_distances(&found).into_iter().all(|far| far > 0.9 * NEAREST),
                "{}",
                network.name()
            );
            let far = found.iter().map(|(x, y)| x.hypot(*y)).fold(0.0, f64::max);
            assert!(far < 100.0, "{}: {far}", network.name());
        }
    }

    #[test]
    fn the_layout_is_the_same_every_time() {
        let network = topology::build("random-regular:500,3,2").unwrap();
        assert_eq!(places(&network), places(&network));
    }
}
