//! Two spanning trees without a common edge, by matroid partition (Edmonds, 1965). An edge that
//! closes a cycle in both trees may still fit if edges on these cycles change trees.

use std::collections::VecDeque;

/// No forest, and no edge.
const NONE: usize = usize::MAX;

/// The two trees, as lists of edges; `None` if there are none. Edges are pairs of vertices below
/// `vertices`; loops are ignored.
pub(super) fn two_spanning_trees(
    vertices: usize,
    edges: &[(usize, usize)],
) -> Option<[Vec<usize>; 2]> {
    if edges.len() < 2 * vertices.saturating_sub(1) {
        return None;
    }
    let mut forests = Forests { vertices, edges, forest_of: vec![NONE; edges.len()] };
    let mut missing = 2 * vertices.saturating_sub(1);
    for (edge, &(one, other)) in edges.iter().enumerate() {
        if missing == 0 {
            break;
        }
        if one != other && forests.insert(edge) {
            missing -= 1;
        }
    }
    let of = |forest| (0..edges.len()).filter(|&edge| forests.forest_of[edge] == forest).collect();
    (missing == 0).then(|| [of(0), of(1)])
}

struct Forests<'a> {
    vertices: usize,
    edges: &'a [(usize, usize)],
    /// The forest of each edge, 0 or 1, or `NONE`.
    forest_of: Vec<usize>,
}

impl Forests<'_> {
    /// Adds an edge to the forests, moving others between them if necessary; false if that is
    /// impossible.
    fn insert(&mut self, edge: usize) -> bool {
        let mut cause = vec![NONE; self.edges.len()];
        let mut queue = VecDeque::from([edge]);
        while let Some(at) = queue.pop_front() {
            for forest in (0..2).filter(|&forest| self.forest_of[at] != forest) {
                match self.path(forest, self.edges[at]) {
                    None => {
                        self.shift(at, forest, &cause);
                        return true;
                    }
                    Some(path) => {
                        for next in path {
                            if next != edge && cause[next] == NONE {
                                cause[next] = at;
                                queue.push_back(next);
                            }
                        }
                    }
                }
            }
        }
        false
    }

    /// Moves an edge to a forest, and the edge that needs its place to its former forest, and so on.
    fn shift(&mut self, mut edge: usize, mut forest: usize, cause: &[usize]) {
        loop {
            let former = std::mem::replace(&mut self.forest_of[edge], forest);
            if cause[edge] == NONE {
                return;
            }
            (edge, forest) = (cause[edge], former);
        }
    }

    /// The edges between two vertices in a forest; `None` if it does not connect them.
    fn path(&self, forest: usize, (from, to): (usize, usize)) -> Option<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.vertices];
        for (edge, &(one, other)) in self.edges.iter().enumerate() {
            if self.forest_of[edge] == forest {
                neighbours[one].push((other, edge));
                neighbours[other].push((one, edge));
            }
        }
        let mut by = vec![(NONE, NONE); self.vertices];
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if at == to {
                let mut path = Vec::new();
                let mut at = to;
                while at != from {
                    path.push(by[at].1);
                    at = by[at].0;
                }
                return Some(path);
            }
            for &(next, edge) in &neighbours[at] {
                if next != from && by[next].0 == NONE {
                    by[next] = (at, edge);
                    stack.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(vertices: usize) -> Vec<(usize, usize)> {
        (0..vertices).flat_map(|one| (0..one).map(move |other| (one, other))).collect()
    }

    #[test]
    fn two_trees_span_and_share_no_edge() {
        let grid = |side: usize| {
            let at = move |row: usize, column: usize| row % side * side + column % side;
            let of = move |place: usize| {
                let (row, column) = (place / side, place % side);
                [(at(row, column), at(row + 1, column)), (at(row, column), at(row, column + 1))]
            };
            (0..side * side).flat_map(of).collect::<Vec<_>>()
        };
        for (vertices, edges) in [(4, complete(4)), (7, complete(7)), (16, grid(4)), (49, grid(7))]
        {
            let trees = two_spanning_trees(vertices, &edges).unwrap();
            let mut used = vec![false; edges.len()];
            for tree in &trees {
                let mut forests =
                    Forests { vertices, edges: &edges, forest_of: vec![NONE; edges.len()] };
                for &edge in tree {
                    assert!(!std::mem::replace(&mut used[edge], true));
                    assert_eq!(forests.path(0, edges[edge]), None, "a cycle");
                    forests.forest_of[edge] = 0;
                }
                assert_eq!(tree.len(), vertices - 1);
            }
        }
    }

    #[test]
    fn too_few_edges_or_a_bridge_leave_no_two_trees() {
        assert_eq!(two_spanning_trees(3, &complete(3)), None);
        let bridged: Vec<_> = complete(5)
            .into_iter()
            .chain(complete(5).into_iter().map(|(one, other)| (one + 5, other + 5)))
            .chain([(0, 5)])
            .collect();
        assert_eq!(two_spanning_trees(10, &bridged), None);
    }
}
