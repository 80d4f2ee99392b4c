//! Rings through all ranks that share no more bandwidth than the channels have, found one after the
//! other: each is a cycle whose slowest channel is as fast as possible with what the earlier ones leave.

use crate::ranks::Ranks;
use pavane_model::{ChannelId, RouterId};
use std::collections::VecDeque;

/// A ring.
pub(crate) struct Ring {
    /// The ranks in order.
    pub order: Vec<usize>,
    /// By place: the path to the next rank.
    pub paths: Vec<Vec<ChannelId>>,
    /// Its bandwidth.
    pub rate: f64,
}

/// The most rings.
const MOST_RINGS: usize = 16;

/// Ranks tried in the search for a cycle.
const MOST_TRIES: u32 = 3_000;

/// How often the rings are searched for, each time with other preferences.
const ATTEMPTS: u64 = 40;

/// A ring slower than the first one by this factor is not worth its latency.
const LEAST_SHARE: f64 = 0.1;

/// The rings of a phase, at least one. Without a cycle it is the order of the ranks, over quickest paths.
pub(crate) fn rings(ranks: &mut Ranks) -> Vec<Ring> {
    let bandwidths = ranks.network().bandwidths().unwrap_or_default();
    let bandwidths: Vec<f64> = bandwidths.iter().map(|it| it.to_f64()).collect();
    let total = |rings: &[Ring]| rings.iter().map(|ring| ring.rate).sum::<f64>();
    let most = most_rate(ranks, &bandwidths);
    let mut best: Vec<Ring> = Vec::new();
    for attempt in 0..ATTEMPTS {
        let found = search(ranks, bandwidths.clone(), attempt);
        if total(&found) > total(&best) {
            best = found;
        }
        if best.is_empty() || total(&best) > most - 1e-9 {
            break;
        }
    }
    if best.is_empty() {
        let count = ranks.count();
        let paths = (0..count).map(|rank| ranks.path(rank, (rank + 1) % count, 1)).collect();
        best.push(Ring { order: (0..count).collect(), paths, rate: 1.0 });
    }
    best
}

/// A bandwidth that no set of rings exceeds: what leaves or enters some rank.
fn most_rate(ranks: &Ranks, bandwidths: &[f64]) -> f64 {
    let network = ranks.network();
    let sum = |channels: &[ChannelId]| channels.iter().map(|it| bandwidths[it.index()]).sum();
    let of_rank = |rank: usize| {
        let home = ranks.home(rank);
        f64::min(sum(network.out_channels(home)), sum(network.in_channels(home)))
    };
    (0..ranks.count()).map(of_rank).fold(f64::INFINITY, f64::min)
}

/// Rings one after the other. `left` is the bandwidth of every channel.
fn search(ranks: &Ranks, mut left: Vec<f64>, attempt: u64) -> Vec<Ring> {
    let mut rings: Vec<Ring> = Vec::new();
    while rings.len() < MOST_RINGS
        && let Some(ring) = best_ring(ranks, &left, (attempt, rings.len()))
        && rings.first().is_none_or(|first| ring.rate >= LEAST_SHARE * first.rate)
    {
        for &channel in ring.paths.iter().flatten() {
            left[channel.index()] -= ring.rate;
        }
        rings.push(ring);
    }
    rings
}

/// The ring with the fastest slowest channel.
fn best_ring(ranks: &Ranks, left: &[f64], (attempt, number): (u64, usize)) -> Option<Ring> {
    let mut rates: Vec<f64> = left.iter().copied().filter(|&rate| rate > 1e-9).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    rates.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    rates.into_iter().find_map(|rate| {
        let paths: Vec<Vec<(usize, Vec<ChannelId>)>> =
            (0..ranks.count()).map(|rank| neighbours(ranks, rank, left, rate)).collect();
        let order = cycle(&paths, attempt, number % paths.len())?;
        let next = |place: usize| order[(place + 1) % order.len()];
        let path = |place: usize| {
            let found = paths[order[place]].iter().find(|(rank, _)| *rank == next(place));
            found.map(|(_, path)| path.clone())
        };
        let paths: Vec<Vec<ChannelId>> = (0..order.len()).map(path).collect::<Option<_>>()?;
        let mut uses = vec![0u32; left.len()];
        paths.iter().flatten().for_each(|channel| uses[channel.index()] += 1);
        let used = (0..left.len()).filter(|&at| uses[at] > 0);
        let rate = used.map(|at| left[at] / f64::from(uses[at])).fold(f64::INFINITY, f64::min);
        Some(Ring { order, paths, rate })
    })
}

