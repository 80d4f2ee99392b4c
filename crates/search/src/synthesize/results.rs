//! The results of a search that determine the next task.

use super::task::{Answer, Task};
use crate::attempt::Attempt;

/// The results so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Results {
    /// Total number of evaluations.
    pub spent: u64,
    /// Steps of the best schedule.
    pub best: Option<u32>,
    /// The proved bound.
    pub bound: u32,
    /// Whether a proof was found that a step count is impossible.
    pub is_refuted: bool,
}

impl Results {
    /// The results after an answer that is not judged yet. Without an answer, the task counts as
    /// failed after spending its quota.
    pub fn with(mut self, task: &Task, answer: Option<&Answer>) -> Self {
        self.spent = self.spent.saturating_add(answer.map_or(task.quota, |it| it.evaluations));
        match answer.map(|answer| &answer.attempt) {
            Some(Attempt::Found(schedule) | Attempt::Longer(schedule)) => {
                let steps = schedule.step_count();
                self.best = Some(self.best.map_or(steps, |best| best.min(steps)));
            }
            Some(Attempt::Impossible(proof)) => {
                self.bound = self.bound.max(proof.steps + 1);
                self.is_refuted = true;
            }
            Some(Attempt::OutOfBudget) | None => {}
        }
        self
    }
}
