//! Exact maximum flow from a set of sources into one router (Dinic, 1970).
//!
//! The search runs backwards from the sink and stops at the nearest sources, and a new flow only
//! undoes what the previous one changed. A flow between neighbours is therefore cheap in a network
//! of any size. `pavane-search` has another maximum flow, which continues from the current flow
//! between two nodes with 32-bit capacities; this crate does not depend on it.

/// A capacity larger than any flow.
pub const UNLIMITED: u128 = u128::MAX / 4;

const NONE: u32 = u32::MAX;

/// A flow network. Nodes are numbered from 0; some are sources of unlimited supply.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// First arc of each node; arc `a ^ 1` is arc `a` turned around.
    first: Vec<u32>,
    /// Next arc of the same node.
    next: Vec<u32>,
    head: Vec<u32>,
    capacity: Vec<u128>,
    residual: Vec<u128>,
    /// Arcs whose residual capacity may differ from their capacity.
    touched: Vec<u32>,
    source: Vec<bool>,
    /// Distance to the sink, or `NONE`.
    level: Vec<u32>,
    /// The arc each node continues with in the present phase.
    current: Vec<u32>,
    /// Nodes with a level.
    queue: Vec<u32>,
    path: Vec<u32>,
}

impl Flow {
    /// A network without arcs.
    pub fn new(nodes: usize) -> Self {
        let mut flow = Flow::default();
        for _ in 0..nodes {
            flow.add_node();
        }
        flow
    }

    /// Adds a node and returns its number.
    pub fn add_node(&mut self) -> u32 {
        self.first.push(NONE);
        self.source.push(false);
        self.level.push(NONE);
        self.current.push(NONE);
        (self.first.len() - 1) as u32
    }

    /// Adds an arc and returns its number.
    pub fn add_arc(&mut self, tail: u32, head: u32, capacity: u128) -> u32 {
        let arc = self.head.len() as u32;
        for (from, to, capacity) in [(tail, head, capacity), (head, tail, 0)] {
            self.next.push(self.first[from as usize]);
            self.first[from as usize] = self.head.len() as u32;
            self.head.push(to);
            self.capacity.push(capacity);
            self.residual.push(capacity);
        }
        arc
    }

    /// The capacity of an arc.
    pub fn capacity(&self, arc: u32) -> u128 {
        self.capacity[arc as usize]
    }

    /// Changes the capacity of an arc, for the next flow.
    pub fn set_capacity(&mut self, arc: u32, capacity: u128) {
        self.capacity[arc as usize] = capacity;
        self.touched.push(arc);
    }

    /// Makes a node a source, or no longer a source.
    pub fn set_source(&mut self, node: u32, is_source: bool) {
        self.source[node as usize] = is_source;
    }

    /// The largest flow from the sources into `sink`, or `enough` if that is less.
    pub fn flow_into(&mut self, sink: u32, enough: u128) -> u128 {
        for arc in self.touched.drain(..) {
            self.residual[arc as usize] = self.capacity[arc as usize];
        }
        if self.source[sink as usize] {
            return enough;
        }
        let mut flow = 0;
        while flow < enough && self.find_levels(sink) {
            flow += self.augment(sink, enough - flow);
        }
        flow
    }

    /// After a flow of less than `enough`: whether a node is on the sink's side of the minimum cut.
    /// Of all minimum cuts, this one has the fewest nodes on the sink's side.
    pub fn is_below_cut(&self, node: u32) -> bool {
        self.level[node as usize] != NONE
    }

    /// Numbers the nodes by their distance to the sink, up to the nearest sources. False if no
    /// source reaches the sink.
    fn find_levels(&mut self, sink: u32) -> bool {
        for node in self.queue.drain(..) {
            self.level[node as usize] = NONE;
        }
        self.level[sink as usize] = 0;
        self.current[sink as usize] = self.first[sink as usize];
        self.queue.push(sink);
        let mut nearest = NONE;
        let mut done = 0;
        while let Some(&node) = self.queue.get(done) {
            done += 1;
            let level = self.level[node as usize];
            if level >= nearest {
                break;
            }
            let mut arc = self.first[node as usize];
            while arc != NONE {
                let before = self.head[arc as usize] as usize;
                if self.level[before] == NONE && self.residual[(arc ^ 1) as usize] > 0 {
                    self.level[before] = level + 1;
                    self.current[before] = self.first[before];
                    self.queue.push(before as u32);
                    if self.source[before] {
                        nearest = level + 1;
                    }
                }
                arc = self.next[arc as usize];
            }
        }
        nearest != NONE
    }

    /// A blocking flow of at most `enough` along the levels.
    fn augment(&mut self, sink: u32, enough: u128) -> u128 {
        let mut flow = 0;
        let mut node = sink as usize;
        self.path.clear();
        loop {
            if self.source[node] {
                let amount = self.push_path(enough - flow);
                flow += amount;
                if flow == enough {
                    return flow;
                }
                // Continue from the arc nearest to the sink that is now full.
                let full = self.path.iter().position(|&arc| self.residual[arc as usize] == 0);
                if let Some(full) = full {
                    node = self.head[self.path[full] as usize] as usize;
                    self.path.truncate(full);
                }
                continue;
            }
            let level = self.level[node] + 1;
            let mut arc = self.current[node];
            while arc != NONE {
                let before = self.head[arc as usize] as usize;
                if self.level[before] == level && self.residual[(arc ^ 1) as usize] > 0 {
                    break;
                }
                arc = self.next[arc as usize];
            }
            self.current[node] = arc;
            if arc != NONE {
                self.path.push(arc ^ 1);
                node = self.head[arc as usize] as usize;
            } else if let Some(arc) = self.path.pop() {
                // A dead end: the node after it continues with its next arc.
                node = self.head[arc as usize] as usize;
                self.current[node] = self.next[self.current[node] as usize];
            } else {
                return flow;
            }
        }
    }

    /// Pushes as much as possible, at most `enough`, along the path found.
    fn push_path(&mut self, enough: u128) -> u128 {
        let narrowest = self.path.iter().map(|&arc| self.residual[arc as usize]).min();
        let amount = narrowest.map_or(enough, |narrowest| narrowest.min(enough));
        for &arc in &self.path {
            self.residual[arc as usize] -= amount;
            self.residual[(arc ^ 1) as usize] += amount;
            self.touched.extend([arc, arc ^ 1]);
        }
        amount
    }
}

#[cfg(test)]
mod tests {
    use super::Flow;

    #[test]
    fn flow_uses_two_paths_and_finds_the_cut() {
        let mut flow = Flow::new(4);
        flow.add_arc(0, 1, 3);
        flow.add_arc(0, 2, 2);
        flow.add_arc(1, 2, 5);
        flow.add_arc(1, 3, 1);
        let last = flow.add_arc(2, 3, 3);
        flow.set_source(0, true);
        assert_eq!(flow.flow_into(3, 100), 4);
        assert!(flow.is_below_cut(3) && !flow.is_below_cut(2) && !flow.is_below_cut(1));
        assert_eq!(flow.flow_into(3, 2), 2);
        flow.set_capacity(last, 10);
        assert_eq!(flow.flow_into(3, 100), 5);
        flow.set_source(2, true);
        assert_eq!(flow.flow_into(3, 100), 11);
        assert_eq!(flow.flow_into(2, 7), 7);
    }
}