/// The ranks that a rank reaches over switches alone, on channels with a bandwidth left, with paths.
fn neighbours(ranks: &Ranks, rank: usize, left: &[f64], rate: f64) -> Vec<(usize, Vec<ChannelId>)> {
    let network = ranks.network();
    let start = ranks.home(rank);
    let mut entry: Vec<Option<ChannelId>> = vec![None; network.router_count()];
    let mut found = Vec::new();
    let mut open: VecDeque<RouterId> = VecDeque::from([start]);
    while let Some(router) = open.pop_front() {
        let mut channels: Vec<ChannelId> = network.out_channels(router).to_vec();
        channels.retain(|it| left[it.index()] >= rate - 1e-9);
        // The emptiest of parallel channels.
        channels.sort_by(|a, b| left[b.index()].total_cmp(&left[a.index()]));
        for channel in channels {
            let head = network.channel(channel).head;
            if head == start || entry[head.index()].is_some() {
                continue;
            }
            entry[head.index()] = Some(channel);
            let resident = network.residents(head).first();
            match resident.and_then(|&it| ranks.rank_of(it)) {
                Some(next) => found.push((next, back(ranks, &entry, start, head))),
                None if resident.is_none() => open.push_back(head),
                None => {}
            }
        }
    }
    found
}

/// The path from `start` to `end` along entries.
fn back(
    ranks: &Ranks,
    entry: &[Option<ChannelId>],
    start: RouterId,
    end: RouterId,
) -> Vec<ChannelId> {
    let mut path = Vec::new();
    let mut router = end;
    while router != start
        && let Some(channel) = entry[router.index()]
    {
        path.push(channel);
        router = ranks.network().channel(channel).tail;
    }
    path.reverse();
    path
}

/// A cycle through all ranks from a rank on, by depth-first search that prefers near ranks with few ways
/// out.
fn cycle(paths: &[Vec<(usize, Vec<ChannelId>)>], attempt: u64, start: usize) -> Option<Vec<usize>> {
    let is_used = vec![false; paths.len()];
    let mut search = CycleSearch { paths, attempt, order: vec![start], is_used, tries: MOST_TRIES };
    search.is_used[start] = true;
    search.extend().then_some(search.order)
}

struct CycleSearch<'a> {
    paths: &'a [Vec<(usize, Vec<ChannelId>)>],
    /// The first attempt prefers low ranks, each later one others.
    attempt: u64,
    order: Vec<usize>,
    is_used: Vec<bool>,
    tries: u32,
}

impl CycleSearch<'_> {
    fn extend(&mut self) -> bool {
        let last = self.order[self.order.len() - 1];
        if self.order.len() == self.paths.len() {
            return self.paths[last].iter().any(|(next, _)| *next == self.order[0]);
        }
        let onward = |rank: usize| {
            let free = self.paths[rank].iter().filter(|(next, _)| !self.is_used[*next]);
            free.count()
        };
        let mixed = |rank: usize| {
            // Each ring enters and leaves boxes at other ranks than the one before.
            if self.attempt == 0 {
                return ((rank + self.paths.len() - self.order[0]) % self.paths.len()) as u64;
            }
            let seed = self.attempt << 32 | (last << 16 | rank) as u64;
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(self.attempt)
        };
        // (hops, ways out, preference, rank)
        let mut next: Vec<(usize, usize, u64, usize)> = self.paths[last]
            .iter()
            .filter(|(rank, _)| !self.is_used[*rank])
            .map(|(rank, path)| (path.len(), onward(*rank), mixed(*rank), *rank))
            .collect();
        next.sort_unstable();
        for (_, _, _, rank) in next {
            let Some(tries) = self.tries.checked_sub(1) else { return false };
            self.tries = tries;
            self.is_used[rank] = true;
            self.order.push(rank);
            if self.extend() {
                return true;
            }
            self.order.pop();
            self.is_used[rank] = false;
        }
        false
    }
}
