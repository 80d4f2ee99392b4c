//! Starts jobs as early as a given order on every channel allows.

use crate::jobs::{Jobs, NO_RESOURCE};
use crate::list_schedule::JobTimes;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Starts every job as early as possible if each channel keeps the order of the `due` times among the
/// jobs that wait for no other. If the jobs could start at these times, none starts later. `due` has an
/// entry for every job but the joins, which come last.
pub(crate) fn in_order(jobs: &Jobs, resources: usize, due: &[u64]) -> JobTimes {
    let mut waits_for = jobs.waits_for.clone();
    let mut starts = vec![0u64; jobs.jobs.len()];
    let mut free = vec![0u64; resources];
    let is_ready = |&job: &u32| jobs.waits_for[job as usize] == 0;
    let ready = (0..due.len() as u32).filter(is_ready);
    // A copy that crosses a switch may wait for another one than before, so the order of the times alone
    // does not suffice.
    let mut ready: BinaryHeap<Reverse<(u64, u32)>> =
        ready.map(|job| Reverse((due[job as usize], job))).collect();
    let mut arrived: Vec<(u32, u64)> = Vec::new();
    let mut end = 0;
    while let Some(Reverse((_, job))) = ready.pop() {
        let sent = &jobs.jobs[job as usize];
        let start = starts[job as usize].max(free[sent.resource as usize]);
        starts[job as usize] = start;
        free[sent.resource as usize] = start + sent.occupied;
        end = end.max(start + sent.duration);
        arrived.push((job, start + sent.duration));
        while let Some((job, time)) = arrived.pop() {
            for &next in jobs.next(job) {
                starts[next as usize] = starts[next as usize].max(time);
                waits_for[next as usize] -= 1;
                if waits_for[next as usize] > 0 {
                    continue;
                }
                if jobs.jobs[next as usize].resource == NO_RESOURCE {
                    arrived.push((next, starts[next as usize]));
                } else {
                    ready.push(Reverse((due[next as usize], next)));
                }
            }
        }
    }
    JobTimes { starts, end }
}
