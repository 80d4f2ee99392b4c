//! Lower bounds on the makespan of a mission: the load of the busiest link, including the time
//! before its first and after its last message (a single machine with heads and tails, by Jackson's
//! preemptive schedule); the load of a processor over its links; and the longest single path.

use super::OptimumProblem;
use crate::switching::SwitchingMethod;
use std::collections::BinaryHeap;

/// Lower bounds on a makespan, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissionBounds {
    /// Maximum load of a link.
    pub link: u64,
    /// Maximum load of a link, with heads and tails.
    pub machine: u64,
    /// Maximum load of a processor, divided over the links by which its messages leave and arrive.
    pub node: u64,
    /// Longest time that one message takes on its path.
    pub path: u64,
}

/// The work of a link for one message.
#[derive(Debug, Clone, Copy)]
struct Job {
    head: u64,
    length: u64,
    tail: u64,
}

/// Total time that each link is needed, in ticks.
pub fn link_loads(task: &OptimumProblem<'_>) -> Vec<u64> {
    let mut loads = vec![0; task.links.count()];
    for (number, message) in (0..).zip(task.mission.messages()) {
        for &channel in task.routes.path(number) {
            loads[task.links.of_number(channel) as usize] += message.length;
        }
    }
    loads
}

impl MissionBounds {
    /// The bounds of a task.
    pub fn of(task: &OptimumProblem<'_>) -> Self {
        let start = task.mission.start();
        let jobs = jobs(task);
        let machine = jobs.iter().map(|jobs| preemptive(jobs)).max().unwrap_or(0);
        let flat = jobs.iter().flatten();
        let path = flat.map(|job| job.head + job.length + job.tail).max().unwrap_or(0);
        let arrivals = task.mission.messages().iter().map(|message| message.arrival);
        let last = arrivals.max().unwrap_or(0);
        Self {
            link: link_loads(task).into_iter().max().unwrap_or(0),
            machine: machine.saturating_sub(start),
            node: node(task),
            path: path.max(last).saturating_sub(start),
        }
    }

    /// The largest bound.
    pub fn best(&self) -> u64 {
        self.link.max(self.machine).max(self.node).max(self.path)
    }
}

/// The jobs of every link. Under store-and-forward, the other hops of a message come before and
/// after.
fn jobs(task: &OptimumProblem<'_>) -> Vec<Vec<Job>> {
    let mut jobs = vec![Vec::new(); task.links.count()];
    let is_serial = task.switching == SwitchingMethod::StoreAndForward;
    for (number, message) in (0..).zip(task.mission.messages()) {
        let path = task.routes.path(number);
        for (hop, &channel) in path.iter().enumerate() {
            let (before, after) =
                if is_serial { (hop as u64, (path.len() - 1 - hop) as u64) } else { (0, 0) };
            jobs[task.links.of_number(channel) as usize].push(Job {
                head: message.arrival + before * message.length,
                length: message.length,
                tail: after * message.length,
            });
        }
    }
    jobs
}

/// Makespan of the best preemptive schedule of one machine: at any time it runs the available job
/// with the longest tail.
fn preemptive(jobs: &[Job]) -> u64 {
    let mut jobs = jobs.to_vec();
    jobs.sort_unstable_by_key(|job| job.head);
    let mut there: BinaryHeap<(u64, u64)> = BinaryHeap::new();
    let (mut now, mut next, mut end) = (0, 0, 0);
    loop {
        while let Some(job) = jobs.get(next).filter(|job| job.head <= now) {
            there.push((job.tail, job.length));
            next += 1;
        }
        let coming = jobs.get(next).map(|job| job.head);
        let Some((tail, length)) = there.pop() else {
            match coming {
                Some(head) => now = head,
                None => return end,
            }
            continue;
        };
        let until = coming.map_or(now + length, |head| head.min(now + length));
        match now + length - until {
            0 => end = end.max(until + tail),
            rest => there.push((tail, rest)),
        }
        now = until;
    }
}

/// Every message takes a link at its source and one at its destination. A processor with few links
/// and many messages needs time even if its load is spread evenly.
fn node(task: &OptimumProblem<'_>) -> u64 {
    let mut loads: Vec<(u64, Vec<u32>)> = Vec::new();
    let mut add = |processor: usize, length: u64, link: u32| {
        if loads.len() <= processor {
            loads.resize(processor + 1, (0, Vec::new()));
        }
        loads[processor].0 += length;
        if !loads[processor].1.contains(&link) {
            loads[processor].1.push(link);
        }
    };
    for (number, message) in (0..).zip(task.mission.messages()) {
        let path = task.routes.path(number);
        let Some((&first, &last)) = path.first().zip(path.last()) else { continue };
        add(message.source.index(), message.length, task.links.of_number(first));
        add(message.destination.index(), message.length, task.links.of_number(last));
    }
    let bound = |(load, links): &(u64, Vec<u32>)| load.div_ceil(links.len().max(1) as u64);
    loads.iter().map(bound).max().unwrap_or(0)
}
