//! The queue: few jobs at a time, the others wait, and nobody waits for ever.

use super::answer;
use super::job::{Job, State};
use super::request::Wish;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Jobs that may wait.
const MOST_WAITING: usize = 200;

/// Jobs that are remembered with their answers.
const MOST_KEPT: usize = 60;

/// The jobs of a studio.
#[derive(Clone)]
pub struct Queue {
    shared: Arc<Shared>,
}

struct Shared {
    jobs: Mutex<Jobs>,
    is_more: Condvar,
    time: Duration,
}

#[derive(Default)]
struct Jobs {
    next: u64,
    waiting: VecDeque<Arc<Job>>,
    /// Those at work, and since when.
    working: Vec<(Arc<Job>, Instant)>,
    /// All that are remembered, the oldest first.
    known: VecDeque<Arc<Job>>,
}

impl Jobs {
    /// Makes a job the last to be forgotten.
    fn touch(&mut self, id: u64) {
        if let Some(at) = self.known.iter().position(|job| job.id == id) {
            let job = self.known.remove(at);
            self.known.extend(job);
        }
    }
}

impl Queue {
    /// A queue with so many workers, and so much time for a job.
    pub fn start(workers: usize, time: Duration) -> Self {
        let (jobs, is_more) = (Mutex::default(), Condvar::new());
        let queue = Self { shared: Arc::new(Shared { jobs, is_more, time }) };
        for _ in 0..workers {
            let own = queue.clone();
            std::thread::spawn(move || own.work());
        }
        let own = queue.clone();
        std::thread::spawn(move || own.watch());
        queue
    }

    /// Puts a job at the end of the queue, or says why not.
    pub fn add(&self, wish: Wish) -> Result<Arc<Job>, String> {
        let mut jobs = self.lock();
        if jobs.waiting.len() >= MOST_WAITING {
            return Err(format!("{MOST_WAITING} jobs are waiting already; try again in a while"));
        }
        if let Wish::Repair { of, .. } = wish {
            jobs.touch(of);
        }
        jobs.next += 1;
        let job = Arc::new(Job::new(jobs.next, wish));
        jobs.waiting.push_back(job.clone());
        jobs.known.push_back(job.clone());
        // Who waits or works is never forgotten.
        while jobs.known.len() > MOST_KEPT {
            let is_over = |job: &Arc<Job>| job.watch().borrow().is_over();
            let is_empty = |job: &Arc<Job>| is_over(job) && job.answer().is_none();
            let oldest = jobs.known.iter().position(is_empty);
            let Some(at) = oldest.or_else(|| jobs.known.iter().position(is_over)) else { break };
            jobs.known.remove(at);
        }
        drop(jobs);
        self.shared.is_more.notify_one();
        Ok(job)
    }

    /// A job by its number.
    pub fn find(&self, id: u64) -> Option<Arc<Job>> {
        let mut jobs = self.lock();
        jobs.touch(id);
        jobs.known.back().filter(|job| job.id == id).cloned()
    }

    /// How many jobs come before one.
    pub fn ahead(&self, job: &Job) -> usize {
        self.lock().waiting.iter().take_while(|other| other.id != job.id).count()
    }

    /// Ends a job, at work or not.
    pub fn cancel(&self, job: &Job) {
        let mut jobs = self.lock();
        job.stop.store(true, Ordering::Relaxed);
        let before = jobs.waiting.len();
        jobs.waiting.retain(|other| other.id != job.id);
        if jobs.waiting.len() < before {
            job.set(State::Failed("cancelled".to_owned()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.shared.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends jobs whose time is up.
    fn watch(&self) {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            for (job, start) in &self.lock().working {
                // A table is many jobs in one.
                let is_table = matches!(job.wish, Wish::Table { .. });
                let time = self.shared.time * if is_table { 10 } else { 1 };
                if start.elapsed() > time {
                    job.end_late();
                }
            }
        }
    }

    fn work(&self) {
        loop {
            let mut jobs = self.lock();
            let job = loop {
                match jobs.waiting.pop_front() {
                    Some(job) => break job,
                    None => {
                        let more = self.shared.is_more.wait(jobs);
                        jobs = more.unwrap_or_else(PoisonError::into_inner);
                    }
                }
            };
            drop(jobs);
            job.set(State::Running);
            self.lock().working.push((job.clone(), Instant::now()));
            // One job that goes wrong must not end the studio.
            let made =
                catch_unwind(AssertUnwindSafe(|| answer::make(self, &job, self.shared.time)));
            let made =
                made.unwrap_or_else(|_| Err("this is a bug of ours; please report it".into()));
            self.lock().working.retain(|(other, _)| other.id != job.id);
            job.set(match made {
                Ok(()) => State::Done,
                Err(why) => State::Failed(why),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_cancelled_while_others_come_is_told_so() {
        let queue = Queue::start(0, Duration::from_secs(1));
        let wish = || Wish::Repair { of: 1, faults: Vec::new() };
        let job = queue.add(wish()).unwrap();
        // Another job comes just when this one is being ended.
        job.stop.store(true, Ordering::Relaxed);
        queue.add(wish()).unwrap();
        queue.cancel(&job);
        assert_eq!(*job.watch().borrow(), State::Failed("cancelled".to_owned()));
    }
}
