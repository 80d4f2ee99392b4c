//! Exclusive use: no channel and no port serves two words in a slot, where slots repeat with the
//! period. If words may not wrap, each one also ends before the next period begins.

use super::report::TdmViolations;
use super::verdict::name;
use super::violation::{Resource, TdmRule, TdmViolation};
use pavane_model::tdm::Word;
use pavane_model::{ChannelId, ProcessorId, TdmSchedule};

/// The first slot of a use modulo the period, and the number of the word.
type Use = (u32, usize);

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
    for (resource, of_one) in by_resource(schedule, words) {
        let of_one = in_order(of_one, period);
        // Each use with the next one; the last with the first one of the next period.
        for (at, &(slot, number)) in of_one.iter().enumerate() {
            let Some(&(later, next)) = of_one.get(at + 1).or(of_one.first()) else { continue };
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

/// Sorts uses by their slots, by counting if the slots are not many more than the uses.
fn in_order(mut uses: Vec<Use>, period: u32) -> Vec<Use> {
    let slots = period as usize;
    if slots / 16 > uses.len() {
        uses.sort_unstable();
        return uses;
    }
    let mut next = vec![0; slots + 1];
    for &(slot, _) in &uses {
        next[slot as usize + 1] += 1;
    }
    for slot in 0..slots {
        next[slot + 1] += next[slot];
    }
    let mut sorted = uses.clone();
    for one in uses {
        let place = &mut next[one.0 as usize];
        sorted[*place] = one;
        *place += 1;
    }
    sorted
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

/// The uses of every channel and port that is used.
fn by_resource(
    schedule: &TdmSchedule,
    words: &[(usize, &Word)],
) -> impl Iterator<Item = (Resource, Vec<Use>)> + use<> {
    let network = schedule.problem.network();
    let mut channels: Vec<Vec<Use>> = vec![Vec::new(); network.channel_count()];
    let mut injections: Vec<Vec<Use>> = vec![Vec::new(); network.processor_count()];
    let mut ejections = injections.clone();
    let (period, depth) = (u64::from(schedule.period), u64::from(schedule.problem.rules().depth));
    for &(number, word) in words {
        let slot = |after: usize| {
            let slot = u64::from(word.start) + depth * after as u64;
            (slot % period) as u32
        };
        injections[word.from.index()].push((slot(0), number));
        for (hop, &channel) in word.path.iter().enumerate() {
            channels[channel.index()].push((slot(hop + 1), number));
        }
        ejections[word.to.index()].push((slot(word.path.len() + 1), number));
    }
    let channels = (0..).map(|at| Resource::Channel(ChannelId(at))).zip(channels);
    let injections = (0..).map(|at| Resource::Injection(ProcessorId(at))).zip(injections);
    let ejections = (0..).map(|at| Resource::Ejection(ProcessorId(at))).zip(ejections);
    channels.chain(injections).chain(ejections).filter(|(_, uses)| !uses.is_empty())
}
