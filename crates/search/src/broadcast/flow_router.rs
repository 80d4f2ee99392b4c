//! Arbitrary paths within one step by one maximum flow. All copies of the message are the same:
//! every holder supplies as many units as it has ports, every channel carries one unit, and every
//! new holder takes one.

use super::one_message::{OneMessage, Send};
use super::step_router::StepRouter;
use super::tour;
use crate::budget::Budget;
use crate::flow::Flow;
use crate::rng::Rng;
use pavane_model::{ChannelId, Network, ProcessorId, RouterId};

/// A group's path search visits at most this multiple of its share of the routers; after that the
/// group is left to the flow.
const LEAD: usize = 32;

/// In one step, all groups together visit at most this multiple of the number of routers. On
/// networks of small diameter the flow is faster.
const LOOKS: usize = 12;

/// One step as a flow: from a source node to every router with holders, over the channels, to a
/// sink node behind every router with a processor that wants the message.
pub(super) struct FlowRouter<'a> {
    task: &'a OneMessage<'a>,
    flow: Flow,
    holders: ProcessorSet,
    wanted: ProcessorSet,
    /// Pairs of a holder and a processor that already have a path, while the arcs from the source
    /// and to the sink do not carry its unit yet.
    led: Vec<(ProcessorId, ProcessorId)>,
    /// Routers that the groups may still visit in this step.
    looks_left: usize,
}

impl<'a> FlowRouter<'a> {
    pub fn new(task: &'a OneMessage<'a>) -> Self {
        let network = task.network;
        let routers = network.router_count() as u32;
        let mut arcs: Vec<(u32, u32, u32)> =
            network.channels().iter().map(|c| (c.tail.0, c.head.0, 1)).collect();
        arcs.extend((0..routers).map(|router| (routers, router, 0)));
        arcs.extend((0..routers).map(|router| (router, routers + 1, 0)));
        let flow = Flow::new(routers as usize + 2, &arcs);
        let empty = || ProcessorSet::new(network.processor_count());
        Self { task, flow, holders: empty(), wanted: empty(), led: Vec::new(), looks_left: 0 }
    }

    fn source(&self) -> usize {
        self.task.network.router_count()
    }

    fn sink(&self) -> usize {
        self.task.network.router_count() + 1
    }

    /// The arc from the source to the home of a processor.
    fn supply(&self, processor: ProcessorId) -> usize {
        self.task.network.channel_count() + self.task.home(processor).index()
    }

    /// The arc from the home of a processor to the sink.
    fn demand(&self, processor: ProcessorId) -> usize {
        self.supply(processor) + self.task.network.router_count()
    }

    fn raise(&mut self, arc: usize, amount: u32) {
        self.flow.set_capacity(arc, self.flow.capacity(arc) + amount);
    }

    /// Reduces the capacity of an arc; returns how much flow it lost.
    fn lower(&mut self, arc: usize, amount: u32) -> u64 {
        let capacity = self.flow.capacity(arc) - amount;
        let lost = self.flow.flow(arc).saturating_sub(capacity);
        self.flow.take(arc, lost);
        self.flow.set_capacity(arc, capacity);
        u64::from(lost)
    }
}

impl StepRouter for FlowRouter<'_> {
    const LEADS: bool = true;

    fn clear(&mut self) {
        self.flow.clear();
        let first = self.task.network.channel_count();
        for arc in first..first + 2 * self.task.network.router_count() {
            self.flow.set_capacity(arc, 0);
        }
        self.holders.clear();
        self.wanted.clear();
        self.led.clear();
        self.looks_left = LOOKS * self.task.network.router_count();
    }

    fn lead(&mut self, group: &tour::ServedGroup, groups: usize, budget: &mut Budget) {
        let nodes = LEAD * (1 + self.task.network.router_count() / groups);
        let from = self.task.home(group.holder).index();
        for &other in &group.others {
            let to = self.task.home(other).index();
            let (is_pushed, met) = self.flow.push_near(from, to, nodes.min(self.looks_left));
            self.looks_left = self.looks_left.saturating_sub(met);
            if is_pushed {
                self.led.push((group.holder, other));
            }
        }
        budget.spend(group.others.len() as u64);
    }

    fn add_holder(&mut self, processor: ProcessorId) {
        self.holders.add(processor);
        self.raise(self.supply(processor), self.task.ports[processor.index()]);
    }

    fn remove_holder(&mut self, processor: ProcessorId) {
        self.holders.remove(processor);
        let lost = self.lower(self.supply(processor), self.task.ports[processor.index()]);
        // The router emits more than it receives until the same amount is taken back from the sink.
        self.flow.push(self.sink(), self.task.home(processor).index(), lost);
    }

    fn add_wanted(&mut self, processor: ProcessorId) {
        self.wanted.add(processor);
        self.raise(self.demand(processor), 1);
    }

    fn remove_wanted(&mut self, processor: ProcessorId) {
        self.wanted.remove(processor);
        let lost = self.lower(self.demand(processor), 1);
        // The router receives more than it emits until the same amount goes back to the source.
        self.flow.push(self.task.home(processor).index(), self.source(), lost);
    }

    fn serve(&mut self, budget: &mut Budget, _rng: &mut Rng) {
        for (holder, other) in std::mem::take(&mut self.led) {
            self.flow.give(self.supply(holder), 1);
            self.flow.give(self.demand(other), 1);
        }
        let served = self.flow.push(self.source(), self.sink(), u64::MAX);
        budget.spend(served + 1);
    }

    fn unserved(&self) -> Vec<ProcessorId> {
        let mut served = vec![0; self.task.network.router_count()];
        let is_unserved = |p: &&ProcessorId| {
            let at_home = &mut served[self.task.home(**p).index()];
            *at_home += 1;
            *at_home > self.flow.flow(self.demand(**p))
        };
        self.wanted.members.iter().filter(is_unserved).copied().collect()
    }

    fn load(&self, holder: ProcessorId) -> u32 {
        let supply = self.supply(holder);
        let others = self.flow.capacity(supply) - self.task.ports[holder.index()];
        self.flow.flow(supply).saturating_sub(others)
    }

    fn sends(&mut self) -> Vec<Send> {
        decompose(self)
    }
}

