//! Personalised messages under store-and-forward: each has a fixed shortest path and moves along it
//! one hop at a time; messages with the longest way left go first.

use super::board::StepBoard;
use super::log::Log;
use crate::rng::Rng;
use pavane_model::{ChannelId, Problem, RouterId};
use rustc_hash::FxHashMap;

/// A message on its way.
#[derive(Debug, Clone)]
struct Traveller {
    message: usize,
    /// The processor that holds it.
    at: usize,
    destination: usize,
    /// The remaining channels, the next one last.
    ahead: Vec<ChannelId>,
}

/// All personalised messages that have not arrived.
#[derive(Debug, Clone, Default)]
pub(super) struct Travellers {
    waiting: Vec<Traveller>,
}

impl Travellers {
    /// All messages at their origins, with paths chosen to balance the load of the channels.
    pub(super) fn new(problem: &Problem, rng: &mut Rng) -> Self {
        let messages = problem.messages();
        let mut load = vec![0u32; problem.network().channel_count()];
        let mut order: Vec<_> = messages.ids().filter(|&m| messages.is_personalised(m)).collect();
        rng.shuffle(&mut order);
        order.sort_by_key(|&m| problem.home(messages.origin(m)));
        let mut known: Option<(RouterId, Vec<u32>)> = None;
        let mut waiting = Vec::with_capacity(order.len());
        for message in order {
            let (origin, to) = (messages.origin(message), messages.destinations(message)[0]);
            let home = problem.home(origin);
            let distance = match known.take() {
                Some((router, distance)) if router == home => distance,
                _ => problem.network().distances_from(home),
            };
            let ahead = quiet_path(problem, &distance, problem.home(to), &mut load, rng);
            known = Some((home, distance));
            let (message, at, destination) = (message.index(), origin.index(), to.index());
            waiting.push(Traveller { message, at, destination, ahead });
        }
        Self { waiting }
    }

    /// Total number of moves still needed.
    pub(super) fn hops_left(&self) -> usize {
        self.waiting.iter().map(|traveller| traveller.ahead.len().max(1)).sum()
    }

    /// Repeats the moves of the first steps of a log.
    pub(super) fn replay(&mut self, log: &Log, steps: usize) {
        if self.waiting.is_empty() {
            return;
        }
        let mut now_at = FxHashMap::default();
        for transfer in (0..steps).flat_map(|step| log.step(step)) {
            let moves = now_at.entry(transfer.message.index()).or_insert((0, 0));
            *moves = (transfer.to.index(), moves.1 + 1);
        }
        self.waiting.retain_mut(|traveller| {
            let Some(&(at, moves)) = now_at.get(&traveller.message) else { return true };
            traveller.at = at;
            traveller.ahead.truncate(traveller.ahead.len().saturating_sub(moves));
            at != traveller.destination
        });
    }

    /// Moves every message whose next channel and ports are free.
    pub(super) fn advance(&mut self, problem: &Problem, board: &mut StepBoard, rng: &mut Rng) {
        rng.shuffle(&mut self.waiting);
        self.waiting.sort_by_key(|traveller| std::cmp::Reverse(traveller.ahead.len()));
        self.waiting.retain_mut(|traveller| !traveller.moves_to_its_end(problem, board));
    }
}

impl Traveller {
    /// Moves if possible; returns whether the message has arrived.
    fn moves_to_its_end(&mut self, problem: &Problem, board: &mut StepBoard) -> bool {
        if !board.can_send(self.at) {
            return false;
        }
        if self.ahead.len() <= 1 {
            let is_free = self.ahead.iter().all(|&channel| board.blocker(channel).is_none());
            if is_free && board.can_receive(self.destination) {
                board.place(self.message, self.at, self.destination, &self.ahead);
                return true;
            }
            return false;
        }
        let channel = self.ahead[self.ahead.len() - 1];
        let next = problem.network().channel(channel).head;
        let residents = problem.network().residents(next).iter().map(|p| p.index());
        let stop = residents.into_iter().find(|&p| board.can_receive(p));
        if let Some(stop) = stop.filter(|_| board.blocker(channel).is_none()) {
            board.place(self.message, self.at, stop, &[channel]);
            self.at = stop;
            self.ahead.pop();
        }
        false
    }
}

/// A shortest path, last channel first, that prefers the channels with the least load.
fn quiet_path(
    problem: &Problem,
    distance: &[u32],
    to: RouterId,
    load: &mut [u32],
    rng: &mut Rng,
) -> Vec<ChannelId> {
    let network = problem.network();
    let mut path = Vec::with_capacity(distance[to.index()] as usize);
    let mut at = to;
    while distance[at.index()] > 0 {
        let closer = network.in_channels(at).iter().copied().filter(|&channel| {
            let tail = network.channel(channel).tail.index();
            distance[tail] != u32::MAX && distance[tail] + 1 == distance[at.index()]
        });
        let channel = closer
            .min_by_key(|channel| (load[channel.index()], rng.bits()))
            .expect("a reachable router has a channel from a closer one");
        load[channel.index()] += 1;
        path.push(channel);
        at = network.channel(channel).tail;
    }
    path
}
