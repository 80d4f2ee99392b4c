//! Tree broadcast: for every destination its sender, path and step. Genes that do not form a tree
//! are repaired: a processor whose sender does not have the message yet waits for it, or receives
//! it from another one. Under wormhole switching this works for any list of messages. In an
//! all-gather (AAB), trees of single hops are store-and-forward schedules.

mod genome;
mod moves;
mod repair;

pub use genome::{Repair, TreeGenome};

use super::decode;
use super::individual::{Chromosome, Role, scaled};
use super::rows::Grid;
use genome::{TreeDelivery, TreeGene};
use pavane_model::{Schedule, Transfer};
use pavane_search::Rng;
use std::ops::Range;

/// An individual: a source, a path and a step for every delivery, always a tree.
#[derive(Debug, Clone)]
pub struct BroadcastTree<'a> {
    genome: &'a TreeGenome<'a>,
    genes: Vec<TreeGene>,
    grid: Grid,
    /// The old genes since a move began, to undo it.
    journal: Vec<(u32, TreeGene)>,
    /// Buffer for the holders that are ready to send.
    ready: Vec<u32>,
    /// Buffer for genes whose destination receives the message later than before.
    late: Vec<u32>,
}

/// Components of a gene.
const WIDTH: usize = 3;

impl<'a> TreeGenome<'a> {
    /// An individual with random sources, paths and steps, repaired to a tree.
    pub fn random(&'a self, rng: &mut Rng) -> BroadcastTree<'a> {
        let mut tree = self.straight();
        let mut values = Vec::new();
        for gene in 0..self.deliveries.len() {
            values.extend((0..WIDTH).map(|at| rng.below(tree.limit(WIDTH * gene + at) as usize)));
        }
        let values: Vec<u32> = values.into_iter().map(|value| value as u32).collect();
        tree.assign(&values, rng);
        tree
    }

    /// The individual in which every origin sends directly to all destinations in the first step.
    fn straight(&'a self) -> BroadcastTree<'a> {
        let genes = vec![TreeGene { source: 0, path: 0, step: 0 }; self.deliveries.len()];
        let grid = Grid::new(&self.rows, self.steps);
        let mut tree = BroadcastTree {
            genome: self,
            genes,
            grid,
            journal: Vec::new(),
            ready: Vec::new(),
            late: Vec::new(),
        };
        for gene in 0..self.deliveries.len() {
            tree.count(gene, true);
        }
        tree
    }
}

impl BroadcastTree<'_> {
    /// Adds a gene's transfer to the counts, or removes it.
    fn count(&mut self, gene: usize, is_in: bool) {
        let genome = self.genome;
        let TreeGene { source, path, step } = self.genes[gene];
        let number = genome.path_numbers(gene, source).start + path;
        let send = genome.rows.send(genome.processor(gene, source));
        let receive = genome.rows.receive(genome.deliveries[gene].to);
        let channels = genome.paths.path(number).iter().map(|&c| genome.rows.channel(c));
        for row in channels.chain([send, receive]) {
            if is_in { self.grid.add(step, row) } else { self.grid.remove(step, row) }
        }
    }

    fn write(&mut self, gene: usize, new: TreeGene) {
        if self.genes[gene] != new {
            self.count(gene, false);
            self.journal.push((gene as u32, self.genes[gene]));
            self.genes[gene] = new;
            self.count(gene, true);
        }
    }

    fn take_back(&mut self) {
        while let Some((gene, old)) = self.journal.pop() {
            self.count(gene as usize, false);
            self.genes[gene as usize] = old;
            self.count(gene as usize, true);
        }
    }

    /// The first step in which a holder of a gene's message can send it on.
    fn ready(&self, gene: usize, holder: u32) -> u32 {
        match holder {
            0 => 0,
            _ => self.genes[self.genome.genes_of(gene).start + holder as usize - 1].step + 1,
        }
    }

    /// Whether a holder has received the message, directly or not, from the gene's destination.
    fn is_below(&self, gene: usize, holder: u32) -> bool {
        let first = self.genome.genes_of(gene).start;
        let (above, mut holder) = (self.genome.holder(gene), holder);
        while holder != 0 {
            if holder == above {
                return true;
            }
            holder = self.genes[first + holder as usize - 1].source;
        }
        false
    }

    /// The gene that the values encode.
    fn decode(&self, gene: usize, values: &[u32]) -> TreeGene {
        let source = self.genome.source(gene, values[0]);
        TreeGene { source, path: values[1], step: values[2] }
    }

    fn is_sound(&self) -> bool {
        let in_time = |gene: usize| {
            let TreeGene { source, step, .. } = self.genes[gene];
            step < self.genome.steps && self.ready(gene, source) <= step
        };
        (0..self.genes.len()).all(in_time) && self.conflicts() == self.recount()
    }
}

impl Chromosome for BroadcastTree<'_> {
    fn gene_count(&self) -> usize {
        self.genes.len()
    }

