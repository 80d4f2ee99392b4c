//! Greedy broadcast that always succeeds: in every step the processors are served in the order of
//! their distance from the holders, each from a nearest holder, as far as free channels and ports
//! allow.

use super::one_message::{OneMessage, Send};
use crate::budget::Budget;
use pavane_model::{ChannelId, ProcessorId, RouterId, Schedule, Switching};

/// Which processors are served first in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServedFirst {
    /// Those farthest from the holders, so that the holders spread over the network.
    Farthest,
    /// Their neighbours: the message floods the network. On trees with all ports this is optimal.
    Nearest,
}

/// Builds a schedule of at most `most` steps. Returns `None` if there is none in this order or the
/// budget runs out.
pub(super) fn greedy(
    task: &OneMessage<'_>,
    first: ServedFirst,
    most: u32,
    budget: &mut Budget,
) -> Option<Schedule> {
    let is_store_and_forward = task.problem.model().switching == Switching::StoreAndForward;
    let mut holders = vec![task.origin];
    let mut wanted = task.destinations.to_vec();
    if is_store_and_forward {
        add_relays(task, &mut wanted);
    }
    let mut left = wanted.len();
    let mut step = GreedyStep::new(task, &wanted, if is_store_and_forward { 1 } else { u32::MAX });
    let mut steps = Vec::new();
    while left > 0 {
        if steps.len() as u32 == most || !budget.spend(left as u64) {
            return None;
        }
        if is_store_and_forward {
            // Skip holders that have no neighbour left to serve.
            holders.retain(|&holder| step.has_wanted_near(holder));
        }
        step.begin(&holders);
        let mut order: Vec<ProcessorId> = step.wanted_in_reach().collect();
        if first == ServedFirst::Farthest {
            order.sort_by_key(|&p| std::cmp::Reverse(step.distance[task.home(p).index()]));
        }
        let sends: Vec<Send> = order.into_iter().filter_map(|to| step.send_to(to)).collect();
        for send in &sends {
            step.is_wanted[send.to.index()] = false;
        }
        left -= sends.len();
        holders.extend(sends.iter().map(|send| send.to));
        steps.push(sends);
    }
    Some(task.schedule(steps))
}

/// Adds intermediate processors: under store-and-forward, a processor on every router of a shortest
/// path to each destination must receive the message.
fn add_relays(task: &OneMessage<'_>, wanted: &mut Vec<ProcessorId>) {
    let network = task.network;
    let distance = network.distances_from(task.home(task.origin));
    let mut has_taker = vec![false; network.router_count()];
    for &processor in wanted.iter().chain([&task.origin]) {
        has_taker[task.home(processor).index()] = true;
    }
    let mut at = 0;
    while at < wanted.len() {
        let router = task.home(wanted[at]);
        at += 1;
        let is_parent = |r: &&RouterId| distance[r.index()] < distance[router.index()];
        let Some(&parent) = network.predecessors(router).iter().find(is_parent) else { continue };
        if has_taker[parent.index()] {
            continue;
        }
        has_taker[parent.index()] = true;
        wanted.push(network.residents(parent)[0]);
    }
}

/// The step being filled. Its memory is reused for the next step, and only entries that were
/// changed are reset: under store-and-forward there are many steps with few changes each.
struct GreedyStep<'a> {
    task: &'a OneMessage<'a>,
    /// Maximum hops of a send.
    reach: u32,
    /// By processor: whether it still has to receive the message.
    is_wanted: Vec<bool>,
    /// By router: hops from the nearest holder.
    distance: Vec<u32>,
    /// The routers within reach, nearest first.
    in_reach: Vec<RouterId>,
    free_ports: Vec<(ProcessorId, u32)>,
    /// How many copies can still leave the homes of the holders.
    exits: usize,
    /// By router: its holders with free ports, as indices into `free_ports`.
    holders_at: Vec<Vec<u32>>,
    /// By router: how many of its entering channels, counted from the first, are used or no longer
    /// lead back to a holder. Within a step this only grows, because free paths only get fewer.
    useless: Vec<u32>,
    /// The path being tried, backwards: channels, each with the router it enters.
    back: Vec<(ChannelId, RouterId)>,
}

impl<'a> GreedyStep<'a> {
    fn new(task: &'a OneMessage<'a>, wanted: &[ProcessorId], reach: u32) -> Self {
        let network = task.network;
        let mut is_wanted = vec![false; network.processor_count()];
        wanted.iter().for_each(|p| is_wanted[p.index()] = true);
        Self {
            task,
            reach,
            is_wanted,
            distance: vec![u32::MAX; network.router_count()],
            in_reach: Vec::new(),
            free_ports: Vec::new(),
            exits: 0,
            holders_at: vec![Vec::new(); network.router_count()],
            useless: vec![0; network.router_count()],
            back: Vec::new(),
        }
    }

