//! Weights: every message has as many words as its weight.

use super::report::TdmViolations;
use super::violation::{TdmRule, TdmViolation};
use pavane_model::tdm::Word;
use pavane_model::{ProcessorId, TdmProblem};
use std::collections::BTreeMap;

/// Counts the words of every message that exists.
pub(super) fn check(problem: &TdmProblem, words: &[Word], report: &mut TdmViolations) {
    let mut found: BTreeMap<(ProcessorId, ProcessorId), u64> = BTreeMap::new();
    for word in words {
        *found.entry((word.from, word.to)).or_default() += 1;
    }
    for message in problem.messages() {
        let (from, to, weight) = (message.from, message.to, message.weight);
        let found = found.get(&(from, to)).copied().unwrap_or(0);
        if found != u64::from(weight) {
            report.add(TdmRule::Weights, || TdmViolation::Count { from, to, found, weight });
        }
    }
}
