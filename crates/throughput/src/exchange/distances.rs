//! Cheapest paths from one router under prices of the channels (Dijkstra, 1959).

use super::setting::Setting;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No channel.
pub(super) const NONE: u32 = u32::MAX;

/// Cheapest paths from one router to all others. Costs are non-negative; floating-point costs are
/// compared by their bits, which have the same order.
pub(super) struct Distances {
    /// The cost of the cheapest path, or the largest number.
    pub cost: Vec<u64>,
    /// The last channel of the path, or `NONE`.
    pub last: Vec<u32>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Routers in the order in which the search settled them.
    pub order: Vec<u32>,
}

impl Distances {
    /// Room for a network.
    pub fn new(setting: &Setting<'_>) -> Self {
        let routers = setting.graph.routers as usize;
        let (cost, last) = (vec![u64::MAX; routers], vec![NONE; routers]);
        Self { cost, last, queue: BinaryHeap::new(), order: Vec::with_capacity(routers) }
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

    fn search(&mut self, setting: &Setting<'_>, from: u32, add: impl Fn(u64, usize) -> u64) {
        self.cost.fill(u64::MAX);
        self.last.fill(NONE);
        self.order.clear();
        self.cost[from as usize] = 0;
        self.queue.push(Reverse((0, from)));
        while let Some(Reverse((cost, router))) = self.queue.pop() {
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
                    self.queue.push(Reverse((next, head as u32)));
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
