//! A pool of workers that execute tasks: threads of this rank, and those of all other ranks. Code that
//! submits a task does not know where it is executed.
//!
//! Rank 0 leads ([`Cluster::lead`]); the other ranks follow ([`Cluster::follow`]) until it has finished.
//!
//! ```
//! use pavane_cluster::{Cluster, Pool};
//! use std::sync::mpsc::channel;
//!
//! let square = |task: &u64, _: &_| task * task;
//! let sum = Cluster::alone().lead(2, &(), &square, |pool: &Pool<u64, u64>| {
//!     let (replies, answers) = channel();
//!     for number in 1..=3 {
//!         pool.submit(number, number, &replies);
//!     }
//!     (0..3).filter_map(|_| pool.wait(&answers, None, &square)).map(|reply| reply.answer).sum::<u64>()
//! });
//! assert_eq!(sum, 14);
//! ```

use crate::{Channel, Cluster};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A flag that asks the worker of a task to return early with whatever it has.
pub type Stop = Arc<AtomicBool>;

/// Executes a task; returns soon after the flag is raised.
pub type Execute<'a, T, A> = &'a (dyn Fn(&T, &Stop) -> A + Sync);

/// What can travel between ranks as a task, an answer or a set-up.
pub trait Portable: Serialize + DeserializeOwned + Send {}

impl<T: Serialize + DeserializeOwned + Send> Portable for T {}

/// How often a thread that waits for a task checks whether the pool has closed.
const POLL: Duration = Duration::from_millis(20);

/// The answer to a task, with the number that it was submitted under.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply<A> {
    /// The submitter's number of the task.
    pub number: u64,
    /// The result.
    pub answer: A,
}

/// A submitted task, to cancel it.
#[derive(Debug, Clone)]
pub struct Ticket {
    id: u64,
    stop: Stop,
}

/// The workers of all ranks, and the tasks that wait for one. Cheap to clone.
#[derive(Debug)]
pub struct Pool<T, A>(Arc<Shared<T, A>>);

impl<T, A> Clone for Pool<T, A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
struct Shared<T, A> {
    cluster: Cluster,
    channel: Channel,
    /// Threads of this rank that execute tasks; 0 where the thread that waits executes them.
    threads: usize,
    state: Mutex<State<T, A>>,
    arrived: Condvar,
}

#[derive(Debug)]
struct State<T, A> {
    next_id: u64,
    queue: VecDeque<Job<T, A>>,
    /// Tasks in execution.
    running: BTreeMap<u64, Running<A>>,
    idle_threads: usize,
    /// Other ranks, once for every task that each could execute now.
    idle_ranks: Vec<usize>,
    remote_width: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Job<T, A> {
    id: u64,
    task: T,
    stop: Stop,
    number: u64,
    replies: Sender<Reply<A>>,
}

#[derive(Debug)]
struct Running<A> {
    stop: Stop,
    /// For a task on another rank: that rank, and where its answer goes.
    elsewhere: Option<(usize, u64, Sender<Reply<A>>)>,
}

/// From rank 0 to the others.
#[derive(Serialize, Deserialize)]
enum Order<T> {
    Execute(u64, T),
    Cancel(u64),
    Finish,
}

/// From the other ranks to rank 0.
#[derive(Serialize, Deserialize)]
enum Report<A> {
    Ready { threads: usize },
    Done(u64, A),
}

fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    postcard::to_allocvec(message).expect("tasks and answers are plain data")
}

