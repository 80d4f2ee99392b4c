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
    /// Routers in the order in which the search settled them.
    pub order: Vec<u32>,
}

impl Distances {
    /// Room for a network.
    pub fn new(setting: &Setting<'_>) -> Self {
        let routers = setting.graph.routers as usize;
        let (cost, last) = (vec![u64::MAX; routers], vec![NONE; routers]);
        Self { cost, last, queue: Queue::default(), order: Vec::with_capacity(routers) }
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
        self.queue.push(0, from);
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
