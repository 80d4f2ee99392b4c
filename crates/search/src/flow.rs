//! Incremental maximum flow: Dinic's algorithm (Soviet Math. Doklady 11, 1970) between any two
//! nodes, starting from the current flow. `pavane-throughput` has its own: its flows start from many
//! sources, have capacities of 128 bits and undo the previous flow, which would slow down this one.

/// Marks a node without a level.
const UNSEEN: u32 = u32::MAX;

/// A directed graph with capacities on its arcs and a flow.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Arc `a` of the caller is the half arc `2a`; `2a + 1` is its reverse in the residual graph.
    heads: Vec<u32>,
    room: Vec<u32>,
    /// Half arcs grouped by the node they leave.
    row_ends: Vec<u32>,
    rows: Vec<u32>,
    /// Distance to the target; valid while the node is in `queue`.
    levels: Vec<u32>,
    next_in_row: Vec<u32>,
    queue: Vec<u32>,
    trail: Vec<u32>,
}

impl Flow {
    /// A graph with `nodes` nodes, the arcs (tail, head, capacity), and no flow.
    pub fn new(nodes: usize, arcs: &[(u32, u32, u32)]) -> Self {
        let mut row_ends = vec![0u32; nodes + 1];
        for &(tail, head, _) in arcs {
            row_ends[tail as usize + 1] += 1;
            row_ends[head as usize + 1] += 1;
        }
        for node in 0..nodes {
            row_ends[node + 1] += row_ends[node];
        }
        let mut next = row_ends.clone();
        let mut rows = vec![0u32; 2 * arcs.len()];
        let (mut heads, mut room) = (Vec::new(), Vec::new());
        for (arc, &(tail, head, capacity)) in arcs.iter().enumerate() {
            heads.extend([head, tail]);
            room.extend([capacity, 0]);
            for (half, node) in [(2 * arc, tail), (2 * arc + 1, head)] {
                rows[next[node as usize] as usize] = half as u32;
                next[node as usize] += 1;
            }
        }
        Self {
            heads,
            room,
            row_ends,
            rows,
            levels: vec![UNSEEN; nodes],
            next_in_row: vec![0; nodes],
            queue: Vec::new(),
            trail: Vec::new(),
        }
    }

    /// The flow through an arc.
    pub fn flow(&self, arc: usize) -> u32 {
        self.room[2 * arc + 1]
    }

    /// The capacity of an arc.
    pub fn capacity(&self, arc: usize) -> u32 {
        self.room[2 * arc] + self.room[2 * arc + 1]
    }

    /// Changes the capacity of an arc, which must not fall below its flow.
    pub fn set_capacity(&mut self, arc: usize, capacity: u32) {
        debug_assert!(capacity >= self.flow(arc), "arc {arc} carries more than {capacity}");
        self.room[2 * arc] = capacity - self.flow(arc);
    }

    /// Removes flow from an arc. The caller must restore flow conservation at its ends.
    pub fn take(&mut self, arc: usize, amount: u32) {
        self.room[2 * arc] += amount;
        self.room[2 * arc + 1] -= amount;
    }

    /// Adds flow to an arc with enough residual capacity. The caller must restore flow conservation
    /// at its ends.
    pub fn give(&mut self, arc: usize, amount: u32) {
        self.room[2 * arc] -= amount;
        self.room[2 * arc + 1] += amount;
    }

    /// Removes all flow.
    pub fn clear(&mut self) {
        for arc in 0..self.heads.len() / 2 {
            self.take(arc, self.flow(arc));
        }
    }

    /// Pushes as much additional flow as possible, up to `limit`, from one node to another,
    /// rerouting existing flow where needed. Returns the amount. To undo flow, push in the opposite
    /// direction.
    pub fn push(&mut self, from: usize, to: usize, limit: u64) -> u64 {
        let mut pushed = 0;
        while pushed < limit && from != to && self.find_levels(from, to, usize::MAX) {
            pushed += self.push_along_levels(from, to, limit - pushed);
        }
        pushed
    }

    /// Pushes one more unit if an augmenting path is found while expanding at most `nodes` nodes
    /// around the target. Returns whether it was found, and how many nodes were reached.
    pub fn push_near(&mut self, from: usize, to: usize, nodes: usize) -> (bool, usize) {
        if from == to {
            return (true, 0);
        }
        let is_found = self.find_levels(from, to, nodes);
        let met = self.queue.len();
        (is_found && self.push_along_levels(from, to, 1) == 1, met)
    }