    fn components(&self, gene: usize) -> Range<usize> {
        WIDTH * gene..WIDTH * (gene + 1)
    }

    fn limit(&self, component: usize) -> u32 {
        let gene = component / WIDTH;
        match self.role(component) {
            Role::Source => self.genome.source_count(gene),
            Role::Path => self.genome.path_limits[gene],
            Role::Step => self.genome.steps,
        }
    }

    fn role(&self, component: usize) -> Role {
        [Role::Source, Role::Path, Role::Step][component % WIDTH]
    }

    fn read_gene(&self, gene: usize, values: &mut Vec<u32>) {
        let TreeGene { source, path, step } = self.genes[gene];
        values.extend([self.genome.place_of(gene, source), path, step]);
    }

    fn set_gene(&mut self, gene: usize, values: &[u32], rng: &mut Rng) {
        self.journal.clear();
        let new = self.decode(gene, values);
        self.place(gene, new, rng);
    }

    fn assign(&mut self, values: &[u32], rng: &mut Rng) {
        let decode = |gene: usize| self.decode(gene, &values[WIDTH * gene..]);
        let raw: Vec<TreeGene> = (0..self.genes.len()).map(decode).collect();
        self.rebuild(raw, self.genome.repair, rng);
    }

    fn start_early(&mut self, rng: &mut Rng) {
        let raw = self.genes.iter().map(|&gene| TreeGene { step: 0, ..gene }).collect();
        // Repair has to find the steps here, so it delays.
        self.rebuild(raw, Repair::Delay, rng);
    }

    fn copy_gene(&mut self, gene: usize, other: &Self, rng: &mut Rng) {
        self.journal.clear();
        self.place(gene, other.genes[gene], rng);
    }

    fn copy_from(&mut self, other: &Self) {
        self.genes.clone_from(&other.genes);
        self.grid.copy_from(&other.grid);
    }

    fn pack(&self) -> Vec<u64> {
        let numbers = |gene: &TreeGene| [gene.source.into(), gene.path.into(), gene.step.into()];
        self.genes.iter().flat_map(numbers).collect()
    }

    fn unpack(&mut self, numbers: &[u64]) -> Option<()> {
        for gene in 0..self.genes.len() {
            let values = numbers.get(WIDTH * gene..WIDTH * (gene + 1))?;
            let [source, path, step] = [values[0], values[1], values[2]].map(|value| value as u32);
            self.write(gene, TreeGene { source, path, step });
        }
        self.journal.clear();
        Some(())
    }

    fn mutate(&mut self, gene: usize, rng: &mut Rng) {
        let values: Vec<u32> = self
            .components(gene)
            .map(|component| scaled(rng.bits() as u32, self.limit(component)))
            .collect();
        self.set_gene(gene, &values, rng);
    }

    fn try_move(&mut self, allowed: i32, rng: &mut Rng) -> i32 {
        self.journal.clear();
        let before = self.grid.conflicts();
        if self.genome.is_by_hops() || rng.chance(self.genome.slot_share) {
            self.change_slot(rng)
        } else {
            self.change_source(rng)
        }
        let change = self.grid.conflicts() - before;
        if change > allowed {
            self.take_back();
            return 0;
        }
        change
    }

    fn conflicts(&self) -> u32 {
        self.grid.conflicts() as u32
    }

    fn recount(&self) -> u32 {
        let mut anew = self.genome.straight();
        for (gene, &values) in self.genes.iter().enumerate() {
            anew.write(gene, values);
        }
        anew.conflicts()
    }

    fn gene_end(&self, gene: usize) -> u32 {
        self.genes[gene].step + 1
    }

    fn schedule(&self) -> Option<Schedule> {
        if self.conflicts() > 0 {
            return None;
        }
        let genome = self.genome;
        let transfer = |(gene, delivery): (usize, &TreeDelivery)| {
            let TreeGene { source, path, step } = self.genes[gene];
            let path = genome.paths.path(genome.path_numbers(gene, source).start + path);
            let (message, to) = (delivery.message, delivery.to);
            (step, Transfer { message, from: genome.processor(gene, source), to, path })
        };
        let transfers = genome.deliveries.iter().enumerate().map(transfer).collect();
        Some(decode::without_empty_steps(transfers))
    }
}
