//! How the searches of a tuning divide the time.

use pavane_search::Interrupt;
use pavane_search::budget::Clock;
use std::time::Duration;

/// Every search gets at least this part of the time, even if others have taken longer than planned.
const LEAST_PART: u32 = 400;

/// The time of a tuning. A quarter is for the front and the last comparison; the other searches divide the
/// time that is left when their turn comes.
#[derive(Debug, Clone)]
pub struct TuningTimes {
    clock: Clock,
    time: Option<Duration>,
    interrupt: Interrupt,
}

impl TuningTimes {
    /// A tuning that started with the clock and takes this time, or ends with the interrupt.
    pub fn new(clock: Clock, time: Duration, interrupt: Interrupt) -> Self {
        Self { clock, time: Some(time), interrupt }
    }

    /// Searches that end by themselves.
    pub fn unlimited() -> Self {
        Self { clock: Clock::start(), time: None, interrupt: Interrupt::never() }
    }

    fn until(&self, end: Option<Duration>) -> Interrupt {
        self.interrupt.clone().until(end.and_then(|end| self.clock.after(end)))
    }

    /// Ends the search for k-synchronous schedules.
    pub(crate) fn front(&self) -> Interrupt {
        self.until(self.time.map(|time| time / 8))
    }

    /// Ends a search with a share in the time that is left for all of them.
    pub(crate) fn part(&self, share: f64) -> Interrupt {
        self.until(self.time.map(|time| {
            let elapsed = self.clock.elapsed();
            let left = (time - time / 8).saturating_sub(elapsed);
            elapsed + left.mul_f64(share).max(time / LEAST_PART)
        }))
    }

    /// Ends the comparison of all schedules at all sizes; then only the most promising are compared.
    pub(crate) fn last(&self) -> Interrupt {
        self.until(self.time)
    }
}
