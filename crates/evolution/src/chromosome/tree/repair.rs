//! Repair of genes that do not form a tree: by delay, or by another source.

use super::BroadcastTree;
use super::genome::{Repair, TreeGene};
use crate::chromosome::individual::is_recounted;
use pavane_search::Rng;
use std::ops::Range;

impl BroadcastTree<'_> {
    /// Puts a gene into the tree and changes it and others only as far as necessary. If that fails,
    /// nothing changes.
    pub(super) fn place(&mut self, gene: usize, new: TreeGene, rng: &mut Rng) {
        if !self.try_place(gene, new, rng) {
            self.take_back();
        }
        debug_assert!(
            !is_recounted(gene, self.genes.len()) || self.is_sound(),
            "gene {gene} no longer forms a tree"
        );
    }

    fn try_place(&mut self, gene: usize, new: TreeGene, rng: &mut Rng) -> bool {
        let mut new = new;
        let ready = self.ready(gene, new.source);
        if self.is_below(gene, new.source)
            || ready > new.step
                && (self.genome.repair == Repair::Replace || ready >= self.genome.steps)
        {
            let Some(source) = self.random_source(gene, new.step, 1, rng) else { return false };
            new.source = source;
            new.path = self.random_path(gene, new.source, rng);
        }
        new.step = new.step.max(self.ready(gene, new.source));
        new.path %= self.genome.path_count(gene, new.source);
        self.write(gene, new);
        self.repair_below(gene, rng)
    }

    /// Repairs the genes that depend on a gene that moved to a later step. Returns whether it
    /// succeeded.
    fn repair_below(&mut self, gene: usize, rng: &mut Rng) -> bool {
        let genome = self.genome;
        self.late.clear();
        self.late.push(gene as u32);
        while let Some(gene) = self.late.pop() {
            let gene = gene as usize;
            let (holder, step) = (genome.holder(gene), self.genes[gene].step);
            for below in genome.genes_of(gene) {
                let old = self.genes[below];
                if old.source != holder || old.step > step {
                    continue;
                }
                let mut new = TreeGene { step: step + 1, ..old };
                if genome.repair == Repair::Replace || new.step >= genome.steps {
                    let Some(source) = self.random_source(below, old.step, 1, rng) else {
                        return false;
                    };
                    let path = self.random_path(below, source, rng);
                    new = TreeGene { source, path, step: old.step };
                }
                self.write(below, new);
                if new.step > old.step {
                    self.late.push(below as u32);
                }
            }
        }
        true
    }

    /// Sets all genes to these values, repaired to trees.
    pub(super) fn rebuild(&mut self, mut raw: Vec<TreeGene>, repair: Repair, rng: &mut Rng) {
        for bounds in self.genome.firsts.windows(2) {
            let genes = bounds[0] as usize..bounds[1] as usize;
            self.restore(genes.clone(), &mut raw[genes], repair, rng);
        }
        self.journal.clear();
        for (gene, new) in raw.into_iter().enumerate() {
            self.write(gene, new);
        }
        debug_assert!(self.is_sound(), "the genes no longer form trees");
    }

    /// Repairs the genes of one message, step by step. If that leaves some destination out, which
    /// can happen under store-and-forward, builds a tree of shortest paths.
    fn restore(&self, genes: Range<usize>, raw: &mut [TreeGene], repair: Repair, rng: &mut Rng) {
        if !self.restore_by_steps(genes.start, raw, repair, rng) {
            raw.iter_mut().for_each(|gene| gene.step = 0);
            let is_done = self.restore_by_steps(genes.start, raw, Repair::Delay, rng);
            debug_assert!(is_done, "as many steps as the longest distance are enough");
        }
    }

    /// Repairs the genes of the message that begin at `first`. Returns whether all destinations
    /// receive the message.
    fn restore_by_steps(
        &self,
        first: usize,
        raw: &mut [TreeGene],
        repair: Repair,
        rng: &mut Rng,
    ) -> bool {
        let genome = self.genome;
        let mut is_placed = vec![false; raw.len()];
        let is_late = |raw: &TreeGene, step| match repair {
            Repair::Delay => raw.step <= step,
            Repair::Replace => raw.step == step,
        };
        // Under store-and-forward, do not wait for a source that may come too late.
        let waits = repair == Repair::Delay && !genome.is_by_hops();
        for step in 0..genome.steps {
            // A processor that receives the message in this step cannot send it on in this step.
            let had_it = is_placed.clone();
            let has = |holder: u32| holder == 0 || had_it[holder as usize - 1];
            let is_last = step + 1 == genome.steps;
            for at in 0..raw.len() {
                if is_placed[at] || !is_late(&raw[at], step) {
                    continue;
                }
                if !has(raw[at].source) {
                    if waits && !is_last {
                        continue;
                    }
                    let sources = 0..genome.source_count(first + at);
                    let sources = sources.map(|place| genome.source(first + at, place));
                    let ready: Vec<u32> = sources.filter(|&source| has(source)).collect();
                    if ready.is_empty() {
                        continue;
                    }
                    raw[at].source = ready[rng.below(ready.len())];
                    raw[at].path = self.random_path(first + at, raw[at].source, rng);
                }
                raw[at].step = step;
                raw[at].path %= genome.path_count(first + at, raw[at].source);
                is_placed[at] = true;
            }
        }
        is_placed.iter().all(|&is_placed| is_placed)
    }
}
