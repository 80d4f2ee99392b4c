//! Maximum flow by shortest augmenting paths, all paths of one length per phase (Dinitz, 1970).

use crate::cost::{Meter, OverLimit};

/// Edges with their residual capacities (`room`). Each edge is followed by its opposite.
pub(super) struct Flow {
    heads: Vec<usize>,
    room: Vec<u64>,
    edges_of: Vec<Vec<usize>>,
}

impl Flow {
    pub fn new(nodes: usize) -> Self {
        Self { heads: Vec::new(), room: Vec::new(), edges_of: vec![Vec::new(); nodes] }
    }

    pub fn add(&mut self, tail: usize, head: usize, capacity: u64) {
        for (tail, head, room) in [(tail, head, capacity), (head, tail, 0)] {
            self.edges_of[tail].push(self.heads.len());
            self.heads.push(head);
            self.room.push(room);
        }
    }

    /// Returns the maximum flow from `source` to `sink`.
    pub fn most(
        &mut self,
        source: usize,
        sink: usize,
        meter: &mut Meter,
    ) -> Result<u64, OverLimit> {
        let mut total = 0;
        loop {
            meter.spend((self.heads.len() + self.edges_of.len()) as u64)?;
            let distance = self.distances(source);
            if distance[sink] == usize::MAX {
                return Ok(total);
            }
            // Index of the first edge of each node that may still lead to the sink in this phase.
            let mut next_edge = vec![0; self.edges_of.len()];
            let mut looks = 0;
            while let Some(path) =
                self.shortest_path(source, sink, &distance, &mut next_edge, &mut looks)
            {
                meter.spend(std::mem::take(&mut looks) + path.len() as u64)?;
                let amount = path.iter().map(|&edge| self.room[edge]).min().unwrap_or(0);
                for edge in path {
                    self.room[edge] -= amount;
                    self.room[edge ^ 1] += amount;
                }
                total += amount;
            }
        }
    }

    /// The nodes from which residual capacity leads to the sink.
    pub fn reaching(&self, sink: usize) -> Vec<bool> {
        let mut is_reaching = vec![false; self.edges_of.len()];
        is_reaching[sink] = true;
        let mut queue = vec![sink];
        while let Some(node) = queue.pop() {
            for &edge in &self.edges_of[node] {
                let tail = self.heads[edge];
                if self.room[edge ^ 1] > 0 && !is_reaching[tail] {
                    is_reaching[tail] = true;
                    queue.push(tail);
                }
            }
        }
        is_reaching
    }

    /// Number of edges from the source to every node in the residual graph.
    fn distances(&self, source: usize) -> Vec<usize> {
        let mut distance = vec![usize::MAX; self.edges_of.len()];
        distance[source] = 0;
        let mut queue = vec![source];
        let mut at = 0;
        while at < queue.len() {
            let node = queue[at];
            at += 1;
            for &edge in &self.edges_of[node] {
                let head = self.heads[edge];
                if self.room[edge] > 0 && distance[head] == usize::MAX {
                    distance[head] = distance[node] + 1;
                    queue.push(head);
                }
            }
        }
        distance
    }

    /// A shortest augmenting path. `looks` counts the edges visited.
    fn shortest_path(
        &self,
        source: usize,
        sink: usize,
        distance: &[usize],
        next_edge: &mut [usize],
        looks: &mut u64,
    ) -> Option<Vec<usize>> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            *looks += 1;
            if let Some(&edge) = self.edges_of[node].get(next_edge[node]) {
                let head = self.heads[edge];
                if self.room[edge] > 0 && distance[head] == distance[node] + 1 {
                    path.push(edge);
                    node = head;
                } else {
                    next_edge[node] += 1;
                }
            } else {
                // Dead end: go back one edge and try the next one.
                node = self.heads[path.pop()? ^ 1];
                next_edge[node] += 1;
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, Meter, OverLimit};

    #[test]
    fn flow_is_rerouted_where_a_first_path_was_in_the_way() {
        let mut flow = Flow::new(4);
        for (tail, head) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            flow.add(tail, head, 1);
        }
        assert_eq!(flow.most(0, 3, &mut Meter::new(1_000)), Ok(2));
    }

    #[test]
    fn a_flow_stops_where_its_meter_does() {
        let mut flow = Flow::new(102);
        for middle in 1..101 {
            flow.add(0, middle, 1);
            flow.add(middle, 101, 1);
        }
        let stopped = Err(OverLimit::Stopped { limit: 600 });
        assert_eq!(flow.most(0, 101, &mut Meter::new(600)), stopped);
    }
}
