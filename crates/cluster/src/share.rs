//! Numbered jobs, handed out one by one to whoever is free, on all ranks.

use crate::{Channel, Cluster, Pack, Unpack};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

/// Jobs that all ranks do together.
pub struct Jobs<'a> {
    /// How many there are.
    pub count: usize,
    /// How many a rank does at the same time.
    pub workers: usize,
    /// Raised to leave the rest undone.
    pub stop: &'a AtomicBool,
    /// Does a job; what comes of it is bytes because it may have to travel.
    pub work: &'a (dyn Fn(usize) -> Vec<u8> + Sync),
    /// Gets what came of each job, in any order; on rank 0 only.
    pub collect: &'a (dyn Fn(usize, Vec<u8>) + Sync),
}

impl Cluster {
    /// Does the jobs; all ranks call this with the same jobs. Rank 0 comes back when all are
    /// collected, or when it is stopped.
    pub fn share(&self, jobs: &Jobs<'_>) {
        let channel = self.common_channel();
        match self.is_first() {
            true => self.hand_out(jobs, channel),
            false => self.lend_a_hand(jobs, channel),
        }
    }

    fn hand_out(&self, jobs: &Jobs<'_>, channel: Channel) {
        let next = AtomicUsize::new(0);
        let is_stopped = || jobs.stop.load(Ordering::Relaxed) || self.is_stopped();
        let take = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < jobs.count && !is_stopped()).then_some(number)
        };
        let left = AtomicUsize::new(jobs.count);
        let collect = |number: usize, result: Vec<u8>| {
            // What a stop has cut short is nothing to keep.
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
            while let Some(letter) = self.receive_unless(channel, is_over) {
                let mut request = Unpack::new(&letter.bytes);
                if let (Some(number), Some(result)) = (request.number(), request.bytes()) {
                    collect(number as usize, result.to_vec());
                }
                if let Some(number) = take() {
                    self.send(letter.from, channel, Pack::new().number(number as u64).done());
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
        // An empty letter: there are no more.
        self.others().for_each(|rank| self.send(rank, channel, Vec::new()));
    }

    fn lend_a_hand(&self, jobs: &Jobs<'_>, own: Channel) {
        let (hand, numbers) = channel::<usize>();
        let numbers: Arc<Mutex<Receiver<usize>>> = Arc::new(Mutex::new(numbers));
        let work = || {
            // An empty letter asks for a first job.
            self.send(0, own, Vec::new());
            loop {
                let number = numbers.lock().expect("no thread panics while it holds this").recv();
                let Ok(number) = number else { return };
                let result = (jobs.work)(number);
                self.send(0, own, Pack::new().number(number as u64).bytes(&result).done());
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.workers.max(1) {
                scope.spawn(work);
            }
            while let Some(letter) = self.receive(own) {
                let Some(number) = Unpack::new(&letter.bytes).number() else { break };
                // The workers wait for as long as there is somebody to hand out numbers.
                let _ = hand.send(number as usize);
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
            let (stop, work) = (AtomicBool::new(false), |number: usize| vec![number as u8]);
            let collect = |number: usize, result: Vec<u8>| {
                assert_eq!(result, [number as u8]);
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
