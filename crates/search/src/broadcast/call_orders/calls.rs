//! The calls of all steps but the last: a simulation that can go back to any step.

use super::graph::CallGraph;
use crate::rng::Rng;

/// No step, or no processor.
const NONE: u32 = u32::MAX;

/// The orders of all processors, and the calls that follow from them.
pub(super) struct Calls<'a> {
    graph: &'a CallGraph,
    /// Number of steps.
    steps: u32,
    /// By processor: its neighbours, in the order in which it calls them.
    orders: Vec<Vec<u32>>,
    /// The processors with the message, in the order in which they receive it.
    holders: Vec<u32>,
    /// Number of holders after each step that is simulated.
    counts: Vec<usize>,
    /// By processor: how and when it receives the message.
    received: Vec<Call>,
    change: Change,
}

/// A processor receives the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Call {
    from: u32,
    step: u32,
}

const NO_CALL: Call = Call { from: NONE, step: NONE };

/// A swap in the order of a processor, and what it has replaced.
#[derive(Default)]
struct Change {
    processor: usize,
    swapped: (usize, usize),
    /// The last step that has stayed the same.
    since: u32,
    counts: Vec<usize>,
    holders: Vec<(u32, Call)>,
}

impl<'a> Calls<'a> {
    /// The calls of so many steps in random orders.
    pub fn new(graph: &'a CallGraph, steps: u32, rng: &mut Rng) -> Self {
        let mut orders = graph.targets.clone();
        orders.iter_mut().for_each(|order| rng.shuffle(order));
        let mut received = vec![NO_CALL; graph.targets.len()];
        received[graph.origin as usize].step = 0;
        let mut calls = Self {
            graph,
            steps,
            orders,
            holders: vec![graph.origin],
            counts: vec![1],
            received,
            change: Change::default(),
        };
        calls.simulate();
        calls
    }

    /// Whether a processor has the message after these steps.
    pub fn is_holder(&self, processor: u32) -> bool {
        self.received[processor as usize].step != NONE
    }

    /// The senders and receivers of each step.
    pub fn by_step(&self) -> impl Iterator<Item = impl Iterator<Item = (u32, u32)>> {
        self.counts.windows(2).map(|ends| {
            let receivers = self.holders[ends[0]..ends[1]].iter();
            receivers.map(|&holder| (self.received[holder as usize].from, holder))
        })
    }

    /// Swaps two neighbours in the order of a processor, one of which it called, and repeats the
    /// steps from the first one that may change. Returns the work; 0 if there is nothing to swap.
    pub fn change(&mut self, rng: &mut Rng) -> u64 {
        if self.holders.len() < 2 {
            return 0;
        }
        let called = self.holders[1 + rng.below(self.holders.len() - 1)];
        let processor = self.received[called as usize].from;
        let order = &mut self.orders[processor as usize];
        if order.len() < 2 {
            return 0;
        }
        let at = order.iter().position(|&target| target == called).unwrap_or_default();
        let other = (at + 1 + rng.below(order.len() - 1)) % order.len();
        order.swap(at, other);
        (self.change.processor, self.change.swapped) = (processor as usize, (at, other));
        let since = self.last_same_step(processor, at.min(other));
        self.go_back(since);
        self.simulate()
    }

    /// The last step before a processor may call the neighbour at this place of its order.
    fn last_same_step(&self, processor: u32, place: usize) -> u32 {
        let before = self.orders[processor as usize][..place].iter().rev();
        let mut calls = before.map(|&target| self.received[target as usize]);
        match calls.find(|call| call.from == processor) {
            // It may have called several in that step.
            Some(call) if self.graph.ports[processor as usize] > 1 => call.step - 1,
            Some(call) => call.step,
            None => self.received[processor as usize].step,
        }
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        let Change { processor, swapped, since, .. } = self.change;
        self.orders[processor].swap(swapped.0, swapped.1);
        self.forget(since);
        self.counts.extend_from_slice(&self.change.counts);
        for &(holder, call) in &self.change.holders {
            self.holders.push(holder);
            self.received[holder as usize] = call;
        }
    }

    /// Goes back to the end of a step, so that [`Self::undo`] can restore the later ones.
    fn go_back(&mut self, since: u32) {
        let Self { holders, counts, received, change, .. } = self;
        let kept = counts[since as usize];
        change.since = since;
        change.counts.clear();
        change.counts.extend_from_slice(&counts[since as usize + 1..]);
        change.holders.clear();
        let later = holders[kept..].iter();
        change.holders.extend(later.map(|&holder| (holder, received[holder as usize])));
        self.forget(since);
    }

    /// Forgets the steps after this one.
    fn forget(&mut self, since: u32) {
        let kept = self.counts[since as usize];
        self.counts.truncate(since as usize + 1);
        for holder in self.holders.drain(kept..) {
            self.received[holder as usize] = NO_CALL;
        }
    }

    /// Simulates all steps again.
    #[cfg(test)]
    pub fn simulate_all(&mut self) {
        self.forget(0);
        self.simulate();
    }

    /// Simulates the missing steps; returns the work.
    fn simulate(&mut self) -> u64 {
        let mut work = 0;
        for step in self.counts.len() as u32..=self.steps {
            let callers = self.holders.len();
            work += callers as u64;
            for at in 0..callers {
                let from = self.holders[at];
                let mut free = self.graph.ports[from as usize];
                for &to in &self.orders[from as usize] {
                    if self.received[to as usize].step == NONE {
                        self.received[to as usize] = Call { from, step };
                        self.holders.push(to);
                        free -= 1;
                        if free == 0 {
                            break;
                        }
                    }
                }
            }
            self.counts.push(self.holders.len());
        }
        work
    }
}
