//! Channels: the sends of one channel do not overlap. Under half duplex, nor do those of one link.

use super::clock::Times;
use super::report::TimedViolations;
use super::violation::{SendName, TimedRule, TimedViolation};
use pavane_model::timed::TimedSchedule;
use pavane_model::{ChannelId, Duplex};

/// Checks the sends of all phases together. `times` has a list for every phase.
pub(super) fn check(
    schedule: &TimedSchedule,
    times: &[Vec<Times>],
    name: &dyn Fn(usize, usize) -> SendName,
    report: &mut TimedViolations,
) {
    let network = schedule.phases[0].problem.network();
    let resource = |channel: ChannelId| match schedule.duplex {
        Duplex::Full => channel,
        Duplex::Half => network.opposite(channel).map_or(channel, |other| other.min(channel)),
    };
    let mut uses: Vec<(ChannelId, Times, usize, usize)> = Vec::new();
    for (at, phase) in schedule.phases.iter().enumerate() {
        for (index, send) in phase.sends.iter().enumerate() {
            uses.push((resource(send.channel), times[at][index], at, index));
        }
    }
    uses.sort_by_key(|&(resource, times, at, index)| (resource, times.start, at, index));
    for same in uses.chunk_by(|one, other| one.0 == other.0) {
        let mut last = &same[0];
        for next in &same[1..] {
            if next.1.start < last.1.free {
                report.add(TimedRule::Channels, || TimedViolation::Overlap {
                    one: name(last.2, last.3),
                    other: name(next.2, next.3),
                });
            }
            if next.1.free > last.1.free {
                last = next;
            }
        }
    }
}
