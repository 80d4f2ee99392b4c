//! The tasks that workers execute ahead of time, in the order of the plan. Their answers are stored
//! here until all earlier tasks are decided.

use super::crew::Workers;
use super::plan::Plan;
use super::roster::Roster;
use super::task::{Answer, Assignment, Goal, Task};
use crate::budget::is_past;
use pavane_cluster::{Execute, Reply, Ticket};
use pavane_model::Schedule;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// A task of the line.
struct Ahead {
    number: u64,
    task: Task,
    /// The schedule that the engine may shorten.
    best: Option<Arc<Schedule>>,
    ticket: Ticket,
    answer: Option<Answer>,
}

/// The submitted tasks.
pub(super) struct Line<'a> {
    workers: &'a Workers,
    execute: Execute<'a, Assignment, Answer>,
    replies: Sender<Reply<Answer>>,
    answers: Receiver<Reply<Answer>>,
    /// The next tasks of the plan. Each assumes that earlier answers are accepted and that earlier
    /// tasks without an answer fail.
    tasks: VecDeque<Ahead>,
    /// Running tasks that left the plan but can still find a better schedule.
    strays: Vec<Ahead>,
    next_number: u64,
    /// Number of tasks without an answer, including cancelled ones.
    unanswered: usize,
    /// Whether the task without an answer uses all workers.
    is_spread: bool,
}

impl<'a> Line<'a> {
    pub fn new(workers: &'a Workers, execute: Execute<'a, Assignment, Answer>) -> Self {
        let (replies, answers) = channel();
        let (tasks, strays) = (VecDeque::new(), Vec::new());
        Self {
            workers,
            execute,
            replies,
            answers,
            tasks,
            strays,
            next_number: 0,
            unanswered: 0,
            is_spread: false,
        }
    }

    /// Submits tasks until `width` are under way: as many as can be executed at the same time, which
    /// grows as ranks become ready. A task that uses all workers is alone. `best_for` gives the schedule that an engine may shorten.
    pub fn fill(
        &mut self,
        width: usize,
        plan: &Plan,
        roster: &Roster<'_>,
        best_for: impl Fn(&Task) -> Option<Arc<Schedule>>,
    ) {
        let mut plan = self.plan_at(self.tasks.len(), plan, roster);
        while self.unanswered < width {
            let Some(task) = plan.next(roster) else { return };
            let is_spread = roster.engines[task.engine].describe().is_spread;
            if self.unanswered > 0 && (is_spread || self.is_spread) {
                return;
            }
            self.is_spread = is_spread;
            plan.assume(&task, None, roster);
            let (number, best) = (self.next_number, best_for(&task));
            let assignment = Assignment::Task { task, best: best.clone() };
            let ticket = self.workers.submit(number, assignment, &self.replies);
            self.next_number += 1;
            self.unanswered += 1;
            self.tasks.push_back(Ahead { number, task, best, ticket, answer: None });
        }
    }

    /// The first task of the line.
    pub fn first(&self) -> Option<&Task> {
        self.tasks.front().map(|first| &first.task)
    }

