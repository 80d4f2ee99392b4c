//! Schedules that are a little longer than the bound, before the bound itself is tried: they take little time
//! and are kept if the bound is not reached.

use crate::bounds::slow_bound;
use crate::driver::Driver;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A period that is longer than the bound by this part of it is far from it.
const FAR: u32 = 6;
/// Periods that are longer than the bound by these parts of it are tried before the bound. Where channels do
/// not continue each other, only the first one: failures take long there. If only ports bound the period, the
/// bound is not much harder than these, unless the prices that guide a search prove almost as much.
const NEAR: [u32; 4] = [16, 32, 64, 128];
const NEAR_PORTS: [u32; 1] = [32];

impl Driver<'_> {
    /// Without symmetry, the bound may take long: first finds schedules that are not much longer.
    pub fn approach(&mut self) {
        let far = self.bounds.best.period.saturating_add(self.bounds.best.period / FAR);
        let is_plain = self.quotient_words() == self.problem.word_count();
        if !is_plain || self.best.as_ref().is_none_or(|best| best.period <= far) {
            return;
        }
        let is_close = self.add_bound_of_guide();
        let is_tight = is_close && self.is_straight() && self.is_at_ports(self.bounds.best.period);
        if is_tight {
            self.approach_tight();
        } else if is_close {
            self.add_slow_bounds();
        }
        let bound = self.bounds.best.period;
        let parts = if !self.is_straight() {
            &NEAR[..1]
        } else if !self.is_at_ports(bound) {
            &NEAR[..]
        } else if is_tight {
            return;
        } else {
            &NEAR_PORTS[..]
        };
        for part in parts {
            let period = (bound + bound / part + 1).next_multiple_of(self.unit());
            let is_shorter = self.best.as_ref().is_none_or(|best| period < best.period);
            if is_shorter && (self.is_over() || !self.attempt(period, 0)) {
                return;
            }
        }
    }

    /// Finds a schedule a little longer than the bound. Then searches at the bound while another thread computes
    /// the slow bounds, which end the search if they prove more.
    fn approach_tight(&mut self) {
        let bound = self.bounds.best.period;
        let period = bound + bound / NEAR_PORTS[0] + 1;
        self.attempt(period.next_multiple_of(self.unit()), 0);
        if self.is_over() || self.threads == 1 || self.unit() > 1 {
            self.add_slow_bounds();
            return;
        }
        let (is_found, is_raised) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (problem, interrupt) = (self.problem, self.options.interrupt.clone());
        let slow = || {
            let found = slow_bound(problem, bound, &interrupt.clone().unless(is_found.clone()));
            is_raised.store(found.is_some(), Ordering::Relaxed);
            found
        };
        let spent = self.spent;
        let slow = thread::scope(|scope| {
            let slow = scope.spawn(slow);
            let until_raised = interrupt.clone().unless(is_raised.clone());
            is_found.store(self.attempt_until(bound, 0, &until_raised), Ordering::Relaxed);
            slow.join()
        });
        match slow {
            Ok(raised) => {
                if raised.is_some() {
                    // As if the bounds came first.
                    self.spent = spent;
                } else {
                    self.attempted = Some(bound);
                }
                self.keep_slow_bound(raised);
            }
            Err(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use crate::driver::Driver;
    use crate::solve::TdmOptions;
    use pavane_model::tdm::{TdmDemand, TdmMessage, TdmRules};
    use pavane_model::{ProcessorId, TdmProblem};

    /// One word for every pair, which fills all channels in 64 slots, and more words from one processor to its
    /// neighbour, so that its port needs 66 slots.
    fn tight_problem() -> TdmProblem {
        let network = pavane_networks::topology::build("torus:8x8").unwrap();
        let mut messages = Vec::new();
        for from in (0..64).map(ProcessorId) {
            for to in (0..64).map(ProcessorId).filter(|&to| to != from) {
                let weight = if (from, to) == (ProcessorId(0), ProcessorId(1)) { 4 } else { 1 };
                messages.push(TdmMessage { from, to, weight, max_latency: None });
            }
        }
        TdmProblem::new(network, TdmDemand::Messages(messages), TdmRules::default(), 10_000)
            .unwrap()
    }

    #[test]
    fn tight_bounds_are_approached_in_the_same_way_on_any_number_of_threads() {
        let problem = tight_problem();
        let with = |threads: usize| {
            let evaluations = Some(150_000);
            let options = TdmOptions { threads, evaluations, ..TdmOptions::default() };
            let mut driver = Driver::new(&problem, &options, &|_, _| {});
            driver.run();
            let bound = driver.bounds.best.period;
            assert!(driver.is_at_ports(bound) && bound == 66, "{bound}");
            assert_eq!(driver.threads, threads);
            let found = driver.best.unwrap();
            assert!(found.period <= bound + bound / 16 + 1, "{}", found.period);
            (found.period, found.words, driver.spent)
        };
        let one = with(1);
        for threads in [2, 3] {
            assert!(with(threads) == one, "{threads}");
        }
    }
}
