//! Order of the phases of an all-reduce: the broadcast of a chunk starts when the sum is complete.

use super::clock::Times;
use super::report::TimedViolations;
use super::violation::{SendName, TimedRule, TimedViolation};
use pavane_model::timed::{Chunk, TimedPhase};

/// Checks that no root sends bytes of its sum before all contributions to them have arrived. Both
/// phases have the same roots.
pub(super) fn check(
    reduce: (&TimedPhase, &[Times]),
    broadcast: (&TimedPhase, &[Times]),
    name: &dyn Fn(usize) -> SendName,
    report: &mut TimedViolations,
) {
    let (summed, sum_times) = reduce;
    let (sent, send_times) = broadcast;
    let processors = sent.problem.network().processor_count();
    // The chunks of every root in the reduce, by offset, with the time at which they are complete.
    let mut complete: Vec<Vec<(Chunk, u128)>> = vec![Vec::new(); processors];
    let mut arrivals = vec![0u128; summed.chunks.len()];
    for (send, times) in summed.sends.iter().zip(sum_times) {
        let chunk = send.chunk as usize;
        let root = summed.problem.messages().origin(summed.chunks[chunk].message);
        let head = summed.problem.network().channel(send.channel).head;
        if head == summed.problem.home(root) {
            arrivals[chunk] = arrivals[chunk].max(times.arrival);
        }
    }
    for (chunk, &arrival) in summed.chunks.iter().zip(&arrivals) {
        let root = summed.problem.messages().origin(chunk.message);
        complete[root.index()].push((*chunk, arrival));
    }
    complete.iter_mut().for_each(|chunks| chunks.sort_by_key(|(chunk, _)| chunk.offset));
    for (index, (send, times)) in sent.sends.iter().zip(send_times).enumerate() {
        let chunk = &sent.chunks[send.chunk as usize];
        let root = sent.problem.messages().origin(chunk.message);
        if sent.problem.network().channel(send.channel).tail != sent.problem.home(root) {
            continue;
        }
        let sums = &complete[root.index()];
        let end = chunk.offset.saturating_add(chunk.bytes);
        let first =
            sums.partition_point(|(sum, _)| sum.offset.saturating_add(sum.bytes) <= chunk.offset);
        let overlapping = sums[first..].iter().take_while(|(sum, _)| sum.offset < end);
        if overlapping.map(|(_, time)| *time).max().is_some_and(|time| time > times.start) {
            report.add(TimedRule::Order, || TimedViolation::Incomplete { send: name(index), root });
        }
    }
}