    /// The nodes reachable from `from` in the residual graph: after a full push, its side of a
    /// minimum cut.
    pub fn side_of(&self, from: usize) -> Vec<bool> {
        let mut is_reached = vec![false; self.levels.len()];
        is_reached[from] = true;
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for &half in self.row(node) {
                let head = self.heads[half as usize] as usize;
                if self.room[half as usize] > 0 && !is_reached[head] {
                    is_reached[head] = true;
                    stack.push(head);
                }
            }
        }
        is_reached
    }

    fn row(&self, node: usize) -> &[u32] {
        &self.rows[self.row_ends[node] as usize..self.row_ends[node + 1] as usize]
    }

    /// Breadth-first search from the target. A search is often for one target among many sources,
    /// and then it only visits the surroundings of the target.
    fn find_levels(&mut self, from: usize, to: usize, nodes: usize) -> bool {
        for &node in &self.queue {
            self.levels[node as usize] = UNSEEN;
        }
        self.queue.clear();
        self.queue.push(to as u32);
        self.levels[to] = 0;
        self.next_in_row[to] = self.row_ends[to];
        let mut at = 0;
        while at < self.queue.len() && at < nodes {
            let node = self.queue[at] as usize;
            at += 1;
            for index in self.row_ends[node]..self.row_ends[node + 1] {
                let half = self.rows[index as usize] as usize;
                let tail = self.heads[half] as usize;
                if self.room[half ^ 1] == 0 || self.levels[tail] != UNSEEN {
                    continue;
                }
                self.levels[tail] = self.levels[node] + 1;
                self.next_in_row[tail] = self.row_ends[tail];
                self.queue.push(tail as u32);
                if tail == from {
                    return true;
                }
            }
        }
        false
    }

    /// Depth-first search down the levels until every path is blocked.
    fn push_along_levels(&mut self, from: usize, to: usize, limit: u64) -> u64 {
        let mut pushed = 0;
        let mut node = from;
        self.trail.clear();
        while pushed < limit {
            if node == to {
                let left = u32::try_from(limit - pushed).unwrap_or(u32::MAX);
                let narrowest = self.trail.iter().map(|&half| self.room[half as usize]).min();
                let amount = narrowest.map_or(0, |room| room.min(left));
                for &half in &self.trail {
                    self.room[half as usize] -= amount;
                    self.room[half as usize ^ 1] += amount;
                }
                pushed += u64::from(amount);
                let is_full = |&half: &u32| self.room[half as usize] == 0;
                let keep = self.trail.iter().position(is_full).unwrap_or(0);
                node = self.tail(self.trail[keep]);
                self.trail.truncate(keep);
            } else if let Some(half) = self.next_down(node) {
                self.trail.push(half);
                node = self.heads[half as usize] as usize;
            } else {
                self.levels[node] = UNSEEN - 1;
                let Some(half) = self.trail.pop() else { break };
                node = self.tail(half);
                self.next_in_row[node] += 1;
            }
        }
        pushed
    }

    fn tail(&self, half: u32) -> usize {
        self.heads[half as usize ^ 1] as usize
    }

    /// The next half arc with residual capacity that leads one level down.
    fn next_down(&mut self, node: usize) -> Option<u32> {
        let wanted = self.levels[node].checked_sub(1)?;
        while self.next_in_row[node] < self.row_ends[node + 1] {
            let half = self.rows[self.next_in_row[node] as usize];
            let head = self.heads[half as usize] as usize;
            if self.room[half as usize] > 0 && self.levels[head] == wanted {
                return Some(half);
            }
            self.next_in_row[node] += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The minimum cut by brute force.
    fn least_cut(nodes: usize, arcs: &[(u32, u32, u32)], from: usize, to: usize) -> u64 {
        let sides = (0u32..1 << nodes).filter(|side| side >> from & 1 == 1 && side >> to & 1 == 0);
        let cut = |side: u32| {
            let crossing = arcs.iter().filter(|a| side >> a.0 & 1 == 1 && side >> a.1 & 1 == 0);
            crossing.map(|a| u64::from(a.2)).sum()
        };
        sides.map(cut).min().unwrap()
    }

    fn random_graph(rng: &mut Rng) -> (usize, Vec<(u32, u32, u32)>) {
        let nodes = 2 + rng.below(6);
        let arc = |rng: &mut Rng| (rng.below(nodes) as u32, rng.below(nodes) as u32);
        let mut arcs = Vec::new();
        for _ in 0..rng.below(20) {
            let (tail, head) = arc(rng);
            if tail != head {
                arcs.push((tail, head, rng.below(4) as u32));
            }
        }
        (nodes, arcs)
    }

    #[test]
    fn the_largest_flow_is_the_least_cut() {
        let mut rng = Rng::seeded(1);
        for _ in 0..300 {
            let (nodes, arcs) = random_graph(&mut rng);
            let mut flow = Flow::new(nodes, &arcs);
            let least = least_cut(nodes, &arcs, 0, 1);
            let first = flow.push(0, 1, 2);
            assert_eq!(first, least.min(2), "limit kept in {arcs:?}");
            assert_eq!(first + flow.push(0, 1, u64::MAX), least, "{arcs:?}");
            let side = flow.side_of(0);
            let crossing = arcs.iter().filter(|a| side[a.0 as usize] && !side[a.1 as usize]);
            assert_eq!(crossing.map(|a| u64::from(a.2)).sum::<u64>(), least, "side in {arcs:?}");
        }
    }

    #[test]
    fn what_enters_a_node_leaves_it_and_flow_can_be_taken_back() {
        let mut rng = Rng::seeded(2);
        for _ in 0..300 {
            let (nodes, arcs) = random_graph(&mut rng);
            let mut flow = Flow::new(nodes, &arcs);
            let pushed = flow.push(0, 1, u64::MAX);
            let mut balance = vec![0i64; nodes];
            for (arc, &(tail, head, capacity)) in arcs.iter().enumerate() {
                assert!(flow.flow(arc) <= capacity);
                balance[tail as usize] -= i64::from(flow.flow(arc));
                balance[head as usize] += i64::from(flow.flow(arc));
            }
            assert_eq!((balance[0], balance[1]), (-(pushed as i64), pushed as i64));
            assert!(balance[2..].iter().all(|&b| b == 0), "{arcs:?}: {balance:?}");
            assert!(flow.push(1, 0, u64::MAX) >= pushed, "{arcs:?}");
            flow.clear();
            assert_eq!(flow.push(0, 1, u64::MAX), pushed);
        }
    }
}
