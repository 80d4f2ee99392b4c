//! All paths between the relevant routers, listed once and looked up by number: the "index of a
//! shortest path" in the papers' chromosomes. If there are too many, an evenly spaced selection.

use crate::paths::DetourPaths;
use num_bigint::BigUint;
use pavane_model::{ChannelId, Network, RouterId};
use pavane_search::Interrupt;
use rayon::prelude::*;
use std::ops::Range;

/// Maximum number of channels in a table, over all its paths.
const MOST_CHANNELS: u64 = 16_000_000;

/// Paths listed between two routers even if the table grows too large.
const LEAST_PATHS: u64 = 2;

/// Maximum number of paths listed between two routers.
const MOST_PATHS: u64 = 1 << 16;

/// Paths from some routers to others, at most a given number of channels longer than the shortest.
#[derive(Debug, Clone)]
pub struct PathTable {
    source_rows: Vec<u32>,
    target_rows: Vec<u32>,
    sources: usize,
    /// By target and then source: the number of its first path.
    firsts: Vec<u32>,
    /// By path: where its channels begin; and the end of the last.
    ends: Vec<u32>,
    channels: Vec<ChannelId>,
}

/// The paths to one target.
#[derive(Default)]
struct Listed {
    counts: Vec<u32>,
    lengths: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl PathTable {
    /// Lists the paths at most `extra` channels longer than the shortest. Every target must be
    /// reachable from every source.
    pub fn new(network: &Network, sources: &[RouterId], targets: &[RouterId], extra: u32) -> Self {
        let table = Self::new_until(network, sources, targets, extra, &Interrupt::never());
        table.expect("this interrupt is never raised")
    }

    /// The same; `None` at an interrupt.
    pub fn new_until(
        network: &Network,
        sources: &[RouterId],
        targets: &[RouterId],
        extra: u32,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let limit = limit(network, sources, targets, extra, interrupt)?;
        let list = |&to: &RouterId| {
            (!interrupt.is_raised()).then(|| list_to(network, sources, to, extra, limit))
        };
        let listed: Vec<Listed> = targets.par_iter().map(list).collect::<Option<_>>()?;
        let mut table = Self {
            source_rows: rows(network, sources),
            target_rows: rows(network, targets),
            sources: sources.len(),
            firsts: vec![0],
            ends: vec![0],
            channels: Vec::new(),
        };
        for part in listed {
            for count in part.counts {
                table.firsts.push(table.firsts[table.firsts.len() - 1] + count);
            }
            for length in part.lengths {
                table.ends.push(table.ends[table.ends.len() - 1] + length);
            }
            table.channels.extend(part.channels);
        }
        Some(table)
    }

    /// The numbers of the paths from a source to a target: at least one, if there is a path.
    pub fn between(&self, source: RouterId, target: RouterId) -> Range<u32> {
        let row = self.target_rows[target.index()] as usize * self.sources
            + self.source_rows[source.index()] as usize;
        self.firsts[row]..self.firsts[row + 1]
    }

    /// The channels of a path.
    pub fn path(&self, number: u32) -> &[ChannelId] {
        let number = number as usize;
        &self.channels[self.ends[number] as usize..self.ends[number + 1] as usize]
    }
}

fn rows(network: &Network, routers: &[RouterId]) -> Vec<u32> {
    let mut rows = vec![u32::MAX; network.router_count()];
    for (row, router) in routers.iter().enumerate() {
        rows[router.index()] = row as u32;
    }
    rows
}

/// The maximum number of paths between two routers for which the table stays within its limit.
fn limit(
    network: &Network,
    sources: &[RouterId],
    targets: &[RouterId],
    extra: u32,
    interrupt: &Interrupt,
) -> Option<u64> {
    pavane_search::start_threads();
    let sizes_to = |&target: &RouterId| {
        if interrupt.is_raised() {
            return None;
        }
        let paths = DetourPaths::to(network, target, extra);
        let size = |&source: &RouterId| {
            let count = u64::try_from(paths.count(source)).unwrap_or(u64::MAX);
            (count, u64::from(paths.distance(source).saturating_add(extra)))
        };
        Some(sources.iter().map(size).collect::<Vec<_>>())
    };
    let sizes: Vec<Vec<(u64, u64)>> = targets.par_iter().map(sizes_to).collect::<Option<_>>()?;
    let mut limit = MOST_PATHS;
    let total = |limit: u64| {
        sizes.iter().flatten().fold(0u64, |sum, &(count, length)| {
            sum.saturating_add(count.min(limit).saturating_mul(length))
        })
    };
    while limit > LEAST_PATHS && total(limit) > MOST_CHANNELS {
        limit /= 2;
    }
    Some(limit)
}

fn list_to(
    network: &Network,
    sources: &[RouterId],
    target: RouterId,
    extra: u32,
    limit: u64,
) -> Listed {
    let numbered = DetourPaths::to(network, target, extra);
    let limit = BigUint::from(limit);
    let mut listed = Listed::default();
    for &source in sources {
        let before = listed.lengths.len();
        if numbered.count(source) <= &limit {
            list_all(network, &numbered, source, target, extra, &mut listed)
        } else {
            list_evenly(&numbered, source, extra, &limit, &mut listed)
        }
        listed.counts.push((listed.lengths.len() - before) as u32);
    }
    listed
}

/// Lists every path depth-first, which is faster than unranking each number.
fn list_all(
    network: &Network,
    numbered: &DetourPaths<'_>,
    source: RouterId,
    target: RouterId,
    extra: u32,
    listed: &mut Listed,
) {
    // Directed networks may have no path.
    let distance = numbered.distance(source);
    if distance == u32::MAX {
        return;
    }
    let most = (distance + extra) as usize;
    let mut path: Vec<ChannelId> = Vec::new();
    // By hop: the index of the next channel to try at that router.
    let mut next = vec![0];
    let mut at = source;
    while let Some(choice) = next.last_mut() {
        if at == target {
            listed.channels.extend(&path);
            listed.lengths.push(path.len() as u32);
        }
        let channel = network.out_channels(at).get(*choice).filter(|_| at != target);
        *choice += 1;
        match channel {
            None => {
                next.pop();
                let Some(last) = path.pop() else { return };
                at = network.channel(last).tail;
            }
            Some(&channel) => {
                let head = network.channel(channel).head;
                let distance = numbered.distance(head);
                let is_in_time = distance != u32::MAX && path.len() + 1 + distance as usize <= most;
                let is_new = extra < 2
                    || head != source && path.iter().all(|&c| network.channel(c).head != head);
                if is_in_time && is_new {
                    path.push(channel);
                    next.push(0);
                    at = head;
                }
            }
        }
    }
}

/// Lists paths with evenly spaced numbers.
fn list_evenly(
    numbered: &DetourPaths<'_>,
    source: RouterId,
    extra: u32,
    limit: &BigUint,
    listed: &mut Listed,
) {
    let mut last = Vec::new();
    let mut index = BigUint::ZERO;
    while index < *limit {
        let number = numbered.count(source) * &index / limit;
        let path = match extra {
            0 | 1 => numbered.unrank(source, &number),
            _ => numbered.unrank_simple(source, &number),
        };
        // Walks that are not simple are skipped, so several numbers may give the same path.
        if let Some(path) = path.filter(|path| *path != last) {
            listed.channels.extend(&path);
            listed.lengths.push(path.len() as u32);
            last = path;
        }
        index += 1u32;
    }
}

#[cfg(test)]
mod tests {
    use super::PathTable;
    use crate::paths::is_simple;
    use pavane_model::RouterId;
    use pavane_networks::topology;