impl<T, A> Pool<T, A> {
    fn state(&self) -> MutexGuard<'_, State<T, A>> {
        self.0.state.lock().expect("no thread panics while it holds this lock")
    }

    /// How many tasks are executed at the same time. Grows as other ranks report that they are ready.
    pub fn width(&self) -> usize {
        self.0.threads.max(1) + self.state().remote_width
    }

    fn next_job(&self) -> Option<Job<T, A>> {
        let mut state = self.state();
        state.idle_threads += 1;
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.idle_threads -= 1;
                let running = Running { stop: job.stop.clone(), elsewhere: None };
                state.running.insert(job.id, running);
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            let waited = self.0.arrived.wait_timeout(state, POLL);
            state = waited.expect("no thread panics while it holds this lock").0;
        }
    }

    fn execute(&self, job: Job<T, A>, execute: Execute<'_, T, A>) {
        let answer = execute(&job.task, &job.stop);
        self.state().running.remove(&job.id);
        // The submitter may have stopped waiting.
        let _ = job.replies.send(Reply { number: job.number, answer });
    }
}

impl<T: Portable, A: Portable> Pool<T, A> {
    /// Submits a task under a number of the submitter's choice; the answer goes to `replies`.
    pub fn submit(&self, number: u64, task: T, replies: &Sender<Reply<A>>) -> Ticket {
        let stop = Stop::default();
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        let replies = replies.clone();
        state.queue.push_back(Job { id, task, stop: stop.clone(), number, replies });
        self.hand_out(&mut state);
        drop(state);
        self.0.arrived.notify_one();
        Ticket { id, stop }
    }

    /// Submits a task to another rank, whether or not it is busy, without waiting for an answer.
    pub fn send_to(&self, rank: usize, task: T) {
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        drop(state);
        self.0.cluster.send(rank, self.0.channel, encode(&Order::Execute(id, task)));
    }

    /// Sends tasks that no thread of this rank is free for to other ranks.
    fn hand_out(&self, state: &mut State<T, A>) {
        while state.queue.len() > state.idle_threads {
            let Some(rank) = state.idle_ranks.pop() else { return };
            let Some(job) = state.queue.pop_front() else { return };
            let elsewhere = Some((rank, job.number, job.replies));
            state.running.insert(job.id, Running { stop: job.stop, elsewhere });
            self.0.cluster.send(rank, self.0.channel, encode(&Order::Execute(job.id, job.task)));
        }
    }

    /// Asks the worker of a task to return early. Its answer still comes.
    pub fn cancel(&self, ticket: &Ticket) {
        ticket.stop.store(true, Ordering::Relaxed);
        let state = self.state();
        if let Some((rank, ..)) =
            state.running.get(&ticket.id).and_then(|job| job.elsewhere.as_ref())
        {
            let order = encode(&Order::<T>::Cancel(ticket.id));
            self.0.cluster.send(*rank, self.0.channel, order);
        }
    }

    /// The next answer; `None` once the deadline has passed. In a pool without threads of its own the
    /// caller executes the next task.
    pub fn wait(
        &self,
        answers: &Receiver<Reply<A>>,
        deadline: Option<Instant>,
        execute: Execute<'_, T, A>,
    ) -> Option<Reply<A>> {
        if let Ok(reply) = answers.try_recv() {
            return Some(reply);
        }
        if self.0.threads == 0 {
            let job = self.state().queue.pop_front()?;
            self.execute(job, execute);
            return answers.try_recv().ok();
        }
        let Some(deadline) = deadline else { return answers.recv().ok() };
        answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
    }

    /// Cancels all tasks and lets the threads end.
    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.queue.clear();
        state.running.values().for_each(|job| job.stop.store(true, Ordering::Relaxed));
        drop(state);
        self.0.arrived.notify_all();
    }

    /// Takes in the reports of other ranks until the pool is closed.
    fn listen(&self) {
        let Shared { cluster, channel, .. } = &*self.0;
        let is_closed = || self.state().is_closed;
        while let Some(message) = cluster.receive_unless(*channel, is_closed) {
            let Ok(report) = postcard::from_bytes::<Report<A>>(&message.bytes) else { continue };
            let mut state = self.state();
            match report {
                Report::Ready { threads } => {
                    state.remote_width += threads;
                    state.idle_ranks.extend(std::iter::repeat_n(message.from, threads));
                }
                Report::Done(id, answer) => {
                    let job = state.running.remove(&id).and_then(|job| job.elsewhere);
                    if let Some((rank, number, replies)) = job {
                        state.idle_ranks.push(rank);
                        let _ = replies.send(Reply { number, answer });
                    }
                }
            }
            self.hand_out(&mut state);
        }
    }
}

