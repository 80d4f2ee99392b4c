//! Repairs that take little time. Words that the faults do not touch stay where they are, and the others take
//! free places, in a period that is long enough for that. Short searches then shorten the period.

use super::attempt::{RepairSearch, RepairTable, UNTOUCHED, keep_untouched, put_back_all};
use super::matching::items_of_pairs;
use super::{Candidate, RepairTask};
use crate::ejection::EjectionSearch;
use crate::instance::Instance;
use pavane_model::tdm::Word;
use pavane_search::Rng;

/// Insertions per word of a short search.
const SHORT_EFFORT: u64 = 8;
/// The streams of random numbers of first places and of short searches.
const PLACES: u64 = 1 << 51;
const SHORT: u64 = 1 << 52;

impl RepairTask<'_> {
    /// The shortest period, about, in which the untouched words stay and the others find free places.
    pub fn at_once(&self) -> Option<Candidate> {
        let rules = self.problem.rules();
        let travel = self.old.words.iter().map(|word| rules.travel(word.path.len())).max()?;
        let before = self.old.period;
        let least = before.min(self.most);
        // In so many slots more, words that cross the end of the period meet none at its beginning.
        let mut extra = u32::try_from(travel).ok()?;
        let (mut low, mut best) = (least, None);
        while best.is_none() {
            let period = before.saturating_add(extra).min(self.most);
            best = self.place_free(period);
            if best.is_none() {
                if period == self.most || self.options.interrupt.is_raised() {
                    return None;
                }
                low = period + 1;
            }
            extra = extra.saturating_mul(2);
        }
        let mut best = best?;
        while low < best.period && !self.options.interrupt.is_raised() {
            let middle = low + (best.period - low) / 2;
            match self.place_free(middle) {
                Some(found) => best = found,
                None => low = middle + 1,
            }
        }
        Some(best)
    }

    /// Places the words that the faults touch where no other word is.
    fn place_free(&self, period: u32) -> Option<Candidate> {
        let interrupt = &self.options.interrupt;
        let instance = Instance::in_slots(self.problem, self.symmetry, period, interrupt)?;
        let items = items_of_pairs(&instance);
        let rng = Rng::stream(self.options.seed, PLACES | u64::from(period));
        let mut search = RepairSearch::Chains(EjectionSearch::new(&instance, rng), 0);
        keep_untouched(&mut search, &self.survivors, &items, (1, 1));
        // Every word is tried once.
        let is_placed = search.run(2 * instance.items.len() as u64, interrupt);
        let words = is_placed.then(|| instance.expand(self.symmetry, &search.placements()))?;
        Some(self.candidate(period, words)).filter(|found| found.keeps(self.keep))
    }

    /// Shortens the period by bisection, down to `least` at best.
    pub fn shorten(&self, mut best: Candidate, least: u32, prices: &[f64]) -> Candidate {
        let mut low = least;
        while low < best.period && !self.options.interrupt.is_raised() {
            let middle = low + (best.period - low) / 2;
            let table = RepairTable::new(self.problem, self.symmetry, prices, middle, self.options);
            let words = table.and_then(|table| self.place_soon(&table));
            let found = words.map(|words| self.candidate(middle, words));
            match found.filter(|found| found.keeps(self.keep)) {
                Some(found) => best = found,
                None => low = middle + 1,
            }
        }
        best
    }

    /// One short search. Untouched words are dear to move if some of them must stay.
    fn place_soon(&self, table: &RepairTable<'_>) -> Option<Vec<Word>> {
        let instance = &table.instance;
        let rng = Rng::stream(self.options.seed, SHORT | u64::from(instance.period));
        let mut search = RepairSearch::new(instance, table.guide.as_ref(), 0, rng);
        let price = UNTOUCHED[if self.keep > 0.0 { 1 } else { 3 }];
        let old = keep_untouched(&mut search, &self.survivors, &table.items, price);
        let effort = (SHORT_EFFORT * instance.items.len() as u64).max(2000);
        if !search.run(effort, &self.options.interrupt) {
            return None;
        }
        put_back_all(&mut search, &old);
        Some(instance.expand(self.symmetry, &search.placements()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::repair::survivors;
    use crate::solve::{TdmOptions, checked, solve};
    use crate::symmetry::Symmetry;
    use pavane_model::tdm::{TdmDemand, TdmRules};
    use pavane_model::{Fault, TdmProblem};

    /// An all-to-all on `mesh:5x5`, with a lost link.
    fn with_task(rules: TdmRules, slots: u32, keep: f64, check: impl FnOnce(&RepairTask<'_>)) {
        let network = pavane_networks::topology::build("mesh:5x5").unwrap();
        let faults = [Fault::parse(&network, "r0-r1").unwrap()];
        let problem = |network| TdmProblem::new(network, TdmDemand::AllToAll, rules, 1000).unwrap();
        let options = TdmOptions { slots: Some(slots), ..TdmOptions::default() };
        let found = solve(&problem(network.clone()), &options).unwrap().schedule.unwrap();
        let old = found.schedule();
        let after = problem(network.without(&faults).unwrap());
        let renumbered = network.channels_after(&faults).unwrap();
        check(&RepairTask {
            old,
            problem: &after,
            symmetry: &Symmetry::trivial(&after),
            survivors: survivors(&old.words, &after, &renumbered),
            keep,
            most: 10_000,
            options: &TdmOptions::default(),
        });
    }

    #[test]
    fn a_repair_at_once_keeps_all_valid_words() {
        let plain = TdmRules::default();
        let long = TdmRules { phits: 2, ..plain };
        let apart = TdmRules { wraps: false, ..plain };
        for (rules, slots) in [(plain, 31), (long, 70), (apart, 40)] {
            with_task(rules, slots, 0.0, |task| {
                let soon = task.at_once().unwrap();
                assert_eq!(soon.changes.kept, soon.changes.untouched);
                assert!(soon.changes.untouched > 500 && soon.period <= 2 * slots);
                checked(task.problem, soon.period, soon.words, None).unwrap();
            });
        }
    }

    #[test]
    fn short_searches_shorten_the_period() {
        for keep in [0.0, 1.0] {
            with_task(TdmRules::default(), 31, keep, |task| {
                let soon = task.at_once().unwrap();
                let before = soon.period;
                let prices = vec![1.0; task.problem.network().channel_count()];
                let shorter = task.shorten(soon, 31, &prices);
                assert!(shorter.period < before && shorter.keeps(keep), "{}", shorter.period);
                checked(task.problem, shorter.period, shorter.words, None).unwrap();
            });
        }
    }
}
