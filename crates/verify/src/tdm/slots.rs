//! Exclusive use: no channel and no port serves two words in a slot, where slots repeat with the
//! period. If words may not wrap, each one also ends before the next period begins.

use super::report::TdmViolations;
use super::verdict::name;
use super::violation::{Resource, TdmRule, TdmViolation};
use pavane_model::TdmSchedule;
use pavane_model::tdm::Word;

/// A use of a channel or port: what, its first slot modulo the period, and the number of the word.
type Use = (Resource, u32, usize);

/// Checks the words, whose channels and slots exist.
pub(super) fn check(schedule: &TdmSchedule, words: &[(usize, &Word)], report: &mut TdmViolations) {
    let period = schedule.period;
    let phits = schedule.problem.rules().phits;
    for &(number, word) in words {
        check_end(schedule, number, word, report);
    }
    if phits > period {
        if let Some(&(number, word)) = words.first() {
            let word = name(number, word);
            report.add(TdmRule::Injection, || TdmViolation::TooShort { word, phits, period });
        }
        return;
    }
    let mut uses: Vec<Use> = Vec::new();
    for &(number, word) in words {
        add_uses(schedule, number, word, &mut uses);
    }
    uses.sort_unstable();
    for of_one in uses.chunk_by(|one, other| one.0 == other.0) {
        // Each use with the next one; the last with the first one of the next period.
        for (at, &(resource, slot, number)) in of_one.iter().enumerate() {
            let Some(&(_, later, next)) = of_one.get(at + 1).or(of_one.first()) else { continue };
            let gap = if at + 1 < of_one.len() { later - slot } else { later + period - slot };
            if gap >= phits {
                continue;
            }
            let (one, other) = (&schedule.words[number], &schedule.words[next]);
            report.add(resource.rule(), || TdmViolation::Conflict {
                resource,
                slot,
                later,
                phits,
                one: name(number, one),
                other: name(next, other),
            });
        }
    }
}

fn check_end(schedule: &TdmSchedule, number: usize, word: &Word, report: &mut TdmViolations) {
    let rules = schedule.problem.rules();
    let way = u64::from(rules.depth) * (word.path.len() as u64 + 1);
    let end = u64::from(word.start) + way + u64::from(rules.phits);
    if !rules.wraps && end > u64::from(schedule.period) {
        let (word, period) = (name(number, word), schedule.period);
        report.add(TdmRule::Wrap, || TdmViolation::Wraps { word, end, period });
    }
}

/// Adds the injection, the hops and the ejection of a word.
fn add_uses(schedule: &TdmSchedule, number: usize, word: &Word, uses: &mut Vec<Use>) {
    let (period, depth) = (u64::from(schedule.period), u64::from(schedule.problem.rules().depth));
    let slot = |after: usize| {
        let slot = u64::from(word.start) + depth * after as u64;
        (slot % period) as u32
    };
    uses.push((Resource::Injection(word.from), slot(0), number));
    for (hop, &channel) in word.path.iter().enumerate() {
        uses.push((Resource::Channel(channel), slot(hop + 1), number));
    }
    uses.push((Resource::Ejection(word.to), slot(word.path.len() + 1), number));
}
