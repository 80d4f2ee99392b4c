//! Eulerian circuits of digraphs on hop counts.

use pavane_search::Rng;

/// A random Eulerian circuit, after Hierholzer, as the list of its vertices with the first one repeated
/// at the end. The digraph must be connected and balanced; an edge may be a loop.
pub(super) fn random(edges: &[(usize, usize)], rng: &mut Rng) -> Vec<usize> {
    let vertices = edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap_or(1);
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for &(a, b) in edges {
        leaving[a].push(b);
    }
    for heads in &mut leaving {
        rng.shuffle(heads);
    }
    let first = edges[rng.below(edges.len())].0;
    let (mut stack, mut circuit) = (vec![first], Vec::new());
    while let Some(&last) = stack.last() {
        match leaving[last].pop() {
            Some(next) => stack.push(next),
            None => {
                circuit.push(last);
                stack.pop();
            }
        }
    }
    circuit.reverse();
    circuit
}
