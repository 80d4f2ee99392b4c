//! Randomised search for Hamiltonian cycles: rotation and extension of a path if all arcs run both
//! ways (Pósa); otherwise, or if that fails, a cycle cover whose cycles are merged in pairs.

use crate::budget::Budget;
use crate::rng::Rng;

const NONE: usize = usize::MAX;

/// Attempts of each method.
const TRIES: usize = 8;

/// Finds a cycle through all nodes. `arcs` lists the successors of each node.
pub(super) fn cycle(arcs: &[Vec<usize>], budget: &mut Budget, rng: &mut Rng) -> Option<Vec<usize>> {
    if arcs.len() < 2 || arcs.iter().any(Vec::is_empty) {
        return None;
    }
    let both_ways =
        arcs.iter().enumerate().all(|(a, list)| list.iter().all(|&b| arcs[b].contains(&a)));
    for _ in 0..TRIES {
        if both_ways && let Some(order) = Path::new(arcs, rng).close(budget, rng) {
            return Some(order);
        }
        if let Some(order) = Cover::new(arcs, rng).and_then(|cover| cover.join(budget, rng)) {
            return Some(order);
        }
        if budget.is_over() {
            break;
        }
    }
    None
}

/// A path that is extended at its end, or rotated if it cannot be extended.
struct Path<'a> {
    arcs: &'a [Vec<usize>],
    nodes: Vec<usize>,
    place: Vec<usize>,
}

impl<'a> Path<'a> {
    fn new(arcs: &'a [Vec<usize>], rng: &mut Rng) -> Self {
        let start = rng.below(arcs.len());
        let mut place = vec![NONE; arcs.len()];
        place[start] = 0;
        Self { arcs, nodes: vec![start], place }
    }

    fn close(mut self, budget: &mut Budget, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut turns = 50 + 20 * self.arcs.len();
        loop {
            let end = self.nodes[self.nodes.len() - 1];
            if let Some(next) = self.extension(end, rng) {
                self.place[next] = self.nodes.len();
                self.nodes.push(next);
                continue;
            }
            if self.nodes.len() == self.arcs.len() && self.arcs[end].contains(&self.nodes[0]) {
                return Some(self.nodes);
            }
            turns -= 1;
            if turns == 0 || !budget.spend(1) {
                return None;
            }
            // Every eighth rotation reverses the whole path, so that both ends get extended.
            let from = if turns.is_multiple_of(8) { 0 } else { self.turning_point(end, rng) };
            self.nodes[from..].reverse();
            for at in from..self.nodes.len() {
                self.place[self.nodes[at]] = at;
            }
        }
    }

    /// A node that is not on the path yet, preferably one with few ways on.
    fn extension(&self, end: usize, rng: &mut Rng) -> Option<usize> {
        let free = |&node: &usize| self.place[node] == NONE;
        self.arcs[end].iter().copied().filter(free).min_by_key(|&node| {
            (self.arcs[node].iter().filter(|next| free(next)).count(), rng.bits())
        })
    }

    /// The position from which to reverse the path: just after a random successor of its end.
    fn turning_point(&self, end: usize, rng: &mut Rng) -> usize {
        self.place[self.arcs[end][rng.below(self.arcs[end].len())]] + 1
    }
}

/// A cycle cover: every node has one successor and one predecessor.
struct Cover<'a> {
    arcs: &'a [Vec<usize>],
    next: Vec<usize>,
    previous: Vec<usize>,
}

impl<'a> Cover<'a> {
    /// Matches all nodes with successors by augmenting paths.
    fn new(arcs: &'a [Vec<usize>], rng: &mut Rng) -> Option<Self> {
        let mut cover =
            Self { arcs, next: vec![NONE; arcs.len()], previous: vec![NONE; arcs.len()] };
        let mut order: Vec<usize> = (0..arcs.len()).collect();
        rng.shuffle(&mut order);
        for start in order {
            if !cover.augment(start, rng) {
                return None;
            }
        }
        Some(cover)
    }