/// A set of processors with constant-time insertion and removal, stored as a list.
struct ProcessorSet {
    members: Vec<ProcessorId>,
    /// By processor: its index in `members`, or `usize::MAX`.
    place: Vec<usize>,
}

impl ProcessorSet {
    fn new(processors: usize) -> Self {
        Self { members: Vec::new(), place: vec![usize::MAX; processors] }
    }

    fn add(&mut self, processor: ProcessorId) {
        self.place[processor.index()] = self.members.len();
        self.members.push(processor);
    }

    fn remove(&mut self, processor: ProcessorId) {
        let place = std::mem::replace(&mut self.place[processor.index()], usize::MAX);
        self.members.swap_remove(place);
        if let Some(moved) = self.members.get(place) {
            self.place[moved.index()] = place;
        }
    }

    fn clear(&mut self) {
        for processor in self.members.drain(..) {
            self.place[processor.index()] = usize::MAX;
        }
    }
}

/// Splits the flow into paths from holders to the processors that want the message.
fn decompose(router: &mut FlowRouter<'_>) -> Vec<Send> {
    let network = router.task.network;
    let mut is_used: Vec<bool> =
        (0..network.channel_count()).map(|channel| router.flow.flow(channel) > 0).collect();
    // Two units that pass each other on a link can be exchanged so that neither uses it; half
    // duplex requires this.
    for channel in (0..network.channel_count()).filter(|&c| router.flow.flow(c) > 0) {
        let opposite = network.opposite(ChannelId(channel as u32));
        if let Some(other) = opposite.filter(|other| is_used[other.index()]) {
            (is_used[channel], is_used[other.index()]) = (false, false);
        }
    }
    let mut wanted_at = vec![Vec::new(); network.router_count()];
    for &processor in &router.wanted.members {
        wanted_at[router.task.home(processor).index()].push(processor);
    }
    let mut supply: Vec<u32> =
        network.routers().map(|r| router.flow.flow(network.channel_count() + r.index())).collect();
    let mut walk = FlowWalk { network, is_used, wanted_at, visit: vec![0; network.router_count()] };
    let mut sends = Vec::new();
    for &from in &router.holders.members {
        let home = router.task.home(from);
        for _ in 0..router.task.ports[from.index()].min(supply[home.index()]) {
            let (to, path) = walk.from(home);
            sends.push(Send { from, to, path });
            supply[home.index()] -= 1;
        }
    }
    sends
}

/// Follows units of flow and removes them.
struct FlowWalk<'a> {
    network: &'a Network,
    is_used: Vec<bool>,
    wanted_at: Vec<Vec<ProcessorId>>,
    /// By router: one more than its position on the walk, counted in channels; 0 off the walk.
    visit: Vec<u32>,
}

impl FlowWalk<'_> {
    /// The simple path of one unit from a router to a processor that wants the message. Loops are
    /// cut out, and their channels stay unused.
    fn from(&mut self, start: RouterId) -> (ProcessorId, Vec<ChannelId>) {
        let mut path: Vec<ChannelId> = Vec::new();
        let mut at = start;
        self.visit[at.index()] = 1;
        let to = loop {
            if let Some(to) = self.wanted_at[at.index()].pop() {
                break to;
            }
            let mut leaving = self.network.out_channels(at).iter().copied();
            let channel = leaving
                .find(|channel| self.is_used[channel.index()])
                .expect("a path that enters a router leaves it or ends there");
            self.is_used[channel.index()] = false;
            at = self.network.channel(channel).head;
            path.push(channel);
            if self.visit[at.index()] > 0 {
                let keep = self.visit[at.index()] as usize - 1;
                for dropped in path.drain(keep..) {
                    self.visit[self.network.channel(dropped).head.index()] = 0;
                }
                self.visit[at.index()] = keep as u32 + 1;
            } else {
                self.visit[at.index()] = path.len() as u32 + 1;
            }
        };
        self.visit[start.index()] = 0;
        for &channel in &path {
            self.visit[self.network.channel(channel).head.index()] = 0;
        }
        (to, path)
    }
}
