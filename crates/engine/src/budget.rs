//! How much a search may spend: evaluations, counted exactly, and a wall-clock deadline besides.
//! This is the only place that reads the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A point in time that work is measured from.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since then.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// So long after then; `None` if that is beyond all clocks.
    pub fn after(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time)
    }
}

/// Whether a point in time has passed.
pub fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Evaluations between two looks at the clock and the stop flags.
pub const LOOK_EVERY: u64 = 4096;

/// What a search may still spend.
#[derive(Debug, Clone)]
pub struct Budget {
    limit: u64,
    spent: u64,
    next_look: u64,
    is_over: bool,
    deadline: Option<Instant>,
    stops: Vec<Arc<AtomicBool>>,
    open: Arc<AtomicU64>,
}

impl Budget {
    /// So many evaluations and no other limit.
    pub fn evaluations(limit: u64) -> Self {
        let (deadline, stops, open) = (None, Vec::new(), Arc::default());
        Self { limit, spent: 0, next_look: 0, is_over: false, deadline, stops, open }
    }

    /// The same, but not beyond `deadline`.
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same, but not after `stop` was raised. Several flags may be given, one call each.
    pub fn unless(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stops.push(stop);
        self
    }

    /// The same, but telling `open` how many messages are still without a place.
    pub fn telling(mut self, open: Arc<AtomicU64>) -> Self {
        self.open = open;
        self
    }

    /// A budget of at most so many evaluations out of this one; what it spends is not noted here.
    pub fn part(&self, evaluations: u64) -> Self {
        let limit = self.left().min(evaluations);
        Self { limit, spent: 0, next_look: 0, is_over: limit == 0, ..self.clone() }
    }

    /// Tells how many messages are still without a place.
    pub fn tell_open(&self, messages: usize) {
        self.open.store(messages as u64, Ordering::Relaxed);
    }

    /// Notes that `evaluations` were made; whether the search may go on.
    pub fn spend(&mut self, evaluations: u64) -> bool {
        self.spent += evaluations;
        if self.spent >= self.next_look {
            self.next_look = self.spent + LOOK_EVERY;
            self.is_over |= self.spent >= self.limit || self.is_stopped();
        } else if self.spent >= self.limit {
            self.is_over = true;
        }
        !self.is_over
    }

    /// Whether the clock or somebody else ends the search, however much is left to spend.
    pub fn is_stopped(&self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed)) || is_past(self.deadline)
    }

    /// Whether there is nothing left.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Evaluations that may still be made.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Evaluations made so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}
