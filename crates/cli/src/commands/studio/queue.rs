//! The job queue: a few jobs run at a time and the others wait. Every job has a time limit.

use super::answer;
use super::job::{Job, State};
use super::request::JobRequest;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of waiting jobs.
const MOST_WAITING: usize = 200;

/// Maximum total size of the requests of waiting jobs, in bytes.
const MOST_WAITING_BYTES: usize = 32 << 20;

/// Maximum number of jobs stored with their results.
const MOST_KEPT: usize = 60;

/// Maximum total size of the stored jobs in bytes, and the number stored at any size: two to
/// compare and the next one.
const MOST_KEPT_BYTES: usize = 256 << 20;
const LEAST_KEPT: usize = 3;

/// The jobs of a studio.
#[derive(Clone)]
pub struct Queue {
    shared: Arc<SharedJobs>,
}

struct SharedJobs {
    jobs: Mutex<Jobs>,
    is_more: Condvar,
    time: Duration,
}

#[derive(Default)]
struct Jobs {
    next: u64,
    waiting: VecDeque<Arc<Job>>,
    /// Running jobs with their start times.
    working: Vec<(Arc<Job>, Instant)>,
    /// All stored jobs, least recently used first.
    known: VecDeque<Arc<Job>>,
}

impl Jobs {
    /// Marks a job as most recently used.
    fn touch(&mut self, id: u64) {
        if let Some(at) = self.known.iter().position(|job| job.id == id) {
            let job = self.known.remove(at);
            self.known.extend(job);
        }
    }

    /// Removes finished jobs until the rest are within the limits, those without a result first.
    fn forget(&mut self) {
        let is_too_much = |known: &VecDeque<Arc<Job>>| {
            let bytes = || known.iter().map(|job| job.bytes()).sum::<usize>();
            known.len() > MOST_KEPT || known.len() > LEAST_KEPT && bytes() > MOST_KEPT_BYTES
        };
        while is_too_much(&self.known) {
            let is_over = |job: &Arc<Job>| job.watch().borrow().is_over();
            let is_empty = |job: &Arc<Job>| is_over(job) && job.answer().is_none();
            let oldest = self.known.iter().position(is_empty);
            let Some(at) = oldest.or_else(|| self.known.iter().position(is_over)) else { break };
            self.known.remove(at);
        }
    }
}

impl Queue {
    /// A queue with a number of workers and a time limit per job.
    pub fn start(workers: usize, time: Duration) -> Self {
        let (jobs, is_more) = (Mutex::default(), Condvar::new());
        let queue = Self { shared: Arc::new(SharedJobs { jobs, is_more, time }) };
        for _ in 0..workers {
            let own = queue.clone();
            std::thread::spawn(move || own.work());
        }
        let own = queue.clone();
        std::thread::spawn(move || own.watch());
        queue
    }

    /// Appends a job to the queue, or returns why that is not possible.
    pub fn add(&self, request: JobRequest) -> Result<Arc<Job>, String> {
        let mut jobs = self.lock();
        if jobs.waiting.len() >= MOST_WAITING {
            return Err(format!("{MOST_WAITING} jobs are already waiting; try again later"));
        }
        let waiting: usize = jobs.waiting.iter().map(|job| job.request.bytes()).sum();
        if waiting + request.bytes() > MOST_WAITING_BYTES {
            let most = MOST_WAITING_BYTES >> 20;
            return Err(format!("requests of {most} MiB are already waiting; try again later"));
        }
        if let JobRequest::Repair { of, .. } = request {
            jobs.touch(of);
        }
        jobs.next += 1;
        let job = Arc::new(Job::new(jobs.next, request));
        jobs.waiting.push_back(job.clone());
        jobs.known.push_back(job.clone());
        jobs.forget();
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

    /// Number of jobs before a job in the queue.
    pub fn ahead(&self, job: &Job) -> usize {
        self.lock().waiting.iter().take_while(|other| other.id != job.id).count()
    }

    /// Cancels a job, whether it is waiting or running.
    pub fn cancel(&self, job: &Job) {
        let mut jobs = self.lock();
        job.stop.store(true, Ordering::Relaxed);
        let before = jobs.waiting.len();
        jobs.waiting.retain(|other| other.id != job.id);
        if jobs.waiting.len() < before {
            job.set(State::Failed("cancelled".to_owned()));
        }
    }

    /// Ends a running job with its best result so far, and cancels a waiting one.
    pub fn end(&self, job: &Job) {
        if *job.watch().borrow() == State::Queued {
            self.cancel(job);
        } else {
            job.end_early();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.shared.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops jobs whose deadline has passed.
    fn watch(&self) {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            for (job, start) in &self.lock().working {
                // A table consists of many problems, so it gets more time.
                let is_table = matches!(job.request, JobRequest::Table { .. });
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
            // A panic in one job must not end the studio.
            let made =
                catch_unwind(AssertUnwindSafe(|| answer::make(self, &job, self.shared.time)));
            let made = made.unwrap_or_else(|_| {
                Err("bug: the job failed unexpectedly; please report this".into())
            });
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
    fn a_cancelled_job_reports_it_although_others_are_added() {
        let queue = Queue::start(0, Duration::from_secs(1));
        let request =
            || JobRequest::Repair { of: 1, faults: Vec::new(), keep: None, keep_steps: false };
        let job = queue.add(request()).unwrap();
        // Another job is added exactly while this one is cancelled.
        job.stop.store(true, Ordering::Relaxed);
        queue.add(request()).unwrap();
        queue.cancel(&job);
        assert_eq!(*job.watch().borrow(), State::Failed("cancelled".to_owned()));
    }

    #[test]
    fn waiting_requests_are_limited_in_number_and_size() {
        let large = || JobRequest::Repair {
            of: 1,
            faults: vec!["x".repeat(2 << 20)],
            keep: None,
            keep_steps: false,
        };
        let queue = Queue::start(0, Duration::from_secs(1));
        let taken = (0..MOST_WAITING).take_while(|_| queue.add(large()).is_ok()).count();
        assert_eq!(taken, 15);
        assert!(queue.add(large()).err().is_some_and(|why| why.contains("32 MiB")));
        let small =
            || JobRequest::Repair { of: 1, faults: Vec::new(), keep: None, keep_steps: false };
        let taken = (0..=MOST_WAITING).take_while(|_| queue.add(small()).is_ok()).count();
        assert_eq!(taken, MOST_WAITING - 15);
    }

    #[test]
    fn large_jobs_that_are_over_are_forgotten_first() {
        let queue = Queue::start(0, Duration::from_secs(1));
        let request = || JobRequest::Repair {
            of: 0,
            faults: vec!["x".repeat(30 << 20)],
            keep: None,
            keep_steps: false,
        };
        let ids: Vec<u64> = (0..20)
            .map(|_| {
                let job = queue.add(request()).unwrap();
                queue.cancel(&job);
                job.id
            })
            .collect();
        let known = |ids: &[u64]| ids.iter().filter(|&&id| queue.find(id).is_some()).count();
        assert_eq!((known(&ids[..12]), known(&ids[12..])), (0, 8));
    }
}
