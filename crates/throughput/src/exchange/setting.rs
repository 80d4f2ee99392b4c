//! The checked input: the network with its outgoing channels, and commodities, the demands merged by
//! sender and receiver.

use super::{Demand, ExchangeError, LARGEST_TOTAL};
use crate::graph::Graph;
use std::ops::Range;

/// All demands from one router to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Commodity {
    pub from: u32,
    pub to: u32,
    pub size: u64,
}

/// A network and what must cross it.
pub(super) struct Setting<'a> {
    pub graph: &'a Graph,
    pub demands: &'a [Demand],
    /// Sorted by sender and receiver.
    pub commodities: Vec<Commodity>,
    /// The demands of each commodity, as ranges of `order`.
    members: Vec<Range<usize>>,
    /// The demands that need a channel, sorted by sender and receiver.
    order: Vec<u32>,
    /// Where the outgoing channels of each router start in `outgoing`.
    first: Vec<u32>,
    outgoing: Vec<u32>,
}

/// Whether the demands have fewer receiving routers than sending ones.
pub(super) fn has_fewer_sinks(graph: &Graph, demands: &[Demand]) -> bool {
    let mut is_end = vec![[false; 2]; graph.routers as usize];
    for demand in demands.iter().filter(|demand| demand.size > 0 && demand.from != demand.to) {
        for (side, router) in [demand.from, demand.to].into_iter().enumerate() {
            if let Some(end) = is_end.get_mut(router as usize) {
                end[side] = true;
            }
        }
    }
    let [sources, sinks] = [0, 1].map(|side| is_end.iter().filter(|end| end[side]).count());
    sinks < sources
}

impl<'a> Setting<'a> {
    /// Checks the input.
    pub fn new(graph: &'a Graph, demands: &'a [Demand]) -> Result<Self, ExchangeError> {
        let routers = graph.routers;
        let mut ends = demands.iter().flat_map(|demand| [demand.from, demand.to]);
        if let Some(router) = ends.find(|&router| router >= routers) {
            return Err(ExchangeError::NoSuchRouter { router, routers });
        }
        let total = graph.links.iter().map(|link| u128::from(link.bandwidth)).sum();
        if total > LARGEST_TOTAL {
            return Err(ExchangeError::BandwidthsTooLarge { total });
        }
        let total = demands.iter().map(|demand| u128::from(demand.size)).sum();
        if total > LARGEST_TOTAL {
            return Err(ExchangeError::SizesTooLarge { total });
        }
        let (first, outgoing) = outgoing(graph);
        let (commodities, members) = (Vec::new(), Vec::new());
        let mut setting =
            Self { graph, demands, commodities, members, order: Vec::new(), first, outgoing };
        setting.merge();
        setting.check_reachable()?;
        Ok(setting)
    }

    /// Merges the demands between the same routers into commodities.
    fn merge(&mut self) {
        let demands = self.demands;
        let needs = |&index: &u32| {
            let demand = demands[index as usize];
            demand.size > 0 && demand.from != demand.to
        };
        let ends = |&index: &u32| (demands[index as usize].from, demands[index as usize].to);
        self.order = (0..demands.len() as u32).filter(needs).collect();
        self.order.sort_by_key(ends);
        let mut start = 0;
        for group in self.order.chunk_by(|one, other| ends(one) == ends(other)) {
            let (from, to) = ends(&group[0]);
            let size = group.iter().map(|&index| demands[index as usize].size).sum();
            self.commodities.push(Commodity { from, to, size });
            self.members.push(start..start + group.len());
            start += group.len();
        }
    }

    /// The demands of a commodity, by index.
    pub fn members(&self, commodity: usize) -> &[u32] {
        &self.order[self.members[commodity].clone()]
    }

    /// The commodity between two routers.
    pub fn find(&self, from: u32, to: u32) -> Option<usize> {
        self.commodities.binary_search_by_key(&(from, to), |found| (found.from, found.to)).ok()
    }

    /// The channels that leave a router for another one.
    pub fn outgoing(&self, router: u32) -> &[u32] {
        let [start, end] = [router, router + 1].map(|router| self.first[router as usize] as usize);
        &self.outgoing[start..end]
    }

    /// The channels that enter each router from another one.
    pub fn incoming(&self) -> Vec<Vec<u32>> {
        let mut incoming = vec![Vec::new(); self.graph.routers as usize];
        for (channel, link) in (0..).zip(&self.graph.links) {
            if link.tail != link.head {
                incoming[link.head as usize].push(channel);
            }
        }
        incoming
    }

    fn check_reachable(&self) -> Result<(), ExchangeError> {
        let mut reached = vec![u32::MAX; self.graph.routers as usize];
        let mut stack = Vec::new();
        for (_, commodities) in sources(&self.commodities) {
            let from = self.commodities[commodities.start].from;
            reached[from as usize] = from;
            stack.push(from);
            while let Some(router) = stack.pop() {
                for &channel in self.outgoing(router) {
                    let head = self.graph.links[channel as usize].head;
                    if std::mem::replace(&mut reached[head as usize], from) != from {
                        stack.push(head);
                    }
                }
            }
            for &Commodity { to, .. } in &self.commodities[commodities] {
                if reached[to as usize] != from {
                    return Err(ExchangeError::Unreachable { from, to });
                }
            }
        }
        Ok(())
    }
}

/// The sources of commodities sorted by sender, each with the range of its commodities.
pub(super) fn sources(commodities: &[Commodity]) -> Vec<(u32, Range<usize>)> {
    let mut start = 0;
    let mut sources = Vec::new();
    for group in commodities.chunk_by(|one, other| one.from == other.from) {
        sources.push((group[0].from, start..start + group.len()));
        start += group.len();
    }
    sources
}

/// The channels sorted by their tail, without those from a router to itself, and where each router
/// starts.
fn outgoing(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let links = &graph.links;
    let is_useful = |&channel: &u32| {
        let link = links[channel as usize];
        link.tail != link.head
    };
    let mut channels: Vec<u32> = (0..links.len() as u32).filter(is_useful).collect();
    channels.sort_by_key(|&channel| links[channel as usize].tail);
    let mut first = vec![0u32; graph.routers as usize + 1];
    for &channel in &channels {
        first[links[channel as usize].tail as usize + 1] += 1;
    }
    for router in 0..graph.routers as usize {
        first[router + 1] += first[router];
    }
    (first, channels)
}
