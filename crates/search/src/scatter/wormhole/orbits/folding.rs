//! Chooses the subgroup that fixes every step of a tiling. A larger subgroup makes the folded
//! network smaller, but paths must not collide with their own images.

use super::super::super::action::Action;
use super::super::super::row_orbits::row_orbits;
use super::super::graph::{Graph, GraphBuilder};
use crate::rng::Rng;
use crate::symmetry::Subgroup;
use pavane_model::MessageId;
use std::ops::Range;

/// Number of random members with which the subgroup is extended.
const GROWTH: usize = 100;

/// Number of messages whose paths are checked, and edges visited for each.
const SAMPLED: usize = 64;
const NODES: u32 = 300;

/// A large normal subgroup whose coset space divides the steps and under which every sampled
/// message has a path that does not collide with its own images.
pub(super) fn find(action: &Action<'_>, steps: u32, rng: &mut Rng) -> Option<Subgroup> {
    let group = &action.group;
    let mut builder = GraphBuilder::default();
    let sample: Vec<u32> =
        (0..SAMPLED).map(|_| action.bases[rng.below(action.bases.len())]).collect();
    let mut is_roomy = |subgroup: &Subgroup, rng: &mut Rng| {
        let generators = subgroup.generators(group);
        let image = |generator: usize, row| action.image(generators[generator], row);
        let folded =
            row_orbits(action.layout.rows, subgroup.order(), generators.len(), |g, row| {
                action.layout.row(image(g, row))
            });
        let mut taken = vec![false; folded.sizes.len()];
        !folded.is_any_blocked()
            && sample.iter().all(|&message| {
                let graph = builder.build(action.layout, MessageId(message), 0);
                let mut nodes = NODES;
                taken.fill(false);
                let mut walk = Walk { graph, folded: &folded.of_row, taken: &mut taken };
                (graph.last..graph.edges.len()).any(|edge| walk.is_clean(edge, &mut nodes, rng))
            })
    };
    let mut grown = Subgroup::trivial();
    let mut best = None;
    for _ in 0..GROWTH {
        let member = rng.below(group.order()) as u32;
        if grown.has(member) {
            continue;
        }
        let larger = grown.with(group, member);
        let is_fit = larger.order() < group.order() && larger.is_normal(group);
        if !is_fit || !is_roomy(&larger, rng) {
            continue;
        }
        grown = larger;
        if (steps as usize).is_multiple_of(group.order() / grown.order()) {
            best = Some(grown.clone());
        }
    }
    best
}

/// A depth-first search for a path that does not collide with its own images.
struct Walk<'a> {
    graph: Graph<'a>,
    folded: &'a [u32],
    taken: &'a mut [bool],
}

impl Walk<'_> {
    fn is_clean(&mut self, edge: usize, nodes: &mut u32, rng: &mut Rng) -> bool {
        let edge = self.graph.edges[edge];
        let row = self.folded[edge.row as usize] as usize;
        if *nodes == 0 || self.taken[row] {
            return false;
        }
        *nodes -= 1;
        self.taken[row] = true;
        let is_clean = edge.first == edge.end
            || turned(edge.before(), rng).any(|before| self.is_clean(before, nodes, rng));
        self.taken[row] = false;
        is_clean
    }
}

/// A range rotated by a random amount.
pub(super) fn turned(range: Range<usize>, rng: &mut Rng) -> impl Iterator<Item = usize> + use<> {
    let turn = if range.is_empty() { 0 } else { rng.below(range.len()) };
    (range.start + turn..range.end).chain(range.start..range.start + turn)
}