/// Closes the pool also when the leader panics: its threads would wait for ever.
struct Closing<'a, T: Portable, A: Portable>(&'a Pool<T, A>);

impl<T: Portable, A: Portable> Drop for Closing<'_, T, A> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Cluster {
    /// Leads the workers of all ranks: `threads` of this one and those of the ranks that [`Cluster::follow`]
    /// with what `set_up` says. One thread on one rank is the caller's own.
    pub fn lead<S: Serialize, T: Portable, A: Portable, O>(
        &self,
        threads: usize,
        set_up: &S,
        execute: Execute<'_, T, A>,
        body: impl FnOnce(&Pool<T, A>) -> O,
    ) -> O {
        let threads = if threads <= 1 && self.is_alone() { 0 } else { threads.max(1) };
        let channel = self.common_channel();
        let pool = &Pool::new(self.clone(), channel, threads);
        for rank in self.others() {
            self.send(rank, channel, encode(&Some(set_up)));
        }
        std::thread::scope(|scope| {
            let closing = Closing(pool);
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(job) = pool.next_job() {
                        pool.execute(job, execute);
                    }
                });
            }
            if !self.is_alone() {
                scope.spawn(|| pool.listen());
            }
            let outcome = body(pool);
            drop(closing);
            for rank in self.others() {
                self.send(rank, channel, encode(&Order::<T>::Finish));
            }
            outcome
        })
    }

    /// Ends [`Cluster::follow`] on the other ranks where there is nothing to lead them to.
    pub fn dismiss(&self) {
        let channel = self.common_channel();
        for rank in self.others() {
            self.send(rank, channel, encode(&None::<()>));
        }
    }

    /// Executes the tasks of rank 0 on `threads` threads until it has finished. `prepare` gets its set-up,
    /// and every task gets what `prepare` returns.
    pub fn follow<S: Portable, C: Sync, E, T: Portable, A: Portable>(
        &self,
        threads: usize,
        prepare: impl FnOnce(S) -> Result<C, E>,
        execute: impl Fn(&C, &T, &Stop) -> A + Sync,
    ) -> Result<(), E> {
        let channel = self.common_channel();
        let opening = self.receive(channel);
        let set_up = opening.and_then(|it| postcard::from_bytes::<Option<S>>(&it.bytes).ok());
        let Some(set_up) = set_up.flatten() else { return Ok(()) };
        let context = prepare(set_up)?;
        let execute = |task: &T, stop: &Stop| execute(&context, task, stop);
        let threads = threads.max(1);
        let pool: &Pool<T, A> = &Pool::new(Self::alone(), channel, threads);
        std::thread::scope(|scope| {
            let _closing = Closing(pool);
            let (replies, answers) = std::sync::mpsc::channel::<Reply<A>>();
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(job) = pool.next_job() {
                        pool.execute(job, &execute);
                    }
                });
            }
            scope.spawn(|| {
                for Reply { number, answer } in answers {
                    self.send(0, channel, encode(&Report::Done(number, answer)));
                }
            });
            self.send(0, channel, encode(&Report::<A>::Ready { threads }));
            let mut tickets: BTreeMap<u64, Ticket> = BTreeMap::new();
            while let Some(message) = self.receive(channel) {
                match postcard::from_bytes::<Order<T>>(&message.bytes) {
                    Ok(Order::Execute(id, task)) => {
                        // Rank 0 sends no more than are executed at a time, so few are remembered.
                        tickets.retain(|_, ticket| Arc::strong_count(&ticket.stop) > 1);
                        tickets.insert(id, pool.submit(id, task, &replies));
                    }
                    Ok(Order::Cancel(id)) => {
                        if let Some(ticket) = tickets.get(&id) {
                            pool.cancel(ticket);
                        }
                    }
                    Ok(Order::Finish) | Err(_) => break,
                }
            }
            drop(replies);
        });
        Ok(())
    }
}

