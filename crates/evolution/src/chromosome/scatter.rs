//! Personalised messages under wormhole switching: a gene is a path and the step in which the
//! message travels all of it. In the papers, the chromosome of scatter (OAS) and, row by row, of
//! all-to-all (AAS).

mod doors;
mod redesign;

use super::individual::{Chromosome, Role, is_recounted, scaled};
use super::path_table::PathTable;
use super::rows::{Grid, Rows};
use doors::Doors;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, Schedule, Transfer};
use pavane_search::Rng;
use std::ops::Range;
use std::sync::OnceLock;

/// What all individuals of a problem with personalised messages share.
#[derive(Debug)]
pub struct ScatterGenome<'a> {
    problem: &'a Problem,
    paths: &'a PathTable,
    steps: u32,
    rows: Rows,
    messages: Vec<Ends>,
    swap_share: f64,
    doors: OnceLock<Doors>,
}

/// Paths, ports and siblings of a message.
#[derive(Debug, Clone, Copy)]
struct Ends {
    first_path: u32,
    path_count: u32,
    send: u32,
    receive: u32,
    /// The consecutive run of messages with the same origin.
    first_sibling: u32,
    sibling_count: u32,
}

/// An individual: a path and a step for every message.
#[derive(Debug, Clone)]
pub struct Scatter<'a> {
    genome: &'a ScatterGenome<'a>,
    genes: Vec<Gene>,
    grid: Grid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gene {
    path: u32,
    step: u32,
}

/// Random paths per message from which a swap chooses the one with the fewest conflicts.
const LEAST_OF: u32 = 4;

/// Components of a gene.
const WIDTH: usize = 2;

impl<'a> ScatterGenome<'a> {
    /// For a wormhole problem with only personalised messages and at least one step.
    pub fn new(problem: &'a Problem, steps: u32, paths: &'a PathTable) -> Self {
        let rows = Rows::new(problem);
        let messages = problem.messages();
        let ends = |message: MessageId| {
            let (from, to) = (messages.origin(message), messages.destinations(message)[0]);
            let numbers = paths.between(problem.home(from), problem.home(to));
            Ends {
                first_path: numbers.start,
                path_count: numbers.len() as u32,
                send: rows.send(from),
                receive: rows.receive(to),
                first_sibling: 0,
                sibling_count: 0,
            }
        };
        let mut ends: Vec<Ends> = messages.ids().map(ends).collect();
        let mut first = 0;
        let origins: Vec<ProcessorId> = messages.ids().map(|m| messages.origin(m)).collect();
        for siblings in origins.chunk_by(|a, b| a == b) {
            for ends in &mut ends[first..first + siblings.len()] {
                ends.first_sibling = first as u32;
                ends.sibling_count = siblings.len() as u32;
            }
            first += siblings.len();
        }
        Self {
            problem,
            paths,
            steps,
            messages: ends,
            rows,
            swap_share: 0.0,
            doors: OnceLock::new(),
        }
    }

    /// The same, with this share of moves that swap the steps of two messages.
    pub fn swapping(mut self, share: f64) -> Self {
        self.swap_share = share;
        self
    }

    /// An individual with random paths and steps.
    pub fn random(&'a self, rng: &mut Rng) -> Scatter<'a> {
        let grid = Grid::new(&self.rows, self.steps);
        let mut scatter = Scatter { genome: self, genes: Vec::new(), grid };
        for gene in 0..self.messages.len() {
            let new = scatter.random_gene(gene, rng.bits());
            scatter.genes.push(new);
            scatter.add(gene, new);
        }
        scatter
    }

    fn path(&self, message: usize, path: u32) -> &'a [ChannelId] {
        self.paths.path(self.messages[message].first_path + path)
    }
}

