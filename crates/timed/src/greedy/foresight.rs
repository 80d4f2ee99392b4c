//! Estimates when chunks could come to routers from elsewhere.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::RouterId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The time from every router to every other one for so many bytes, if no channel is busy.
pub(super) fn distances(all: &TimedCase, case: &PhaseCase, bytes: u64) -> Vec<Vec<u64>> {
    let from = |start: u32| {
        let mut least = vec![u64::MAX; case.routers()];
        least[start as usize] = 0;
        let mut queue = BinaryHeap::from([Reverse((0u64, RouterId(start)))]);
        while let Some(Reverse((time, router))) = queue.pop() {
            if time > least[router.index()] {
                continue;
            }
            for &channel in case.outgoing(router) {
                let (_, to) = case.ends(channel);
                let next = time + all.times.occupied(channel, bytes) + all.times.latency(channel);
                if next < least[to.index()] {
                    least[to.index()] = next;
                    queue.push(Reverse((next, to)));
                }
            }
        }
        least
    };
    (0..case.routers() as u32).map(from).collect()
}

/// Estimates when chunks could come to routers from elsewhere.
pub(super) struct Foresight<'a> {
    distances: &'a [Vec<u64>],
    /// For every chunk and router, the time from the nearest router that has the chunk.
    near: Vec<Vec<u64>>,
    /// For every chunk, the routers to which it is on its way, with the times of arrival.
    under_way: Vec<Vec<(u32, u64)>>,
}

impl<'a> Foresight<'a> {
    pub fn new(distances: &'a [Vec<u64>], routers: usize, chunks: usize) -> Self {
        Self {
            distances,
            near: vec![vec![u64::MAX; routers]; chunks],
            under_way: vec![Vec::new(); chunks],
        }
    }

    pub fn arrived(&mut self, router: usize, chunk: usize) {
        self.under_way[chunk].retain(|&(to, _)| to as usize != router);
        let near = self.near[chunk].iter_mut();
        near.zip(&self.distances[router]).for_each(|(near, &time)| *near = (*near).min(time));
    }

    pub fn sent(&mut self, router: usize, chunk: usize, arrival: u64) {
        self.under_way[chunk].push((router as u32, arrival));
    }

    /// Whether a router that has a chunk could bring it to another one before a time.
    pub fn comes_sooner(&self, router: usize, chunk: usize, now: u64, arrival: u64) -> bool {
        now.saturating_add(self.near[chunk][router]) < arrival
    }

    /// Whether a copy that is under way could come to a router before a time, from a router that is
    /// nearer than `duration`.
    pub fn is_under_way(&self, router: usize, chunk: usize, duration: u64, arrival: u64) -> bool {
        self.under_way[chunk].iter().any(|&(from, at)| {
            let rest = self.distances[from as usize][router];
            rest < duration && at.saturating_add(rest) < arrival
        })
    }
}
