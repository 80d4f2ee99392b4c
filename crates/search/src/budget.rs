//! Limits of a search: evaluations, which are counted exactly, and an interrupt, which is a
//! deadline or a flag. This is the only place that reads the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The start of a time measurement.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// The instant `time` after the start; `None` if it cannot be represented.
    pub fn after(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time)
    }
}

/// The end of the first of `parts` equal parts of the time left until a deadline.
pub fn part_of_time(deadline: Option<Instant>, parts: u32) -> Option<Instant> {
    let now = Instant::now();
    deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts)
}

/// Whether a deadline has passed; without a deadline, no.
pub fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Time after a deadline for turning what was found into a result.
pub const GRACE: Duration = Duration::from_secs(1);

/// The grace period of an interrupt that counts polls.
pub const GRACE_POLLS: u64 = 1000;

/// Tells work in progress when to stop: at a deadline, or when one of several flags is raised.
///
/// Any work that may take more than a few milliseconds polls it, so that a search ends soon after
/// its deadline. A result that an interrupt has cut short must not be treated as complete.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    deadline: Option<Instant>,
    flags: Vec<Arc<AtomicBool>>,
    polls: Option<Polls>,
}

/// The number of polls so far, and how many of them return false.
#[derive(Debug, Clone)]
struct Polls {
    made: Arc<AtomicU64>,
    quiet: u64,
}

impl Interrupt {
    /// An interrupt that is never raised.
    pub fn never() -> Self {
        Self::default()
    }

    /// An interrupt that counts its polls and is raised after `quiet` of them. It makes tests of
    /// deadlines independent of the clock.
    pub fn after_polls(quiet: u64) -> Self {
        Self { polls: Some(Polls { made: Arc::default(), quiet }), ..Self::default() }
    }

    /// The same, but raised after one of `parts` equal parts of the remaining time.
    pub fn after_part(&self, parts: u32) -> Self {
        self.clone().until(part_of_time(self.deadline, parts))
    }

    /// Adds a deadline, which replaces an earlier one.
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Adds a flag that raises the interrupt. May be called several times.
    pub fn unless(mut self, flag: Arc<AtomicBool>) -> Self {
        self.flags.push(flag);
        self
    }

    /// A copy with a later deadline, for turning what was found into a result.
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

    /// Number of polls so far; 0 if they are not counted.
    pub fn polls(&self) -> u64 {
        self.polls.as_ref().map_or(0, |polls| polls.made.load(Ordering::Relaxed))
    }
}

/// Largest number of evaluations between two polls of the interrupt; fewer if evaluations are slow.
pub const LOOK_EVERY: u64 = 4096;

/// If two polls are further apart than this, the next one comes sooner.
const LONG: Duration = Duration::from_millis(5);

/// The evaluations and the interrupt that limit a search.
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
    /// Whether an attempt may adapt to the time left, because nothing but time is limited.
    is_flexible: bool,
}

impl Budget {
    /// A limit on evaluations only.
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
            is_flexible: false,
        }
    }

    /// No limit on evaluations, for work that only has to poll the interrupt regularly.
    pub fn unlimited(interrupt: &Interrupt) -> Self {
        Self::evaluations(u64::MAX).interrupted_by(interrupt.clone())
    }

    /// Replaces the interrupt.
    pub fn interrupted_by(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Sets the most evaluations.
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the deadline.
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.interrupt = self.interrupt.until(deadline);
        self
    }

    /// Adds a stop flag. May be called several times.
    pub fn unless(mut self, stop: Arc<AtomicBool>) -> Self {
        self.interrupt = self.interrupt.unless(stop);
        self
    }

    /// Sets where [`Self::tell_open`] reports.
    pub fn telling(mut self, open: Arc<AtomicU64>) -> Self {
        self.open = open;
        self
    }

    /// Sets whether an attempt may adapt to the time left.
    pub fn flexible(mut self, is_flexible: bool) -> Self {
        self.is_flexible = is_flexible;
        self
    }

    /// The time left, if an attempt may adapt to it.
    pub fn flexible_time(&self) -> Option<Duration> {
        let deadline = self.interrupt.deadline.filter(|_| self.is_flexible)?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Lifts the limit on evaluations; the interrupt remains.
    pub fn lift_limit(&mut self) {
        self.limit = u64::MAX;
    }

    /// A budget of at most `evaluations` out of this one. Its spending is not deducted here.
    pub fn part(&self, evaluations: u64) -> Self {
        let limit = self.left().min(evaluations);
        let (interrupt, open) = (self.interrupt.clone(), self.open.clone());
        Self { is_over: limit == 0, interrupt, open, ..Self::evaluations(limit) }
    }

    /// The interrupt that ends the search regardless of the evaluations left.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Reports how many messages are not placed yet.
    pub fn tell_open(&self, messages: usize) {
        self.open.store(messages as u64, Ordering::Relaxed);
    }

    /// Records `evaluations`; returns whether the search may continue.
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

    /// Polls more often if evaluations are slow, so that deadlines are kept.
    fn adapt_stride(&mut self) {
        let now = self.interrupt.deadline.map(|_| Instant::now());
        let is_long = match (self.last_poll, now) {
            (Some(last), Some(now)) => now - last > LONG,
            _ => false,
        };
        self.stride =
            if is_long { (self.stride / 4).max(1) } else { (2 * self.stride).min(LOOK_EVERY) };
        self.last_poll = now;
    }

    /// Whether the interrupt is raised, regardless of the evaluations left.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Whether the evaluations are spent, or a poll has found the interrupt raised.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Evaluations left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Evaluations made so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}