impl Scatter<'_> {
    fn random_gene(&self, gene: usize, bits: u64) -> Gene {
        let ends = &self.genome.messages[gene];
        let step = scaled(bits as u32, self.genome.steps);
        Gene { path: scaled((bits >> 32) as u32, ends.path_count), step }
    }

    fn add(&mut self, gene: usize, Gene { path, step }: Gene) {
        let ends = self.genome.messages[gene];
        for &channel in self.genome.path(gene, path) {
            self.grid.add(step, self.genome.rows.channel(channel));
        }
        self.grid.add(step, ends.send);
        self.grid.add(step, ends.receive);
    }

    fn remove(&mut self, gene: usize, Gene { path, step }: Gene) {
        let ends = self.genome.messages[gene];
        for &channel in self.genome.path(gene, path) {
            self.grid.remove(step, self.genome.rows.channel(channel));
        }
        self.grid.remove(step, ends.send);
        self.grid.remove(step, ends.receive);
    }

    fn replace(&mut self, gene: usize, new: Gene) {
        let old = std::mem::replace(&mut self.genes[gene], new);
        if old != new {
            self.remove(gene, old);
            self.add(gene, new);
        }
        self.check(gene);
    }

    fn check(&self, gene: usize) {
        debug_assert!(
            !is_recounted(gene, self.genes.len()) || self.conflicts() == self.recount(),
            "count drifted: gene {gene}"
        );
    }

    /// A gene in this step, on the path with the fewest conflicts among a few random ones.
    fn least_of_some(&self, gene: usize, step: u32, rng: &mut Rng) -> Gene {
        let ends = &self.genome.messages[gene];
        let mut best = (i32::MAX, 0);
        for _ in 0..ends.path_count.min(LEAST_OF) {
            let path = scaled(rng.bits() as u32, ends.path_count);
            let channels = self.genome.path(gene, path).iter();
            let gain = |&channel| self.grid.gain(step, self.genome.rows.channel(channel));
            best = best.min((channels.map(gain).sum(), path));
        }
        Gene { path: best.1, step }
    }

    /// Swaps the steps of two messages of one origin, on paths with few conflicts.
    fn try_swap(&mut self, allowed: i32, rng: &mut Rng) -> i32 {
        let bits = rng.bits();
        let one = scaled(bits as u32, self.genes.len() as u32) as usize;
        let ends = &self.genome.messages[one];
        let other = ends.first_sibling + scaled((bits >> 32) as u32, ends.sibling_count);
        let other = other as usize;
        let (old_one, old_other) = (self.genes[one], self.genes[other]);
        if old_one.step == old_other.step {
            return 0;
        }
        let before = self.grid.conflicts();
        self.remove(other, old_other);
        self.remove(one, old_one);
        let new_one = self.least_of_some(one, old_other.step, rng);
        self.add(one, new_one);
        let new_other = self.least_of_some(other, old_one.step, rng);
        self.add(other, new_other);
        let change = self.grid.conflicts() - before;
        if change > allowed {
            self.remove(one, new_one);
            self.remove(other, new_other);
            self.add(one, old_one);
            self.add(other, old_other);
            self.check(one);
            return 0;
        }
        self.genes[one] = new_one;
        self.genes[other] = new_other;
        self.check(one);
        change
    }

    /// The change in conflicts of a move to another step, without making the move.
    fn change(&self, gene: usize, old: Gene, new: Gene) -> i32 {
        let genome = self.genome;
        let ends = &genome.messages[gene];
        let mut change = self.grid.gain(new.step, ends.send)
            + self.grid.gain(new.step, ends.receive)
            - self.grid.relief(old.step, ends.send)
            - self.grid.relief(old.step, ends.receive);
        for &channel in genome.path(gene, new.path) {
            change += self.grid.gain(new.step, genome.rows.channel(channel));
        }
        for &channel in genome.path(gene, old.path) {
            change -= self.grid.relief(old.step, genome.rows.channel(channel));
        }
        change
    }
}

impl Chromosome for Scatter<'_> {
    fn gene_count(&self) -> usize {
        self.genes.len()
    }

    fn components(&self, gene: usize) -> Range<usize> {
        WIDTH * gene..WIDTH * (gene + 1)
    }

    fn limit(&self, component: usize) -> u32 {
        match self.role(component) {
            Role::Path => self.genome.messages[component / WIDTH].path_count,
            _ => self.genome.steps,
        }
    }

    fn role(&self, component: usize) -> Role {
        if component.is_multiple_of(WIDTH) { Role::Path } else { Role::Step }
    }

    fn read_gene(&self, gene: usize, values: &mut Vec<u32>) {
        values.extend([self.genes[gene].path, self.genes[gene].step]);
    }

    fn set_gene(&mut self, gene: usize, values: &[u32], _: &mut Rng) {
        self.replace(gene, Gene { path: values[0], step: values[1] });
    }

    fn copy_gene(&mut self, gene: usize, other: &Self, _: &mut Rng) {
        self.replace(gene, other.genes[gene]);
    }

    fn copy_from(&mut self, other: &Self) {
        self.genes.clone_from(&other.genes);
        self.grid.copy_from(&other.grid);
    }

    fn pack(&self) -> Vec<u64> {
        self.genes.iter().flat_map(|gene| [gene.path.into(), gene.step.into()]).collect()
    }

    fn unpack(&mut self, numbers: &[u64]) -> Option<()> {
        for gene in 0..self.genes.len() {
            let values = numbers.get(WIDTH * gene..WIDTH * (gene + 1))?;
            self.replace(gene, Gene { path: values[0] as u32, step: values[1] as u32 });
        }
        Some(())
    }

    fn mutate(&mut self, gene: usize, rng: &mut Rng) {
        let new = self.random_gene(gene, rng.bits());
        self.replace(gene, new);
    }

    fn redesign_ports(&mut self, rng: &mut Rng) {
        self.spread_over_ports(rng);
    }

    fn try_move(&mut self, allowed: i32, rng: &mut Rng) -> i32 {
        if self.genome.swap_share > 0.0 && rng.chance(self.genome.swap_share) {
            return self.try_swap(allowed, rng);
        }
        let gene = scaled(rng.bits() as u32, self.genes.len() as u32) as usize;
        let old = self.genes[gene];
        let new = self.random_gene(gene, rng.bits());
        // In another step the new place shares nothing with the old one, so the change can be
        // computed before the old place is given up.
        if new.step != old.step {
            let change = self.change(gene, old, new);
            if change > allowed {
                return 0;
            }
            self.replace(gene, new);
            return change;
        }
        let before = self.grid.conflicts();
        self.replace(gene, new);
        let change = self.grid.conflicts() - before;
        if change > allowed {
            self.replace(gene, old);
            return 0;
        }
        change
    }

    fn conflicts(&self) -> u32 {
        self.grid.conflicts() as u32
    }

    fn recount(&self) -> u32 {
        let grid = Grid::new(&self.genome.rows, self.genome.steps);
        let mut anew = Scatter { genome: self.genome, genes: Vec::new(), grid };
        for (gene, &values) in self.genes.iter().enumerate() {
            anew.add(gene, values);
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
        let messages = self.genome.problem.messages();
        let transfer = |message: MessageId| {
            let Gene { path, step } = self.genes[message.index()];
            let from = messages.origin(message);
            let to = messages.destinations(message)[0];
            let path = self.genome.path(message.index(), path);
            (step, Transfer { message, from, to, path })
        };
        let transfers: Vec<_> = messages.ids().map(transfer).collect();
        Some(super::decode::without_empty_steps(transfers))
    }
}
