//! Tracks which messages each processor holds and misses while steps are built.

use super::bits::{self, BitRows};
use super::demand;
use super::log::Log;
use pavane_model::{Problem, ProcessorId, RouterId};

/// What every processor holds and misses.
#[derive(Debug)]
pub(super) struct Possession {
    start: BitRows,
    demand: BitRows,
    /// Held before the step under construction.
    pub held: BitRows,
    /// Demanded, not held, and not about to be received.
    pub missing: BitRows,
    /// By router: messages that no resident holds or is about to receive.
    lacking: BitRows,
    home: Vec<Option<RouterId>>,
    residents: Vec<Vec<usize>>,
    missing_by: Vec<u32>,
    total: usize,
    misses: Vec<u32>,
}

impl Possession {
    /// Starts with every message at its origin only.
    pub(super) fn new(problem: &Problem) -> Self {
        let processors = problem.network().processor_count();
        let messages = problem.messages().len();
        let start = demand::held_at_start(problem);
        let network = problem.network();
        let numbers = |list: &[ProcessorId]| list.iter().map(|p| p.index()).collect();
        Self {
            lacking: BitRows::new(network.router_count(), messages),
            home: (0..processors as u32).map(|p| network.home(ProcessorId(p))).collect(),
            residents: network.routers().map(|r| numbers(network.residents(r))).collect(),
            held: start.clone(),
            start,
            demand: BitRows::new(processors, messages),
            missing: BitRows::new(processors, messages),
            missing_by: vec![0; processors],
            total: 0,
            misses: vec![0; messages],
        }
    }

    /// Sets what every processor must receive, and starts again.
    pub(super) fn set_demand(&mut self, demand: BitRows) {
        self.demand = demand;
        self.rewind(&Log::default(), 0);
    }

    /// Goes back to the start and applies the first steps of a log.
    pub(super) fn rewind(&mut self, log: &Log, steps: usize) {
        self.held.clone_from(&self.start);
        self.missing.clone_from(&self.demand);
        for transfer in (0..steps).flat_map(|step| log.step(step)) {
            let (to, message) = (transfer.to.index(), transfer.message.index());
            self.held.set(to, message);
            self.missing.clear(to, message);
        }
        for router in 0..self.residents.len() {
            self.lacking.row_mut(router).fill(u64::MAX);
            for &resident in &self.residents[router] {
                let held = self.held.row(resident);
                for (lacking, held) in self.lacking.row_mut(router).iter_mut().zip(held) {
                    *lacking &= !held;
                }
            }
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

    /// Whether other processors share its home.
    pub(super) fn has_company(&self, processor: usize) -> bool {
        self.home[processor].is_some_and(|home| self.residents[home.index()].len() > 1)
    }

    /// Writes what a processor misses to `row`; with `only_lacking`, only what its whole home
    /// lacks.
    pub(super) fn copy_missing(&self, processor: usize, only_lacking: bool, row: &mut [u64]) {
        row.copy_from_slice(self.missing.row(processor));
        if let Some(home) = self.home[processor].filter(|_| only_lacking) {
            for (bits, lacking) in row.iter_mut().zip(self.lacking.row(home.index())) {
                *bits &= lacking;
            }
        }
    }

    /// What no processor at the same home holds or is about to receive.
    pub(super) fn lacking_at_home(&self, processor: usize) -> &[u64] {
        let home = self.home[processor].expect("a processor that receives is alive");
        self.lacking.row(home.index())
    }

    /// The messages that a router lacks, none for a router without processors.
    pub(super) fn missing_at(&self, router: RouterId) -> impl Iterator<Item = usize> {
        let residents = self.residents[router.index()].iter();
        residents.flat_map(|&resident| bits::ones(self.missing.row(resident)))
    }

    /// A processor at a router, if there is one.
    pub(super) fn first_resident(&self, router: RouterId) -> Option<usize> {
        self.residents[router.index()].first().copied()
    }

    /// How many messages a processor misses.
    pub(super) fn missing_by(&self, processor: usize) -> u32 {
        self.missing_by[processor]
    }

    /// Number of receptions missing in total.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// For every message, the number of processors that miss it.
    pub(super) fn misses(&self) -> &[u32] {
        &self.misses
    }

    /// Records that a processor is about to receive a message that it misses.
    pub(super) fn expect(&mut self, to: usize, message: usize) {
        self.missing.clear(to, message);
        if let Some(home) = self.home[to] {
            self.lacking.clear(home.index(), message);
        }
        self.missing_by[to] -= 1;
        self.misses[message] -= 1;
        self.total -= 1;
    }

    /// Records that a processor is about to receive a message only to pass it on.
    pub(super) fn expect_for_others(&mut self, to: usize, message: usize) {
        if let Some(home) = self.home[to] {
            self.lacking.clear(home.index(), message);
        }
    }

    /// Undoes [`Self::expect`].
    pub(super) fn give_up(&mut self, to: usize, message: usize) {
        self.missing.set(to, message);
        if let Some(home) = self.home[to] {
            let has = |&p: &usize| {
                self.demand.has(p, message) && !self.missing.has(p, message)
                    || self.held.has(p, message)
            };
            if !self.residents[home.index()].iter().any(has) {
                self.lacking.set(home.index(), message);
            }
        }
        self.missing_by[to] += 1;
        self.misses[message] += 1;
        self.total += 1;
    }
}
