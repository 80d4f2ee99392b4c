//! Islands that a master on another rank leads.

use super::Rules;
use super::colony::Colony;
use super::orders::{Founding, Order, Partner, Report};
use crate::attempt::Context;
use crate::budget::Budget;
use crate::chromosome::Chromosome;
use crate::evolution::encoding::{Encoding, encodings};
use crate::evolution::{Frame, Search};
use crate::rng::Rng;
use pavane_cluster::{Cluster, Letter, Pack};

/// Hosts islands until the master on rank 0 dismisses them, or the search is over.
pub(super) fn host(context: &Context, request: &[u8], cluster: &Cluster, budget: &Budget) {
    let Some(founding) = Founding::unpack(request) else { return };
    let rules = &Rules::new(context.parameters());
    let encoding = &Encoding::new(context.parameters());
    let frame = founding.frame;
    let servant = Servant { rules, founding, cluster, budget };
    let own = &mut budget.clone();
    encodings(context, frame, encoding, budget.interrupt(), |genome| {
        genome.search(&servant, frame, u64::MAX, own, &mut Rng::seeded(0))
    });
}

struct Servant<'a> {
    rules: &'a Rules,
    founding: Founding,
    cluster: &'a Cluster,
    budget: &'a Budget,
}

impl Search for Servant<'_> {
    /// Never finds anything: that is for the master to say.
    fn run<C: Chromosome>(
        &self,
        _: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        _: u64,
        _: &mut Budget,
        _: &mut Rng,
    ) -> Option<C> {
        let is_stopped = || self.budget.is_stopped();
        let mut colony = Colony::new(self.rules, &random, &self.founding.seeds, is_stopped)?;
        match self.rules.is_asynchronous {
            true => self.go(&mut colony),
            false => self.obey(&mut colony),
        }
        None
    }
}

impl Servant<'_> {
    /// Does what the master says, step by step.
    fn obey<C: Chromosome>(&self, colony: &mut Colony<'_, C>) {
        while let Some(letter) = self.receive() {
            match Order::unpack(&letter.bytes) {
                Some(Order::Walk(leg)) => {
                    let made = colony.walk(leg, || self.budget.is_stopped());
                    self.report(colony, made, leg.is_meeting);
                }
                Some(Order::Meet { partners, sent }) => meet(colony, &partners, &sent),
                Some(Order::Give(island)) => {
                    let numbers = colony.current(island).pack();
                    self.send(Pack::new().list(numbers.into_iter()).done());
                }
                Some(Order::Part) | None => return,
            }
        }
    }

    /// Goes on without waiting for anybody, and takes what has come when it is time to meet.
    fn go<C: Chromosome>(&self, colony: &mut Colony<'_, C>) {
        let (mut done, mut made) = (0, 0);
        loop {
            let leg = self.rules.leg(done, self.founding.iterations, u64::MAX);
            made += colony.walk(leg, || self.budget.is_stopped());
            done += leg.moves;
            let is_found = colony.standings().any(|one| one.conflicts == 0);
            if leg.is_meeting || is_found {
                self.report(colony, std::mem::take(&mut made), true);
            }
            loop {
                let channel = self.founding.channel;
                // Who has found something has nothing to do but wait for the end.
                let letter = match is_found {
                    true => self.receive(),
                    false => self.cluster.try_receive(channel),
                };
                match letter.map(|letter| Order::unpack(&letter.bytes)) {
                    Some(Some(Order::Meet { partners, sent })) if !is_found => {
                        meet(colony, &partners, &sent);
                    }
                    Some(Some(Order::Part) | None) => return,
                    Some(_) => {}
                    None if is_found => return,
                    None => break,
                }
            }
            if self.budget.is_stopped() {
                return;
            }
        }
    }

    fn report<C: Chromosome>(&self, colony: &mut Colony<'_, C>, made: u64, is_meeting: bool) {
        let mut report =
            Report { made, standings: colony.standings().collect(), shown: Vec::new() };
        if is_meeting {
            colony.show();
            report.shown = (0..colony.len()).map(|island| colony.shown(island).pack()).collect();
        }
        self.send(report.pack());
    }

    /// The next order; `None` once the search is over.
    fn receive(&self) -> Option<Letter> {
        self.cluster.receive_unless(self.founding.channel, || self.budget.is_stopped())
    }

    fn send(&self, bytes: Vec<u8>) {
        self.cluster.send(0, self.founding.channel, bytes);
    }
}

fn meet<C: Chromosome>(colony: &mut Colony<'_, C>, partners: &[Partner], sent: &[Vec<u64>]) {
    for (island, partner) in partners.iter().enumerate().take(colony.len()) {
        match *partner {
            Partner::Near(other) if other < colony.len() => colony.cross(island, other),
            Partner::Near(_) => {}
            Partner::Far(at) => colony.cross_with(island, sent.get(at).map_or(&[], |it| it)),
        }
    }
}