    /// Resets the step and computes all distances from these holders.
    fn begin(&mut self, holders: &[ProcessorId]) {
        for router in self.in_reach.drain(..) {
            self.distance[router.index()] = u32::MAX;
            self.holders_at[router.index()].clear();
            self.useless[router.index()] = 0;
        }
        self.free_ports.clear();
        let task = self.task;
        for &holder in holders.iter().filter(|p| task.ports[p.index()] > 0) {
            let home = task.home(holder);
            self.holders_at[home.index()].push(self.free_ports.len() as u32);
            self.free_ports.push((holder, task.ports[holder.index()]));
            if self.distance[home.index()] != 0 {
                self.distance[home.index()] = 0;
                self.in_reach.push(home);
            }
        }
        let homes = self.in_reach.len();
        self.measure_distances();
        self.exits = (0..homes).map(|at| self.exits_of(self.in_reach[at])).sum();
    }

    /// How many copies can leave the home of some holders in one step.
    fn exits_of(&self, home: RouterId) -> usize {
        let holders = self.holders_at[home.index()].iter();
        let ports: u32 = holders.map(|&place| self.free_ports[place as usize].1).sum();
        let away = self.task.network.successors(home).iter();
        away.filter(|next| self.distance[next.index()] == 1).count().min(ports as usize)
    }

    /// Computes the distance of every router within reach from the holders (breadth-first search).
    fn measure_distances(&mut self) {
        let network = self.task.network;
        let mut start = 0;
        for hops in 1..=self.reach {
            let end = self.in_reach.len();
            if start == end {
                return;
            }
            for at in start..end {
                for &head in network.successors(self.in_reach[at]) {
                    if self.distance[head.index()] == u32::MAX {
                        self.distance[head.index()] = hops;
                        self.in_reach.push(head);
                    }
                }
            }
            start = end;
        }
    }

    /// The processors within reach that still have to receive the message, nearest first.
    fn wanted_in_reach(&self) -> impl Iterator<Item = ProcessorId> + '_ {
        let residents = self.in_reach.iter().flat_map(|&r| self.task.network.residents(r));
        residents.copied().filter(|p| self.is_wanted[p.index()])
    }

    /// Whether a processor on the holder's router, or one hop away, still has to receive the
    /// message.
    fn has_wanted_near(&self, holder: ProcessorId) -> bool {
        let network = self.task.network;
        let home = self.task.home(holder);
        let is_wanted = |r| network.residents(r).iter().any(|p| self.is_wanted[p.index()]);
        is_wanted(home) || network.successors(home).iter().any(|&r| is_wanted(r))
    }

    /// A send to this processor over free channels from a nearest holder, if there is one.
    fn send_to(&mut self, to: ProcessorId) -> Option<Send> {
        let network = self.task.network;
        self.back.clear();
        let mut at = self.task.home(to);
        if self.exits == 0 && self.distance[at.index()] > 0 {
            return None;
        }
        // Depth-first search, backwards along channels that lead one hop away from the holders.
        let from = loop {
            if self.distance[at.index()] == 0
                && let Some(holder) = self.take_port(at)
            {
                break holder;
            }
            let place = self.useless[at.index()] as usize;
            match network.predecessors(at).get(place) {
                Some(&tail) if self.leads_away(tail, at) => {
                    self.back.push((network.in_channels(at)[place], at));
                    at = tail;
                }
                Some(_) => self.useless[at.index()] += 1,
                None => {
                    at = self.back.pop()?.1;
                    self.useless[at.index()] += 1;
                }
            }
        };
        let path: Vec<ChannelId> = self.back.iter().rev().map(|&(channel, _)| channel).collect();
        self.exits -= usize::from(!path.is_empty());
        for &(_, head) in &self.back {
            self.useless[head.index()] += 1;
        }
        Some(Send { from, to, path })
    }

    /// Whether a hop leads away from the holders. The opposite hop then never does, so half duplex
    /// needs no further check.
    fn leads_away(&self, tail: RouterId, head: RouterId) -> bool {
        let near = self.distance[tail.index()];
        near != u32::MAX && near + 1 == self.distance[head.index()]
    }

    /// Uses one send port of a holder on this router.
    fn take_port(&mut self, router: RouterId) -> Option<ProcessorId> {
        let last = *self.holders_at[router.index()].last()?;
        let (holder, free) = &mut self.free_ports[last as usize];
        *free -= 1;
        if *free == 0 {
            self.holders_at[router.index()].pop();
        }
        Some(*holder)
    }
}
