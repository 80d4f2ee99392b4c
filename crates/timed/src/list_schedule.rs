//! List scheduling: whenever a channel is free, it starts the most urgent job that is ready.

use crate::jobs::{Jobs, NO_RESOURCE};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A schedule of jobs.
pub(crate) struct JobTimes {
    /// The start of every job.
    pub starts: Vec<u64>,
    /// The last arrival.
    pub end: u64,
}

/// What happens at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The piece of a job has arrived.
    Arrived(u32),
    /// A channel or link is free.
    Free(u32),
}

/// Schedules jobs on `resources` channels or links. Of the ready jobs of a channel, the one with the
/// largest priority starts first, then the one with the smallest number. `None` if `stop` returns true.
pub(crate) fn list_schedule(
    jobs: &Jobs,
    resources: usize,
    priority: &[u64],
    stop: &dyn Fn() -> bool,
) -> Option<JobTimes> {
    let mut starts = vec![0; jobs.jobs.len()];
    let mut waits_for = jobs.waits_for.clone();
    let mut ready: Vec<BinaryHeap<(u64, Reverse<u32>)>> = vec![BinaryHeap::new(); resources];
    let mut is_busy = vec![false; resources];
    let mut events: BinaryHeap<Reverse<(u64, Event)>> = BinaryHeap::new();
    let mut touched: Vec<u32> = Vec::new();
    let mut end = 0;
    let mut time = 0;
    let mut free: Vec<u32> = Vec::new();
    let mut released: Vec<u32> =
        (0..jobs.jobs.len() as u32).filter(|&job| waits_for[job as usize] == 0).collect();
    loop {
        while let Some(job) = released.pop() {
            let resource = jobs.jobs[job as usize].resource;
            if resource == NO_RESOURCE {
                starts[job as usize] = time;
                release(jobs, job, &mut waits_for, &mut released);
                continue;
            }
            ready[resource as usize].push((priority[job as usize], Reverse(job)));
            touched.push(resource);
        }
        touched.append(&mut free);
        for resource in touched.drain(..) {
            if is_busy[resource as usize] {
                continue;
            }
            let Some((_, Reverse(job))) = ready[resource as usize].pop() else { continue };
            let sent = &jobs.jobs[job as usize];
            is_busy[resource as usize] = true;
            starts[job as usize] = time;
            end = end.max(time + sent.duration);
            events.push(Reverse((time + sent.occupied, Event::Free(resource))));
            events.push(Reverse((time + sent.duration, Event::Arrived(job))));
        }
        let Some(Reverse((next, _))) = events.peek() else { break };
        time = *next;
        if stop() {
            return None;
        }
        while let Some(Reverse((at, event))) = events.peek().copied()
            && at == time
        {
            events.pop();
            match event {
                Event::Arrived(job) => release(jobs, job, &mut waits_for, &mut released),
                Event::Free(resource) => {
                    is_busy[resource as usize] = false;
                    free.push(resource);
                }
            }
        }
    }
    Some(JobTimes { starts, end })
}

/// Collects the jobs that have waited only for this one.
fn release(jobs: &Jobs, job: u32, waits_for: &mut [u32], released: &mut Vec<u32>) {
    for &next in jobs.next(job) {
        waits_for[next as usize] -= 1;
        if waits_for[next as usize] == 0 {
            released.push(next);
        }
    }
}