    /// Finds a successor for `start` along an augmenting path, by breadth-first search.
    fn augment(&mut self, start: usize, rng: &mut Rng) -> bool {
        let mut reached_by = vec![NONE; self.arcs.len()];
        let mut queue = vec![start];
        let mut at = 0;
        while at < queue.len() {
            let node = queue[at];
            at += 1;
            let mut heads = self.arcs[node].clone();
            rng.shuffle(&mut heads);
            for head in heads {
                if reached_by[head] != NONE {
                    continue;
                }
                reached_by[head] = node;
                if self.previous[head] == NONE {
                    self.assign(start, head, &reached_by);
                    return true;
                }
                queue.push(self.previous[head]);
            }
        }
        false
    }

    fn assign(&mut self, start: usize, mut head: usize, reached_by: &[usize]) {
        loop {
            let node = reached_by[head];
            let freed = std::mem::replace(&mut self.next[node], head);
            self.previous[head] = node;
            if node == start {
                return;
            }
            head = freed;
        }
    }

    /// Merges cycles until one is left: a→b and c→d of two cycles become a→d and c→b. If no two
    /// cycles can be merged, splits a random one and tries again.
    fn join(mut self, budget: &mut Budget, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut splits = 4 * self.arcs.len();
        loop {
            let (label, cycles) = self.label();
            if cycles == 1 {
                return Some(self.order());
            }
            let mut nodes: Vec<usize> = (0..self.arcs.len()).collect();
            rng.shuffle(&mut nodes);
            let is_joined = self.exchange(&nodes, |a, c| label[a] != label[c]);
            if !is_joined && (splits == 0 || !self.exchange(&nodes, |a, c| a != c)) {
                return None;
            }
            splits -= usize::from(!is_joined);
            if !budget.spend(1) {
                return None;
            }
        }
    }

    /// Exchanges the successors of the first two nodes for which that is possible and wanted.
    fn exchange(&mut self, nodes: &[usize], is_wanted: impl Fn(usize, usize) -> bool) -> bool {
        for &a in nodes {
            let b = self.next[a];
            for &d in &self.arcs[a] {
                let c = self.previous[d];
                if d != b && c != b && is_wanted(a, c) && self.arcs[c].contains(&b) {
                    (self.next[a], self.next[c]) = (d, b);
                    (self.previous[d], self.previous[b]) = (a, c);
                    return true;
                }
            }
        }
        false
    }

    fn label(&self) -> (Vec<usize>, usize) {
        let mut label = vec![NONE; self.next.len()];
        let mut cycles = 0;
        for start in 0..self.next.len() {
            let mut at = start;
            if label[start] == NONE {
                while label[at] == NONE {
                    label[at] = cycles;
                    at = self.next[at];
                }
                cycles += 1;
            }
        }
        (label, cycles)
    }

    fn order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.next.len());
        let mut at = 0;
        for _ in 0..self.next.len() {
            order.push(at);
            at = self.next[at];
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    fn has_cycle(name: &str) -> bool {
        let network = topology::build(name).unwrap();
        let arcs: Vec<Vec<usize>> = network
            .routers()
            .map(|r| {
                let heads = network.out_channels(r).iter();
                heads.map(|&c| network.channel(c).head.index()).collect()
            })
            .collect();
        let mut budget = Budget::evaluations(1_000_000);
        let Some(order) = cycle(&arcs, &mut budget, &mut Rng::seeded(1)) else { return false };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..arcs.len()), "{name}: {order:?}");
        let closed = order.iter().zip(order.iter().cycle().skip(1));
        for (&a, b) in closed {
            assert!(arcs[a].contains(b), "{name}: no arc from {a} to {b}");
        }
        true
    }

    #[test]
    fn cycles_are_found_where_there_are_any() {
        let with = ["ring:7", "mesh:4x4", "mesh:12x7", "hypercube:6", "torus:5x5", "kautz:3,2"];
        let more = ["kautz:2,4", "octagon:12", "random-regular:64,3,1", "complete:5"];
        for name in with.into_iter().chain(more) {
            assert!(has_cycle(name), "{name}");
        }
        for name in ["path:4", "star:5", "mesh:3x3", "petersen"] {
            assert!(!has_cycle(name), "{name}");
        }
    }
}
