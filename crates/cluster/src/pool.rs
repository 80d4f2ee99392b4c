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

use crate::{Cluster, Portable, Tag, decode, encode};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A flag that asks the worker of a task to return early with its best answer so far.
pub type Stop = Arc<AtomicBool>;

/// Executes a task; returns soon after the flag is raised.
pub type Execute<'a, T, A> = &'a (dyn Fn(&T, &Stop) -> A + Sync);

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
    tag: Tag,
    /// Threads of this rank that execute tasks; 0 if the thread that waits for answers executes them.
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
    /// Other ranks, each as often as it has idle threads.
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

/// Message from rank 0 to the others.
#[derive(Serialize, Deserialize)]
enum Order<T> {
    Execute(u64, T),
    Cancel(u64),
    Finish,
}

/// Message from another rank to rank 0.
#[derive(Serialize, Deserialize)]
enum RankMessage<A> {
    Ready { threads: usize },
    Done(u64, A),
}

impl<T, A> Pool<T, A> {
    fn state(&self) -> MutexGuard<'_, State<T, A>> {
        self.0.state.lock().expect("no thread panics while it holds this lock")
    }

    /// Number of tasks that can be executed at the same time. Grows as other ranks report that they are ready.
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
        self.0.cluster.send(rank, self.0.tag, encode(&Order::Execute(id, task)));
    }

    /// Sends tasks that no thread of this rank is free for to other ranks.
    fn hand_out(&self, state: &mut State<T, A>) {
        while state.queue.len() > state.idle_threads {
            let Some(rank) = state.idle_ranks.pop() else { return };
            let Some(job) = state.queue.pop_front() else { return };
            let elsewhere = Some((rank, job.number, job.replies));
            state.running.insert(job.id, Running { stop: job.stop, elsewhere });
            self.0.cluster.send(rank, self.0.tag, encode(&Order::Execute(job.id, job.task)));
        }
    }

    /// Asks the worker of a task to return early. The task is still answered.
    pub fn cancel(&self, ticket: &Ticket) {
        ticket.stop.store(true, Ordering::Relaxed);
        let state = self.state();
        if let Some((rank, ..)) =
            state.running.get(&ticket.id).and_then(|job| job.elsewhere.as_ref())
        {
            let order = encode(&Order::<T>::Cancel(ticket.id));
            self.0.cluster.send(*rank, self.0.tag, order);
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

    /// Processes the messages of other ranks until the pool is closed.
    fn listen(&self) {
        let Shared { cluster, tag, .. } = &*self.0;
        let is_closed = || self.state().is_closed;
        while let Some(message) = cluster.receive_unless(*tag, is_closed) {
            let Some(report) = decode::<RankMessage<A>>(&message.bytes) else { continue };
            let mut state = self.state();
            match report {
                RankMessage::Ready { threads } => {
                    state.remote_width += threads;
                    state.idle_ranks.extend(std::iter::repeat_n(message.from, threads));
                }
                RankMessage::Done(id, answer) => {
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

/// Closes the pool when dropped, also after a panic of the leader, so that its threads end.
struct Closing<'a, T: Portable, A: Portable>(&'a Pool<T, A>);

impl<T: Portable, A: Portable> Drop for Closing<'_, T, A> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Cluster {
    /// Runs `body` with a pool of the workers of all ranks: `threads` of this rank and those of the ranks that
    /// call [`Cluster::follow`], which get `set_up`. With one thread on one rank, the caller executes the
    /// tasks while it waits for answers.
    pub fn lead<S: Serialize, T: Portable, A: Portable, O>(
        &self,
        threads: usize,
        set_up: &S,
        execute: Execute<'_, T, A>,
        body: impl FnOnce(&Pool<T, A>) -> O,
    ) -> O {
        let threads = if threads <= 1 && self.is_alone() { 0 } else { threads.max(1) };
        let tag = self.common_tag();
        let pool = &Pool::new(self.clone(), tag, threads);
        for rank in self.others() {
            self.send(rank, tag, encode(&Some(set_up)));
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
                self.send(rank, tag, encode(&Order::<T>::Finish));
            }
            outcome
        })
    }

    /// Ends [`Cluster::follow`] on the other ranks without any task.
    pub fn dismiss(&self) {
        let tag = self.common_tag();
        for rank in self.others() {
            self.send(rank, tag, encode(&None::<()>));
        }
    }

    /// Executes tasks of rank 0 on `threads` threads until rank 0 has finished. `prepare` turns its set-up into
    /// the context that `execute` gets with every task.
    pub fn follow<S: Portable, C: Sync, E, T: Portable, A: Portable>(
        &self,
        threads: usize,
        prepare: impl FnOnce(S) -> Result<C, E>,
        execute: impl Fn(&C, &T, &Stop) -> A + Sync,
    ) -> Result<(), E> {
        let tag = self.common_tag();
        let opening = self.receive(tag);
        let set_up = opening.and_then(|message| decode::<Option<S>>(&message.bytes));
        let Some(set_up) = set_up.flatten() else { return Ok(()) };
        let context = prepare(set_up)?;
        let execute = |task: &T, stop: &Stop| execute(&context, task, stop);
        let threads = threads.max(1);
        let pool: &Pool<T, A> = &Pool::new(Self::alone(), tag, threads);
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
                    self.send(0, tag, encode(&RankMessage::Done(number, answer)));
                }
            });
            self.send(0, tag, encode(&RankMessage::<A>::Ready { threads }));
            let mut tickets: BTreeMap<u64, Ticket> = BTreeMap::new();
            while let Some(message) = self.receive(tag) {
                match decode::<Order<T>>(&message.bytes) {
                    Some(Order::Execute(id, task)) => {
                        // Rank 0 sends at most as many tasks as there are threads, so this map stays small.
                        tickets.retain(|_, ticket| Arc::strong_count(&ticket.stop) > 1);
                        tickets.insert(id, pool.submit(id, task, &replies));
                    }
                    Some(Order::Cancel(id)) => {
                        if let Some(ticket) = tickets.get(&id) {
                            pool.cancel(ticket);
                        }
                    }
                    Some(Order::Finish) | None => break,
                }
            }
            drop(replies);
        });
        Ok(())
    }
}

impl<T, A> Pool<T, A> {
    fn new(cluster: Cluster, tag: Tag, threads: usize) -> Self {
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
        Self(Arc::new(Shared { cluster, tag, threads, state, arrived: Condvar::new() }))
    }
}

#[cfg(test)]
mod tests;
