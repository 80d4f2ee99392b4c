//! Starts jobs as early as a given order on every channel allows.

use crate::jobs::{Jobs, NO_RESOURCE};
use crate::list_schedule::JobTimes;

/// Starts every job as early as possible if each channel keeps the order of the `due` times, in which
/// every job comes after those that it waits for. If the jobs could start at these times, none starts
/// later. `due` has an entry for every job but the joins, which come last.
pub(crate) fn in_order(jobs: &Jobs, resources: usize, due: &[u64]) -> JobTimes {
    let mut order: Vec<u32> = (0..due.len() as u32).collect();
    order.sort_by_key(|&job| (due[job as usize], job));
    let mut waits_for = jobs.waits_for.clone();
    let mut starts = vec![0u64; jobs.jobs.len()];
    let mut free = vec![0u64; resources];
    let mut arrived: Vec<(u32, u64)> = Vec::new();
    let mut end = 0;
    for job in order {
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
                if waits_for[next as usize] == 0 && jobs.jobs[next as usize].resource == NO_RESOURCE
                {
                    arrived.push((next, starts[next as usize]));
                }
            }
        }
    }
    JobTimes { starts, end }
}
