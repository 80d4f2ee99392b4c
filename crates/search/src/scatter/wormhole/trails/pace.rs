//! How much work an attempt does: as many evaluations as its budget has. If only the time of a search is limited and a
//! later attempt would not have enough of it, the attempt takes all the time that is left.

use super::super::ejection::Ejection;
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::{Budget, Clock};
use crate::rng::Rng;
use pavane_model::Schedule;
use rayon::prelude::*;
use std::time::Duration;

/// The share of the evaluations for guided ejection, in percent.
pub(super) const EJECTION_SHARE: u64 = 35;

/// An attempt takes all the time that is left if that is less than so many times its own.
const LAST_ATTEMPT: f64 = 100.0;

/// The part of the time that is left for an attempt to end.
const RESERVE: f64 = 0.08;

/// The part of the time for guided ejection.
const EJECTION_TIME: f64 = 0.2;

/// Guided ejections at the same time, unless the time is limited: then there is one for every thread.
const EJECTIONS: usize = 4;

/// The limits of an attempt.
pub(super) struct Pace {
    clock: Clock,
    /// Evaluations spent before, and those for packing and for guided ejection.
    start: u64,
    /// Evaluations and time before the first step.
    before: (u64, Duration),
    packing: u64,
    ejecting: u64,
    /// The time for the attempt, if it takes all that is left.
    time: Option<Duration>,
    is_decided: bool,
}

impl Pace {
    pub fn new(budget: &Budget) -> Self {
        let ejecting = budget.left() / 100 * EJECTION_SHARE;
        Self {
            clock: Clock::start(),
            start: budget.spent(),
            before: (0, Duration::ZERO),
            packing: budget.left() - ejecting,
            ejecting,
            time: None,
            is_decided: false,
        }
    }

    /// Evaluations left for packing.
    pub fn left(&mut self, budget: &mut Budget) -> u64 {
        let (spent, elapsed) = (budget.spent() - self.start, self.clock.elapsed());
        if !self.is_decided && spent > 0 {
            self.is_decided = true;
            self.before = (spent, elapsed);
            let own = elapsed.as_secs_f64() * (self.packing + self.ejecting) as f64 / spent as f64;
            let left = budget.flexible_time();
            if let Some(left) = left.filter(|left| left.as_secs_f64() < LAST_ATTEMPT * own) {
                self.time = Some(elapsed + left.mul_f64(1.0 - RESERVE));
                budget.lift_limit();
            }
        }
        let Some(time) = self.time else { return self.packing.saturating_sub(spent) };
        let left = time.mul_f64(1.0 - EJECTION_TIME).saturating_sub(elapsed);
        (self.rate(spent, elapsed) * left.as_secs_f64()) as u64
    }

    /// Evaluations per second, of packing if there was any: those of the balance before take more or less time.
    fn rate(&self, spent: u64, elapsed: Duration) -> f64 {
        let (before, until) = self.before;
        let (spent, elapsed) =
            if spent > before { (spent - before, elapsed - until) } else { (spent, elapsed) };
        spent as f64 / elapsed.as_secs_f64().max(1e-3)
    }

    /// Evaluations of a guided ejection after the packing.
    pub fn ejecting(&self, budget: &Budget) -> u64 {
        let Some(time) = self.time else { return self.ejecting / EJECTIONS as u64 };
        let (spent, elapsed) = (budget.spent() - self.start, self.clock.elapsed());
        let left = time.saturating_sub(elapsed.max(time.mul_f64(1.0 - EJECTION_TIME)));
        let threads = rayon::current_num_threads();
        (self.rate(spent, elapsed) / threads as f64 * left.as_secs_f64()) as u64
    }

    /// Guided ejection with several seeds. Returns the shortest schedule.
    pub fn eject(
        &self,
        rest: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Schedule> {
        let (spent, elapsed) = (budget.spent() - self.start, self.clock.elapsed());
        let (count, each) = match self.time {
            None => (EJECTIONS, self.ejecting / EJECTIONS as u64),
            Some(time) => {
                let threads = rayon::current_num_threads();
                let rate = self.rate(spent, elapsed) / threads as f64;
                (threads, (rate * time.saturating_sub(elapsed).as_secs_f64()) as u64)
            }
        };
        let seed = rng.bits();
        let run = |at: usize| {
            let mut part = budget.part(each);
            let found = Ejection.attempt(rest, steps, &mut part, &mut Rng::stream(seed, at as u64));
            (found, part.spent())
        };
        let found: Vec<(Attempt, u64)> = (0..count).into_par_iter().map(run).collect();
        budget.spend(found.iter().map(|(_, spent)| spent).sum());
        let schedules = found.into_iter().filter_map(|(attempt, _)| match attempt {
            Attempt::Found(schedule) | Attempt::Longer(schedule) => Some(schedule),
            Attempt::Impossible(_) | Attempt::OutOfBudget => None,
        });
        schedules.min_by_key(Schedule::step_count)
    }
}
