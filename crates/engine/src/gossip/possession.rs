//! Who holds what and who still misses what, while steps are being made.

use super::bits::{self, BitRows};
use super::demand;
use super::log::Log;
use pavane_model::Problem;

/// What every processor holds and misses.
#[derive(Debug)]
pub(super) struct Possession {
    start: BitRows,
    demand: BitRows,
    /// Held since before the step in the making.
    pub held: BitRows,
    /// Demanded, not held, and not about to be received.
    pub missing: BitRows,
    missing_by: Vec<u32>,
    total: usize,
    misses: Vec<u32>,
}

impl Possession {
    /// For a problem whose messages are all where they come from.
    pub(super) fn new(problem: &Problem) -> Self {
        let processors = problem.network().processor_count();
        let messages = problem.messages().len();
        let start = demand::held_at_start(problem);
        Self {
            held: start.clone(),
            start,
            demand: BitRows::new(processors, messages),
            missing: BitRows::new(processors, messages),
            missing_by: vec![0; processors],
            total: 0,
            misses: vec![0; messages],
        }
    }

    /// From now on every processor is to come to hold what is demanded.
    pub(super) fn set_demand(&mut self, demand: BitRows) {
        self.demand = demand;
        self.rewind(&Log::default(), 0);
    }

    /// Back to the start, and on from there by the first steps of a log.
    pub(super) fn rewind(&mut self, log: &Log, steps: usize) {
        self.held.clone_from(&self.start);
        self.missing.clone_from(&self.demand);
        for transfer in (0..steps).flat_map(|step| log.step(step)) {
            let (to, message) = (transfer.to.index(), transfer.message.index());
            self.held.set(to, message);
            self.missing.clear(to, message);
        }
        self.misses.fill(0);
        for processor in 0..self.missing_by.len() {
            self.missing_by[processor] = self.missing.count(processor);
            for message in bits::ones(self.missing.row(processor)) {
                self.misses[message] += 1;
            }
        }
        self.total = self.missing_by.iter().map(|&count| count as usize).sum();
    }

    /// How many messages a processor misses.
    pub(super) fn missing_by(&self, processor: usize) -> u32 {
        self.missing_by[processor]
    }

    /// How many receptions are missing in all.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// For every message, how many miss it.
    pub(super) fn misses(&self) -> &[u32] {
        &self.misses
    }

    /// A processor is about to receive something that it misses.
    pub(super) fn expect(&mut self, to: usize, message: usize) {
        self.missing.clear(to, message);
        self.missing_by[to] -= 1;
        self.misses[message] -= 1;
        self.total -= 1;
    }

    /// It will not receive it after all.
    pub(super) fn give_up(&mut self, to: usize, message: usize) {
        self.missing.set(to, message);
        self.missing_by[to] += 1;
        self.misses[message] += 1;
        self.total += 1;
    }
}
