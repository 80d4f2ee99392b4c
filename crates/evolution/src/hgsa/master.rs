//! The master on rank 0: directs the islands of all ranks and runs its own share of them.

use super::islands::{CROSSOVER, Islands, Quality};
use super::remote::RemoteIslands;
use super::rules::Rules;
use crate::chromosome::Chromosome;
use crate::search::{Frame, IndividualSearch};
use pavane_search::attempt::Helpers;
use pavane_search::{Budget, Rng};

/// The search of the master.
pub(super) struct Master<'a> {
    pub rules: &'a Rules,
    /// Other ranks that run some of the islands.
    pub helpers: Option<&'a dyn Helpers>,
}

impl IndividualSearch for Master<'_> {
    fn run<C: Chromosome>(
        &self,
        frame: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C> {
        let rules = self.rules;
        let end = budget.spent().saturating_add(quota);
        // Creating an island is one evaluation, and every iteration costs one per island.
        let islands = rules.islands.min(quota).max(1);
        let iterations = rules.cooling.iterations(quota / islands);
        let seeds: Vec<u64> = (0..islands).map(|_| rng.bits()).collect();
        let mut remote = RemoteIslands::start(self.helpers, frame, iterations, &seeds);
        let own = &seeds[..remote.first(seeds.len())];
        let mut local = Islands::new(rules, &random, own, || budget.is_stopped())?;
        budget.spend(islands);
        let mut done = 0;
        loop {
            let left = end.saturating_sub(budget.spent()) / islands;
            let leg = rules.leg(done, iterations, left);
            let is_stopped = || budget.is_stopped();
            let mut made = if rules.is_asynchronous {
                local.anneal(leg, is_stopped) + remote.poll()
            } else {
                remote.anneal(leg);
                local.anneal(leg, is_stopped) + remote.wait(is_stopped)?
            };
            done += leg.moves;
            let qualities: Vec<(usize, Quality)> =
                (0..).zip(local.qualities()).chain(remote.qualities()).collect();
            let (best, least) = qualities.iter().min_by_key(|(_, one)| one.conflicts)?;
            budget.tell_open(least.conflicts as usize);
            if least.conflicts == 0 {
                budget.spend(made);
                return self.fetch(*best, &mut local, &remote, budget);
            }
            let after = budget.spent() + made + CROSSOVER * (islands - 1);
            if leg.is_exchange && after <= end {
                made += exchange(&mut local, &mut remote, &qualities, rng);
            }
            if !budget.spend(made) || left == 0 || budget.is_stopped() {
                return None;
            }
        }
    }
}

impl Master<'_> {
    /// The solution of an island on any rank.
    fn fetch<C: Chromosome>(
        &self,
        island: usize,
        local: &mut Islands<'_, C>,
        remote: &RemoteIslands<'_>,
        budget: &Budget,
    ) -> Option<C> {
        if island < local.len() {
            return Some(local.current(island).clone());
        }
        let numbers = if self.rules.is_asynchronous {
            remote.offered(island)?.to_vec()
        } else {
            remote.request(island, || budget.is_stopped())?
        };
        local.unpacked(&numbers).cloned()
    }
}

/// Exchanges solutions: roulette chooses a partner for every island, and all islands but the first cross
/// with the offered solution of their partner. Returns the number of evaluations.
fn exchange<C: Chromosome>(
    local: &mut Islands<'_, C>,
    remote: &mut RemoteIslands<'_>,
    qualities: &[(usize, Quality)],
    rng: &mut Rng,
) -> u64 {
    let shares: Vec<f64> =
        qualities.iter().map(|(_, one)| 1.0 / (1.0 + f64::from(one.fitness))).collect();
    let last = qualities.last().map_or(0, |(island, _)| *island);
    // Islands without a report are neither chosen nor crossed.
    let mut chosen = vec![0; last + 1];
    for &(island, _) in qualities {
        chosen[island] = qualities[spin(&shares, rng)].0;
    }
    local.offer();
    remote.exchange(&chosen, local);
    for (island, &other) in chosen.iter().enumerate().take(local.len()).skip(1) {
        match remote.offered(other) {
            Some(numbers) => local.cross_with(island, numbers),
            None => local.cross(island, other),
        }
    }
    CROSSOVER * (qualities.len() as u64 - 1)
}

/// Roulette: an index with probability proportional to its share.
fn spin(shares: &[f64], rng: &mut Rng) -> usize {
    let mut ball = rng.unit() * shares.iter().sum::<f64>();
    for (at, share) in shares.iter().enumerate() {
        ball -= share;
        if ball < 0.0 {
            return at;
        }
    }
    shares.len() - 1
}