    #[test]
    fn every_path_is_listed_once_in_the_order_of_its_number() {
        let network = topology::build("hypercube:4").unwrap();
        let all: Vec<RouterId> = network.routers().collect();
        for (extra, antipodal) in [(0, 24), (1, 24), (2, 24 + 96)] {
            let table = PathTable::new(&network, &all, &all, extra);
            let numbers = table.between(RouterId(0), RouterId(15));
            assert_eq!(numbers.len(), antipodal, "detour {extra}");
            let paths: Vec<_> = numbers.map(|number| table.path(number)).collect();
            assert!(paths.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(paths.iter().all(|path| is_simple(&network, path)));
            assert_eq!(table.between(RouterId(3), RouterId(3)).len(), 1);
        }
    }

    #[test]
    fn too_many_paths_are_thinned_out_evenly() {
        let network = topology::build("hypercube:12").unwrap();
        let table = PathTable::new(&network, &[RouterId(0)], &[RouterId(4095)], 2);
        let numbers = table.between(RouterId(0), RouterId(4095));
        assert!(numbers.len() > 10_000);
        let first = |number| table.path(number)[0];
        let mut firsts: Vec<_> = numbers.map(first).collect();
        firsts.dedup();
        assert_eq!(firsts.len(), 12);
    }
}
