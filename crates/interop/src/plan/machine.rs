//! Runs a plan: every thread block proceeds as far as it can, until all are done or none can
//! proceed. A send waits while all slots between the two thread blocks are in use.

use super::{LARGEST, Operation, Plan, PlanFault, Span, Value};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of faults listed.
const MOST_FAULTS: usize = 100;

/// Maximum number of terms in all sums.
const MOST_TERMS: usize = 64 * LARGEST;

/// A thread and the index of one of its operations.
pub(crate) type Step = (usize, usize);

/// A transfer between two ranks in a run.
#[derive(Debug, Clone)]
pub struct Carried {
    /// The sending rank.
    pub from: u32,
    /// The receiving rank.
    pub to: u32,
    /// The values of the chunks that were not empty.
    pub values: Vec<Value>,
}

/// Result of a run.
#[derive(Debug, Default)]
pub struct PlanRun {
    /// Faults found.
    pub faults: Vec<PlanFault>,
    /// Transfers between ranks, in the order in which they arrived.
    pub carried: Vec<Carried>,
    /// Operations in the order of their completion.
    pub(crate) done: Vec<Step>,
    /// For each of them, the indices in `done` of operations of other threads that had to be
    /// complete before it.
    pub(crate) before: Vec<Vec<u32>>,
    /// Final contents of all chunks of every rank.
    pub(crate) chunks: Vec<Vec<Option<Value>>>,
}

/// An entry of a queue: the index in `done` of the operation that added it, and its data.
struct QueuedData {
    by: Option<u32>,
    data: Option<Vec<Option<Value>>>,
}

struct Machine<'a> {
    plan: &'a Plan,
    run: PlanRun,
    queues: Vec<VecDeque<QueuedData>>,
    /// For every thread, the indices in `done` of its operations.
    places: Vec<Vec<u32>>,
    /// Threads that wait at each queue, for an entry or for a free slot (`at_queue`), and for an
    /// operation of each thread (`at_thread`).
    at_queue: Vec<Vec<usize>>,
    at_thread: Vec<Vec<usize>>,
    /// Threads that have reached each barrier of each rank.
    at_barrier: BTreeMap<(u32, u32), Vec<usize>>,
    terms: usize,
}

pub(crate) fn run(plan: &Plan) -> PlanRun {
    let chunks = plan.ranks.iter().enumerate().map(|(rank, sizes)| {
        let total = (sizes.input + sizes.output + sizes.scratch) as usize;
        let mut chunks = vec![None; total];
        for offset in 0..sizes.input {
            let at = plan.chunk(rank as u32, super::Buffer::Input, offset);
            if let Some(at) = at {
                chunks[at] = Some(Value::input(rank as u32, offset));
            }
        }
        chunks
    });
    let entries = |start: u32| (0..start).map(|_| QueuedData { by: None, data: None }).collect();
    let mut machine = Machine {
        plan,
        run: PlanRun { chunks: chunks.collect(), ..PlanRun::default() },
        queues: plan.queues.iter().map(|queue| entries(queue.start)).collect(),
        places: vec![Vec::new(); plan.threads.len()],
        at_queue: vec![Vec::new(); plan.queues.len()],
        at_thread: vec![Vec::new(); plan.threads.len()],
        at_barrier: BTreeMap::new(),
        terms: 0,
    };
    let mut ready: Vec<usize> = (0..plan.threads.len()).rev().collect();
    while let Some(thread) = ready.pop() {
        machine.go_on(thread, &mut ready);
    }
    machine.finish()
}

