//! The islands on other ranks, as the master directs them.

use super::islands::{Islands, Quality};
use super::rules::Leg;
use super::wire::{Command, Partner, RankReport, Start};
use crate::chromosome::Chromosome;
use crate::search::Frame;
use pavane_cluster::{Cluster, Tag, decode, encode};
use pavane_search::attempt::Helpers;
use std::ops::Range;

/// The islands on other ranks. Dropping this stops them.
pub(super) struct RemoteIslands<'a> {
    cluster: Option<&'a Cluster>,
    tag: Tag,
    ranks: Vec<Remote>,
}

/// The islands of one rank and its last report.
struct Remote {
    rank: usize,
    islands: Range<usize>,
    report: RankReport,
    /// Whether it has reported since the last exchange with it.
    is_new: bool,
}

impl<'a> RemoteIslands<'a> {
    /// Starts the islands of the other ranks. The first islands run on this rank.
    pub fn start(
        helpers: Option<&'a dyn Helpers>,
        frame: Frame,
        iterations: u64,
        seeds: &[u64],
    ) -> Self {
        let cluster = helpers.map(|helpers| helpers.cluster());
        let count = cluster.map_or(1, Cluster::ranks);
        let tag = cluster.map_or(0, Cluster::own_tag);
        let share = |rank: usize| (rank * seeds.len()).div_ceil(count);
        let mut ranks = Vec::new();
        for rank in 1..count {
            let islands = share(rank)..share(rank + 1);
            let (Some(helpers), false) = (helpers, islands.is_empty()) else { continue };
            let seeds = seeds[islands.clone()].to_vec();
            let start = Start { tag, frame, iterations, seeds };
            helpers.request(rank, encode(&start));
            ranks.push(Remote { rank, islands, report: RankReport::default(), is_new: false });
        }
        Self { cluster, tag, ranks }
    }

    /// The first island of another rank.
    pub fn first(&self, all: usize) -> usize {
        self.ranks.first().map_or(all, |remote| remote.islands.start)
    }

    fn send(&self, rank: usize, command: &Command) {
        if let Some(cluster) = self.cluster {
            cluster.send(rank, self.tag, encode(command));
        }
    }

    /// Starts a leg on all ranks. Each reports when it is done.
    pub fn anneal(&self, leg: Leg) {
        for remote in &self.ranks {
            self.send(remote.rank, &Command::Anneal(leg));
        }
    }

    /// Waits for a report from every rank. Returns their evaluations; `None` if the search is stopped.
    pub fn wait(&mut self, is_over: impl Fn() -> bool) -> Option<u64> {
        let Some(cluster) = self.cluster else { return Some(0) };
        let mut made = 0;
        for _ in 0..self.ranks.len() {
            let message = cluster.receive_unless(self.tag, &is_over)?;
            made += self.note(message.from, &message.bytes);
        }
        Some(made)
    }

    /// Reads the reports that have arrived. Returns their evaluations.
    pub fn poll(&mut self) -> u64 {
        let Some(cluster) = self.cluster else { return 0 };
        let mut made = 0;
        while let Some(message) = cluster.try_receive(self.tag) {
            made += self.note(message.from, &message.bytes);
        }
        made
    }

    fn note(&mut self, rank: usize, bytes: &[u8]) -> u64 {
        let report = decode::<RankReport>(bytes).unwrap_or_default();
        let made = report.made;
        if let Some(remote) = self.ranks.iter_mut().find(|remote| remote.rank == rank) {
            remote.report = report;
            remote.is_new = true;
        }
        made
    }

    /// The islands of the ranks that have reported, with the quality of their solutions, in order.
    pub fn qualities(&self) -> impl Iterator<Item = (usize, Quality)> {
        let all = |remote: &'_ Remote| remote.islands.clone().zip(remote.report.qualities.clone());
        self.ranks.iter().flat_map(all)
    }

    /// The packed solution of an island at the last exchange.
    pub fn offered(&self, island: usize) -> Option<&[u64]> {
        let remote = self.ranks.iter().find(|remote| remote.islands.contains(&island))?;
        Some(remote.report.offered.get(island - remote.islands.start)?)
    }

    /// Requests the current solution of an island; `None` if the search is stopped before it arrives.
    pub fn request(&self, island: usize, is_over: impl Fn() -> bool) -> Option<Vec<u64>> {
        let remote = self.ranks.iter().find(|remote| remote.islands.contains(&island))?;
        self.send(remote.rank, &Command::Send(island - remote.islands.start));
        let message = self.cluster?.receive_unless(self.tag, is_over)?;
        decode(&message.bytes)
    }

    /// Sends every rank that has reported the partners of its islands: `chosen` by island.
    pub fn exchange<C: Chromosome>(&mut self, chosen: &[usize], local: &Islands<'_, C>) {
        for at in 0..self.ranks.len() {
            if !std::mem::take(&mut self.ranks[at].is_new) {
                continue;
            }
            let own = self.ranks[at].islands.clone();
            let mut far: Vec<usize> = Vec::new();
            let mut partner = |&island: &usize| {
                if own.contains(&island) {
                    return Partner::Near(island - own.start);
                }
                let place = far.iter().position(|&other| other == island);
                Partner::Far(place.unwrap_or_else(|| {
                    far.push(island);
                    far.len() - 1
                }))
            };
            let partners = chosen[own.clone()].iter().map(&mut partner).collect();
            let offered = |&island: &usize| {
                if island < local.len() {
                    local.offered(island).pack()
                } else {
                    self.offered(island).unwrap_or_default().to_vec()
                }
            };
            let sent = far.iter().map(offered).collect();
            self.send(self.ranks[at].rank, &Command::Cross { partners, sent });
        }
    }
}

impl Drop for RemoteIslands<'_> {
    fn drop(&mut self) {
        for remote in &self.ranks {
            self.send(remote.rank, &Command::Stop);
        }
    }
}
