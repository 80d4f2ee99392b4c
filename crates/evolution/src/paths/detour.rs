//! Walks to one router that are at most a given number of channels longer than the shortest path,
//! counted and numbered by dynamic programming over (router, remaining detour).

use super::simple::is_simple;
use num_bigint::BigUint;
use pavane_model::{ChannelId, Network, RouterId};

/// The walks from every router to one target that are at most `extra` channels longer than the
/// shortest path and visit the target only at their end. The walks from one router are numbered in
/// lexicographic order of their channel numbers.
///
/// A walk may visit a router twice, unlike a path: walks are easy to count, simple paths are not. A
/// walk that returns to a router has gone round a cycle of at least two channels, so up to `extra`
/// = 1 every walk is a simple path. Beyond that, [`DetourPaths::unrank_simple`] skips walks that
/// are not simple.
#[derive(Debug, Clone)]
pub struct DetourPaths<'a> {
    network: &'a Network,
    target: RouterId,
    extra: u32,
    distance: Vec<u32>,
    /// Number of walks per remaining detour and router.
    counts: Vec<BigUint>,
}

/// A walk. For each of its prefixes: its index among the walks with that prefix, and their number.
struct Unranked<'w> {
    path: Vec<ChannelId>,
    within: Vec<(BigUint, &'w BigUint)>,
}

impl<'a> DetourPaths<'a> {
    /// Counts the walks from every router to `target` that are at most `extra` channels longer than
    /// the shortest path.
    pub fn to(network: &'a Network, target: RouterId, extra: u32) -> Self {
        let distance = network.distances_to(target);
        let mut nearest_first: Vec<RouterId> =
            network.routers().filter(|r| distance[r.index()] != u32::MAX).collect();
        nearest_first.sort_by_key(|r| distance[r.index()]);
        let size = network.router_count() * (extra as usize + 1);
        let mut walks =
            Self { network, target, extra, distance, counts: vec![BigUint::ZERO; size] };
        for spare in 0..=extra {
            for &router in &nearest_first {
                let count = if router == target {
                    BigUint::from(1u32)
                } else {
                    walks.onward(router, spare).map(|(_, _, count)| count).sum()
                };
                walks.counts[spare as usize * network.router_count() + router.index()] = count;
            }
        }
        walks
    }

    /// Distance from a router to the target, in channels; `u32::MAX` if the target is unreachable.
    pub fn distance(&self, from: RouterId) -> u32 {
        self.distance[from.index()]
    }

    /// The number of walks from a router to the target.
    pub fn count(&self, from: RouterId) -> &BigUint {
        self.walks(from, self.extra)
    }

    /// The walk with the given number; `None` if `number` is at least [`DetourPaths::count`].
    pub fn unrank(&self, from: RouterId, number: &BigUint) -> Option<Vec<ChannelId>> {
        self.follow(from, number).map(|walk| walk.path)
    }

    /// The first simple path among the walks from `number` on, continuing with walk 0 after the
    /// last; `None` if `number` is at least [`DetourPaths::count`].
    pub fn unrank_simple(&self, from: RouterId, number: &BigUint) -> Option<Vec<ChannelId>> {
        if number >= self.count(from) {
            return None;
        }
        let mut number = number.clone();
        loop {
            match self.follow(from, &number) {
                None => number = BigUint::ZERO,
                Some(walk) if is_simple(self.network, &walk.path) => return Some(walk.path),
                Some(walk) => {
                    // No walk with this prefix, up to the first repeated router, is simple: skip
                    // all of them.
                    let length = (1..=walk.path.len())
                        .find(|&length| !is_simple(self.network, &walk.path[..length]))?;
                    let (index, block) = &walk.within[length - 1];
                    number = number - index + *block;
                }
            }
        }
    }

    /// The number of a walk among those from its start to the target; `None` if it is not one of
    /// them.
    pub fn rank(&self, path: &[ChannelId]) -> Option<BigUint> {
        let mut at = path.first().map_or(self.target, |&first| self.network.channel(first).tail);
        let mut spare = self.extra;
        let mut number = BigUint::ZERO;
        for &channel in path {
            if at == self.target {
                return None;
            }
            let mut onward = self.onward(at, spare);
            loop {
                let (next, left, count) = onward.next()?;
                if next == channel {
                    spare = left;
                    break;
                }
                number += count;
            }
            at = self.network.channel(channel).head;
        }
        (at == self.target).then_some(number)
    }

    fn walks(&self, from: RouterId, spare: u32) -> &BigUint {
        &self.counts[spare as usize * self.network.router_count() + from.index()]
    }

    /// The channels that a walk may take next, with the detour that then remains and the number of
    /// walks from there on.
    fn onward(&self, at: RouterId, spare: u32) -> impl Iterator<Item = (ChannelId, u32, &BigUint)> {
        self.network.out_channels(at).iter().filter_map(move |&channel| {
            let head = self.network.channel(channel).head;
            let needed = self.distance(head).checked_add(1)? - self.distance(at);
            let left = spare.checked_sub(needed)?;
            Some((channel, left, self.walks(head, left)))
        })
    }

    fn follow(&self, from: RouterId, number: &BigUint) -> Option<Unranked<'_>> {
        if number >= self.count(from) {
            return None;
        }
        let (mut at, mut spare, mut number) = (from, self.extra, number.clone());
        let mut walk = Unranked { path: Vec::new(), within: Vec::new() };
        while at != self.target {
            let mut onward = self.onward(at, spare);
            let (channel, left, count) = onward.find(|&(_, _, count)| {
                let is_further = number >= *count;
                if is_further {
                    number -= count;
                }
                !is_further
            })?;
            walk.path.push(channel);
            walk.within.push((number.clone(), count));
            (at, spare) = (self.network.channel(channel).head, left);
        }
        Some(walk)
    }
}