impl Machine<'_> {
    /// Runs the operations of a thread until one must wait.
    fn go_on(&mut self, thread: usize, ready: &mut Vec<usize>) {
        while let Some(operation) =
            self.plan.threads[thread].operations.get(self.places[thread].len())
        {
            if self.terms > MOST_TERMS {
                return;
            }
            if let Some(&(other, _)) = operation.after.iter().find(|step| !self.is_done(**step)) {
                self.at_thread[other].push(thread);
                return;
            }
            let is_empty = |queue: &&usize| self.queues[**queue].is_empty();
            if let Some(&queue) = operation.takes.iter().find(is_empty) {
                self.at_queue[queue].push(thread);
                return;
            }
            if let Some(queue) = self.full(operation) {
                self.at_queue[queue].push(thread);
                return;
            }
            match operation.barrier {
                Some(barrier) => {
                    if !self.meet(thread, barrier, ready) {
                        return;
                    }
                }
                None => self.execute(thread, operation),
            }
            self.wake(thread, operation, ready);
        }
    }

    fn is_done(&self, (thread, operation): Step) -> bool {
        self.places[thread].len() > operation
    }

    /// A queue without a free slot for what an operation sends.
    fn full(&self, operation: &Operation) -> Option<usize> {
        let slots = self.plan.slots.filter(|_| operation.is_data)? as usize;
        operation.gives.iter().copied().find(|&queue| self.queues[queue].len() >= slots)
    }

    fn wake(&mut self, thread: usize, operation: &Operation, ready: &mut Vec<usize>) {
        ready.append(&mut self.at_thread[thread]);
        for &queue in operation.gives.iter().chain(&operation.takes) {
            ready.append(&mut self.at_queue[queue]);
        }
    }

    /// Records that an operation is complete, and the operations that it had to wait for.
    fn note(&mut self, thread: usize, before: Vec<u32>) {
        self.places[thread].push(self.run.done.len() as u32);
        self.run.done.push((thread, self.places[thread].len() - 1));
        self.run.before.push(before);
    }

    /// Reaches a barrier. Returns whether all threads have arrived; the other threads are then
    /// woken.
    fn meet(&mut self, thread: usize, (id, count): (u32, u32), ready: &mut Vec<usize>) -> bool {
        let key = (self.plan.threads[thread].rank, id);
        let met = self.at_barrier.entry(key).or_default();
        if !met.contains(&thread) {
            met.push(thread);
        }
        if met.len() < count as usize {
            return false;
        }
        let met = std::mem::take(met);
        // Everything that any of these threads did before the barrier precedes what all of them do
        // after it.
        let last = |&thread: &usize| self.places[thread].last().copied();
        let before: Vec<u32> = met.iter().filter_map(last).collect();
        for other in met {
            self.note(other, before.clone());
            if other != thread {
                ready.push(other);
                ready.append(&mut self.at_thread[other]);
            }
        }
        true
    }

    fn execute(&mut self, thread: usize, operation: &Operation) {
        let step = (thread, self.places[thread].len());
        let mut before: Vec<u32> =
            operation.after.iter().map(|&(other, at)| self.places[other][at]).collect();
        let mut sum: Option<Vec<Option<Value>>> = None;
        for &queue in &operation.takes {
            let Some(entry) = self.queues[queue].pop_front() else { continue };
            before.extend(entry.by);
            if let Some(data) = entry.data {
                if operation.received != Some(data.len() as u32) {
                    let problem = format!(
                        "it receives {} chunks, but {} were sent",
                        operation.received.unwrap_or(0),
                        data.len()
                    );
                    self.misfit(step, problem);
                }
                self.carry(self.plan.queues[queue].ends, &data);
                sum = Some(data);
            }
        }
        let own = self.plan.threads[thread].rank;
        for &span in &operation.sources {
            let read = self.read(step, span);
            // A remote read or write is a transfer without a queue.
            if span.rank != own {
                self.carry((span.rank, own), &read);
            }
            sum = Some(match sum {
                None => read,
                Some(sum) => self.added(&sum, &read),
            });
        }
        self.note(thread, before);
        let place = self.places[thread][step.1];
        for &span in &operation.stores {
            let values = sum.clone().unwrap_or_default();
            if span.rank != own {
                self.carry((own, span.rank), &values);
            }
            self.write(step, span, values);
        }
        for &queue in &operation.gives {
            let data = operation.is_data.then(|| sum.clone().unwrap_or_default());
            self.queues[queue].push_back(QueuedData { by: Some(place), data });
        }
    }

    fn carry(&mut self, (from, to): (u32, u32), data: &[Option<Value>]) {
        let values = data.iter().flatten().cloned().collect();
        self.run.carried.push(Carried { from, to, values });
    }

    fn added(&mut self, one: &[Option<Value>], other: &[Option<Value>]) -> Vec<Option<Value>> {
        let mut sums = Vec::with_capacity(one.len());
        for pair in one.iter().zip(other) {
            let sum = match pair {
                (Some(one), Some(other)) => one.plus(other),
                _ => {
                    sums.push(None);
                    continue;
                }
            };
            self.terms += sum.terms().len();
            sums.push(Some(sum));
        }
        sums
    }

    fn read(&mut self, step: Step, span: Span) -> Vec<Option<Value>> {
        let mut values = Vec::new();
        for offset in span.offset..span.offset.saturating_add(span.count) {
            let Some(at) = self.plan.chunk(span.rank, span.buffer, offset) else {
                self.misfit(step, format!("{} does not exist", Span { offset, count: 1, ..span }));
                values.push(None);
                continue;
            };
            let value = self.run.chunks[span.rank as usize][at].clone();
            if value.is_none() && self.run.faults.len() < MOST_FAULTS {
                let operation = self.plan.operation_name(step);
                let chunk = Span { offset, count: 1, ..span }.to_string();
                self.run.faults.push(PlanFault::Missing { operation, chunk });
            }
            values.push(value);
        }
        values
    }

    fn write(&mut self, step: Step, span: Span, values: Vec<Option<Value>>) {
        if values.len() != span.count as usize {
            let problem =
                format!("{} chunks are written to a place for {}", values.len(), span.count);
            self.misfit(step, problem);
        }
        for (offset, value) in (span.offset..).zip(values).take(span.count as usize) {
            match self.plan.chunk(span.rank, span.buffer, offset) {
                Some(at) => self.run.chunks[span.rank as usize][at] = value,
                None => {
                    self.misfit(
                        step,
                        format!("{} does not exist", Span { offset, count: 1, ..span }),
                    );
                }
            }
        }
    }

    fn misfit(&mut self, step: Step, problem: String) {
        if self.run.faults.len() < MOST_FAULTS {
            let operation = self.plan.operation_name(step);
            self.run.faults.push(PlanFault::Misfit { operation, problem });
        }
    }

    fn finish(mut self) -> PlanRun {
        if self.terms > MOST_TERMS {
            self.run.faults.push(PlanFault::TooLarge { what: "the content of the sums" });
            return self.run;
        }
        let stuck = self.stuck();
        if !stuck.is_empty() {
            self.run.faults.push(PlanFault::Deadlock { stuck });
            return self.run;
        }
        for (queue, left) in self.plan.queues.iter().zip(&self.queues) {
            // Entries may remain in a semaphore within a rank. Between ranks, a leftover signal
            // would be taken for the next one.
            let is_between = queue.ends.0 != queue.ends.1;
            if is_between && !left.is_empty() && self.run.faults.len() < MOST_FAULTS {
                let (queue, count) = (queue.name.clone(), left.len());
                self.run.faults.push(PlanFault::Unreceived { queue, count });
            }
        }
        self.run
    }

    /// The threads that are not done, and what they wait for.
    fn stuck(&self) -> Vec<String> {
        let mut stuck = Vec::new();
        for (thread, places) in self.places.iter().enumerate() {
            let at = (thread, places.len());
            let Some(operation) = self.plan.threads[thread].operations.get(at.1) else { continue };
            if stuck.len() == MOST_FAULTS {
                stuck.push("and more".to_owned());
                break;
            }
            let awaited = operation.after.iter().find(|step| !self.is_done(**step));
            let empty = operation.takes.iter().find(|queue| self.queues[**queue].is_empty());
            let reason = match (awaited, empty, self.full(operation)) {
                (Some(&step), _, _) => self.plan.operation_name(step),
                (None, Some(&queue), _) => self.plan.queues[queue].name.clone(),
                (None, None, Some(queue)) => {
                    format!("a free slot for {}", self.plan.queues[queue].name)
                }
                (None, None, None) => "the other thread blocks at its barrier".to_owned(),
            };
            stuck.push(format!("{} waits for {reason}", self.plan.operation_name(at)));
        }
        stuck
    }
}
