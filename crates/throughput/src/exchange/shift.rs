//! Moves the flow of one source to its cheapest tree, one detour at a time: flow that enters a router
//! over another channel than the tree's is followed back to where it left the tree, and as much of it
//! takes the tree from there as makes both ways equally expensive. Steps of this kind converge in far
//! fewer passes than those that move all flow of a source by the same part (Bar-Gera, Traffic
//! assignment by paired alternative segments, 2010).

use super::congestion::Congestion;
use super::distances::Distances;
use super::setting::Setting;
use std::ops::Range;

/// The least gain of moving flow from a channel to the tree, compared with the price of the channel.
const LEAST_GAIN: f64 = 0.1;

/// Shifts the flows of some sources. Several shifters can work at the same time.
pub(super) struct Shifter<'a> {
    setting: &'a Setting<'a>,
    incoming: &'a [Vec<u32>],
    /// A copy of the loads and prices, with the shifts of this shifter, which count for those of all
    /// shifters that work at the same time.
    pub congestion: Congestion,
    /// The number of shifters that work at the same time.
    together: f64,
    tree: Distances,
    /// The last mark that each router got.
    marks: Vec<u64>,
    mark: u64,
    /// The channels of the flow, from its end.
    detour: Vec<u32>,
    /// The channels of the tree, from its end.
    direct: Vec<u32>,
}

impl<'a> Shifter<'a> {
    pub fn new(setting: &'a Setting<'a>, incoming: &'a [Vec<u32>]) -> Self {
        let marks = vec![0; setting.graph.routers as usize];
        let (congestion, tree) = (Congestion::new(setting), Distances::new(setting));
        let (detour, direct) = (Vec::new(), Vec::new());
        let (together, mark) = (1.0, 0);
        Self { setting, incoming, congestion, together, tree, marks, mark, detour, direct }
    }

    /// Shifts the flow of each source, given with its routers by cost at earlier prices, to the tree
    /// that is cheapest at present.
    pub fn shift<'b>(
        &mut self,
        (congestion, together): (&Congestion, usize),
        sources: impl Iterator<Item = (&'b (u32, Range<usize>), &'b mut Vec<f32>, &'b mut Vec<u32>)>,
    ) {
        self.congestion.copy(congestion);
        self.together = together as f64;
        for ((from, _), flow, order) in sources {
            self.tree.search_again(self.setting, &self.congestion.prices, (*from, order));
            self.shift_to_tree(flow, order);
        }
    }

    /// Shifts the flow of one source to its tree, from the farthest router on.
    fn shift_to_tree(&mut self, flow: &mut [f32], order: &[u32]) {
        for &router in order.iter().skip(1).rev() {
            let incoming = self.incoming;
            let own = self.tree.last[router as usize];
            let mut is_marked = false;
            for &channel in &incoming[router as usize] {
                let is_other = channel != own && flow[channel as usize] > 0.0;
                if !is_other || self.gain(channel) < LEAST_GAIN {
                    continue;
                }
                if !is_marked {
                    self.mark_way_back(router);
                    is_marked = true;
                }
                if let Some(fork) = self.find_fork(channel, flow) {
                    self.move_flow(flow, (fork, router));
                }
            }
        }
    }

    /// What a path over the tree saves compared with one over a channel, relative to the price of the
    /// channel.
    fn gain(&self, channel: u32) -> f64 {
        let link = self.setting.graph.links[channel as usize];
        let price = self.congestion.prices[channel as usize];
        (self.tree.float(link.tail) - self.tree.float(link.head)) / price + 1.0
    }

    /// Marks the routers of the tree's path to a router.
    fn mark_way_back(&mut self, mut router: u32) {
        self.mark += 1;
        loop {
            self.marks[router as usize] = self.mark;
            match self.setting.graph.links.get(self.tree.last[router as usize] as usize) {
                Some(link) => router = link.tail,
                None => return,
            }
        }
    }

    /// Follows the largest flows back to a marked router; `None` if they form a cycle that has none.
    fn find_fork(&mut self, last: u32, flow: &[f32]) -> Option<u32> {
        self.detour.clear();
        self.detour.push(last);
        let links = &self.setting.graph.links;
        let mut router = links[last as usize].tail;
        while self.marks[router as usize] != self.mark {
            let size = |&&channel: &&u32| flow[channel as usize];
            let incoming = self.incoming[router as usize].iter();
            let largest =
                incoming.max_by(|one, other| size(one).total_cmp(&size(other))).copied()?;
            if flow[largest as usize] <= 0.0 || self.detour.len() > links.len() {
                return None;
            }
            self.detour.push(largest);
            router = links[largest as usize].tail;
        }
        Some(router)
    }

    /// Moves flow from the detour to the tree's path between two routers.
    fn move_flow(&mut self, flow: &mut [f32], (fork, end): (u32, u32)) {
        self.direct.clear();
        let mut router = end;
        while router != fork {
            let channel = self.tree.last[router as usize];
            self.direct.push(channel);
            router = self.setting.graph.links[channel as usize].tail;
        }
        let flows = self.detour.iter().map(|&channel| flow[channel as usize]);
        let mut amount = flows.fold(f32::INFINITY, f32::min);
        // Otherwise the detour is a cycle, which all its flow may leave.
        if fork != end {
            let (old, old_rate) = self.congestion.price_and_rate(&self.detour);
            let (new, new_rate) = self.congestion.price_and_rate(&self.direct);
            if old <= new {
                return;
            }
            let rate = (old_rate + new_rate) * self.together;
            amount = amount.min(((old / new).ln() / rate) as f32);
        }
        for (channels, change) in [(&self.detour, -amount), (&self.direct, amount)] {
            for &channel in channels {
                flow[channel as usize] = (flow[channel as usize] + change).max(0.0);
                self.congestion.add(channel as usize, f64::from(change) * self.together);
            }
        }
    }
}
