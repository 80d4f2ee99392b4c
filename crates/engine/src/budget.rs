//! How much a search may spend: evaluations, counted exactly, and an interrupt besides: a deadline, or a flag that others raise.
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

/// The point at which one of so many equal parts of the time left until a deadline has passed.
pub fn part_of_time(deadline: Option<Instant>, parts: u32) -> Option<Instant> {
    let now = Instant::now();
    deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts)
}

/// Whether a point in time has passed.
pub fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Time after a deadline in which what was found may be made a result.
pub const GRACE: Duration = Duration::from_secs(1);

/// The same where polls are counted instead.
pub const GRACE_POLLS: u64 = 1000;

/// Tells work in progress when to stop: at a deadline, or when one of several flags is raised.
///
/// Everything that may take more than a few milliseconds polls it, so that a search ends soon after its deadline. What an interrupt cuts short
/// must not be kept as if it were complete.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    deadline: Option<Instant>,
    flags: Vec<Arc<AtomicBool>>,
    polls: Option<Polls>,
}

/// Polls so far, and how many of them find nothing.
#[derive(Debug, Clone)]
struct Polls {
    made: Arc<AtomicU64>,
    quiet: u64,
}

impl Interrupt {
    /// No interrupt at all.
    pub fn never() -> Self {
        Self::default()
    }

    /// An interrupt that counts how often it is polled and is raised after `quiet` polls: it makes tests of deadlines independent of the clock.
    pub fn after_polls(quiet: u64) -> Self {
        Self { polls: Some(Polls { made: Arc::default(), quiet }), ..Self::default() }
    }

    /// The same, but also at `deadline`, which replaces an earlier one.
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same, but also when `flag` is raised. Several flags may be given, one call each.
    pub fn unless(mut self, flag: Arc<AtomicBool>) -> Self {
        self.flags.push(flag);
        self
    }

    /// The same with some time more: for work that makes a result of what was found until the deadline.
    pub fn with_grace(&self) -> Self {
        let mut later = self.clone();
        later.deadline = self.deadline.and_then(|deadline| deadline.checked_add(GRACE));
        if let Some(polls) = &mut later.polls {
            polls.quiet = polls.quiet.saturating_add(GRACE_POLLS);
        }
        later
    }

    /// Whether to stop.
    pub fn is_raised(&self) -> bool {
        let is_counted_out = self
            .polls
            .as_ref()
            .is_some_and(|polls| polls.made.fetch_add(1, Ordering::Relaxed) >= polls.quiet);
        is_counted_out
            || self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
            || is_past(self.deadline)
    }

    /// How often it was polled, if it counts that.
    pub fn polls(&self) -> u64 {
        self.polls.as_ref().map_or(0, |polls| polls.made.load(Ordering::Relaxed))
    }
}

/// Evaluations between two polls of the interrupt, at the most: fewer where they take long.
pub const LOOK_EVERY: u64 = 4096;

/// Where two polls are further apart than this, the next one comes sooner.
const LONG: Duration = Duration::from_millis(5);

/// What a search may still spend.
#[derive(Debug, Clone)]
pub struct Budget {
    limit: u64,
    spent: u64,
    is_over: bool,
    interrupt: Interrupt,
    next_poll: u64,
    /// Evaluations between two polls.
    stride: u64,
    last_poll: Option<Instant>,
    open: Arc<AtomicU64>,
}

impl Budget {
    /// So many evaluations and no other limit.
    pub fn evaluations(limit: u64) -> Self {
        Self {
            limit,
            spent: 0,
            is_over: false,
            interrupt: Interrupt::never(),
            next_poll: 0,
            stride: 1,
            last_poll: None,
            open: Arc::default(),
        }
    }

    /// Any number of evaluations until the interrupt: for work that only has to poll now and then.
    pub fn unlimited(interrupt: &Interrupt) -> Self {
        Self::evaluations(u64::MAX).interrupted_by(interrupt.clone())
    }

    /// The same, with this interrupt instead of any other.
    pub fn interrupted_by(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// The same, but not beyond `deadline`.
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.interrupt = self.interrupt.until(deadline);
        self
    }

    /// The same, but not after `stop` was raised. Several flags may be given, one call each.
    pub fn unless(mut self, stop: Arc<AtomicBool>) -> Self {
        self.interrupt = self.interrupt.unless(stop);
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
        let (interrupt, open) = (self.interrupt.clone(), self.open.clone());
        Self { is_over: limit == 0, interrupt, open, ..Self::evaluations(limit) }
    }

    /// What ends the search, however much is left to spend.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Tells how many messages are still without a place.
    pub fn tell_open(&self, messages: usize) {
        self.open.store(messages as u64, Ordering::Relaxed);
    }

    /// Notes that `evaluations` were made; whether the search may go on.
    pub fn spend(&mut self, evaluations: u64) -> bool {
        self.spent += evaluations;
        self.is_over |= self.spent >= self.limit;
        if self.spent >= self.next_poll && !self.is_over {
            self.is_over = self.is_stopped();
            self.adapt_stride();
            self.next_poll = self.spent + self.stride;
        }
        !self.is_over
    }

    /// Polls more often where evaluations take long, so that a deadline is kept whatever they are.
    fn adapt_stride(&mut self) {
        let now = self.interrupt.deadline.map(|_| Instant::now());
        let is_long = match (self.last_poll, now) {
            (Some(last), Some(now)) => now - last > LONG,
            _ => false,
        };
        self.stride = match is_long {
            true => (self.stride / 4).max(1),
            false => (2 * self.stride).min(LOOK_EVERY),
        };
        self.last_poll = now;
    }

    /// Whether the interrupt ends the search, however much is left to spend.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.is_raised()
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
