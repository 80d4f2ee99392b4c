//! Force-directed layout of networks of medium size, after Fruchterman and Reingold, 1991: routers repel each other and
//! channels attract. It starts from spectral coordinates (two eigenvectors of the Laplacian, after
//! Hall, 1970), and routers that are too close are separated at the end.

use super::Place;
use pavane_model::Network;

/// Iterations of the forces.
const ROUNDS: usize = 250;

/// Iterations of the power method.
const WAVES: usize = 400;

/// Minimum distance between two routers, when the median channel has length 1.
const NEAREST: f64 = 0.62;

pub(super) fn places(network: &Network) -> Vec<Place> {
    let mut places = spectral(network);
    push_and_pull(network, &mut places);
    scale(network, &mut places);
    part(&mut places);
    places
}

/// The two eigenvectors of the Laplacian with the smallest non-zero eigenvalues, as coordinates.
fn spectral(network: &Network) -> Vec<Place> {
    let routers = network.router_count();
    let mut degree = vec![0.0f64; routers];
    for channel in network.channels() {
        degree[channel.tail.index()] += 1.0;
        degree[channel.head.index()] += 1.0;
    }
    let most = degree.iter().copied().fold(1.0, f64::max);
    let wave = |seed: f64| -> Vec<f64> {
        (0..routers).map(|at| ((at as f64 + 1.0) * seed).sin()).collect()
    };
    let mut found: Vec<Vec<f64>> = vec![vec![1.0 / (routers as f64).sqrt(); routers]];
    for seed in [1.7, 2.9] {
        let mut vector = wave(seed);
        for _ in 0..WAVES {
            let mut next: Vec<f64> =
                vector.iter().zip(&degree).map(|(value, d)| value * (2.0 * most - d)).collect();
            for channel in network.channels() {
                let (tail, head) = (channel.tail.index(), channel.head.index());
                next[tail] += vector[head];
                next[head] += vector[tail];
            }
            for other in &found {
                let along: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
                next.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let length = next.iter().map(|a| a * a).sum::<f64>().sqrt().max(1e-12);
            next.iter_mut().for_each(|a| *a /= length);
            vector = next;
        }
        found.push(vector);
    }
    // Equivalent routers have the same coordinates, so each is shifted slightly in its own
    // direction.
    let size = routers as f64 / 2.0;
    let jitter = |at: usize, turn: f64| 0.05 * (at as f64 * 2.4 + turn).sin();
    let place =
        |at: usize| (found[1][at] * size + jitter(at, 0.0), found[2][at] * size + jitter(at, 1.57));
    (0..routers).map(place).collect()
}

fn push_and_pull(network: &Network, places: &mut [Place]) {
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
        heat *= 0.975;
    }
}

/// The vector from the second place to the first, and its length.
pub(super) fn between(one: Place, other: Place) -> (f64, f64, f64) {
    let (dx, dy) = (one.0 - other.0, one.1 - other.1);
    (dx, dy, dx.hypot(dy).max(0.01))
}

fn shift(moves: &mut [Place], one: usize, other: usize, by: Place) {
    moves[one] = (moves[one].0 + by.0, moves[one].1 + by.1);
    moves[other] = (moves[other].0 - by.0, moves[other].1 - by.1);
}

/// Scales the places so that the median channel has length 1.
pub(super) fn scale(network: &Network, places: &mut [Place]) {
    if places.is_empty() {
        return;
    }
    let mut lengths: Vec<f64> = network
        .channels()
        .iter()
        .map(|c| between(places[c.tail.index()], places[c.head.index()]).2)
        .collect();
    lengths.sort_by(f64::total_cmp);
    let scale = lengths.get(lengths.len() / 2).map_or(1.0, |length| 1.0 / length);
    places.iter_mut().for_each(|place| *place = (place.0 * scale, place.1 * scale));
}

/// Separates routers that are too close.
fn part(places: &mut [Place]) {
    for _ in 0..200 {
        let mut is_done = true;
        for one in 0..places.len() {
            for other in one + 1..places.len() {
                let (dx, dy, distance) = between(places[one], places[other]);
                if distance < NEAREST {
                    is_done = false;
                    // Two routers at the same place are separated horizontally.
                    let (dx, dy) = if distance <= 0.01 { (0.01, 0.0) } else { (dx, dy) };
                    let by = (NEAREST * 1.02 - distance) / 2.0 / distance;
                    shift(places, one, other, (dx * by, dy * by));
                }
            }
        }
        if is_done {
            return;
        }
    }
}
