//! Edge colouring of a bipartite graph: no two edges at a vertex share a colour. The maximum degree
//! is enough colours: if an edge has no common free colour at its ends, two colours are swapped
//! along an alternating chain.

/// No edge has this colour here.
const FREE: u32 = u32::MAX;

/// This vertex may not use this colour.
const CLOSED: u32 = u32::MAX - 1;

/// The edges and their colours so far.
pub(super) struct Colouring {
    colours: u32,
    /// Per side, vertex and colour: the edge.
    edge_at: [Vec<u32>; 2],
    /// Per edge: its vertices and its colour.
    edges: Vec<([u32; 2], Option<u32>)>,
}

impl Colouring {
    /// A graph without edges and with the given number of vertices on each side.
    pub fn new(vertices: [u32; 2], colours: u32) -> Self {
        let edge_at = vertices.map(|count| vec![FREE; count as usize * colours as usize]);
        Self { colours, edge_at, edges: Vec::new() }
    }

    /// Forbids a colour at a vertex.
    pub fn close(&mut self, side: usize, vertex: u32, colour: u32) {
        let at = self.place(vertex, colour);
        self.edge_at[side][at] = CLOSED;
    }

    /// Adds an edge. It gets the colour `first`, the next common free colour, or one that a swap
    /// frees. If closed colours prevent all of these, it stays uncoloured.
    pub fn add(&mut self, vertices: [u32; 2], first: u32) {
        let edge = self.edges.len() as u32;
        self.edges.push((vertices, None));
        let first = first % self.colours.max(1);
        let all = (first..self.colours).chain(0..first);
        let common = all
            .clone()
            .find(|&c| self.is_free(0, vertices[0], c) && self.is_free(1, vertices[1], c));
        if let Some(colour) = common {
            return self.paint(edge, colour);
        }
        for colour in all.clone().filter(|&c| self.is_free(0, vertices[0], c)).collect::<Vec<_>>() {
            for other in
                all.clone().filter(|&c| self.is_free(1, vertices[1], c)).collect::<Vec<_>>()
            {
                if self.swap(vertices[1], colour, other) {
                    return self.paint(edge, colour);
                }
            }
        }
    }

    /// The colour of an edge, if it has one.
    pub fn colour(&self, edge: usize) -> Option<u32> {
        self.edges[edge].1
    }

    /// Frees `colour` at a vertex of the second side, where `other` is free, by swapping the two
    /// along a chain. Fails if the chain meets a closed colour.
    fn swap(&mut self, vertex: u32, colour: u32, other: u32) -> bool {
        let mut chain = Vec::new();
        let (mut side, mut vertex, mut next) = (1, vertex, colour);
        loop {
            match self.edge_at[side][self.place(vertex, next)] {
                FREE => break,
                CLOSED => return false,
                edge => {
                    chain.push((edge, colour + other - next));
                    side = 1 - side;
                    vertex = self.edges[edge as usize].0[side];
                    next = colour + other - next;
                }
            }
        }
        for &(edge, _) in &chain {
            let (vertices, old) = self.edges[edge as usize];
            for (side, vertex) in vertices.into_iter().enumerate() {
                let at = self.place(vertex, old.expect("edges of a chain have colours"));
                self.edge_at[side][at] = FREE;
            }
        }
        for (edge, new) in chain {
            self.paint(edge, new);
        }
        true
    }

    fn paint(&mut self, edge: u32, colour: u32) {
        let (vertices, _) = self.edges[edge as usize];
        self.edges[edge as usize].1 = Some(colour);
        for (side, vertex) in vertices.into_iter().enumerate() {
            let at = self.place(vertex, colour);
            self.edge_at[side][at] = edge;
        }
    }

    fn is_free(&self, side: usize, vertex: u32, colour: u32) -> bool {
        self.edge_at[side][self.place(vertex, colour)] == FREE
    }

    fn place(&self, vertex: u32, colour: u32) -> usize {
        vertex as usize * self.colours as usize + colour as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_many_colours_as_edges_of_a_vertex_suffice(edges in vec([0u32..6, 0u32..6], 1..60)) {
            let degree = |side: usize, vertex: u32| edges.iter().filter(|e| e[side] == vertex).count();
            let most = (0..6).flat_map(|v| [degree(0, v), degree(1, v)]).max().unwrap_or(0);
            let mut colouring = Colouring::new([6, 6], most as u32);
            edges.iter().for_each(|&edge| colouring.add(edge, edge[0]));
            for side in 0..2 {
                let mut seen: Vec<(u32, u32)> = Vec::new();
                for (number, edge) in edges.iter().enumerate() {
                    let colour = colouring.colour(number).expect("every edge gets one");
                    prop_assert!(colour < most as u32);
                    prop_assert!(!seen.contains(&(edge[side], colour)), "twice at a vertex");
                    seen.push((edge[side], colour));
                }
            }
        }

        #[test]
        fn forbidden_colours_are_not_used(
            edges in vec([0u32..4, 0u32..4], 1..20),
            closed in vec((0usize..2, 0u32..4, 0u32..5), 0..8),
        ) {
            let mut colouring = Colouring::new([4, 4], 5);
            closed.iter().for_each(|&(side, vertex, colour)| colouring.close(side, vertex, colour));
            edges.iter().for_each(|&edge| colouring.add(edge, 0));
            for (number, edge) in edges.iter().enumerate() {
                let Some(colour) = colouring.colour(number) else { continue };
                for side in 0..2 {
                    prop_assert!(!closed.contains(&(side, edge[side], colour)));
                    let alike = (0..edges.len()).filter(|&other| edges[other][side] == edge[side]);
                    let shared = alike.filter(|&other| colouring.colour(other) == Some(colour));
                    prop_assert_eq!(shared.count(), 1);
                }
            }
        }
    }
}
