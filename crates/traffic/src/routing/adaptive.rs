//! Adaptive routing: channels are chosen while the message travels. Progressive adaptive (PA) takes
//! the lowest free dimension that brings the message closer. Depth-first (DFS) tries closer
//! channels first, then any other free channel to a router not yet visited, until all paths are
//! tried (Chen and Shin, 1990).

use super::dimension_order::dimensions;
use super::table::check_size;
use crate::error::TrafficError;
use pavane_model::{ChannelId, Network, RouterId};

/// Which channels a message may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Channels that bring the message closer.
    Closer,
    /// Also others, if no channel that brings it closer is free.
    Detours,
}

/// Precomputed data of a network for adaptive routing.
#[derive(Debug, Clone)]
pub struct Adaptive {
    /// Which channels a message may take.
    pub reach: Reach,
    routers: usize,
    /// Hops between all routers, by destination.
    distances: Vec<u16>,
    /// The channels that leave each router, lowest dimension first.
    leaving: Vec<Vec<u32>>,
    heads: Vec<u32>,
}

impl Adaptive {
    /// Prepares a network. Fails unless every processor can reach every other.
    pub fn new(network: &Network, reach: Reach) -> Result<Self, TrafficError> {
        check_size(network)?;
        let routers = network.router_count();
        let mut distances = vec![u16::MAX; routers * routers];
        let ends = network.routers().filter(|&router| !network.residents(router).is_empty());
        for to in ends.clone() {
            let row = network.distances_to(to);
            if let Some(from) = ends.clone().find(|from| row[from.index()] == u32::MAX) {
                return Err(TrafficError::NoWay {
                    routing: "adaptive routing".to_owned(),
                    from: network.router_name(from),
                    to: network.router_name(to),
                    advice: "",
                });
            }
            let hops = row.iter().map(|&hops| u16::try_from(hops).unwrap_or(u16::MAX));
            distances[to.index() * routers..][..routers].copy_from_slice(&hops.collect::<Vec<_>>());
        }
        let dimension = dimensions(network);
        let place = |channel: ChannelId| (dimension.get(channel.index()).copied(), channel);
        let leaving = network.routers().map(|router| {
            let mut channels = network.out_channels(router).to_vec();
            channels.sort_unstable_by_key(|&channel| place(channel));
            channels.into_iter().map(|channel| channel.0).collect()
        });
        let leaving = leaving.collect();
        let heads = network.channels().iter().map(|channel| channel.head.0).collect();
        Ok(Self { reach, routers, distances, leaving, heads })
    }

    /// Hops from one router to another.
    #[inline]
    pub(crate) fn distance(&self, from: u32, to: u32) -> u32 {
        u32::from(self.distances[to as usize * self.routers + from as usize])
    }

    /// The head router of a channel.
    #[inline]
    pub(crate) fn head(&self, channel: u32) -> u32 {
        self.heads[channel as usize]
    }

    /// The channels that bring a message closer, lowest dimension first.
    pub(crate) fn closer(&self, at: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let here = self.distance(at, to);
        let leaving = self.leaving[at as usize].iter().copied();
        leaving.filter(move |&channel| self.distance(self.head(channel), to) < here)
    }

    /// The other channels, lowest dimension first.
    pub(crate) fn others(&self, at: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let here = self.distance(at, to);
        let leaving = self.leaving[at as usize].iter().copied();
        leaving.filter(move |&channel| self.distance(self.head(channel), to) >= here)
    }

    /// Searches depth-first for a path of free channels that visits no router twice. If there is
    /// none, `search.busy` lists the channels that block the way.
    pub(crate) fn free_path(
        &self,
        from: RouterId,
        to: RouterId,
        is_free: impl Fn(u32) -> bool,
        search: &mut FreePathSearch,
    ) -> bool {
        search.path.clear();
        search.busy.clear();
        search.stack.clear();
        search.round += 1;
        search.seen.resize(self.routers, 0);
        search.seen[from.index()] = search.round;
        search.push_channels(self, from.0, to.0);
        while let Some(&(channel, depth)) = search.stack.last() {
            search.stack.pop();
            search.path.truncate(depth as usize);
            let head = self.head(channel);
            if search.seen[head as usize] == search.round {
                continue;
            }
            if !is_free(channel) {
                search.busy.push(channel);
                continue;
            }
            search.seen[head as usize] = search.round;
            search.path.push(channel);
            if head == to.0 {
                return true;
            }
            search.push_channels(self, head, to.0);
        }
        false
    }
}

/// Buffers of a search for a free path, reused between searches.
#[derive(Debug, Default)]
pub(crate) struct FreePathSearch {
    /// The path found.
    pub(crate) path: Vec<u32>,
    /// Channels that were busy.
    pub(crate) busy: Vec<u32>,
    /// Channels still to try, the next one last, each with the number of hops before it.
    stack: Vec<(u32, u32)>,
    seen: Vec<u32>,
    round: u32,
}

impl FreePathSearch {
    /// Pushes the channels of a router onto the stack, the first to be tried last.
    fn push_channels(&mut self, adaptive: &Adaptive, at: u32, to: u32) {
        let depth = self.path.len() as u32;
        let start = self.stack.len();
        self.stack.extend(adaptive.closer(at, to).map(|channel| (channel, depth)));
        if adaptive.reach == Reach::Detours {
            self.stack.extend(adaptive.others(at, to).map(|channel| (channel, depth)));
        }
        self.stack[start..].reverse();
    }
}
