//! The most that can flow from one node to another: shortest augmenting paths, one at a time.
//! After Edmonds and Karp, 1972: plain, and fast enough for what is checked here.

/// Edges with what they can still carry; each is followed by its opposite.
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

    /// Sends as much as can be sent.
    pub fn most(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        while let Some(path) = self.shortest_path(source, sink) {
            let amount = path.iter().map(|&edge| self.room[edge]).min().unwrap_or(0);
            for edge in path {
                self.room[edge] -= amount;
                self.room[edge ^ 1] += amount;
            }
            total += amount;
        }
        total
    }

    fn shortest_path(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut edge_to: Vec<Option<usize>> = vec![None; self.edges_of.len()];
        let mut queue = vec![source];
        let mut at = 0;
        while at < queue.len() && edge_to[sink].is_none() {
            let node = queue[at];
            at += 1;
            for &edge in &self.edges_of[node] {
                let head = self.heads[edge];
                if self.room[edge] > 0 && head != source && edge_to[head].is_none() {
                    edge_to[head] = Some(edge);
                    queue.push(head);
                }
            }
        }
        let mut path = vec![edge_to[sink]?];
        while let Some(edge) = edge_to[self.heads[path[path.len() - 1] ^ 1]] {
            path.push(edge);
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::Flow;

    #[test]
    fn flow_is_rerouted_where_a_first_path_was_in_the_way() {
        let mut flow = Flow::new(4);
        for (tail, head) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            flow.add(tail, head, 1);
        }
        assert_eq!(flow.most(0, 3), 2);
    }
}
