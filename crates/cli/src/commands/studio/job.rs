//! One thing that a page asked for: where it stands, how to stop it, and what came of it.

use super::answer::Answer;
use super::request::Wish;
use pavane_engine::synthesize::Progress;
use pavane_model::printable::make_printable;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Where a job stands.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// Others come first.
    Queued,
    /// At work.
    Running,
    /// There is an answer.
    Done,
    /// There is none, and why.
    Failed(String),
}

impl State {
    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }
}

/// A job.
pub struct Job {
    /// Its number.
    pub id: u64,
    /// What was asked for.
    pub wish: Wish,
    /// Raised to end it.
    pub stop: Arc<AtomicBool>,
    /// Where its search stands.
    pub progress: Arc<Progress>,
    /// Rows of a table so far.
    pub rows: Mutex<Vec<Value>>,
    /// Whether its time was up.
    is_late: AtomicBool,
    state: watch::Sender<State>,
    answer: Mutex<Option<Arc<Answer>>>,
}

impl Job {
    /// A job that waits.
    pub fn new(id: u64, wish: Wish) -> Self {
        Self {
            id,
            wish,
            stop: Arc::default(),
            progress: Arc::default(),
            rows: Mutex::default(),
            is_late: AtomicBool::new(false),
            state: watch::Sender::new(State::Queued),
            answer: Mutex::default(),
        }
    }

    /// Where it stands, now and whenever that changes.
    pub fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Notes where it stands.
    pub fn set(&self, state: State) {
        self.state.send_replace(state);
    }

    /// Whether it was ended by the page.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends it because its time is up.
    pub fn end_late(&self) {
        self.is_late.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why there is no answer.
    pub fn excuse(&self) -> String {
        match (self.is_late.load(Ordering::Relaxed), self.is_stopped()) {
            (true, _) => "no schedule was found in the time of a job; try a smaller problem, or \
                          `pavane studio --time`"
                .to_owned(),
            (false, true) => "cancelled".to_owned(),
            (false, false) => "no schedule was found".to_owned(),
        }
    }

    /// Keeps an answer.
    pub fn keep(&self, answer: Answer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(answer));
    }

    /// The answer, if there is one.
    pub fn answer(&self) -> Option<Arc<Answer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bytes of what was asked for and of the answer, about.
    pub fn bytes(&self) -> usize {
        self.wish.bytes() + self.answer().map_or(0, |answer| answer.bytes())
    }

    /// Where it stands, for the page.
    pub fn report(&self, state: &State, ahead: usize) -> Value {
        let number = |of: &std::sync::atomic::AtomicU32| of.load(Ordering::Relaxed);
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut report = json!({
            "job": self.id,
            "bound": number(&self.progress.bound),
            "best": number(&self.progress.best),
            "trying": number(&self.progress.trying),
            "rows": rows,
        });
        if let Some(answer) = self.answer() {
            // All phases together, and what was found without a search too.
            (report["best"], report["bound"]) = (json!(answer.steps()), json!(answer.bound()));
        }
        match state {
            State::Queued => {
                report["state"] = json!("queued");
                report["ahead"] = json!(ahead);
            }
            State::Running => report["state"] = json!("running"),
            State::Done => report["state"] = json!("done"),
            State::Failed(why) => {
                report["state"] = json!("failed");
                report["message"] = json!(why);
            }
        }
        make_printable(&mut report);
        report
    }
}
