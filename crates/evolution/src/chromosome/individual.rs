//! The interface of all encodings.

use pavane_model::Schedule;
use pavane_search::Rng;
use std::ops::Range;

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

/// Whether a debug build recounts after changing a gene: always if that is cheap, otherwise for
/// some genes, which is enough because a wrong count stays wrong.
pub(super) fn is_recounted(gene: usize, genes: usize) -> bool {
    genes <= 64 || gene.is_multiple_of(13)
}

/// A number below `limit` from 32 random bits.
pub(super) fn scaled(bits: u32, limit: u32) -> u32 {
    ((u64::from(bits) * u64::from(limit)) >> 32) as u32
}
