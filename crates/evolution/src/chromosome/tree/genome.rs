//! What all individuals of a tree broadcast share: the possible holders of each message, the
//! possible senders and paths of each delivery, and the counting of channel and port use.

use crate::chromosome::path_table::PathTable;
use crate::chromosome::rows::Rows;
use pavane_model::{MessageId, Problem, ProcessorId, RouterId};
use std::ops::Range;

/// How to repair a transfer whose source does not have the message yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Another holder sends instead: the papers' method.
    Replace,
    /// The transfer waits until its source has the message. If no step is left, another holder
    /// sends.
    Delay,
}

/// The transfer of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeGene {
    /// A holder of the message: 0 is its origin, 1 its first destination.
    pub source: u32,
    pub path: u32,
    pub step: u32,
}

/// What all individuals of a problem share.
#[derive(Debug)]
pub struct TreeGenome<'a> {
    pub(super) problem: &'a Problem,
    pub(super) paths: &'a PathTable,
    pub(super) steps: u32,
    pub(super) repair: Repair,
    pub(super) rows: Rows,
    pub(super) deliveries: Vec<TreeDelivery>,
    /// By message: the index of its first gene; and the end of the last.
    pub(super) firsts: Vec<u32>,
    pub(super) path_limits: Vec<u32>,
    /// By processor: the genes that deliver to it.
    received: Vec<Vec<u32>>,
    /// The share of moves that change the step of a delivery (see `BroadcastTree::change_slot`).
    pub(super) slot_share: f64,
    /// The neighbours of each processor; only under store-and-forward.
    near: Option<Near>,
    /// By gene: the holders with a path to its destination; only if some have none, as on directed
    /// networks.
    reaching: Option<Vec<Vec<u32>>>,
}

/// Which processors can send to which in one hop.
#[derive(Debug)]
struct Near {
    /// By processor: the others on its router and on routers with a channel to it.
    neighbours: Vec<Vec<ProcessorId>>,
    /// By message and processor: its number among the holders.
    holders: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TreeDelivery {
    pub message: MessageId,
    pub to: ProcessorId,
}

impl<'a> TreeGenome<'a> {
    /// For any wormhole problem, in at least one step.
    pub fn new(problem: &'a Problem, steps: u32, paths: &'a PathTable, repair: Repair) -> Self {
        let messages = problem.messages();
        let mut genome = Self {
            problem,
            paths,
            steps,
            repair,
            rows: Rows::new(problem),
            deliveries: Vec::new(),
            firsts: vec![0],
            path_limits: Vec::new(),
            received: vec![Vec::new(); problem.network().processor_count()],
            slot_share: 0.0,
            near: None,
            reaching: None,
        };
        for message in messages.ids() {
            for &to in messages.destinations(message) {
                genome.received[to.index()].push(genome.deliveries.len() as u32);
                genome.deliveries.push(TreeDelivery { message, to });
            }
            genome.firsts.push(genome.deliveries.len() as u32);
        }
        genome.find_reaching();
        for gene in 0..genome.deliveries.len() {
            let sources = (0..genome.source_count(gene)).map(|place| genome.source(gene, place));
            let most = sources.map(|source| genome.path_count(gene, source)).max();
            genome.path_limits.push(most.unwrap_or(1));
        }
        genome
    }

    /// Records the holders with a path to each destination, unless all have one.
    fn find_reaching(&mut self) {
        let reaching = |gene: usize| -> Vec<u32> {
            let sources = (0..self.source_count(gene)).map(|place| self.source(gene, place));
            sources.filter(|&source| self.path_count(gene, source) > 0).collect()
        };
        let genes = 0..self.deliveries.len();
        let has_all = |gene: usize| {
            let mut sources = (0..self.source_count(gene)).map(|place| self.source(gene, place));
            sources.all(|source| self.path_count(gene, source) > 0)
        };
        if !genes.clone().all(has_all) {
            self.reaching = Some(genes.map(reaching).collect());
        }
    }

    /// For an all-gather (AAB) among all processors, scheduled store-and-forward (which is also
    /// valid under wormhole switching). Returns `None` if the steps are too few for the distances,
    /// or if some processor does not take part. The paths are shortest.
    pub fn by_hops(problem: &'a Problem, steps: u32, paths: &'a PathTable) -> Option<Self> {
        let processors = problem.network().living_processors().count();
        let messages = problem.messages();
        let mut is_origin = vec![false; problem.network().processor_count()];
        for message in messages.ids() {
            is_origin[messages.origin(message).index()] = true;
            if messages.destinations(message).len() + 1 != processors {
                return None;
            }
        }
        if is_origin.iter().filter(|&&sends| sends).count() != processors {
            return None;
        }
        let mut genome = Self::new(problem, steps, paths, Repair::Delay);
        let distance = |gene: usize| paths.path(genome.path_numbers(gene, 0).start).len();
        if (0..genome.deliveries.len()).any(|gene| distance(gene) > steps as usize) {
            return None;
        }
        genome.near = Some(Near::new(problem));
        Some(genome)
    }

