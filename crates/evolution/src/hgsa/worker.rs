//! Runs islands on a rank other than the master's.

use super::islands::Islands;
use super::rules::Rules;
use super::wire::{Command, Partner, RankReport, Start};
use crate::chromosome::Chromosome;
use crate::encoding::{Encoding, encodings};
use crate::search::{Frame, IndividualSearch};
use pavane_cluster::{Cluster, decode, encode};
use pavane_search::{Budget, Context, Rng};

/// Runs islands until the master on rank 0 stops them, or the search is over.
pub(super) fn run_islands(context: &Context, request: &[u8], cluster: &Cluster, budget: &Budget) {
    let Some(start) = decode::<Start>(request) else { return };
    let rules = &Rules::new(context.parameters());
    let encoding = &Encoding::new(context.parameters());
    let frame = start.frame;
    let worker = Worker { rules, start, cluster, budget };
    let own = &mut budget.clone();
    encodings(context, frame, encoding, budget.interrupt(), |genome| {
        genome.search(&worker, frame, u64::MAX, own, &mut Rng::seeded(0))
    });
}

struct Worker<'a> {
    rules: &'a Rules,
    start: Start,
    cluster: &'a Cluster,
    budget: &'a Budget,
}

impl IndividualSearch for Worker<'_> {
    /// Always returns `None`: the master fetches the solution.
    fn run<C: Chromosome>(
        &self,
        _: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        _: u64,
        _: &mut Budget,
        _: &mut Rng,
    ) -> Option<C> {
        let is_stopped = || self.budget.is_stopped();
        let mut islands = Islands::new(self.rules, &random, &self.start.seeds, is_stopped)?;
        if self.rules.is_asynchronous {
            self.run_asynchronously(&mut islands)
        } else {
            self.follow_commands(&mut islands)
        }
        None
    }
}

impl Worker<'_> {
    /// Executes the commands of the master in order.
    fn follow_commands<C: Chromosome>(&self, islands: &mut Islands<'_, C>) {
        while let Some(message) = self.receive() {
            match decode(&message) {
                Some(Command::Anneal(leg)) => {
                    let made = islands.anneal(leg, || self.budget.is_stopped());
                    self.report(islands, made, leg.is_exchange);
                }
                Some(Command::Cross { partners, sent }) => cross_all(islands, &partners, &sent),
                Some(Command::Send(island)) => {
                    self.send(encode(&islands.current(island).pack()));
                }
                Some(Command::Stop) | None => return,
            }
        }
    }

    /// Anneals without waiting for other ranks. An exchange uses the commands that have arrived by then.
    fn run_asynchronously<C: Chromosome>(&self, islands: &mut Islands<'_, C>) {
        let (mut done, mut made) = (0, 0);
        loop {
            let leg = self.rules.leg(done, self.start.iterations, u64::MAX);
            made += islands.anneal(leg, || self.budget.is_stopped());
            done += leg.moves;
            let is_found = islands.qualities().any(|one| one.conflicts == 0);
            if leg.is_exchange || is_found {
                self.report(islands, std::mem::take(&mut made), true);
            }
            loop {
                let tag = self.start.tag;
                // After a success only the command to stop is left.
                let message = if is_found {
                    self.receive()
                } else {
                    self.cluster.try_receive(tag).map(|message| message.bytes)
                };
                match message.map(|bytes| decode(&bytes)) {
                    Some(Some(Command::Cross { partners, sent })) if !is_found => {
                        cross_all(islands, &partners, &sent);
                    }
                    Some(Some(Command::Stop) | None) => return,
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

    fn report<C: Chromosome>(&self, islands: &mut Islands<'_, C>, made: u64, is_exchange: bool) {
        let mut report =
            RankReport { made, qualities: islands.qualities().collect(), offered: Vec::new() };
        if is_exchange {
            islands.offer();
            report.offered =
                (0..islands.len()).map(|island| islands.offered(island).pack()).collect();
        }
        self.send(encode(&report));
    }

    /// The next message of the master; `None` once the search is over.
    fn receive(&self) -> Option<Vec<u8>> {
        let is_over = || self.budget.is_stopped();
        let message = self.cluster.receive_unless(self.start.tag, is_over);
        message.map(|message| message.bytes)
    }

    fn send(&self, bytes: Vec<u8>) {
        self.cluster.send(0, self.start.tag, bytes);
    }
}

fn cross_all<C: Chromosome>(islands: &mut Islands<'_, C>, partners: &[Partner], sent: &[Vec<u64>]) {
    for (island, partner) in partners.iter().enumerate().take(islands.len()) {
        match *partner {
            Partner::Near(other) if other < islands.len() => islands.cross(island, other),
            Partner::Near(_) => {}
            Partner::Far(at) => islands.cross_with(island, sent.get(at).map_or(&[], |it| it)),
        }
    }
}