impl<T, A> Pool<T, A> {
    fn new(cluster: Cluster, channel: Channel, threads: usize) -> Self {
        let state = State {
            next_id: 0,
            queue: VecDeque::new(),
            running: BTreeMap::new(),
            idle_threads: 0,
            idle_ranks: Vec::new(),
            remote_width: 0,
            is_closed: false,
        };
        let state = Mutex::new(state);
        Self(Arc::new(Shared { cluster, channel, threads, state, arrived: Condvar::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Runs `body` on rank 0 of several ranks whose workers add a set-up to every task.
    fn on_ranks<O: Send>(
        ranks: usize,
        threads: usize,
        execute: impl Fn(&u64, &u64, &Stop) -> u64 + Sync,
        body: impl FnOnce(&Pool<u64, u64>, Execute<'_, u64, u64>) -> O + Send,
    ) -> O {
        let execute = &execute;
        std::thread::scope(|scope| {
            let mut clusters = Cluster::threads(ranks).into_iter();
            let first = clusters.next().unwrap();
            for cluster in clusters {
                scope.spawn(move || {
                    let prepare = |set_up: u64| Ok::<u64, ()>(set_up);
                    cluster.follow(threads, prepare, execute)
                });
            }
            let own = |task: &u64, stop: &Stop| execute(&100, task, stop);
            first.lead(threads, &100u64, &own, |pool| body(pool, &own))
        })
    }

    #[test]
    fn every_task_is_answered_once_on_any_number_of_ranks_and_threads() {
        for (ranks, threads, tasks) in [(1, 1, 5), (1, 3, 40), (2, 1, 40), (4, 2, 100), (3, 1, 0)] {
            let sum = |set_up: &u64, task: &u64, _: &Stop| set_up + task;
            let mut found = on_ranks(ranks, threads, sum, |pool, execute| {
                let (replies, answers) = channel();
                for number in 0..tasks {
                    pool.submit(number, 2 * number, &replies);
                }
                let next = || pool.wait(&answers, None, execute);
                (0..tasks).filter_map(|_| next()).map(|r| (r.number, r.answer)).collect::<Vec<_>>()
            });
            found.sort_unstable();
            let expected: Vec<(u64, u64)> = (0..tasks).map(|n| (n, 100 + 2 * n)).collect();
            assert_eq!(found, expected, "{ranks} ranks, {threads} threads");
        }
    }

    #[test]
    fn a_cancelled_task_returns_early_wherever_it_is_executed() {
        for ranks in [1, 3] {
            let until_stopped = |_: &u64, task: &u64, stop: &Stop| {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                *task
            };
            let answers = on_ranks(ranks, 2, until_stopped, |pool, execute| {
                let (replies, answers) = channel();
                while pool.width() < 2 * ranks {
                    std::thread::yield_now();
                }
                let tickets: Vec<Ticket> =
                    (0..2 * ranks as u64).map(|n| pool.submit(n, n, &replies)).collect();
                tickets.iter().for_each(|ticket| pool.cancel(ticket));
                let next = || pool.wait(&answers, None, execute);
                (0..tickets.len()).filter_map(|_| next()).count()
            });
            assert_eq!(answers, 2 * ranks);
        }
    }

    #[test]
    fn the_pool_closes_when_its_leader_leaves_tasks_behind() {
        let wait = |_: &u64, task: &u64, stop: &Stop| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            *task
        };
        on_ranks(2, 2, wait, |pool, _| {
            let (replies, _answers) = channel();
            (0..8).for_each(|number| drop(pool.submit(number, number, &replies)));
        });
    }
}
