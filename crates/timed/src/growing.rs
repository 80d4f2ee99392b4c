//! Growing trees: every processor that has a chunk passes it on. One destination after another gets the
//! chunk as early as it can from any router that has it and copies, over channels that earlier chunks
//! keep busy. For broadcasts in networks of switches, where paths from the origin alone share its
//! channels.

use crate::case::{PhaseCase, TimedCase};
use crate::pieces::{self, Piece};
use pavane_model::{ChannelId, MessageId, RouterId};
use rand::{Rng, RngExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The numbers of chunks that are tried.
const COUNTS: [u64; 8] = [1, 2, 4, 8, 16, 3, 6, 32];

/// Messages up to which all numbers of chunks and all orders are tried.
const FEW_MESSAGES: usize = 4;

/// The numbers of chunks and of orders that are tried with more messages.
const FEW: usize = 2;

/// The most channels that the searches for all chunks of an attempt pass.
const MOST_PASSED: u64 = 40_000_000;

/// A time at which no chunk arrives.
const NEVER: u64 = u64::MAX;

/// Which destination gets the chunk next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextServed {
    /// The one that gets it earliest.
    Soonest,
    /// The one that gets it latest, so that chunks travel far first.
    Latest,
    /// Any.
    Random,
}

const ORDERS: [NextServed; 5] = [
    NextServed::Soonest,
    NextServed::Latest,
    NextServed::Random,
    NextServed::Random,
    NextServed::Random,
];

/// The attempts that are left: numbers of chunks with orders.
pub(crate) struct GrowingSteps(std::vec::IntoIter<(u64, NextServed)>);

impl GrowingSteps {
    /// Attempts for one phase of messages with several destinations.
    pub fn new(case: &TimedCase, chunks: Option<u64>) -> Self {
        let mut attempts = Vec::new();
        if let [phase] = &case.phases[..]
            && !phase.is_personalised()
        {
            let has_few = phase.sizes.len() <= FEW_MESSAGES;
            let most = if has_few { usize::MAX } else { FEW };
            let counts = chunks.map_or_else(|| COUNTS.to_vec(), |count| vec![count]);
            let wanted = (0..phase.sizes.len()).map(|at| phase.wanted_at(at).len() as u64);
            let of_chunk = wanted.sum::<u64>().saturating_mul(case.resource.len() as u64);
            let is_quick = |count: &u64| of_chunk.saturating_mul(*count) <= MOST_PASSED;
            let counts: Vec<u64> = counts.into_iter().take(most).filter(is_quick).collect();
            for &order in ORDERS.iter().take(most) {
                attempts.extend(counts.iter().map(|&count| (count, order)));
            }
        }
        Self(attempts.into_iter())
    }

    /// The pieces of the next attempt.
    pub fn pieces(&mut self, case: &TimedCase, rng: &mut impl Rng) -> Option<Vec<Vec<Piece>>> {
        let (count, order) = self.0.next()?;
        let phase = &case.phases[0];
        let mut pieces = Vec::new();
        for (message, &bytes) in phase.sizes.iter().enumerate() {
            pieces::groups(MessageId(message as u32), bytes, count, count, &mut pieces);
        }
        // The first chunks of all messages before the second ones.
        let mut turns: Vec<usize> = (0..pieces.len()).collect();
        turns.sort_by_key(|&at| (pieces[at].turn, pieces[at].message));
        let mut growth = Growth { all: case, phase, free: vec![0; case.resource.len()] };
        for at in turns {
            let Piece { message, bytes, .. } = pieces[at];
            pieces[at].channels = growth.tree(message.index(), bytes, order, rng);
        }
        Some(vec![pieces])
    }
}

/// The chunks that have been routed so far.
struct Growth<'a> {
    all: &'a TimedCase,
    phase: &'a PhaseCase,
    /// By channel or link: when it is free again.
    free: Vec<u64>,
}

impl Growth<'_> {
    /// The tree of a chunk.
    fn tree(
        &mut self,
        message: usize,
        bytes: u64,
        order: NextServed,
        rng: &mut impl Rng,
    ) -> Vec<ChannelId> {
        let mut holders = vec![NEVER; self.phase.routers()];
        holders[self.phase.origin(message).index()] = 0;
        let mut wanted = self.phase.wanted_at(message);
        let mut channels = Vec::new();
        while !wanted.is_empty() {
            let (arrival, enters) = self.earliest(&holders, bytes);
            let place = |at: &usize| arrival[wanted[*at].index()];
            let all = 0..wanted.len();
            let at = match order {
                NextServed::Soonest => all.min_by_key(place),
                NextServed::Latest => all.max_by_key(place),
                NextServed::Random => Some(rng.random_range(0..wanted.len())),
            };
            let Some(at) = at else { break };
            let mut path = Vec::new();
            let mut router = wanted.swap_remove(at);
            while let Some(channel) = enters[router.index()] {
                path.push(channel);
                router = self.phase.ends(channel).0;
            }
            path.reverse();
            let mut time = holders[router.index()];
            for channel in path {
                let (_, to) = self.phase.ends(channel);
                let free = &mut self.free[self.all.resource[channel.index()] as usize];
                let start = time.max(*free);
                *free = start + self.all.times.occupied(channel, bytes);
                time = *free + self.all.times.latency(channel);
                if self.phase.copying[to.index()] {
                    holders[to.index()] = time;
                }
                channels.push(channel);
            }
            wanted.retain(|router| holders[router.index()] == NEVER);
        }
        channels
    }

    /// By router: the earliest arrival of the chunk from a holder, and the channel that brings it.
    fn earliest(&self, holders: &[u64], bytes: u64) -> (Vec<u64>, Vec<Option<ChannelId>>) {
        let mut arrival = holders.to_vec();
        let mut enters = vec![None; arrival.len()];
        let mut queue: BinaryHeap<Reverse<(u64, RouterId)>> = (0..arrival.len() as u32)
            .map(RouterId)
            .filter(|router| holders[router.index()] != NEVER)
            .map(|router| Reverse((holders[router.index()], router)))
            .collect();
        while let Some(Reverse((time, router))) = queue.pop() {
            if time > arrival[router.index()] {
                continue;
            }
            for &channel in self.phase.outgoing(router) {
                let (_, to) = self.phase.ends(channel);
                let start = time.max(self.free[self.all.resource[channel.index()] as usize]);
                let own = self.all.times.occupied(channel, bytes) + self.all.times.latency(channel);
                if start + own < arrival[to.index()] {
                    arrival[to.index()] = start + own;
                    enters[to.index()] = Some(channel);
                    queue.push(Reverse((start + own, to)));
                }
            }
        }
        (arrival, enters)
    }
}
