//! One step: moves holders until all other processors are served.

use super::one_message::{OneMessage, Send};
use super::step_router::StepRouter;
use super::tour::ServedGroup;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ProcessorId, RouterId};

/// Rounds of moving many holders at once without improvement before they move one at a time.
const ROUNDS: usize = 3;

/// Moves of one holder without improvement, plus one per holder, before the step is given up.
const MOVES: usize = 60;

/// Holders sampled to find one with little load.
const ASKED: usize = 8;

/// Routers searched for holders and candidates near an unserved processor.
const NEARBY: usize = 32;

/// The holders before a step, and the step router that serves the others.
pub(super) struct Level<'a, R> {
    task: &'a OneMessage<'a>,
    router: &'a mut R,
    /// The origin first.
    holders: Vec<ProcessorId>,
    /// By processor.
    is_holder: Vec<bool>,
    is_next: Vec<bool>,
    is_seen: Vec<bool>,
}

impl<'a, R: StepRouter> Level<'a, R> {
    pub fn new(task: &'a OneMessage<'a>, router: &'a mut R) -> Self {
        let empty = vec![false; task.network.processor_count()];
        let is_seen = vec![false; task.network.router_count()];
        let (is_holder, is_next) = (empty.clone(), empty);
        Self { task, router, holders: Vec::new(), is_holder, is_next, is_seen }
    }

    /// The sends of the step that was served last.
    pub fn sends(&mut self) -> Vec<Send> {
        self.router.sends()
    }

    /// Serves all of `next` from this many holders, of which the origin is the first. Each group is
    /// served by its own holder before the others. Returns the holders finally used, without the
    /// origin, or `None` if some processor cannot be served.
    pub fn serve_from(
        &mut self,
        holders: Vec<ProcessorId>,
        next: &[ProcessorId],
        groups: &[ServedGroup],
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Vec<ProcessorId>> {
        self.router.clear();
        self.is_holder.fill(false);
        self.is_next.fill(false);
        self.holders = holders;
        for group in groups {
            self.router.lead(group, groups.len(), budget);
        }
        for &holder in &self.holders {
            self.is_holder[holder.index()] = true;
            self.router.add_holder(holder);
        }
        for &processor in next {
            self.is_next[processor.index()] = true;
            if !self.is_holder[processor.index()] {
                self.router.add_wanted(processor);
            }
        }
        self.router.serve(budget, rng);
        let is_served = self.router.unserved().is_empty()
            || self.holders.len() > 1
                && (self.move_many(budget, rng) || self.move_single(budget, rng));
        is_served.then(|| self.holders[1..].to_vec())
    }

    /// Replaces the holder at this index by a newcomer.
    fn replace(&mut self, place: usize, newcomer: ProcessorId) {
        let holder = std::mem::replace(&mut self.holders[place], newcomer);
        self.is_holder[holder.index()] = false;
        self.is_holder[newcomer.index()] = true;
        if self.is_next[newcomer.index()] {
            self.router.remove_wanted(newcomer);
        }
        self.router.add_holder(newcomer);
        self.router.remove_holder(holder);
        if self.is_next[holder.index()] {
            self.router.add_wanted(holder);
        }
    }

    /// Makes all unserved processors holders in place of those with the least load.
    fn move_many(&mut self, budget: &mut Budget, rng: &mut Rng) -> bool {
        let mut unserved = self.router.unserved();
        let (mut fewest, mut rounds) = (unserved.len(), 0);
        while rounds < ROUNDS && !budget.is_over() {
            rng.shuffle(&mut unserved);
            // The origin keeps its place; ties are broken at random.
            rng.shuffle(&mut self.holders[1..]);
            self.holders[1..].sort_by_cached_key(|&holder| self.router.load(holder));
            let places = self.holders.len() - 1;
            for (place, &newcomer) in unserved.iter().take(places).enumerate() {
                self.replace(place + 1, newcomer);
            }
            self.router.serve(budget, rng);
            unserved = self.router.unserved();
            if unserved.is_empty() {
                return true;
            }
            rounds = if unserved.len() < fewest { 0 } else { rounds + 1 };
            fewest = fewest.min(unserved.len());
        }
        false
    }

    /// Moves one holder at a time to an unserved processor or near it. A move that leaves more
    /// processors unserved is undone.
    fn move_single(&mut self, budget: &mut Budget, rng: &mut Rng) -> bool {
        let mut unserved = self.router.unserved();
        let mut fewest = unserved.len();
        let mut idle = 0;
        while idle < MOVES + self.holders.len() && !budget.is_over() {
            idle += 1;
            let target = unserved[rng.below(unserved.len())];
            let nearby = self.nearby(target, rng);
            let place = if rng.chance(0.5) {
                self.idle_place(rng)
            } else {
                match nearby.iter().find(|p| self.is_movable(**p)) {
                    Some(near) => self.holders.iter().position(|p| p == near).unwrap_or(1),
                    None => self.idle_place(rng),
                }
            };
            let outsiders: Vec<ProcessorId> =
                nearby.into_iter().filter(|p| self.is_outsider(*p)).collect();
            let newcomer = if outsiders.is_empty() || rng.chance(0.5) {
                target
            } else {
                outsiders[rng.below(outsiders.len())]
            };
            let holder = self.holders[place];
            self.replace(place, newcomer);
            self.router.serve(budget, rng);
            let now = self.router.unserved();
            if now.is_empty() {
                return true;
            }
            if now.len() > unserved.len() {
                self.replace(place, holder);
                self.router.serve(budget, rng);
                unserved = self.router.unserved();
                if unserved.is_empty() {
                    return true;
                }
            } else {
                unserved = now;
            }
            if unserved.len() < fewest {
                fewest = unserved.len();
                idle = 0;
            }
        }
        false
    }

    fn is_movable(&self, processor: ProcessorId) -> bool {
        self.is_holder[processor.index()] && processor != self.task.origin
    }

    /// Whether a processor could hold the message now although it need not hold it after the step:
    /// an intermediate processor, or a destination that then receives the message earlier than
    /// planned.
    fn is_outsider(&self, processor: ProcessorId) -> bool {
        let at = processor.index();
        !self.is_holder[at] && !self.is_next[at] && self.task.can_hold(processor)
    }

    /// The index of the least loaded of a few random holders.
    fn idle_place(&self, rng: &mut Rng) -> usize {
        let asked = (0..ASKED).map(|_| 1 + rng.below(self.holders.len() - 1));
        asked.min_by_key(|&place| self.router.load(self.holders[place])).unwrap_or(1)
    }

    /// Processors from which the home of `processor` is reached in few hops, nearest first.
    fn nearby(&mut self, processor: ProcessorId, rng: &mut Rng) -> Vec<ProcessorId> {
        let network = self.task.network;
        let turn = rng.below(1 << 16);
        let mut routers: Vec<RouterId> = vec![self.task.home(processor)];
        self.is_seen[routers[0].index()] = true;
        let mut at = 0;
        while at < routers.len() && routers.len() < NEARBY {
            let entering = network.in_channels(routers[at]);
            at += 1;
            let (late, early) = entering.split_at(turn % entering.len().max(1));
            for &channel in early.iter().chain(late) {
                let tail = network.channel(channel).tail;
                if !std::mem::replace(&mut self.is_seen[tail.index()], true) {
                    routers.push(tail);
                }
            }
        }
        for router in &routers {
            self.is_seen[router.index()] = false;
        }
        routers.iter().flat_map(|&router| network.residents(router)).copied().collect()
    }
}
