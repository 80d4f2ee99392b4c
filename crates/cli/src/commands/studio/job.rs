//! A job requested by a page: its state, its cancellation and its result.

use super::answer::Answer;
use super::request::JobRequest;
use crate::commands::reproduce::row::TableRow;
use crate::report::studio::{JobReport, JobState};
use pavane_model::printable::{make_printable, printable_lines};
use pavane_search::synthesize::Progress;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// State of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// Waiting in the queue.
    Queued,
    /// Running.
    Running,
    /// Finished with a result.
    Done,
    /// Finished without a result, with the reason.
    Failed(String),
}

impl State {
    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }
}

/// A job.
pub struct Job {
    /// Its number.
    pub id: u64,
    /// The request.
    pub request: JobRequest,
    /// Set to stop it.
    pub stop: Arc<AtomicBool>,
    /// Progress of its search.
    pub progress: Arc<Progress>,
    /// Rows of a table so far.
    pub rows: Mutex<Vec<TableRow>>,
    /// What it does at the moment, in words.
    doing: Mutex<String>,
    /// Whether its deadline has passed.
    is_late: AtomicBool,
    /// Whether the user has stopped it and wants what was found.
    is_ended: AtomicBool,
    state: watch::Sender<State>,
    answer: Mutex<Option<Arc<Answer>>>,
}

impl Job {
    /// A queued job.
    pub fn new(id: u64, request: JobRequest) -> Self {
        Self {
            id,
            request,
            stop: Arc::default(),
            progress: Arc::default(),
            rows: Mutex::default(),
            doing: Mutex::default(),
            is_late: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            state: watch::Sender::new(State::Queued),
            answer: Mutex::default(),
        }
    }

    /// Subscribes to its state.
    pub fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Sets its state.
    pub fn set(&self, state: State) {
        self.state.send_replace(state);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the result is no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        self.is_stopped() && !is_set(&self.is_late) && !is_set(&self.is_ended)
    }

    /// Stops it and keeps the best result so far.
    pub fn end_early(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Says what it does at the moment.
    pub fn tell(&self, doing: String) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing;
    }

    /// Whether its deadline has passed.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Stops it because its deadline has passed.
    pub fn end_late(&self) {
        self.is_late.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why there is no result.
    pub fn excuse(&self) -> String {
        if self.is_ended.load(Ordering::Relaxed) {
            return "stopped before there was a result".to_owned();
        }
        match (self.is_late.load(Ordering::Relaxed), self.is_stopped()) {
            (true, _) => "no schedule was found within the time limit of a job; try a smaller \
                          problem, or start the studio with a longer --time"
                .to_owned(),
            (false, true) => "cancelled".to_owned(),
            (false, false) => "no schedule was found".to_owned(),
        }
    }

    /// Stores the result.
    pub fn keep(&self, answer: Answer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(answer));
    }

    /// The result, if there is one.
    pub fn answer(&self) -> Option<Arc<Answer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Approximate memory of the request and the result in bytes.
    pub fn bytes(&self) -> usize {
        self.request.bytes() + self.answer().map_or(0, |answer| answer.bytes())
    }

    /// Status report for the page.
    pub fn report(&self, state: &State, ahead: usize) -> Value {
        let number = |of: &std::sync::atomic::AtomicU32| of.load(Ordering::Relaxed);
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut best, mut bound) = (number(&self.progress.best), number(&self.progress.bound));
        if let Some(answer) = self.answer() {
            // Totals over all phases, which also cover results found without a search.
            (best, bound) = (answer.steps(), answer.bound());
        }
        let now = match state {
            State::Queued => JobState::Queued { ahead },
            State::Running => JobState::Running,
            State::Done => JobState::Done,
            State::Failed(message) => JobState::Failed { message },
        };
        let trying = number(&self.progress.trying);
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let report = JobReport { job: self.id, bound, best, trying, doing, rows, state: now };
        // Its keys are strings and its values plain data, so the conversion cannot fail.
        let mut report = serde_json::to_value(report).unwrap_or_default();
        make_printable(&mut report);
        if let State::Failed(message) = state {
            report["message"] = printable_lines(message).into();
        }
        report
    }
}
