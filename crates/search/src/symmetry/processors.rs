//! Images of processors under automorphisms: the processors of a router move with it, and each maps
//! to one that sends and receives as many messages.

use super::free_group::FreeGroup;
use crate::budget::Interrupt;
use pavane_model::{Problem, ProcessorId, RouterId};
use pavane_networks::symmetry::{Symmetries, symmetries_keeping_unless};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The automorphisms that preserve how many messages the processors of every router send and
/// receive; `None` if only the identity does, if the search takes more than about a second, or on
/// interrupt.
pub fn problem_symmetries(problem: &Problem, interrupt: &Interrupt) -> Option<Symmetries> {
    let order = ProcessorOrder::new(problem);
    let mark = |row: &Vec<ProcessorId>| {
        let mut hasher = FxHasher::default();
        row.iter().for_each(|&processor| order.traffic[processor.index()].hash(&mut hasher));
        hasher.finish()
    };
    let marks: Vec<u64> = order.residents.iter().map(mark).collect();
    let is_over = || interrupt.is_raised();
    let found = symmetries_keeping_unless(problem.network(), &marks, &is_over)?;
    (!found.generators.is_empty()).then_some(found)
}

/// The processors of every router, in an order that automorphisms preserve.
#[derive(Debug, Clone)]
pub struct ProcessorOrder {
    residents: Vec<Vec<ProcessorId>>,
    /// Per processor, its router and its rank there.
    place: Vec<(u32, u32)>,
    /// Per processor, the number of messages it sends and receives.
    traffic: Vec<(u32, u32)>,
}

impl ProcessorOrder {
    /// Ranks the processors of a problem.
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let mut traffic = vec![(0u32, 0u32); network.processor_count()];
        let messages = problem.messages();
        for message in messages.ids() {
            traffic[messages.origin(message).index()].0 += 1;
            for to in messages.destinations(message) {
                traffic[to.index()].1 += 1;
            }
        }
        let sorted = |router| {
            let mut row: Vec<ProcessorId> = network.residents(router).to_vec();
            row.sort_by_key(|processor| traffic[processor.index()]);
            row
        };
        let residents: Vec<Vec<ProcessorId>> = network.routers().map(sorted).collect();
        let mut place = vec![(0, 0); network.processor_count()];
        for (router, row) in (0..).zip(&residents) {
            for (rank, processor) in (0..).zip(row) {
                place[processor.index()] = (router, rank);
            }
        }
        Self { residents, place, traffic }
    }

    /// The image of a living processor under a member of a group.
    pub fn image(&self, group: &FreeGroup, member: u32, processor: ProcessorId) -> ProcessorId {
        let (router, rank) = self.place[processor.index()];
        self.residents[group.images(member)[router as usize] as usize][rank as usize]
    }

    /// The image of a processor under an automorphism; a processor lost to a fault maps to itself.
    pub fn image_by(&self, routers: &[RouterId], processor: ProcessorId) -> ProcessorId {
        let (router, rank) = self.place[processor.index()];
        match self.residents[router as usize].get(rank as usize) {
            Some(&resident) if resident == processor => {
                self.residents[routers[router as usize].index()][rank as usize]
            }
            _ => processor,
        }
    }
}
