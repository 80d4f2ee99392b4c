//! Demanded latencies. A word that is ready just after its message has started waits for the next
//! start, travels for `depth·(hops + 1)` slots and leaves the ejection port after `phits` more.

use super::report::TdmViolations;
use super::violation::{TdmRule, TdmViolation};
use pavane_model::tdm::Word;
use pavane_model::{ProcessorId, TdmProblem};
use std::collections::BTreeMap;

/// Checks the messages with a demanded latency. Messages without words break another rule.
pub(super) fn check(
    problem: &TdmProblem,
    period: u32,
    words: &[(usize, &Word)],
    report: &mut TdmViolations,
) {
    let demanded = problem.messages().iter().filter(|message| message.max_latency.is_some());
    let mut starts: BTreeMap<(ProcessorId, ProcessorId), Vec<&Word>> =
        demanded.clone().map(|message| ((message.from, message.to), Vec::new())).collect();
    for (_, word) in words {
        if let Some(starts) = starts.get_mut(&(word.from, word.to)) {
            starts.push(word);
        }
    }
    for message in demanded {
        let (from, to) = (message.from, message.to);
        let (Some(most), Some(words)) = (message.max_latency, starts.get_mut(&(from, to))) else {
            continue;
        };
        words.sort_by_key(|word| word.start);
        let mut worst = 0;
        for (at, word) in words.iter().enumerate() {
            // The word before the first one is the last one of the period before.
            let before = match at.checked_sub(1) {
                Some(before) => i64::from(words[before].start),
                None => i64::from(words[words.len() - 1].start) - i64::from(period),
            };
            let wait = (i64::from(word.start) - before).unsigned_abs();
            let rules = problem.rules();
            let hops = word.path.len() as u64;
            let way = u64::from(rules.depth) * (hops + 1) + u64::from(rules.phits);
            worst = worst.max(wait + way);
        }
        if worst > u64::from(most) {
            report.add(TdmRule::Latency, || TdmViolation::Slow { from, to, latency: worst, most });
        }
    }
}
