//! Demanded latencies that no schedule meets.

use pavane_model::tdm::TdmMessage;
use pavane_model::words::counted;
use pavane_model::{ProcessorId, TdmProblem};
use std::fmt;

/// A message whose demanded latency is shorter than that of every schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnmetLatency {
    /// The message.
    pub message: TdmMessage,
    /// The demanded latency.
    pub most: u32,
    /// Slots of the shortest way.
    pub way: u64,
    /// The period is at least this many slots.
    pub period: u32,
    /// So many slots pass between two starts of the message at least once.
    pub wait: u64,
}

/// The longest period with which all demanded latencies can be met on shortest ways; `None` if no latency
/// is demanded.
pub(crate) fn longest_period(problem: &TdmProblem) -> Option<u32> {
    let network = problem.network();
    let of_sender = |group: &[TdmMessage]| {
        let distances = network.distances_from(network.home(group[0].from)?);
        let of_message = |message: &TdmMessage| {
            let hops = distances[network.home(message.to)?.index()];
            let wait = u64::from(message.max_latency?)
                .saturating_sub(problem.rules().travel(hops as usize));
            Some(wait.saturating_mul(message.weight.into()))
        };
        group.iter().filter_map(of_message).min()
    };
    let groups = problem.messages().chunk_by(|one, other| one.from == other.from);
    let longest = groups.filter_map(of_sender).min()?;
    Some(u32::try_from(longest).unwrap_or(u32::MAX))
}

impl UnmetLatency {
    /// The first message of a problem that cannot be in time if no period is shorter than `period`.
    pub fn find(problem: &TdmProblem, period: u32) -> Option<Self> {
        let network = problem.network();
        let of_sender = |group: &[TdmMessage]| {
            let distances = network.distances_from(network.home(group[0].from)?);
            group.iter().find_map(|&message| {
                let most = message.max_latency?;
                let hops = distances[network.home(message.to)?.index()];
                let way = problem.rules().travel(hops as usize);
                let wait = u64::from(period.div_ceil(message.weight));
                // Without wrap, all words start early enough to arrive within the period.
                let wait = if problem.rules().wraps { wait } else { wait.max(way) };
                let unmet = Self { message, most, way, period, wait };
                (way + wait > u64::from(most)).then_some(unmet)
            })
        };
        problem.messages().chunk_by(|one, other| one.from == other.from).find_map(of_sender)
    }
}

impl UnmetLatency {
    /// Why the latency is not met, with these names of processors; `asked` is the period that was requested,
    /// if it was.
    pub fn in_words(&self, name: impl Fn(ProcessorId) -> String, asked: Option<u32>) -> String {
        let Self { message, most, way, period, wait } = *self;
        let slots = |count| counted(count, "slot");
        let period = u64::from(period);
        let is_asked = asked.map(u64::from) == Some(period);
        let (with, of) = if is_asked {
            (format!(" with {}", slots(period)), "")
        } else {
            (String::new(), "at least ")
        };
        format!(
            "no schedule{with} has a latency of at most {} from {} to {}: the way takes {}, and with {} in a \
             period of {of}{} a word may wait for {}; demand {} or more",
            slots(u64::from(most)),
            name(message.from),
            name(message.to),
            slots(way),
            counted(u64::from(message.weight), "word"),
            slots(period),
            slots(wait),
            slots(way + wait),
        )
    }
}

impl fmt::Display for UnmetLatency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(|processor| processor.to_string(), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TdmOptions, solve};
    use pavane_model::tdm::{TdmDemand, TdmRules};

    fn problem(messages: &[(u32, u32, u32, Option<u32>)]) -> TdmProblem {
        problem_with(messages, TdmRules::default())
    }

    fn problem_with(messages: &[(u32, u32, u32, Option<u32>)], rules: TdmRules) -> TdmProblem {
        let message = |&(from, to, weight, max_latency)| TdmMessage {
            from: ProcessorId(from),
            to: ProcessorId(to),
            weight,
            max_latency,
        };
        let demand = TdmDemand::Messages(messages.iter().map(message).collect());
        let network = pavane_networks::topology::build("mesh:4x4").unwrap();
        TdmProblem::new(network, demand, rules, 1000).unwrap()
    }

    #[test]
    fn demands_that_no_period_meets_are_refuted() {
        let messages = [(0, 5, 2, Some(7)), (0, 1, 3, Some(5)), (0, 2, 1, None)];
        let problem = problem(&messages);
        assert_eq!(longest_period(&problem), Some(6));
        let plain = solve(&problem, &TdmOptions::default()).unwrap();
        assert!(plain.schedule.is_none() && plain.longest == Some(6), "{plain:?}");
        let options = TdmOptions { prove: true, ..TdmOptions::default() };
        let proved = solve(&problem, &options).unwrap();
        let unmet = proved.unmet.unwrap();
        assert_eq!(unmet.period, 7);
        assert!(UnmetLatency::find(&problem, 6).is_none());
    }

    #[test]
    fn without_wrap_a_word_waits_for_the_end_of_the_period() {
        let rules = TdmRules { wraps: false, ..TdmRules::default() };
        // The way takes five slots, and both words start so early that they arrive within the period.
        let found = |most| {
            let problem = problem_with(&[(0, 3, 2, Some(most))], rules);
            solve(&problem, &TdmOptions::default()).unwrap()
        };
        assert_eq!(found(9).unmet.unwrap().wait, 5);
        assert!(found(10).schedule.is_some());
    }

    #[test]
    fn every_period_that_demands_allow_is_tried() {
        let found = |latency| {
            let messages = [(0, 1, 1, Some(latency)), (0, 2, 6, None)];
            solve(&problem(&messages), &TdmOptions::default()).unwrap()
        };
        // Seven words leave processor 0, and the way to processor 1 takes three slots.
        assert_eq!(found(10).schedule.unwrap().schedule().period, 7);
        assert!(found(9).unmet.is_some());
    }
}
