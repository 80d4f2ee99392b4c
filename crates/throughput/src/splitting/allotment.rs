//! Allots the capacity at a router to splits, pairs that are far apart first.

use super::{Capacities, Change, Pair};
use std::collections::{BTreeMap, BTreeSet};

/// Capacity at a router that is not yet allotted to splits.
pub(super) struct Table<'a> {
    network: &'a Capacities,
    router: u32,
    into: BTreeMap<u32, u128>,
    from: BTreeMap<u32, u128>,
    /// All neighbours, ascending. Pairs with the same distance in this circle are treated alike.
    circle: Vec<u32>,
    /// Distance of each pair in the circle without the router.
    apart: Vec<Vec<u32>>,
}

impl<'a> Table<'a> {
    /// The capacity into and out of a router.
    pub(super) fn new(
        network: &'a Capacities,
        router: u32,
        into: &BTreeMap<u32, u128>,
        from: &BTreeMap<u32, u128>,
    ) -> Self {
        let circle: BTreeSet<u32> = into.keys().chain(from.keys()).copied().collect();
        let circle: Vec<u32> = circle.into_iter().collect();
        let apart = circle.iter().map(|&start| {
            let distances = network.distances(start, Some(router));
            circle.iter().map(|&end| distances[end as usize].min(16)).collect()
        });
        let apart = apart.collect();
        Table { network, router, into: into.clone(), from: from.clone(), circle, apart }
    }

    /// What is left for splits from one neighbour to another.
    pub(super) fn free(&self, tail: u32, head: u32) -> u128 {
        let into = self.into.get(&tail).copied().unwrap_or(0);
        into.min(self.from.get(&head).copied().unwrap_or(0))
    }

    /// Takes capacity of a pair away.
    pub(super) fn use_up(&mut self, tail: u32, head: u32, amount: u128) {
        self.into.entry(tail).and_modify(|left| *left -= amount);
        self.from.entry(head).and_modify(|left| *left -= amount);
    }

    /// Allots at most the quota to every pair, in the order of distance.
    pub(super) fn allot(
        &mut self,
        quota: impl Fn(u32, u32) -> u128,
        full: &BTreeSet<Pair>,
    ) -> Vec<Change> {
        let size = self.circle.len();
        let mut offsets: Vec<usize> = (1..size).collect();
        let mut changes = Vec::new();
        while !offsets.is_empty() && self.from.values().any(|&left| left > 0) {
            let apart = |offset: usize| -> u32 {
                (0..size).map(|at| self.apart[at][(at + offset) % size]).sum()
            };
            let best = (0..offsets.len()).max_by_key(|&at| (apart(offsets[at]), size - at));
            let Some(best) = best else { break };
            let offset = offsets.remove(best);
            let mut used = Vec::new();
            for at in 0..size {
                let (tail, head) = (self.circle[at], self.circle[(at + offset) % size]);
                let free = self.free(tail, head);
                if free > 0 && !full.contains(&(tail, head)) {
                    let amount = free.min(quota(tail, head));
                    self.use_up(tail, head, amount);
                    changes.push(Change::split(tail, self.router, head, amount));
                    used.push((at, (at + offset) % size));
                }
            }
            if self.network.terminal.len() <= 256 {
                used.into_iter().for_each(|(at, other)| self.connect(at, other));
            }
        }
        changes
    }

    /// Updates the distances for a new edge.
    fn connect(&mut self, tail: usize, head: usize) {
        for start in 0..self.circle.len() {
            for end in 0..self.circle.len() {
                let through = self.apart[start][tail] + 1 + self.apart[head][end];
                self.apart[start][end] = self.apart[start][end].min(through);
            }
        }
    }
}
