//! The trees of one sum in the free slots: backwards in time from the step in which the sum is complete,
//! each contribution leaves as late as possible; forwards from there, each copy arrives as early as
//! possible.

use super::folded::Folded;
use super::slots::{Carried, StepSlots};
use crate::rng::Rng;
use std::collections::BinaryHeap;

/// The two trees of a sum.
#[derive(Debug, Clone, Default)]
pub(super) struct SumTrees {
    /// The number of steps before which the sum is complete.
    pub complete: usize,
    pub reduce: Vec<Carried>,
    pub broadcast: Vec<Carried>,
}

impl SumTrees {
    pub fn carried(&self) -> impl Iterator<Item = Carried> + '_ {
        self.reduce.iter().chain(&self.broadcast).copied()
    }

    /// The number of steps until the last copy has arrived.
    pub fn end(&self) -> usize {
        self.broadcast
            .iter()
            .map(|carried| carried.step as usize + 1)
            .max()
            .unwrap_or(self.complete)
    }
}

/// Grows trees; keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Grower {
    heap: BinaryHeap<(u64, usize)>,
    is_reached: Vec<bool>,
}

/// Bits of a key that break ties.
const TIE: u32 = 24;

impl Grower {
    /// Adds the broadcast of a sum that is complete after `complete` steps to the slots, if all
    /// routers can be reached.
    pub fn broadcast(
        &mut self,
        folded: &Folded,
        slots: &mut StepSlots,
        (root, complete): (usize, usize),
        rng: &mut Rng,
    ) -> Option<Vec<Carried>> {
        self.begin(folded, root);
        let mut tree = Vec::with_capacity(folded.routers - 1);
        // The earliest step has the largest key.
        let key = |step: usize, rng: &mut Rng| {
            ((u32::MAX as usize - step) as u64) << TIE | rng.bits() >> (64 - TIE)
        };
        let step_of = |key: u64| u32::MAX as usize - (key >> TIE) as usize;
        self.offer(
            folded,
            &folded.out_of[root],
            |channel| slots.first_free(folded, channel, complete).map(|step| key(step, rng)),
            true,
        );
        while let Some((due, channel)) = self.heap.pop() {
            let head = folded.channels[channel].head;
            if self.is_reached[head] {
                continue;
            }
            let step = step_of(due);
            match slots.first_free(folded, channel, step) {
                Some(free) if free == step => {}
                Some(free) => {
                    self.heap.push((key(free, rng), channel));
                    continue;
                }
                None => continue,
            }
            let carried = Carried { channel: channel as u32, step: step as u32 };
            slots.take(folded, carried);
            tree.push(carried);
            self.is_reached[head] = true;
            self.offer(
                folded,
                &folded.out_of[head],
                |channel| slots.first_free(folded, channel, step + 1).map(|step| key(step, rng)),
                true,
            );
        }
        Self::kept(folded, slots, tree)
    }

    /// Adds the reduce of a sum that is to be complete after `complete` steps, if all contributions can
    /// reach it.
    pub fn reduce(
        &mut self,
        folded: &Folded,
        slots: &mut StepSlots,
        (root, complete): (usize, usize),
        rng: &mut Rng,
    ) -> Option<Vec<Carried>> {
        self.begin(folded, root);
        let mut tree = Vec::with_capacity(folded.routers - 1);
        let key = |step: usize, rng: &mut Rng| (step as u64) << TIE | rng.bits() >> (64 - TIE);
        let step_of = |key: u64| (key >> TIE) as usize;
        self.offer(
            folded,
            &folded.into[root],
            |channel| slots.last_free(folded, channel, complete).map(|step| key(step, rng)),
            false,
        );
        while let Some((due, channel)) = self.heap.pop() {
            let tail = folded.channels[channel].tail;
            if self.is_reached[tail] {
                continue;
            }
            let step = step_of(due);
            match slots.last_free(folded, channel, step + 1) {
                Some(free) if free == step => {}
                Some(free) => {
                    self.heap.push((key(free, rng), channel));
                    continue;
                }
                None => continue,
            }
            let carried = Carried { channel: channel as u32, step: step as u32 };
            slots.take(folded, carried);
            tree.push(carried);
            self.is_reached[tail] = true;
            self.offer(
                folded,
                &folded.into[tail],
                |channel| slots.last_free(folded, channel, step).map(|step| key(step, rng)),
                false,
            );
        }
        Self::kept(folded, slots, tree)
    }

    fn begin(&mut self, folded: &Folded, root: usize) {
        self.heap.clear();
        self.is_reached.clear();
        self.is_reached.resize(folded.into.len(), false);
        self.is_reached[root] = true;
    }

    /// Offers channels to routers that are not reached yet.
    fn offer(
        &mut self,
        folded: &Folded,
        channels: &[usize],
        mut key: impl FnMut(usize) -> Option<u64>,
        is_forward: bool,
    ) {
        for &channel in channels {
            let ends = &folded.channels[channel];
            let far = if is_forward { ends.head } else { ends.tail };
            if !self.is_reached[far]
                && let Some(key) = key(channel)
            {
                self.heap.push((key, channel));
            }
        }
    }

    /// The tree if it is complete; otherwise frees its slots.
    fn kept(folded: &Folded, slots: &mut StepSlots, tree: Vec<Carried>) -> Option<Vec<Carried>> {
        if tree.len() == folded.routers - 1 {
            return Some(tree);
        }
        tree.iter().for_each(|carried| slots.free(folded, *carried));
        None
    }
}
