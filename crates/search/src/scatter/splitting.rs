//! Edge colouring of a whole bipartite graph by halving: if the number of colours is even, the edges
//! are divided into two halves with half of the colours each, in linear time, by alternating along
//! chains of edges that are paired at their vertices. An odd number of colours is left to
//! [`Colouring`].

use super::colouring::Colouring;

/// No edge.
const NONE: u32 = u32::MAX;

/// Colours the edges so that no two edges at a vertex have the same colour. `vertices` is the number
/// of vertices on each side; no vertex may have more edges than there are colours.
pub(super) fn colours_of(vertices: [usize; 2], edges: &[[u32; 2]], colours: u32) -> Vec<u16> {
    let mut found = vec![0; edges.len()];
    let mut parts = vec![((0..edges.len() as u32).collect::<Vec<u32>>(), 0, colours)];
    while let Some((part, first, count)) = parts.pop() {
        if count <= 1 {
            part.iter().for_each(|&edge| found[edge as usize] = first);
        } else if count.is_multiple_of(2) {
            let half = (count / 2) as u16;
            let [one, other] = halves(vertices, edges, &part);
            parts.push((one, first, count / 2));
            parts.push((other, first + half, count / 2));
        } else {
            let mut colouring = Colouring::new(vertices.map(|count| count as u32), count);
            part.iter().for_each(|&edge| colouring.add(edges[edge as usize], edge));
            for (number, &edge) in part.iter().enumerate() {
                let colour = colouring.colour(number).expect("no vertex has too many edges");
                found[edge as usize] = first + colour as u16;
            }
        }
    }
    found
}

/// Divides edges into two parts such that each part has half of the edges of every vertex, rounded
/// up or down.
fn halves(vertices: [usize; 2], edges: &[[u32; 2]], part: &[u32]) -> [Vec<u32>; 2] {
    // Per side, the edge that each edge is paired with at its vertex.
    let partner = [0, 1].map(|side| {
        let mut partner = vec![NONE; part.len()];
        let mut open = vec![NONE; vertices[side]];
        for (number, &edge) in (0..).zip(part) {
            let open = &mut open[edges[edge as usize][side] as usize];
            if *open == NONE {
                *open = number;
            } else {
                partner[number as usize] = *open;
                partner[*open as usize] = number;
                *open = NONE;
            }
        }
        partner
    });
    let mut half: Vec<Option<u8>> = vec![None; part.len()];
    for start in 0..part.len() {
        if half[start].is_some() {
            continue;
        }
        half[start] = Some(0);
        // Along the chain in both directions; if it is a cycle, the first direction reaches all.
        for first in 0..2 {
            let (mut at, mut side, mut own) = (partner[first][start], first, 1);
            while at != NONE && half[at as usize].is_none() {
                half[at as usize] = Some(own);
                (side, own) = (1 - side, 1 - own);
                at = partner[side][at as usize];
            }
        }
    }
    let mut parts = [Vec::new(), Vec::new()];
    for (&edge, half) in part.iter().zip(half) {
        parts[usize::from(half.unwrap_or(0))].push(edge);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edges_at_a_vertex_differ(edges in vec([0u32..7, 0u32..7], 1..90)) {
            let degree = |side: usize, vertex: u32| edges.iter().filter(|e| e[side] == vertex).count();
            let most = (0..7).flat_map(|v| [degree(0, v), degree(1, v)]).max().unwrap_or(0);
            for colours in most..most + 3 {
                let found = colours_of([7, 7], &edges, colours as u32);
                prop_assert!(found.iter().all(|&colour| usize::from(colour) < colours));
                for (at, edge) in edges.iter().enumerate() {
                    for other in 0..at {
                        let meet = edge[0] == edges[other][0] || edge[1] == edges[other][1];
                        prop_assert!(!meet || found[at] != found[other], "{:?}", edges);
                    }
                }
            }
        }
    }
}
