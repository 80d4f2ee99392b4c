//! Cheapest paths from one router under prices of the channels (Dijkstra, 1959).

use super::setting::Setting;

/// No channel.
pub(super) const NONE: u32 = u32::MAX;

/// Cheapest paths from one router to all others. Costs are non-negative; floating-point costs are
/// compared by their bits, which have the same order.
pub(super) struct Distances {
    /// The cost of the cheapest path, or the largest number.
    pub cost: Vec<u64>,
    /// The last channel of the path, or `NONE`.
    pub last: Vec<u32>,
    queue: Queue,
    /// Routers by cost.
    pub order: Vec<u32>,
    is_swept: Vec<bool>,
}

impl Distances {
    /// Room for a network.
    pub fn new(setting: &Setting<'_>) -> Self {
        let routers = setting.graph.routers as usize;
        let (cost, last) = (vec![u64::MAX; routers], vec![NONE; routers]);
        let (queue, order) = (Queue::default(), Vec::with_capacity(routers));
        Self { cost, last, queue, order, is_swept: vec![false; routers] }
    }

    /// Searches with integer prices. Sums must fit in 64 bits.
    pub fn search_integers(&mut self, setting: &Setting<'_>, prices: &[u64], from: u32) {
        self.search(setting, from, |cost, channel| cost + prices[channel]);
    }

    /// Searches with floating-point prices, non-negative and finite.
    pub fn search_floats(&mut self, setting: &Setting<'_>, prices: &[f64], from: u32) {
        self.search(setting, from, |cost, channel| {
            (f64::from_bits(cost) + prices[channel]).to_bits()
        });
    }

    /// Searches with floating-point prices where `order` has all routers that can be reached, by their
    /// cost under similar prices. One sweep in this order finds most paths; a search finds the others.
    /// Much quicker than a search alone.
    pub fn search_again(
        &mut self,
        setting: &Setting<'_>,
        prices: &[f64],
        (from, order): (u32, &mut [u32]),
    ) {
        self.clear(from);
        self.is_swept.fill(false);
        for &router in &*order {
            self.is_swept[router as usize] = true;
            let cost = self.cost[router as usize];
            if cost == u64::MAX {
                continue;
            }
            for &channel in setting.outgoing(router) {
                let head = setting.graph.links[channel as usize].head;
                let next = (f64::from_bits(cost) + prices[channel as usize]).to_bits();
                if next < self.cost[head as usize] {
                    self.cost[head as usize] = next;
                    self.last[head as usize] = channel;
                    if self.is_swept[head as usize] {
                        self.queue.push(next, head);
                    }
                }
            }
        }
        self.settle(setting, |cost, channel| (f64::from_bits(cost) + prices[channel]).to_bits());
        order.sort_by_key(|&router| self.cost[router as usize]);
        self.order.clear();
        self.order.extend_from_slice(order);
    }

    fn search(&mut self, setting: &Setting<'_>, from: u32, add: impl Fn(u64, usize) -> u64) {
        self.clear(from);
        self.queue.push(0, from);
        self.settle(setting, add);
    }

    /// Forgets all paths but that to the first router.
    fn clear(&mut self, from: u32) {
        self.cost.fill(u64::MAX);
        self.last.fill(NONE);
        self.order.clear();
        self.cost[from as usize] = 0;
    }

    /// Follows the channels of all routers in the queue.
    fn settle(&mut self, setting: &Setting<'_>, add: impl Fn(u64, usize) -> u64) {
        while let Some((cost, router)) = self.queue.pop() {
            if cost > self.cost[router as usize] {
                continue;
            }
            self.order.push(router);
            for &channel in setting.outgoing(router) {
                let head = setting.graph.links[channel as usize].head as usize;
                let next = add(cost, channel as usize);
                if next < self.cost[head] {
                    self.cost[head] = next;
                    self.last[head] = channel;
                    self.queue.push(next, head as u32);
                }
            }
        }
    }

    /// The cost of the cheapest path as a floating-point number.
    pub fn float(&self, to: u32) -> f64 {
        f64::from_bits(self.cost[to as usize])
    }

    /// The channels of the cheapest path to a router that can be reached.
    pub fn path(&self, setting: &Setting<'_>, to: u32) -> Vec<u32> {
        let mut channels = Vec::new();
        let mut router = to;
        while self.last[router as usize] != NONE {
            let channel = self.last[router as usize];
            channels.push(channel);
            router = setting.graph.links[channel as usize].tail;
        }
        channels.reverse();
        channels
    }
}

/// Routers by cost, the cheapest first: a heap in which every entry has four children. It is much
/// quicker than that of the standard library where debug assertions are on.
#[derive(Default)]
struct Queue {
    /// The cost in the upper bits, the router in the lower ones.
    entries: Vec<u128>,
}

impl Queue {
    fn push(&mut self, cost: u64, router: u32) {
        let entry = u128::from(cost) << 32 | u128::from(router);
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let parent = (at - 1) / 4;
            let above = self.entries[parent];
            if above <= entry {
                break;
            }
            self.entries[at] = above;
            at = parent;
        }
        self.entries[at] = entry;
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        let last = self.entries.pop()?;
        let Some(&first) = self.entries.first() else { return Some(parts(last)) };
        let entries = &mut self.entries[..];
        let mut at = 0;
        loop {
            let children = 4 * at + 1;
            if children >= entries.len() {
                break;
            }
            let (mut least, mut entry) = (children, entries[children]);
            let mut child = children + 1;
            while child < entries.len() && child < children + 4 {
                if entries[child] < entry {
                    (least, entry) = (child, entries[child]);
                }
                child += 1;
            }
            if last <= entry {
                break;
            }
            entries[at] = entry;
            at = least;
        }
        entries[at] = last;
        Some(parts(first))
    }
}

fn parts(entry: u128) -> (u64, u32) {
    ((entry >> 32) as u64, entry as u32)
}

#[cfg(test)]
mod tests {
    use super::super::Demand;
    use super::super::setting::Setting;
    use super::Distances;
    use crate::graph::{Graph, Link};

    #[test]
    fn a_second_search_finds_the_same_costs_in_any_order() {
        let link = |at: u32| Link { tail: at % 40, head: at * 7 % 41 % 40, bandwidth: 1 };
        let graph = Graph { routers: 40, links: (0..300).map(link).collect() };
        let demands = [Demand { from: 0, to: 1, size: 1 }];
        let setting = Setting::new(&graph, &demands).unwrap();
        let mut first = Distances::new(&setting);
        let mut second = Distances::new(&setting);
        first.search_floats(&setting, &[1.0; 300], 0);
        let mut order = first.order.clone();
        for round in 1..20u32 {
            let price = |at: u32| f64::from(1 + at * (round * round + 3) % 23);
            let prices: Vec<f64> = (0..300).map(price).collect();
            first.search_floats(&setting, &prices, 0);
            second.search_again(&setting, &prices, (0, &mut order));
            assert_eq!(first.cost, second.cost);
            assert!(order.is_sorted_by_key(|&router| second.cost[router as usize]));
            for &router in &order {
                let path = second.path(&setting, router);
                let cost: f64 = path.iter().map(|&channel| prices[channel as usize]).sum();
                assert_eq!(cost, second.float(router));
            }
        }
    }
}
