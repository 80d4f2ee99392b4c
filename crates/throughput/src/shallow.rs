//! Makes packed trees shallower: a router of a tree moves to another parent if the capacity for it
//! is free, or two trees exchange their parents of the same router.
//!
//! The sum over all trees and routers of weight times squared depth falls with every step.

use crate::packing::{Class, Edge};

/// No edge: the root.
const NONE: usize = usize::MAX;
/// Rounds after which the search ends even if it still finds improvements.
const ROUNDS: u32 = 50;

/// Improves the trees. `edges` has the capacity that no tree uses, `start` the router where the
/// trees of a root start.
pub fn flatten(
    nodes: usize,
    edges: &mut [Edge],
    classes: &mut [Class],
    start: impl Fn(usize) -> u32,
) {
    let mut into = vec![Vec::new(); nodes];
    for (at, edge) in edges.iter().enumerate() {
        into[edge.head as usize].push(at);
    }
    let mut shapes: Vec<Shape> =
        classes.iter().map(|class| Shape::new(nodes, class, edges, start(class.root))).collect();
    for _ in 0..ROUNDS {
        let mut improved = false;
        for (head, candidates) in into.iter().enumerate() {
            for class in 0..shapes.len() {
                improved |= move_head(&mut shapes, class, head, candidates, edges);
            }
            improved |= swap_heads(&mut shapes, head, edges);
        }
        if !improved {
            break;
        }
    }
    for (class, shape) in classes.iter_mut().zip(&shapes) {
        class.edges = shape.order.iter().map(|&head| shape.parents[head as usize]).collect();
    }
}

/// Moves a router of one tree to the best free parent.
fn move_head(
    shapes: &mut [Shape],
    class: usize,
    head: usize,
    candidates: &[usize],
    edges: &mut [Edge],
) -> bool {
    let shape = &mut shapes[class];
    let old = shape.parents[head];
    if old == NONE {
        return false;
    }
    let free = candidates.iter().copied().filter(|&new| edges[new].amount >= shape.weight);
    let gains = free.filter_map(|new| Some((shape.gain(head, new, edges)?, new)));
    let Some((gain, new)) = gains.max_by_key(|&(gain, new)| (gain, std::cmp::Reverse(new))) else {
        return false;
    };
    if gain <= 0 {
        return false;
    }
    edges[old].amount += shape.weight;
    edges[new].amount -= shape.weight;
    shape.parents[head] = new;
    shape.measure(edges);
    true
}

/// Exchanges the parents of a router between pairs of trees.
fn swap_heads(shapes: &mut [Shape], head: usize, edges: &mut [Edge]) -> bool {
    let mut improved = false;
    for second in 1..shapes.len() {
        for first in 0..second {
            let [a, b] = [first, second].map(|class| &shapes[class]);
            let [old_a, old_b] = [a.parents[head], b.parents[head]];
            if old_a == NONE || old_b == NONE || old_a == old_b {
                continue;
            }
            // A heavier tree needs free capacity on the edge it takes over.
            let [more_a, more_b] =
                [a.weight.saturating_sub(b.weight), b.weight.saturating_sub(a.weight)];
            if edges[old_b].amount < more_a || edges[old_a].amount < more_b {
                continue;
            }
            let gains = (a.gain(head, old_b, edges), b.gain(head, old_a, edges));
            let (Some(gain_a), Some(gain_b)) = gains else { continue };
            if weighted(a.weight, gain_a) + weighted(b.weight, gain_b) <= 0 {
                continue;
            }
            let [weight_a, weight_b] = [a.weight, b.weight];
            edges[old_a].amount = edges[old_a].amount + weight_a - weight_b;
            edges[old_b].amount = edges[old_b].amount + weight_b - weight_a;
            for (class, edge) in [(first, old_b), (second, old_a)] {
                shapes[class].parents[head] = edge;
                shapes[class].measure(edges);
            }
            improved = true;
        }
    }
    improved
}

fn weighted(weight: u128, gain: i64) -> i128 {
    i128::try_from(weight).unwrap_or(i128::MAX).saturating_mul(i128::from(gain))
}

/// A tree with what the search needs to know.
struct Shape {
    weight: u128,
    root: u32,
    /// The edge into each router.
    parents: Vec<usize>,
    /// Routers without the root, from the root outwards.
    order: Vec<u32>,
    depth: Vec<i64>,
    /// Number of routers in the subtree of each router, and the sum of their depths.
    size: Vec<i64>,
    depths: Vec<i64>,
}

impl Shape {
    fn new(nodes: usize, class: &Class, edges: &[Edge], root: u32) -> Self {
        let mut parents = vec![NONE; nodes];
        for &edge in &class.edges {
            parents[edges[edge].head as usize] = edge;
        }
        let order = class.edges.iter().map(|&edge| edges[edge].head).collect();
        let [depth, size, depths] = [(); 3].map(|()| vec![0; nodes]);
        let mut shape = Shape { weight: class.weight, root, parents, order, depth, size, depths };
        shape.measure(edges);
        shape
    }

    /// Recomputes everything from the parents.
    fn measure(&mut self, edges: &[Edge]) {
        // Depths by following parents; after a change only one subtree is out of date, so the
        // routers are visited in the old order until all are known.
        let unknown = -1;
        self.order.iter().for_each(|&head| self.depth[head as usize] = unknown);
        self.depth[self.root as usize] = 0;
        let mut path = Vec::new();
        for &head in &self.order {
            let mut at = head as usize;
            while self.depth[at] == unknown {
                path.push(at);
                at = edges[self.parents[at]].tail as usize;
            }
            while let Some(next) = path.pop() {
                self.depth[next] = self.depth[at] + 1;
                at = next;
            }
        }
        self.order.sort_by_key(|&head| self.depth[head as usize]);
        for &head in self.order.iter().chain([&self.root]) {
            self.size[head as usize] = 1;
            self.depths[head as usize] = self.depth[head as usize];
        }
        for &head in self.order.iter().rev() {
            let tail = edges[self.parents[head as usize]].tail as usize;
            self.size[tail] += self.size[head as usize];
            self.depths[tail] += self.depths[head as usize];
        }
    }

    /// By how much the sum of squared depths falls if a router gets another parent. None if the
    /// new parent is below the router or not in the tree.
    fn gain(&self, head: usize, edge: usize, edges: &[Edge]) -> Option<i64> {
        let mut at = edges[edge].tail as usize;
        let shift = self.depth[at] + 1 - self.depth[head];
        while at != self.root as usize {
            if at == head || self.parents[at] == NONE {
                return None;
            }
            at = edges[self.parents[at]].tail as usize;
        }
        // The sum of (d + shift)² − d² is shift·(2·Σd + n·shift).
        Some(-shift * (2 * self.depths[head] + self.size[head] * shift))
    }
}
