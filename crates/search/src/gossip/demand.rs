//! Which processors must receive which messages: the destinations of every message and, under
//! store-and-forward, processors on the way that must pass it on.

use super::bits::BitRows;
use crate::rng::Rng;
use pavane_model::{ChannelId, MessageId, Problem, RouterId, Switching};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What every processor holds before the first step. Under store-and-forward personalised messages
/// are excluded, because they are routed separately.
pub(super) fn held_at_start(problem: &Problem) -> BitRows {
    let messages = problem.messages();
    let mut held = BitRows::new(problem.network().processor_count(), messages.len());
    for message in shared(problem) {
        held.set(messages.origin(message).index(), message.index());
    }
    held
}

/// What every processor must receive. Then any processor that misses a message can get it from one
/// that may send it. Personalised messages are excluded as in [`held_at_start`]. Different values
/// of `number` give different choices of forwarding processors.
pub(super) fn demanded(problem: &Problem, number: u32, rng: &mut Rng) -> BitRows {
    let network = problem.network();
    let messages = problem.messages();
    let mut demanded = BitRows::new(network.processor_count(), messages.len());
    let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
    let needs_relays = is_store_and_forward && has_bystanders(problem);
    let mut relays = Relays::new(problem, number);
    for message in shared(problem) {
        let destinations = messages.destinations(message);
        for to in destinations {
            demanded.set(to.index(), message.index());
        }
        if needs_relays {
            relays.add(message, &mut demanded, rng);
        }
    }
    demanded
}

/// Whether some message is not for all processors other than its origin.
pub(super) fn has_bystanders(problem: &Problem) -> bool {
    let processors = problem.network().living_processors().count();
    shared(problem).any(|m| problem.messages().destinations(m).len() + 1 < processors)
}

/// The messages that processors may pass on; under wormhole switching all messages.
fn shared(problem: &Problem) -> impl Iterator<Item = MessageId> {
    let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
    problem
        .messages()
        .ids()
        .filter(move |&m| !is_store_and_forward || !problem.messages().is_personalised(m))
}

/// Chooses the processors that must pass a message on so that it reaches all its destinations.
struct Relays<'a> {
    problem: &'a Problem,
    /// Cost of a hop to a router without a destination of the message; other hops cost 1.
    detour: u32,
    is_member: Vec<bool>,
    cost: Vec<u32>,
    via: Vec<Option<ChannelId>>,
}

impl<'a> Relays<'a> {
    fn new(problem: &'a Problem, number: u32) -> Self {
        let routers = problem.network().router_count();
        Self {
            problem,
            detour: [1, 2, 4, 64][number as usize % 4],
            is_member: vec![false; routers],
            cost: vec![u32::MAX; routers],
            via: vec![None; routers],
        }
    }

    /// Builds a tree of cheap paths from the origin. One processor on each of its routers must hold
    /// the message.
    fn add(&mut self, message: MessageId, demanded: &mut BitRows, rng: &mut Rng) {
        let messages = self.problem.messages();
        let home = self.problem.home(messages.origin(message));
        self.is_member.fill(false);
        self.is_member[home.index()] = true;
        for &to in messages.destinations(message) {
            self.is_member[self.problem.home(to).index()] = true;
        }
        self.find_tree(home, rng);
        for &to in messages.destinations(message) {
            let mut at = self.problem.home(to);
            while let Some(channel) = self.via[at.index()] {
                at = self.problem.network().channel(channel).tail;
                if !std::mem::replace(&mut self.is_member[at.index()], true) {
                    let residents = self.problem.network().residents(at);
                    let relay = residents[rng.below(residents.len())];
                    demanded.set(relay.index(), message.index());
                }
            }
        }
    }

    fn find_tree(&mut self, home: RouterId, rng: &mut Rng) {
        let network = self.problem.network();
        self.cost.fill(u32::MAX);
        self.via.fill(None);
        self.cost[home.index()] = 0;
        let mut heap = BinaryHeap::from([Reverse((0, 0, home))]);
        while let Some(Reverse((cost, _, router))) = heap.pop() {
            if cost > self.cost[router.index()] {
                continue;
            }
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                let hop = if self.is_member[head.index()] { 1 } else { self.detour };
                if cost + hop < self.cost[head.index()] {
                    self.cost[head.index()] = cost + hop;
                    self.via[head.index()] = Some(channel);
                    heap.push(Reverse((cost + hop, rng.bits(), head)));
                }
            }
        }
    }
}
