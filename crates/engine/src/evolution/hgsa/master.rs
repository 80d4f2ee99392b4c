//! The master: leads the islands of all ranks, and walks with his own.

use super::Rules;
use super::abroad::Abroad;
use super::colony::{CROSSING, Colony, Standing};
use crate::attempt::Helpers;
use crate::budget::Budget;
use crate::chromosome::Chromosome;
use crate::evolution::{Frame, Search};
use crate::rng::Rng;

/// The search of the master.
pub(super) struct Master<'a> {
    pub rules: &'a Rules,
    /// Other ranks for some of the islands.
    pub helpers: Option<&'a dyn Helpers>,
}

impl Search for Master<'_> {
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
        // Every island is an evaluation, and for all that follows there are as many at a time.
        let islands = rules.islands.min(quota).max(1);
        let iterations = rules.cooling.iterations(quota / islands);
        let seeds: Vec<u64> = (0..islands).map(|_| rng.bits()).collect();
        let mut abroad = Abroad::found(self.helpers, frame, iterations, &seeds);
        let own = &seeds[..abroad.first(seeds.len())];
        let mut home = Colony::new(rules, &random, own, || budget.is_stopped())?;
        budget.spend(islands);
        let mut done = 0;
        loop {
            let left = end.saturating_sub(budget.spent()) / islands;
            let leg = rules.leg(done, iterations, left);
            let is_stopped = || budget.is_stopped();
            let mut made = match rules.is_asynchronous {
                true => home.walk(leg, is_stopped) + abroad.look(),
                false => {
                    abroad.walk(leg);
                    home.walk(leg, is_stopped) + abroad.wait(is_stopped)?
                }
            };
            done += leg.moves;
            let standings: Vec<(usize, Standing)> =
                (0..).zip(home.standings()).chain(abroad.standings()).collect();
            let (best, least) = standings.iter().min_by_key(|(_, one)| one.conflicts)?;
            budget.tell_open(least.conflicts as usize);
            if least.conflicts == 0 {
                budget.spend(made);
                return self.fetch(*best, &mut home, &abroad, budget);
            }
            let after = budget.spent() + made + CROSSING * (islands - 1);
            if leg.is_meeting && after <= end {
                made += meet(&mut home, &mut abroad, &standings, rng);
            }
            if !budget.spend(made) || left == 0 || budget.is_stopped() {
                return None;
            }
        }
    }
}

impl Master<'_> {
    /// What an island has, wherever it lives.
    fn fetch<C: Chromosome>(
        &self,
        island: usize,
        home: &mut Colony<'_, C>,
        abroad: &Abroad<'_>,
        budget: &Budget,
    ) -> Option<C> {
        if island < home.len() {
            return Some(home.current(island).clone());
        }
        let numbers = match self.rules.is_asynchronous {
            true => abroad.shown(island)?.to_vec(),
            false => abroad.ask(island, || budget.is_stopped())?,
        };
        home.unpacked(&numbers).cloned()
    }
}

/// All islands send their solutions to the master, who hands them out again: to each one chosen by
/// roulette, and keeps his own. Returns the evaluations.
fn meet<C: Chromosome>(
    home: &mut Colony<'_, C>,
    abroad: &mut Abroad<'_>,
    standings: &[(usize, Standing)],
    rng: &mut Rng,
) -> u64 {
    let shares: Vec<f64> =
        standings.iter().map(|(_, one)| 1.0 / (1.0 + f64::from(one.fitness))).collect();
    let last = standings.last().map_or(0, |(island, _)| *island);
    // Islands that have told nothing yet are neither chosen nor answered.
    let mut chosen = vec![0; last + 1];
    for &(island, _) in standings {
        chosen[island] = standings[spin(&shares, rng)].0;
    }
    home.show();
    abroad.meet(&chosen, home);
    for (island, &other) in chosen.iter().enumerate().take(home.len()).skip(1) {
        match abroad.shown(other) {
            Some(numbers) => home.cross_with(island, numbers),
            None => home.cross(island, other),
        }
    }
    CROSSING * (standings.len() as u64 - 1)
}

/// Roulette: the number of a share, larger ones more often.
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
