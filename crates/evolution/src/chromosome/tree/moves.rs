//! The moves of a tree broadcast. Either one destination gets another source and step, and the
//! deliveries that depend on it are repaired; or a delivery changes its step and exchanges it with
//! a delivery that is in its way.

use super::BroadcastTree;
use super::genome::{TreeDelivery, TreeGene};
use crate::chromosome::individual::{is_recounted, scaled};
use pavane_search::Rng;

/// Random sources from which a move chooses the nearest, because long paths cause more conflicts.
const NEAREST_OF: u32 = 3;

/// Random sources and paths from which a change of step chooses the one with the fewest conflicts.
const LEAST_OF: u32 = 8;

impl BroadcastTree<'_> {
    /// A holder that can send to a gene's destination in a step: the nearest of `tries` random
    /// ones.
    pub(super) fn random_source(
        &mut self,
        gene: usize,
        step: u32,
        tries: u32,
        rng: &mut Rng,
    ) -> Option<u32> {
        let genome = self.genome;
        self.ready.clear();
        for place in 0..genome.source_count(gene) {
            let source = genome.source(gene, place);
            if self.ready(gene, source) <= step {
                self.ready.push(source);
            }
        }
        // Under wormhole switching the origin can always send.
        let mut best = (u32::MAX, (!genome.is_by_hops()).then_some(0));
        for _ in 0..tries.min(self.ready.len() as u32) {
            let holder = self.ready[scaled(rng.bits() as u32, self.ready.len() as u32) as usize];
            if !self.is_below(gene, holder) {
                let first = genome.path_numbers(gene, holder).start;
                best = best.min((genome.paths.path(first).len() as u32, Some(holder)));
            }
        }
        best.1
    }

    pub(super) fn random_path(&self, gene: usize, source: u32, rng: &mut Rng) -> u32 {
        scaled(rng.bits() as u32, self.genome.path_count(gene, source))
    }

    /// Gives a gene another source and path and perhaps another step; later genes that depend on it
    /// are repaired.
    pub(super) fn change_source(&mut self, rng: &mut Rng) {
        let bits = rng.bits();
        let gene = scaled(bits as u32, self.genes.len() as u32) as usize;
        let step = match bits >> 63 {
            0 => self.genes[gene].step,
            _ => rng.below(self.genome.steps as usize) as u32,
        };
        if let Some(source) = self.random_source(gene, step, NEAREST_OF, rng) {
            let path = self.random_path(gene, source, rng);
            self.place(gene, TreeGene { source, path, step }, rng);
        }
    }

    /// Gives a gene another step. If its destination cannot receive it then, a gene that is in its
    /// way takes the old step. A gene whose source would now have the message too late keeps its
    /// step and gets another source.
    pub(super) fn change_slot(&mut self, rng: &mut Rng) {
        let genome = self.genome;
        let gene = scaled(rng.bits() as u32, self.genes.len() as u32) as usize;
        let (old, new) = (self.genes[gene].step, scaled(rng.bits() as u32, genome.steps));
        self.late.clear();
        if new != old
            && let Some(other) = self.in_the_way(gene, new, rng)
        {
            self.lift(other, old);
        }
        self.lift(gene, new);
        let mut settled = 0;
        let mut is_tree = true;
        while settled < self.late.len() {
            is_tree &= self.settle(self.late[settled] as usize, rng);
            settled += 1;
        }
        if !is_tree {
            self.take_back();
        }
        debug_assert!(
            !is_recounted(gene, self.genes.len()) || self.is_sound(),
            "gene {gene} no longer forms a tree"
        );
    }

    /// A gene that has to leave a step if another one of the same destination moves there: any one
    /// if the destination's ports are in use; under store-and-forward, also one on a random
    /// channel.
    fn in_the_way(&self, gene: usize, step: u32, rng: &mut Rng) -> Option<usize> {
        let genome = self.genome;
        let TreeDelivery { to, .. } = genome.deliveries[gene];
        let is_busy = self.grid.gain(step, genome.rows.receive(to)) > 0;
        if !is_busy && !genome.is_by_hops() {
            return None;
        }
        let there = |&&other: &&u32| self.genes[other as usize].step == step;
        let there = genome.received_by(gene).iter().filter(there);
        let choices =
            if is_busy { there.clone().count() } else { genome.source_count(gene) as usize };
        let other = there.clone().nth(rng.below(choices.max(1)));
        other.map(|&other| other as usize)
    }

    /// Removes a gene, to be put back in another step, and the genes that then could no longer
    /// receive the message from its destination in time.
    fn lift(&mut self, gene: usize, step: u32) {
        let genome = self.genome;
        let old = self.genes[gene];
        self.take_out(gene, step);
        if step <= old.step {
            return;
        }
        let holder = genome.holder(gene);
        for below in genome.genes_of(gene) {
            let TreeGene { source, step: at, .. } = self.genes[below];
            if source == holder && at <= step {
                self.take_out(below, at);
            }
        }
    }

    fn take_out(&mut self, gene: usize, step: u32) {
        self.count(gene, false);
        self.journal.push((gene as u32, self.genes[gene]));
        self.genes[gene].step = step;
        self.late.push(gene as u32);
    }

    /// Puts a removed gene back into its step. Of some sources that have the message by then, and
    /// some paths, takes the one with the fewest conflicts, then the shortest. Returns whether
    /// there is one.
    fn settle(&mut self, gene: usize, rng: &mut Rng) -> bool {
        let genome = self.genome;
        let TreeGene { step, source: old, .. } = self.genes[gene];
        let places = genome.source_count(gene);
        let mut best = None;
        for turn in 0..places.min(LEAST_OF) {
            let bits = rng.bits();
            // If there are few sources, all are tried; ties are broken at random.
            let place = if places <= LEAST_OF { turn } else { scaled(bits as u32, places) };
            let source = genome.source(gene, place);
            if self.ready(gene, source) <= step {
                let path = scaled((bits >> 32) as u32, genome.path_count(gene, source));
                let choice = (self.cost(gene, source, path), bits as u32, source, path);
                best = Some(best.map_or(choice, |best: (_, _, _, _)| best.min(choice)));
            }
        }
        if best.is_none() && !genome.is_by_hops() {
            best = Some(((0, 0), 0, 0, self.random_path(gene, 0, rng)));
        }
        let (_, _, source, path) = best.unwrap_or(((0, 0), 0, old, 0));
        self.genes[gene] = TreeGene { source, path, step };
        self.count(gene, true);
        best.is_some()
    }

    /// The conflicts of a source and a path in a gene's step, and the length of the path.
    fn cost(&self, gene: usize, source: u32, path: u32) -> (i32, usize) {
        let genome = self.genome;
        let step = self.genes[gene].step;
        let channels = genome.paths.path(genome.path_numbers(gene, source).start + path);
        let send = genome.rows.send(genome.processor(gene, source));
        let rows = channels.iter().map(|&channel| genome.rows.channel(channel)).chain([send]);
        (rows.map(|row| self.grid.gain(step, row)).sum(), channels.len())
    }
}
