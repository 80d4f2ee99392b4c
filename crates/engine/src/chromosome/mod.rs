//! Chromosomes: the representation of schedules that evolution works on. A chromosome has one gene
//! per delivery, and a gene has *components*, each a number below its *limit*: a path, a step, a
//! source. All values of the components encode transfers within the given number of steps in which
//! every processor holds what it sends; only channels and ports may be overused. The fitness counts
//! these *conflicts*: a chromosome without conflicts is a valid schedule.
//!
//! Three encodings, after Jaroš, Ohlídal and Dvořák, GECCO 2007, and Jaroš, fault-tolerant
//! collectives: [`Scatter`] (wormhole, personalised messages: path and step), [`Tree`] (wormhole
//! broadcast: source, path and step, repaired to a tree) and [`Hops`] (store-and-forward: a path
//! and the step of every channel; also the older encoding with a path and a start step).
//!
//! Conflicts are updated incrementally: changing a gene costs about the length of its path.
//!
//! ```text
//! let paths = context.paths(detour);                      // listed once per problem
//! let genome = ScatterGenome::new(problem, steps, paths); // what all individuals share
//! let mut chromosome = genome.random(rng);
//! chromosome.try_move(allowed, rng);                      // one gene, kept if not much worse
//! if chromosome.conflicts() == 0 { chromosome.schedule() }
//! ```

mod decode;
mod hops;
mod path_table;
mod rows;
mod scatter;
mod tree;

pub use hops::{Hops, HopsGenome, Timing, can_count_hops};
pub use path_table::PathTable;
pub use scatter::{Scatter, ScatterGenome};
pub use tree::{Repair, Tree, TreeGenome};

use crate::budget::Interrupt;
use crate::rng::Rng;
use pavane_model::{Problem, RouterId, Routing, Schedule, Switching};
use std::ops::Range;
use std::sync::OnceLock;

/// The meaning of a gene's component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The number of a path.
    Path,
    /// A step, or a delay in steps.
    Step,
    /// The sender.
    Source,
}

/// A schedule in the representation that evolution works on.
pub trait Chromosome: Clone + Send + Sync {
    /// The number of genes: one per delivery, message by message.
    fn gene_count(&self) -> usize;

    /// The indices of a gene's components; genes follow one another.
    fn components(&self, gene: usize) -> Range<usize>;

    /// How many values a component may take, starting at 0; at least 1.
    fn limit(&self, component: usize) -> u32;

    /// The meaning of a component.
    fn role(&self, component: usize) -> Role;

    /// Appends the values of a gene's components.
    fn read_gene(&self, gene: usize, values: &mut Vec<u32>);

    /// Sets a gene to new values and repairs what they make impossible.
    fn set_gene(&mut self, gene: usize, values: &[u32], rng: &mut Rng);

    /// Sets all genes to new values and repairs what they make impossible, in the order of steps.
    fn assign(&mut self, values: &[u32], rng: &mut Rng) {
        for gene in 0..self.gene_count() {
            let components = self.components(gene);
            self.set_gene(gene, &values[components], rng);
        }
    }

    /// Copies a gene from another individual of the same genome.
    fn copy_gene(&mut self, gene: usize, other: &Self, rng: &mut Rng);

    /// Copies all genes from another individual of the same genome.
    fn copy_from(&mut self, other: &Self);

    /// Serialises the individual exactly, to be sent elsewhere; [`Chromosome::read`] may have to
    /// round.
    fn pack(&self) -> Vec<u64>;

    /// Restores an individual of the same genome from packed numbers. Returns `None` if there are
    /// too few.
    fn unpack(&mut self, numbers: &[u64]) -> Option<()>;

    /// Sets a gene to new random values.
    fn mutate(&mut self, gene: usize, rng: &mut Rng);

    /// Moves every delivery to the earliest step that repair allows: the heuristic of the fault
    /// paper for tree broadcasts.
    fn start_early(&mut self, _: &mut Rng) {}

    /// Spreads the sends of a processor over its channels and steps: the acceleration heuristic of
    /// the fault paper, for encodings that determine the first channel of every message.
    fn redesign_ports(&mut self, _: &mut Rng) {}

    /// Makes a random change to a random gene and keeps it if it adds at most `allowed` conflicts.
    /// Returns the change in conflicts, or 0 if it was undone.
    fn try_move(&mut self, allowed: i32, rng: &mut Rng) -> i32;

