//! Moves the flow of one source to its cheapest tree, one detour at a time: flow that enters a router
//! over another channel than the tree's is followed back to where it left the tree, and as much of it
//! takes the tree from there as makes both ways equally expensive. Steps of this kind converge in far
//! fewer passes than those that move all flow of a source by the same part (Bar-Gera, Traffic
//! assignment by paired alternative segments, 2010).

use super::congestion::Congestion;
use super::distances::Distances;
use super::setting::Setting;

/// Buffers of the shifts.
pub(super) struct Shifter<'a> {
    setting: &'a Setting<'a>,
    incoming: &'a [Vec<u32>],
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
        Self { setting, incoming, marks, mark: 0, detour: Vec::new(), direct: Vec::new() }
    }

    /// Shifts the flow of one source to its tree, from the farthest router on.
    pub fn shift(&mut self, congestion: &mut Congestion, flow: &mut [f32], tree: &Distances) {
        for &router in tree.order.iter().skip(1).rev() {
            let incoming = self.incoming;
            let own = tree.last[router as usize];
            let mut is_marked = false;
            for &channel in &incoming[router as usize] {
                if channel == own || flow[channel as usize] <= 0.0 {
                    continue;
                }
                if !is_marked {
                    self.mark_way_back(router, tree);
                    is_marked = true;
                }
                if let Some(fork) = self.find_fork(channel, flow) {
                    self.move_flow(congestion, flow, tree, (fork, router));
                }
            }
        }
    }

    /// Marks the routers of the tree's path to a router.
    fn mark_way_back(&mut self, mut router: u32, tree: &Distances) {
        self.mark += 1;
        loop {
            self.marks[router as usize] = self.mark;
            match self.setting.graph.links.get(tree.last[router as usize] as usize) {
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
    fn move_flow(
        &mut self,
        congestion: &mut Congestion,
        flow: &mut [f32],
        tree: &Distances,
        (fork, end): (u32, u32),
    ) {
        self.direct.clear();
        let mut router = end;
        while router != fork {
            let channel = tree.last[router as usize];
            self.direct.push(channel);
            router = self.setting.graph.links[channel as usize].tail;
        }
        let flows = self.detour.iter().map(|&channel| flow[channel as usize]);
        let mut amount = flows.fold(f32::INFINITY, f32::min);
        // Otherwise the detour is a cycle, which all its flow may leave.
        if fork != end {
            let (old, old_rate) = congestion.price_and_rate(&self.detour);
            let (new, new_rate) = congestion.price_and_rate(&self.direct);
            if old <= new {
                return;
            }
            amount = amount.min(((old / new).ln() / (old_rate + new_rate)) as f32);
        }
        for (channels, change) in [(&self.detour, -amount), (&self.direct, amount)] {
            for &channel in channels {
                flow[channel as usize] = (flow[channel as usize] + change).max(0.0);
                congestion.add(channel as usize, change.into());
            }
        }
    }
}
