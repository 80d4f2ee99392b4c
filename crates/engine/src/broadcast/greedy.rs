//! A broadcast that never fails: in every step those farthest from the holders come first, and each
//! gets the message from a holder nearest to it, as far as channels and ports allow.

use super::task::{Send, Task};
use crate::budget::Budget;
use pavane_model::{ChannelId, Duplex, ProcessorId, RouterId, Schedule, Switching};

/// A schedule in as many steps as it takes; `None` if the budget is over before.
pub(super) fn greedy(task: &Task<'_>, budget: &mut Budget) -> Option<Schedule> {
    let is_hop_by_hop = task.problem.model().switching == Switching::StoreAndForward;
    let mut holders = vec![task.origin];
    let mut wanted = task.destinations.to_vec();
    if is_hop_by_hop {
        add_relays(task, &mut wanted);
    }
    let mut steps = Vec::new();
    while !wanted.is_empty() {
        if !budget.spend(wanted.len() as u64) {
            return None;
        }
        let mut step = Step::new(task, &holders);
        let is_near = |p: &ProcessorId| !is_hop_by_hop || step.distance[task.home(*p).index()] <= 1;
        let mut order: Vec<ProcessorId> = wanted.iter().copied().filter(is_near).collect();
        order.sort_by_key(|&p| std::cmp::Reverse(step.distance[task.home(p).index()]));
        let sends: Vec<Send> = order.into_iter().filter_map(|to| step.send_to(to)).collect();
        for send in &sends {
            step.is_served[send.to.index()] = true;
        }
        wanted.retain(|to| !step.is_served[to.index()]);
        holders.extend(sends.iter().map(|send| send.to));
        steps.push(sends);
    }
    Some(task.schedule(steps))
}

/// Hop by hop somebody must take the message on every router of a shortest way to each destination.
fn add_relays(task: &Task<'_>, wanted: &mut Vec<ProcessorId>) {
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
        let mut before = network.in_channels(router).iter().map(|&c| network.channel(c).tail);
        let is_parent = |r: &RouterId| distance[r.index()] < distance[router.index()];
        let Some(parent) = before.find(is_parent).filter(|r| !has_taker[r.index()]) else {
            continue;
        };
        has_taker[parent.index()] = true;
        wanted.push(network.residents(parent)[0]);
    }
}

/// One step being filled.
struct Step<'a> {
    task: &'a Task<'a>,
    /// By router: hops from the nearest holder.
    distance: Vec<u32>,
    free_ports: Vec<(ProcessorId, u32)>,
    /// By router: its first holder with free ports in `free_ports`, and how many follow it.
    holders_at: Vec<Vec<u32>>,
    is_used: Vec<bool>,
    is_served: Vec<bool>,
    /// By router: the last search that came there in vain.
    dead_since: Vec<u32>,
    search: u32,
}

impl<'a> Step<'a> {
    fn new(task: &'a Task<'a>, holders: &[ProcessorId]) -> Self {
        let network = task.network;
        let mut holders_at = vec![Vec::new(); network.router_count()];
        let mut free_ports = Vec::new();
        let mut distance = vec![u32::MAX; network.router_count()];
        let mut queue = Vec::new();
        for &holder in holders.iter().filter(|p| task.ports[p.index()] > 0) {
            let home = task.home(holder);
            holders_at[home.index()].push(free_ports.len() as u32);
            free_ports.push((holder, task.ports[holder.index()]));
            if distance[home.index()] != 0 {
                distance[home.index()] = 0;
                queue.push(home);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            let router: RouterId = queue[at];
            at += 1;
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                if distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[router.index()] + 1;
                    queue.push(head);
                }
            }
        }
        Self {
            task,
            distance,
            free_ports,
            holders_at,
            is_used: vec![false; network.channel_count()],
            is_served: vec![false; network.processor_count()],
            dead_since: vec![0; network.router_count()],
            search: 0,
        }
    }

    /// A send to this processor over free channels from a nearest holder, if there is one.
    fn send_to(&mut self, to: ProcessorId) -> Option<Send> {
        let network = self.task.network;
        self.search += 1;
        let mut back: Vec<ChannelId> = Vec::new();
        let mut at = self.task.home(to);
        // Depth first, back along channels that lead one hop away from the holders.
        let from = loop {
            if let Some(holder) = self.take_port(at) {
                break holder;
            }
            let entering = network.in_channels(at).iter().copied();
            let next = entering.filter(|c| !self.is_used[c.index()]).find(|&c| {
                let tail = network.channel(c).tail.index();
                self.dead_since[tail] != self.search
                    && self.distance[tail] != u32::MAX
                    && self.distance[tail] + 1 == self.distance[at.index()]
            });
            if let Some(channel) = next {
                back.push(channel);
                at = network.channel(channel).tail;
            } else {
                self.dead_since[at.index()] = self.search;
                at = network.channel(back.pop()?).head;
            }
        };
        back.reverse();
        for &channel in &back {
            self.is_used[channel.index()] = true;
            if self.task.problem.model().duplex == Duplex::Half
                && let Some(other) = network.opposite(channel)
            {
                self.is_used[other.index()] = true;
            }
        }
        Some(Send { from, to, path: back })
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
