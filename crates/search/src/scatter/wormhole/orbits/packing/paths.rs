//! Lists the paths of a base message.

use super::super::super::graph::Graph;
use crate::rng::Rng;

/// Most paths of a message.
const MOST_PATHS: usize = 24;

/// The indices of the edges of a path, in order.
pub(super) type PathEdges = Vec<u32>;

/// All paths of the graph, or a random part of them if there are many.
pub(super) fn list(graph: Graph<'_>, rng: &mut Rng) -> Vec<PathEdges> {
    let mut counts: Vec<u64> = Vec::with_capacity(graph.edges.len());
    for edge in graph.edges {
        let before = &counts[edge.before()];
        counts.push(if before.is_empty() {
            1
        } else {
            before.iter().fold(0, |sum, &count| sum.saturating_add(count))
        });
    }
    let all = counts[graph.last..].iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
    let mut paths = Vec::new();
    if all <= MOST_PATHS as u64 {
        for end in graph.last..graph.edges.len() {
            extend(graph, &mut vec![end as u32], &mut paths);
        }
    } else {
        for _ in 0..MOST_PATHS {
            paths.push(draw(graph, &counts, rng));
        }
        paths.sort_unstable();
        paths.dedup();
    }
    rng.shuffle(&mut paths);
    paths
}

/// Adds all paths that end with the edges of `tail`, which are in reverse order.
fn extend(graph: Graph<'_>, tail: &mut PathEdges, paths: &mut Vec<PathEdges>) {
    let before = tail.last().map_or(0..0, |&edge| graph.edges[edge as usize].before());
    if before.is_empty() {
        paths.push(tail.iter().rev().copied().collect());
    }
    for edge in before {
        tail.push(edge as u32);
        extend(graph, tail, paths);
        tail.pop();
    }
}

/// A random path; every path is equally likely.
fn draw(graph: Graph<'_>, counts: &[u64], rng: &mut Rng) -> PathEdges {
    let mut path = Vec::new();
    let mut next = graph.last..graph.edges.len();
    while !next.is_empty() {
        let total: f64 = counts[next.clone()].iter().map(|&count| count as f64).sum();
        let mut left = rng.unit() * total;
        let mut chosen = next.start;
        for edge in next {
            chosen = edge;
            left -= counts[edge] as f64;
            if left < 0.0 {
                break;
            }
        }
        path.push(chosen as u32);
        next = graph.edges[chosen].before();
    }
    path.reverse();
    path
}