    /// Uses of channels and ports beyond their capacity: the fitness, 0 at best.
    fn conflicts(&self) -> u32;

    /// The same, counted from scratch.
    fn recount(&self) -> u32;

    /// The step in which a gene is complete, counted from 1.
    fn gene_end(&self, gene: usize) -> u32;

    /// The last step in use, counted from 1. Together with weighted conflicts, the older fitness.
    fn last_step(&self) -> u32 {
        (0..self.gene_count()).map(|gene| self.gene_end(gene)).max().unwrap_or(0)
    }

    /// Where a gene's destination lies on a path with fewer hops, replaces the gene's path by the
    /// beginning of that path: the first heuristic of the HGSA paper. A no-op for wormhole
    /// encodings.
    fn shorten(&mut self, _: &mut Rng) {}

    /// The schedule that it encodes; `None` if there are conflicts.
    fn schedule(&self) -> Option<Schedule>;

    /// The values of all components.
    fn read(&self) -> Vec<u32> {
        let mut values = Vec::new();
        for gene in 0..self.gene_count() {
            self.read_gene(gene, &mut values);
        }
        values
    }

    /// Copies a range of genes from another individual, for crossover.
    fn take_over(&mut self, genes: Range<usize>, other: &Self, rng: &mut Rng) {
        for gene in genes {
            self.copy_gene(gene, other, rng);
        }
    }
}

/// Longest detour for which paths are listed.
pub const LONGEST_DETOUR: u32 = 4;

/// Maximum number of router pairs for which paths are listed.
const MOST_PAIRS: usize = 1 << 21;

/// The longest detour that the routing allows and paths are listed for.
pub fn longest_detour(problem: &Problem) -> u32 {
    match problem.model().routing {
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops.min(LONGEST_DETOUR),
        Routing::Any => LONGEST_DETOUR,
    }
}

/// The paths of a problem by length of detour, listed on first use.
#[derive(Debug, Default)]
pub(crate) struct PathTables([OnceLock<PathTable>; LONGEST_DETOUR as usize + 1]);

impl PathTables {
    /// The paths at most `detour` channels longer than the shortest; `None` at an interrupt.
    pub fn get(&self, problem: &Problem, detour: u32, interrupt: &Interrupt) -> Option<&PathTable> {
        let detour = detour.min(LONGEST_DETOUR);
        let table = &self.0[detour as usize];
        if table.get().is_none() {
            // Lists outside of the lock. Listing runs in parallel, so a thread that waited here for
            // another one could be needed to finish that one's work: a deadlock.
            let (network, (sources, targets)) = (problem.network(), ends(problem));
            let listed = PathTable::new_until(network, &sources, &targets, detour, interrupt)?;
            return Some(table.get_or_init(|| listed));
        }
        table.get()
    }
}

/// Whether the problem has few enough router pairs to list all paths.
pub fn can_list_paths(problem: &Problem) -> bool {
    let (sources, targets) = ends(problem);
    sources.len().saturating_mul(targets.len()) <= MOST_PAIRS
}

/// The routers that paths may start from, and those that they may lead to.
fn ends(problem: &Problem) -> (Vec<RouterId>, Vec<RouterId>) {
    let messages = problem.messages();
    let network = problem.network();
    let mut is_source = vec![false; network.router_count()];
    let mut is_target = vec![false; network.router_count()];
    let is_wormhole = problem.model().switching == Switching::Wormhole;
    for message in messages.ids() {
        is_source[problem.home(messages.origin(message)).index()] = true;
        for &to in messages.destinations(message) {
            is_target[problem.home(to).index()] = true;
            // A destination of a multi-destination message may pass it on.
            is_source[problem.home(to).index()] |=
                is_wormhole && !messages.is_personalised(message);
        }
    }
    let listed = |marks: &[bool]| network.routers().filter(|r| marks[r.index()]).collect();
    (listed(&is_source), listed(&is_target))
}

/// Whether a debug build recounts after changing a gene: always if that is cheap, otherwise for
/// some genes, which is enough because a wrong count stays wrong.
fn is_recounted(gene: usize, genes: usize) -> bool {
    genes <= 64 || gene.is_multiple_of(13)
}

/// A number below `limit` from 32 random bits.
fn scaled(bits: u32, limit: u32) -> u32 {
    ((u64::from(bits) * u64::from(limit)) >> 32) as u32
}