    /// Waits for an answer until a deadline.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Option<Reply<Answer>> {
        let reply = self.workers.wait(&self.answers, deadline, self.execute)?;
        self.unanswered -= 1;
        Some(reply)
    }

    /// The place in the line of the task with this number; `None` if it is no longer there.
    pub fn place(&self, number: u64) -> Option<usize> {
        self.tasks.iter().position(|ahead| ahead.number == number)
    }

    /// Stores the answer of a task in the line.
    pub fn note(&mut self, place: usize, answer: Answer) {
        self.tasks[place].answer = Some(answer);
    }

    /// Removes a task from the line.
    pub fn remove(&mut self, place: usize) {
        self.tasks.remove(place);
    }

    /// Removes the stray with this number.
    pub fn forget(&mut self, number: u64) {
        self.strays.retain(|stray| stray.number != number);
    }

    /// Removes the first task and returns its answer; `None` if it has no answer yet.
    pub fn take_first(&mut self) -> Option<Answer> {
        self.tasks.front().filter(|first| first.answer.is_some())?;
        self.tasks.pop_front()?.answer
    }

    /// The plan at the point where the task at this place is next.
    pub fn plan_at(&self, place: usize, plan: &Plan, roster: &Roster<'_>) -> Plan {
        let mut plan = plan.clone();
        for ahead in self.tasks.iter().take(place) {
            plan.next(roster);
            plan.assume(&ahead.task, ahead.answer.as_ref(), roster);
        }
        plan
    }

    /// Removes the tasks that no longer match the plan. Running ones are cancelled unless their
    /// steps are in `useful`. Returns the answers of removed tasks.
    pub fn drop_outdated(
        &mut self,
        plan: &Plan,
        roster: &Roster<'_>,
        best_for: impl Fn(&Task) -> Option<Arc<Schedule>>,
        useful: Range<u32>,
    ) -> Vec<Answer> {
        let mut plan = plan.clone();
        let follows = |ahead: &Ahead| {
            let is_next = plan.next(roster) == Some(ahead.task);
            plan.assume(&ahead.task, ahead.answer.as_ref(), roster);
            is_next && ahead.best == best_for(&ahead.task)
        };
        let valid = self.tasks.iter().map(follows).take_while(|&follows| follows).count();
        let (answered, running): (Vec<Ahead>, Vec<Ahead>) =
            self.tasks.drain(valid..).partition(|ahead| ahead.answer.is_some());
        let is_useful = |ahead: &Ahead| match ahead.task.goal {
            Goal::Steps(steps) => useful.contains(&steps),
            Goal::Construct => false,
        };
        let all = std::mem::take(&mut self.strays).into_iter().chain(running);
        let (strays, useless): (Vec<Ahead>, Vec<Ahead>) = all.partition(is_useful);
        useless.iter().for_each(|ahead| self.workers.cancel(&ahead.ticket));
        self.strays = strays;
        answered.into_iter().filter_map(|ahead| ahead.answer).collect()
    }

    /// Cancels all tasks.
    pub fn cancel(&self) {
        let all = self.tasks.iter().chain(&self.strays);
        all.for_each(|ahead| self.workers.cancel(&ahead.ticket));
    }

    /// Returns the stored answers and those that arrive before the deadline.
    pub fn drain(&mut self, deadline: Option<Instant>) -> Vec<Answer> {
        let mut answers: Vec<Answer> =
            self.tasks.drain(..).filter_map(|ahead| ahead.answer).collect();
        while self.unanswered > 0 && !is_past(deadline) {
            let Some(reply) = self.wait(deadline) else { break };
            answers.push(reply.answer);
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::with_plan;
    use super::*;
    use crate::attempt::Attempt;
    use crate::budget::Clock;
    use pavane_cluster::{Cluster, Stop};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn all_workers_have_a_task_at_the_same_time() {
        const WORKERS: usize = 16;
        // No task returns before all workers execute one.
        let barrier = Barrier::new(WORKERS);
        let execute = |_: &Assignment, _: &Stop| {
            barrier.wait();
            Answer { engine: 0, attempt: Attempt::OutOfBudget, evaluations: 1 }
        };
        let check = |plan: Plan, roster: &Roster<'_>, workers: &Workers| {
            let line = &mut Line::new(workers, &execute);
            for _ in 0..3 {
                line.fill(workers.width(), &plan, roster, |_| None);
                assert_eq!(line.unanswered, WORKERS);
                for _ in 0..WORKERS {
                    let reply = line.wait(None).unwrap();
                    let place = line.place(reply.number).unwrap();
                    line.note(place, reply.answer);
                }
            }
            assert_eq!(line.tasks.len(), 3 * WORKERS);
        };
        with_plan(|plan, roster| {
            Cluster::alone().lead(WORKERS, &(), &execute, |workers| check(plan, roster, workers));
        });
    }

    #[test]
    fn ranks_have_tasks_as_soon_as_they_are_ready() {
        const RANKS: usize = 3;
        const THREADS: usize = 2;
        let running = AtomicUsize::new(0);
        // A task returns when all workers of all ranks execute one.
        let execute = |_: &Assignment, _: &Stop| {
            running.fetch_add(1, Ordering::SeqCst);
            let deadline = Clock::start().after(Duration::from_secs(60));
            while running.load(Ordering::SeqCst) < RANKS * THREADS && !is_past(deadline) {
                std::thread::yield_now();
            }
            Answer { engine: 0, attempt: Attempt::OutOfBudget, evaluations: 1 }
        };
        let execute = &execute;
        let lead = |plan: &Plan, roster: &Roster<'_>, workers: &Workers| {
            let line = &mut Line::new(workers, execute);
            let mut answers = 0;
            while answers < RANKS * THREADS {
                line.fill(workers.width(), plan, roster, |_| None);
                if let Some(reply) = line.wait(Clock::start().after(Duration::from_millis(10))) {
                    assert!(running.load(Ordering::SeqCst) >= RANKS * THREADS, "idle workers");
                    let place = line.place(reply.number).unwrap();
                    line.note(place, reply.answer);
                    answers += 1;
                }
            }
        };
        with_plan(|plan, roster| {
            let mut clusters = Cluster::threads(RANKS).into_iter();
            let first = clusters.next().unwrap();
            std::thread::scope(|scope| {
                for cluster in clusters {
                    let prepare = |(): ()| Ok::<(), ()>(());
                    scope.spawn(move || {
                        cluster.follow(THREADS, prepare, |(), task, stop| execute(task, stop))
                    });
                }
                first.lead(THREADS, &(), execute, |workers| lead(&plan, roster, workers));
            });
        });
    }
}