    /// The same, with this share of moves that change the step of a delivery.
    pub fn changing_slots(mut self, share: f64) -> Self {
        self.slot_share = share;
        self
    }

    /// The genes of the message that a gene belongs to.
    pub(super) fn genes_of(&self, gene: usize) -> Range<usize> {
        let message = self.deliveries[gene].message.index();
        self.firsts[message] as usize..self.firsts[message + 1] as usize
    }

    /// The holder number of a gene's destination.
    pub(super) fn holder(&self, gene: usize) -> u32 {
        (gene - self.genes_of(gene).start) as u32 + 1
    }

    /// The processor with this holder number.
    pub(super) fn processor(&self, gene: usize, holder: u32) -> ProcessorId {
        let messages = self.problem.messages();
        let message = self.deliveries[gene].message;
        match holder {
            0 => messages.origin(message),
            _ => messages.destinations(message)[holder as usize - 1],
        }
    }

    /// Whether the individuals are store-and-forward schedules.
    pub(super) fn is_by_hops(&self) -> bool {
        self.near.is_some()
    }

    /// How many holders of its message may send to a gene's destination.
    pub(super) fn source_count(&self, gene: usize) -> u32 {
        match (&self.near, &self.reaching) {
            (None, None) => self.genes_of(gene).len() as u32,
            (None, Some(reaching)) => reaching[gene].len() as u32,
            (Some(near), _) => near.neighbours[self.deliveries[gene].to.index()].len() as u32,
        }
    }

    /// The holder at this index among those that may send to a gene's destination.
    pub(super) fn source(&self, gene: usize, place: u32) -> u32 {
        match (&self.near, &self.reaching) {
            (None, None) => place + u32::from(place >= self.holder(gene)),
            (None, Some(reaching)) => reaching[gene][place as usize],
            (Some(near), _) => {
                let TreeDelivery { message, to } = self.deliveries[gene];
                near.holder(message, near.neighbours[to.index()][place as usize])
            }
        }
    }

    /// The index of a holder among those that may send to a gene's destination.
    pub(super) fn place_of(&self, gene: usize, source: u32) -> u32 {
        match (&self.near, &self.reaching) {
            (None, None) => source - u32::from(source > self.holder(gene)),
            (None, Some(reaching)) => {
                reaching[gene].iter().position(|&s| s == source).unwrap_or(0) as u32
            }
            (Some(near), _) => {
                let from = self.processor(gene, source);
                let neighbours = &near.neighbours[self.deliveries[gene].to.index()];
                neighbours.iter().position(|&p| p == from).unwrap_or(0) as u32
            }
        }
    }

    /// The genes that deliver to the same processor as a gene, including itself.
    pub(super) fn received_by(&self, gene: usize) -> &[u32] {
        &self.received[self.deliveries[gene].to.index()]
    }

    pub(super) fn path_numbers(&self, gene: usize, source: u32) -> Range<u32> {
        let from = self.problem.home(self.processor(gene, source));
        self.paths.between(from, self.problem.home(self.deliveries[gene].to))
    }

    pub(super) fn path_count(&self, gene: usize, source: u32) -> u32 {
        self.path_numbers(gene, source).len() as u32
    }
}

impl Near {
    fn new(problem: &Problem) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        let processors = network.processor_count();
        let mut near = Self {
            neighbours: vec![Vec::new(); processors],
            holders: vec![0; messages.len() * processors],
        };
        for processor in network.living_processors() {
            let home = problem.home(processor);
            let entering = network.in_channels(home).iter().map(|&c| network.channel(c).tail);
            let mut routers: Vec<RouterId> = entering.chain([home]).collect();
            routers.sort_unstable();
            routers.dedup();
            let residents = routers.iter().flat_map(|&router| network.residents(router));
            near.neighbours[processor.index()] =
                residents.copied().filter(|&other| other != processor).collect();
        }
        for message in messages.ids() {
            for (holder, to) in (1..).zip(messages.destinations(message)) {
                near.holders[message.index() * processors + to.index()] = holder;
            }
        }
        near
    }

    fn holder(&self, message: MessageId, processor: ProcessorId) -> u32 {
        let processors = self.neighbours.len();
        self.holders[message.index() * processors + processor.index()]
    }
}
