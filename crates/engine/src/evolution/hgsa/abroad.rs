//! The islands on other ranks, as the master sees them.

use super::Rules;
use super::colony::{Colony, Leg, Standing};
use super::orders::{Founding, Order, Partner, Report};
use crate::attempt::Helpers;
use crate::chromosome::Chromosome;
use crate::evolution::Frame;
use pavane_cluster::{Channel, Cluster, Unpack};
use std::ops::Range;

/// The islands on other ranks. They end when this is dropped.
pub(super) struct Abroad<'a> {
    cluster: Option<&'a Cluster>,
    channel: Channel,
    ranks: Vec<Distant>,
}

/// The islands of one rank, as it last told.
struct Distant {
    rank: usize,
    islands: Range<usize>,
    report: Report,
    /// Whether it has told something new since it was last answered.
    is_fresh: bool,
}

impl<'a> Abroad<'a> {
    /// Founds all islands but those that stay here, the first ones.
    pub fn found(
        helpers: Option<&'a dyn Helpers>,
        frame: Frame,
        iterations: u64,
        seeds: &[u64],
    ) -> Self {
        let cluster = helpers.map(|helpers| helpers.cluster());
        let count = cluster.map_or(1, Cluster::ranks);
        let channel = cluster.map_or(0, Cluster::own_channel);
        let share = |rank: usize| (rank * seeds.len()).div_ceil(count);
        let mut ranks = Vec::new();
        for rank in 1..count {
            let islands = share(rank)..share(rank + 1);
            let (Some(helpers), false) = (helpers, islands.is_empty()) else { continue };
            let seeds = seeds[islands.clone()].to_vec();
            let founding = Founding { channel, frame, iterations, seeds };
            helpers.request(rank, founding.pack());
            ranks.push(Distant { rank, islands, report: Report::default(), is_fresh: false });
        }
        Self { cluster, channel, ranks }
    }

    /// The first island that does not live here.
    pub fn first(&self, all: usize) -> usize {
        self.ranks.first().map_or(all, |distant| distant.islands.start)
    }

    fn send(&self, rank: usize, order: &Order) {
        if let Some(cluster) = self.cluster {
            cluster.send(rank, self.channel, order.pack());
        }
    }

    /// Lets all walk; they report when they have.
    pub fn walk(&self, leg: Leg) {
        for distant in &self.ranks {
            self.send(distant.rank, &Order::Walk(leg));
        }
    }

    /// Waits until all have reported; what they made, or `None` if the search is stopped.
    pub fn wait(&mut self, is_over: impl Fn() -> bool) -> Option<u64> {
        let Some(cluster) = self.cluster else { return Some(0) };
        let mut made = 0;
        for _ in 0..self.ranks.len() {
            let letter = cluster.receive_unless(self.channel, &is_over)?;
            made += self.note(letter.from, &letter.bytes);
        }
        Some(made)
    }

    /// Takes in what was reported by now; what was made.
    pub fn look(&mut self) -> u64 {
        let Some(cluster) = self.cluster else { return 0 };
        let mut made = 0;
        while let Some(letter) = cluster.try_receive(self.channel) {
            made += self.note(letter.from, &letter.bytes);
        }
        made
    }

    fn note(&mut self, rank: usize, bytes: &[u8]) -> u64 {
        let report = Report::unpack(bytes).unwrap_or_default();
        let made = report.made;
        if let Some(distant) = self.ranks.iter_mut().find(|distant| distant.rank == rank) {
            distant.report = report;
            distant.is_fresh = true;
        }
        made
    }

    /// How the islands stand that have told, in their order, with their numbers.
    pub fn standings(&self) -> impl Iterator<Item = (usize, Standing)> {
        let all =
            |distant: &'_ Distant| distant.islands.clone().zip(distant.report.standings.clone());
        self.ranks.iter().flat_map(all)
    }

    /// What an island has shown.
    pub fn shown(&self, island: usize) -> Option<&[u64]> {
        let distant = self.ranks.iter().find(|distant| distant.islands.contains(&island))?;
        Some(distant.report.shown.get(island - distant.islands.start)?)
    }

    /// What an island has, asked for; `None` if the search is stopped meanwhile.
    pub fn ask(&self, island: usize, is_over: impl Fn() -> bool) -> Option<Vec<u64>> {
        let distant = self.ranks.iter().find(|distant| distant.islands.contains(&island))?;
        self.send(distant.rank, &Order::Give(island - distant.islands.start));
        let letter = self.cluster?.receive_unless(self.channel, is_over)?;
        Unpack::new(&letter.bytes).list()
    }

    /// Tells the islands of those ranks that have reported with whom they cross: `chosen` by island.
    pub fn meet<C: Chromosome>(&mut self, chosen: &[usize], home: &Colony<'_, C>) {
        for at in 0..self.ranks.len() {
            if !std::mem::take(&mut self.ranks[at].is_fresh) {
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
            let shown = |&island: &usize| match island < home.len() {
                true => home.shown(island).pack(),
                false => self.shown(island).unwrap_or_default().to_vec(),
            };
            let sent = far.iter().map(shown).collect();
            self.send(self.ranks[at].rank, &Order::Meet { partners, sent });
        }
    }
}

impl Drop for Abroad<'_> {
    fn drop(&mut self) {
        for distant in &self.ranks {
            self.send(distant.rank, &Order::Part);
        }
    }
}

impl Rules {
    /// The next leg, after so many iterations, with so many left.
    pub(super) fn leg(&self, done: u64, iterations: u64, left: u64) -> Leg {
        let next_cooling = iterations - done % iterations;
        let next_meeting = self.exchange - done % self.exchange;
        let moves = next_cooling.min(next_meeting).min(left).min(LONGEST);
        // Once it is as cold as can be it stays so: the papers tell of one run, not of several.
        let temperature = (done / iterations).min(self.cooling.temperatures() - 1);
        let is_meeting = (done + moves).is_multiple_of(self.exchange);
        Leg { moves, temperature, is_meeting }
    }
}

/// The longest way that islands go without looking up.
const LONGEST: u64 = 1 << 20;
