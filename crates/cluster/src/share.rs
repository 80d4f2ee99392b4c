//! Numbered jobs that all ranks do together. Each worker gets the next job when it is free.

use crate::{Cluster, Portable, Tag, decode, encode};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

/// Jobs that all ranks do together, each with a result.
pub struct Jobs<'a, R> {
    /// Number of jobs.
    pub count: usize,
    /// Number of jobs that a rank does at the same time.
    pub workers: usize,
    /// Raised to skip the remaining jobs.
    pub stop: &'a AtomicBool,
    /// Does a job.
    pub work: &'a (dyn Fn(usize) -> R + Sync),
    /// Gets the result of each job, in any order; on rank 0 only.
    pub collect: &'a (dyn Fn(usize, R) + Sync),
}

/// Message of a free worker on another rank to rank 0, which asks for the next job.
#[derive(Serialize, Deserialize)]
struct Request<R> {
    /// The job that the worker has just done, with its result.
    done: Option<(usize, R)>,
}

/// Message of rank 0 to another rank.
#[derive(Serialize, Deserialize)]
enum JobOrder {
    Do(usize),
    Finish,
}

impl Cluster {
    /// Does the jobs. All ranks must call this with the same jobs. On rank 0 it returns when all results
    /// are collected or the jobs are stopped.
    pub fn share<R: Portable>(&self, jobs: &Jobs<'_, R>) {
        let tag = self.common_tag();
        if self.is_first() {
            self.hand_out(jobs, tag);
        } else {
            self.assist(jobs, tag);
        }
    }

    fn hand_out<R: Portable>(&self, jobs: &Jobs<'_, R>, tag: Tag) {
        let next = AtomicUsize::new(0);
        let is_stopped = || jobs.stop.load(Ordering::Relaxed) || self.is_stopped();
        let take = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < jobs.count && !is_stopped()).then_some(number)
        };
        let left = AtomicUsize::new(jobs.count);
        let collect = |number: usize, result: R| {
            // A job that was stopped early has no valid result.
            if !is_stopped() {
                (jobs.collect)(number, result);
            }
            left.fetch_sub(1, Ordering::Relaxed);
        };
        let work = || {
            while let Some(number) = take() {
                collect(number, (jobs.work)(number));
            }
        };
        let serve = || {
            let is_over = || left.load(Ordering::Relaxed) == 0 || is_stopped();
            while let Some(message) = self.receive_unless(tag, is_over) {
                let request = decode::<Request<R>>(&message.bytes);
                if let Some((number, result)) = request.and_then(|request| request.done) {
                    collect(number, result);
                }
                if let Some(number) = take() {
                    self.send(message.from, tag, encode(&JobOrder::Do(number)));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.workers.min(jobs.count) {
                scope.spawn(work);
            }
            if !self.is_alone() {
                scope.spawn(serve);
            }
            work();
        });
        self.others().for_each(|rank| self.send(rank, tag, encode(&JobOrder::Finish)));
    }

    fn assist<R: Portable>(&self, jobs: &Jobs<'_, R>, tag: Tag) {
        let (hand, numbers) = channel::<usize>();
        let numbers: Arc<Mutex<Receiver<usize>>> = Arc::new(Mutex::new(numbers));
        let work = || {
            self.send(0, tag, encode(&Request::<R> { done: None }));
            loop {
                let number =
                    numbers.lock().expect("no thread panics while it holds this lock").recv();
                let Ok(number) = number else { return };
                let done = Some((number, (jobs.work)(number)));
                self.send(0, tag, encode(&Request { done }));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.workers.max(1) {
                scope.spawn(work);
            }
            while let Some(message) = self.receive(tag) {
                let Some(JobOrder::Do(number)) = decode(&message.bytes) else { break };
                // The receiver exists as long as this function runs.
                let _ = hand.send(number);
            }
            drop(hand);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_on_any_number_of_ranks() {
        for (ranks, workers, count) in [(1, 1, 5), (1, 3, 2), (2, 1, 30), (4, 3, 100), (3, 2, 0)] {
            let collected = Mutex::new(vec![0; count]);
            let (stop, work) = (AtomicBool::new(false), |number: usize| number.to_string());
            let collect = |number: usize, result: String| {
                assert_eq!(result, number.to_string());
                collected.lock().unwrap()[number] += 1;
            };
            let jobs = Jobs { count, workers, stop: &stop, work: &work, collect: &collect };
            std::thread::scope(|scope| {
                for cluster in Cluster::threads(ranks) {
                    let jobs = &jobs;
                    scope.spawn(move || {
                        cluster.share(jobs);
                        cluster.share(&Jobs { count: 0, ..*jobs });
                    });
                }
            });
            assert_eq!(collected.into_inner().unwrap(), vec![1; count], "{ranks} {workers}");
        }
    }
}
