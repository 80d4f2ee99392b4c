//! The cheapest path of permitted length from any holder to one processor: dynamic programming
//! backwards from the processor, one layer of routers per channel.

use super::one_message::OneMessage;
use crate::rng::Rng;
use pavane_model::{ChannelId, ProcessorId, RouterId, Routing};

/// Cost of a channel that is not in use.
const HOP: f32 = 0.02;

/// Entries visited before the best path so far is accepted; matters on large networks.
const PATIENCE: usize = 3000;

/// The current use of channels and ports.
pub(super) struct Blocks<'a> {
    pub is_holder: &'a [bool],
    pub serves: &'a [Vec<ProcessorId>],
    /// By channel: the processor served through it, or `u32::MAX`.
    pub occupant: &'a [u32],
    /// By processor: the cost of evicting it.
    pub weight: &'a [f32],
}

/// The cheapest path to a router that is a given number of channels longer than its distance.
#[derive(Debug, Clone, Copy)]
struct LayerEntry {
    stamp: u32,
    cost: f32,
    via: ChannelId,
}

/// Memory of the search, reused between calls.
#[derive(Debug)]
pub(super) struct WayBack<'a> {
    task: &'a OneMessage<'a>,
    detour: u32,
    stamp: u32,
    /// By router: the search that last reached it, and its depth then.
    met: Vec<(u32, u32)>,
    /// By router and number of extra channels.
    entries: Vec<LayerEntry>,
    layer: Vec<(RouterId, u32)>,
    next_layer: Vec<(RouterId, u32)>,
}

impl<'a> WayBack<'a> {
    pub fn new(task: &'a OneMessage<'a>) -> Self {
        let detour = match task.problem.model().routing {
            Routing::Minimal => 0,
            Routing::Detour(more) => more,
            Routing::Any => unreachable!("`Routing::Any` is handled by the flow"),
        };
        let routers = task.network.router_count();
        let entry = LayerEntry { stamp: 0, cost: 0.0, via: ChannelId(0) };
        Self {
            task,
            detour,
            stamp: 0,
            met: vec![(0, 0); routers],
            entries: vec![entry; routers * (detour as usize + 1)],
            layer: Vec::new(),
            next_layer: Vec::new(),
        }
    }

    fn at(&self, router: RouterId, extra: u32) -> usize {
        router.index() * (self.detour as usize + 1) + extra as usize
    }

    /// The router of a holder and the cheapest path from it to the processor.
    pub fn find(
        &mut self,
        to: ProcessorId,
        blocks: &Blocks<'_>,
        rng: &mut Rng,
    ) -> Option<(RouterId, Vec<ChannelId>)> {
        let network = self.task.network;
        let home = self.task.home(to);
        self.stamp += 1;
        let turn = rng.below(1 << 16);
        let first = self.at(home, 0);
        self.met[home.index()] = (self.stamp, 0);
        self.entries[first] = LayerEntry { stamp: self.stamp, cost: 0.0, via: ChannelId(0) };
        self.layer.clear();
        self.layer.push((home, 0));
        let mut best: Option<(f32, RouterId, u32)> = None;
        let (mut depth, mut looked_at) = (0, 0);
        while best.is_none() || looked_at < PATIENCE {
            let mut cheapest = f32::INFINITY;
            for &(router, extra) in &self.layer {
                let cost = self.entries[self.at(router, extra)].cost;
                cheapest = cheapest.min(cost);
                if let Some(port) = self.port_cost(router, blocks)
                    && best.is_none_or(|(least, ..)| cost + port < least)
                {
                    best = Some((cost + port, router, extra));
                }
            }
            if best.map_or(f32::INFINITY, |(least, ..)| least) <= cheapest {
                break;
            }
            depth += 1;
            looked_at += self.layer.len();
            let layer = std::mem::take(&mut self.layer);
            for &(router, extra) in &layer {
                let mut cost = self.entries[self.at(router, extra)].cost;
                if best.is_some_and(|(least, ..)| cost >= least) {
                    // No better path leads through here, but distances beyond still have to be
                    // recorded.
                    cost = f32::INFINITY;
                }
                let (entering, tails) = (network.in_channels(router), network.predecessors(router));
                let first = turn % entering.len().max(1);
                for place in (first..entering.len()).chain(0..first) {
                    self.relax(entering[place], tails[place], depth, cost, blocks);
                }
            }
            self.layer = std::mem::replace(&mut self.next_layer, layer);
            self.next_layer.clear();
        }
        let (_, start, extra) = best?;
        Some((start, self.path_from(start, extra, home)))
    }

    /// Offers the tail of a channel a path that begins with this channel.
    fn relax(
        &mut self,
        channel: ChannelId,
        tail: RouterId,
        depth: u32,
        cost: f32,
        blocks: &Blocks<'_>,
    ) {
        let (stamp, met_at) = self.met[tail.index()];
        if stamp != self.stamp {
            self.met[tail.index()] = (self.stamp, depth);
        }
        let extra = if stamp == self.stamp { depth - met_at } else { 0 };
        if extra > self.detour {
            return;
        }
        let occupant = blocks.occupant[channel.index()];
        let push = blocks.weight.get(occupant as usize).copied().unwrap_or(0.0);
        let cost = cost + HOP + push;
        let at = self.at(tail, extra);
        if self.entries[at].stamp != self.stamp {
            self.next_layer.push((tail, extra));
        } else if self.entries[at].cost <= cost {
            return;
        }
        self.entries[at] = LayerEntry { stamp: self.stamp, cost, via: channel };
    }

    /// The cost of a port of a holder on this router; `None` if it has no holder with ports.
    fn port_cost(&self, router: RouterId, blocks: &Blocks<'_>) -> Option<f32> {
        let residents = self.task.network.residents(router).iter();
        let holders = residents.filter(|p| blocks.is_holder[p.index()]);
        let costs = holders.filter(|p| self.task.ports[p.index()] > 0).map(|p| {
            let serves = &blocks.serves[p.index()];
            if (serves.len() as u32) < self.task.ports[p.index()] {
                return 0.0;
            }
            serves.iter().map(|served| blocks.weight[served.index()]).fold(f32::MAX, f32::min)
        });
        costs.min_by(f32::total_cmp)
    }

    /// Follows the entries to the processor and cuts out loops.
    fn path_from(&self, start: RouterId, extra: u32, home: RouterId) -> Vec<ChannelId> {
        let network = self.task.network;
        let mut path: Vec<ChannelId> = Vec::new();
        let mut depth = self.met[start.index()].1 + extra;
        let mut at = start;
        while at != home || depth > 0 {
            let extra = depth - self.met[at.index()].1;
            let channel = self.entries[self.at(at, extra)].via;
            depth -= 1;
            at = network.channel(channel).head;
            path.push(channel);
            let visited = path.iter().position(|&c| network.channel(c).tail == at);
            path.truncate(visited.unwrap_or(path.len()));
        }
        path
    }
}
