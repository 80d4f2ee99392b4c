//! Words that are much longer than a hop, in rounds: words of one round use different channels and ports, and a round
//! is so much longer than a word that a word which uses a channel early on its way never meets one of the round
//! before that uses it late. Rounds are the slots of a problem with words of one phit whose hops take whole
//! periods.

use crate::driver::{Driver, Found};
use crate::solve::{TdmOptions, solve};
use pavane_model::TdmProblem;
use pavane_model::tdm::{MOST_DEPTH, MOST_PERIOD, TdmMessage, TdmRules, Word};

/// Words are so many times longer than a hop.
const LEAST_RATIO: u32 = 4;
/// The most words.
const MOST_WORDS: u64 = 20_000;
/// Numbers of rounds that are tried, from the least possible one on. Each gets so many placements per word, and at
/// least so many.
const TRIED: u32 = 4;
const EFFORT: u64 = 100;
const LEAST_EFFORT: u64 = 200_000;

impl Driver<'_> {
    /// Finds a schedule in rounds that is shorter than the best one or, if `slots` are given, has this period.
    /// Returns whether it does.
    pub fn in_rounds(&mut self, slots: Option<u32>) -> bool {
        let rules = self.problem.rules();
        let is_demanding =
            self.problem.messages().iter().any(|message| message.max_latency.is_some());
        let is_short = rules.phits / LEAST_RATIO < rules.depth;
        if is_short || is_demanding || self.problem.word_count() > MOST_WORDS {
            return false;
        }
        let best = self.best.as_ref().map_or(MOST_PERIOD, |best| best.period - 1);
        let most = slots.unwrap_or(best);
        let least = (self.bounds.best.period / rules.phits).max(1);
        // Usually some channel is both the first and the last one of longest ways.
        let usual = rules
            .phits
            .saturating_add(rules.depth.saturating_mul(farthest(self.problem).saturating_sub(1)));
        if u64::from(least) * u64::from(usual) > most.into() {
            return false;
        }
        for rounds in least..(least + TRIED).min(MOST_DEPTH) {
            if u64::from(rounds) * u64::from(rules.phits) > most.into() || self.is_over() {
                return false;
            }
            let Some(words) = self.words_in_rounds(rounds) else { continue };
            let (period, words) = stretched(self.problem, rounds, words);
            let Some(period) = u32::try_from(period).ok().filter(|&period| period <= most) else {
                return false;
            };
            // The idle slots of a longer period are at its end.
            let period = slots.unwrap_or(period);
            self.keep(Found { period, words, method: "ejection search in rounds", quotient: None });
            return true;
        }
        false
    }

    /// The words with the numbers of their rounds as starts.
    fn words_in_rounds(&mut self, rounds: u32) -> Option<Vec<Word>> {
        let rules = TdmRules { depth: rounds, phits: 1, wraps: true, ..self.problem.rules() };
        let words = self.problem.word_count();
        let (network, demand) = (self.problem.network().clone(), self.problem.demand().clone());
        let reduced = TdmProblem::new(network, demand, rules, words).ok()?;
        let left =
            self.options.evaluations.map_or(u64::MAX, |most| most.saturating_sub(self.spent));
        let effort = (EFFORT * words).max(LEAST_EFFORT).min(left / 4);
        self.spent += effort;
        let options = TdmOptions {
            slots: Some(rounds),
            evaluations: Some(effort),
            prove: false,
            ..self.options.clone()
        };
        let found = solve(&reduced, &options).ok()?.schedule?;
        Some(found.schedule().words.clone())
    }
}

/// The most hops of a shortest way.
fn farthest(problem: &TdmProblem) -> u32 {
    let network = problem.network();
    let of_sender = |group: &[TdmMessage]| {
        let distances = network.distances_from(network.home(group[0].from)?);
        group.iter().filter_map(|one| Some(distances[network.home(one.to)?.index()])).max()
    };
    let groups = problem.messages().chunk_by(|one, other| one.from == other.from);
    groups.filter_map(of_sender).max().unwrap_or(0)
}

/// The period and the words, with the numbers of rounds replaced by slots.
fn stretched(problem: &TdmProblem, rounds: u32, mut words: Vec<Word>) -> (u64, Vec<Word>) {
    let (network, rules) = (problem.network(), problem.rules());
    let channels = network.channel_count();
    // The fewest and the most hops after which a row is used: channels, then ejection ports.
    let mut hops = vec![(u32::MAX, 0); channels + network.processor_count()];
    for word in &words {
        let rows = word.path.iter().map(|channel| channel.index());
        for (hop, row) in (1..).zip(rows.chain([channels + word.to.index()])) {
            let (fewest, most) = &mut hops[row];
            (*fewest, *most) = ((*fewest).min(hop), (*most).max(hop));
        }
    }
    let apart = hops.iter().map(|(fewest, most)| most.saturating_sub(*fewest)).max().unwrap_or(0);
    let round = u64::from(rules.phits) + u64::from(rules.depth) * u64::from(apart);
    let period = if rules.wraps {
        u64::from(rounds) * round
    } else {
        let end = |word: &Word| u64::from(word.start) * round + rules.travel(word.path.len());
        words.iter().map(end).max().unwrap_or(1)
    };
    for word in &mut words {
        let start = u64::from(word.start) * round;
        word.start = u32::try_from(start).unwrap_or(u32::MAX);
    }
    (period, words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::solve::checked;
    use pavane_model::tdm::TdmDemand;

    /// The period that is found; the judge accepts the schedule.
    fn found(spec: &str, rules: TdmRules, slots: Option<u32>) -> Option<u32> {
        let network = pavane_networks::topology::build(spec).unwrap();
        let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10_000).unwrap();
        let options = TdmOptions::default();
        let mut driver = Driver::new(&problem, &options, &|_, _| {});
        assert_eq!(driver.in_rounds(slots), driver.best.is_some());
        let Found { period, words, .. } = driver.best?;
        checked(&problem, period, words, None).unwrap();
        Some(period)
    }

    #[test]
    fn long_words_take_little_more_than_the_bound() {
        // Five words per port; a channel is used by words up to two hops apart.
        for phits in [16, 1000, 65_536] {
            let rules = TdmRules { phits, ..TdmRules::default() };
            assert_eq!(found("ring:6", rules, None), Some(5 * (phits + 2)));
            assert_eq!(found("ring:6", rules, Some(6 * phits)), Some(6 * phits));
            assert_eq!(found("ring:6", rules, Some(5 * phits)), None);
            let rules = TdmRules { wraps: false, ..rules };
            assert!(found("ring:6", rules, None).unwrap() <= 5 * (phits + 2) + 4, "{phits}");
        }
        assert_eq!(found("ring:6", TdmRules { phits: 3, ..TdmRules::default() }, None), None);
    }
}
