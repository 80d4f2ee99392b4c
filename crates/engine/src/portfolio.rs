//! Several tries at the same number of steps on several threads. The tries are numbered, and the
//! first in that order that succeeds is the answer, so the number of threads does not matter.

use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::rng::Rng;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// One try.
pub struct Task {
    /// Who tries.
    pub engine: &'static dyn Engine,
    /// What it may spend.
    pub budget: Budget,
    /// The number of its stream of chance.
    pub stream: u64,
}

/// What all tries of a round have in common.
pub struct Round<'a> {
    /// The problem.
    pub context: &'a Context,
    /// Steps asked for.
    pub steps: u32,
    /// Where chance starts.
    pub seed: u64,
    /// Tries at the same time.
    pub threads: usize,
}

/// What came of one try.
pub struct Answer {
    /// Who tried.
    pub engine: &'static str,
    /// The answer.
    pub attempt: Attempt,
    /// What it spent.
    pub evaluations: u64,
}

/// Runs the tasks; answers up to and with the first success, in the order of the tasks.
pub fn run(round: &Round<'_>, tasks: Vec<Task>) -> Vec<Answer> {
    let stops: Vec<Arc<AtomicBool>> = tasks.iter().map(|_| Arc::default()).collect();
    let winner = AtomicUsize::new(usize::MAX);
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Option<Answer>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(task) = tasks.get(index) else { return };
        if winner.load(Ordering::Acquire) < index {
            return;
        }
        let mut budget = task.budget.clone().unless(stops[index].clone());
        let mut rng = Rng::stream(round.seed, task.stream);
        let attempt = task.engine.attempt(round.context, round.steps, &mut budget, &mut rng);
        if matches!(attempt, Attempt::Found(_)) {
            winner.fetch_min(index, Ordering::AcqRel);
            stops[index + 1..].iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
        }
        let answer = Answer { engine: task.engine.name(), attempt, evaluations: budget.spent() };
        *answers[index].lock().expect("no thread panics while it holds this") = Some(answer);
    };
    std::thread::scope(|scope| {
        for _ in 1..round.threads.min(tasks.len()) {
            scope.spawn(work);
        }
        work();
    });
    let last = winner.into_inner();
    let finished = answers.into_iter().take(last.saturating_add(1));
    finished.filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}
