//! Chromosomes: schedules in the form that evolution works on. A chromosome has one gene for every
//! delivery, and a gene has *components*, each a number below its *limit*: a path, a step, a source.
//! Whatever the components are, they stand for transfers within the given number of steps in which
//! every processor holds what it sends; only channels and ports may be asked for too much. The
//! fitness counts these *conflicts*: with none left, the chromosome is a valid schedule.
//!
//! Three encodings, after Jaroš, Ohlídal and Dvořák, GECCO 2007, and Jaroš, fault-tolerant
//! collectives: [`Scatter`] (wormhole, private messages: path and step), [`Tree`] (wormhole broadcast:
//! source, path and step, restored to a tree) and [`Hops`] (store-and-forward: a path and the step of
//! every channel; and the older path and start step).
//!
//! Conflicts are kept up to date by differences: moving a gene costs about the length of its path.
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

/// What a component of a gene stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The number of a path.
    Path,
    /// A step, or the steps lost on the way.
    Step,
    /// Who sends.
    Source,
}

/// A schedule in the form that evolution works on.
pub trait Chromosome: Clone + Send + Sync {
    /// How many genes there are: one for every delivery, message by message.
    fn gene_count(&self) -> usize;

    /// The numbers of a gene's components; those of all genes follow one another.
    fn components(&self, gene: usize) -> Range<usize>;

    /// How many values a component may have, from 0 on; at least 1.
    fn limit(&self, component: usize) -> u32;

    /// What a component stands for.
    fn role(&self, component: usize) -> Role;

    /// Appends the values of a gene's components.
    fn read_gene(&self, gene: usize, values: &mut Vec<u32>);

    /// Gives a gene new values, and repairs what they make impossible.
    fn set_gene(&mut self, gene: usize, values: &[u32], rng: &mut Rng);

    /// Gives all genes new values and repairs what they make impossible, in the order of steps.
    fn assign(&mut self, values: &[u32], rng: &mut Rng) {
        for gene in 0..self.gene_count() {
            let components = self.components(gene);
            self.set_gene(gene, &values[components], rng);
        }
    }

    /// Makes a gene like that of another individual of the same genome.
    fn copy_gene(&mut self, gene: usize, other: &Self, rng: &mut Rng);

    /// Makes all of it like another individual of the same genome.
    fn copy_from(&mut self, other: &Self);

    /// All of it as numbers, to be sent elsewhere: what [`Chromosome::read`] may have to round.
    fn pack(&self) -> Vec<u64>;

    /// Makes it what an individual of the same genome was that packed these numbers; `None` if they
    /// are too few.
    fn unpack(&mut self, numbers: &[u64]) -> Option<()>;

    /// Gives a gene new random values.
    fn mutate(&mut self, gene: usize, rng: &mut Rng);

    /// Lets every delivery happen as early as restoration allows, whatever its step was: the
    /// heuristic of the fault paper for broadcasts by trees.
    fn start_early(&mut self, _: &mut Rng) {}

    /// Spreads what a processor sends over its channels and steps: the acceleration heuristic of the
    /// fault paper, for encodings in which it knows what leaves where.
    fn redesign_ports(&mut self, _: &mut Rng) {}

    /// Changes a random gene at random, and keeps that if it brings at most `allowed` conflicts
    /// more; the change that was kept, or 0.
    fn try_move(&mut self, allowed: i32, rng: &mut Rng) -> i32;

    /// Uses of channels and ports above what they can bear: the fitness, 0 at best.
    fn conflicts(&self) -> u32;

    /// The same, counted anew.
    fn recount(&self) -> u32;

    /// The step after which a gene is done, from 1 on.
    fn gene_end(&self, gene: usize) -> u32;

    /// The last step in which something happens, from 1 on: with weighted conflicts, the older
    /// fitness.
    fn last_step(&self) -> u32 {
        (0..self.gene_count()).map(|gene| self.gene_end(gene)).max().unwrap_or(0)
    }

    /// Gives genes whose destination lies on a path with fewer hops the beginning of that path:
    /// the first heuristic of the HGSA paper. Without stops on the way there is nothing to do.
    fn shorten(&mut self, _: &mut Rng) {}

    /// The schedule that it stands for; `None` if there are conflicts.
    fn schedule(&self) -> Option<Schedule>;

    /// The values of all components.
    fn read(&self) -> Vec<u32> {
        let mut values = Vec::new();
        for gene in 0..self.gene_count() {
            self.read_gene(gene, &mut values);
        }
        values
    }

    /// Takes over a range of genes from another individual: crossover by differences.
    fn take_over(&mut self, genes: Range<usize>, other: &Self, rng: &mut Rng) {
        for gene in genes {
            self.copy_gene(gene, other, rng);
        }
    }
}

/// Detours beyond this are never listed.
pub const LONGEST_DETOUR: u32 = 4;

/// Pairs of routers between which paths are listed at the most.
const MOST_PAIRS: usize = 1 << 21;

/// The longest detour that the rules allow and paths are listed for.
pub fn longest_detour(problem: &Problem) -> u32 {
    match problem.model().routing {
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops.min(LONGEST_DETOUR),
        Routing::Any => LONGEST_DETOUR,
    }
}

/// The paths of a problem by the length of their detours, listed by whoever asks first.
#[derive(Debug, Default)]
pub(crate) struct PathTables([OnceLock<PathTable>; LONGEST_DETOUR as usize + 1]);

impl PathTables {
    /// The paths at most `detour` channels longer than the shortest; `None` at an interrupt.
    pub fn get(&self, problem: &Problem, detour: u32, interrupt: &Interrupt) -> Option<&PathTable> {
        let detour = detour.min(LONGEST_DETOUR);
        let table = &self.0[detour as usize];
        if table.get().is_none() {
            // Nobody waits for another who lists the same: who waits may have to help him.
            let (network, (sources, targets)) = (problem.network(), ends(problem));
            let listed = PathTable::new_until(network, &sources, &targets, detour, interrupt)?;
            return Some(table.get_or_init(|| listed));
        }
        table.get()
    }
}

/// Whether the paths of the problem are few enough to list.
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
            // Whoever receives a message for several may pass it on.
            is_source[problem.home(to).index()] |= is_wormhole && !messages.is_private(message);
        }
    }
    let listed = |marks: &[bool]| network.routers().filter(|r| marks[r.index()]).collect();
    (listed(&is_source), listed(&is_target))
}

/// Whether a debug build counts anew after a change of a gene: always where that costs little, else
/// now and then, because a drift stays.
fn is_recounted(gene: usize, genes: usize) -> bool {
    genes <= 64 || gene.is_multiple_of(13)
}

/// A number below `limit` from 32 random bits.
fn scaled(bits: u32, limit: u32) -> u32 {
    ((u64::from(bits) * u64::from(limit)) >> 32) as u32
}
