//! Broadcast by wormhole: for every destination who sends to it, on which path and in which step.
//! Genes that do not form a tree are restored: who gets the message from somebody that does not
//! have it yet waits for it, or gets it from somebody else. Any list of messages will do.

use super::rows::{Grid, Rows};
use super::{Chromosome, PathTable, Role, scaled};
use crate::rng::Rng;
use pavane_model::{MessageId, Problem, ProcessorId, Schedule, Transfer};
use std::ops::Range;

/// What happens to a transfer from somebody who does not have the message yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Somebody else who has it sends instead: the papers' way.
    Replace,
    /// It waits until its source has the message; only if no step is left, somebody else sends.
    Delay,
}

/// What all individuals of a problem share.
#[derive(Debug)]
pub struct TreeGenome<'a> {
    problem: &'a Problem,
    paths: &'a PathTable,
    steps: u32,
    repair: Repair,
    rows: Rows,
    deliveries: Vec<Delivery>,
    /// By message: where its genes begin; and the end of the last.
    firsts: Vec<u32>,
    path_limits: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Delivery {
    message: MessageId,
    to: ProcessorId,
}

/// An individual: a source, a path and a step for every delivery, always a tree.
#[derive(Debug, Clone)]
pub struct Tree<'a> {
    genome: &'a TreeGenome<'a>,
    genes: Vec<Gene>,
    grid: Grid,
    /// What was changed since a move began, to take it back.
    journal: Vec<(u32, Gene)>,
    /// Room for the holders that are ready to send.
    ready: Vec<u32>,
    /// Room for genes whose destination gets the message later than before.
    late: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gene {
    /// A holder of the message: 0 is its origin, 1 its first destination.
    source: u32,
    path: u32,
    step: u32,
}

/// Components of a gene.
const WIDTH: usize = 3;

/// Sources that a move chooses the nearest of: long paths are in everybody's way.
const NEAREST_OF: u32 = 3;

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
        };
        for message in messages.ids() {
            for &to in messages.destinations(message) {
                genome.deliveries.push(Delivery { message, to });
            }
            genome.firsts.push(genome.deliveries.len() as u32);
        }
        for gene in 0..genome.deliveries.len() {
            let holders = 0..=genome.genes_of(gene).len() as u32;
            let others = holders.filter(|&holder| holder != genome.holder(gene));
            let most = others.map(|source| genome.path_count(gene, source)).max();
            genome.path_limits.push(most.unwrap_or(1));
        }
        genome
    }

    /// An individual with random sources, paths and steps, restored.
    pub fn random(&'a self, rng: &mut Rng) -> Tree<'a> {
        let mut tree = self.straight();
        let mut values = Vec::new();
        for gene in 0..self.deliveries.len() {
            values.extend((0..WIDTH).map(|at| rng.below(tree.limit(WIDTH * gene + at) as usize)));
        }
        let values: Vec<u32> = values.into_iter().map(|value| value as u32).collect();
        tree.assign(&values, rng);
        tree
    }

    /// The individual in which every message goes straight from its origin in the first step.
    fn straight(&'a self) -> Tree<'a> {
        let genes = vec![Gene { source: 0, path: 0, step: 0 }; self.deliveries.len()];
        let grid = Grid::new(&self.rows, self.steps);
        let mut tree = Tree {
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

    /// The genes of the message that a gene belongs to.
    fn genes_of(&self, gene: usize) -> Range<usize> {
        let message = self.deliveries[gene].message.index();
        self.firsts[message] as usize..self.firsts[message + 1] as usize
    }

    /// The number, among the holders of its message, of whom a gene delivers to.
    fn holder(&self, gene: usize) -> u32 {
        (gene - self.genes_of(gene).start) as u32 + 1
    }

    /// The processor that a holder of a gene's message is.
    fn processor(&self, gene: usize, holder: u32) -> ProcessorId {
        let messages = self.problem.messages();
        let message = self.deliveries[gene].message;
        match holder {
            0 => messages.origin(message),
            _ => messages.destinations(message)[holder as usize - 1],
        }
    }

    fn path_numbers(&self, gene: usize, source: u32) -> Range<u32> {
        let from = self.problem.home(self.processor(gene, source));
        self.paths.between(from, self.problem.home(self.deliveries[gene].to))
    }

    fn path_count(&self, gene: usize, source: u32) -> u32 {
        self.path_numbers(gene, source).len() as u32
    }
}

impl Tree<'_> {
    /// Counts a gene's transfer in, or out.
    fn count(&mut self, gene: usize, is_in: bool) {
        let genome = self.genome;
        let Gene { source, path, step } = self.genes[gene];
        let number = genome.path_numbers(gene, source).start + path;
        let send = genome.rows.send(genome.processor(gene, source));
        let receive = genome.rows.receive(genome.deliveries[gene].to);
        let channels = genome.paths.path(number).iter().map(|&c| genome.rows.channel(c));
        for row in channels.chain([send, receive]) {
            match is_in {
                true => self.grid.add(step, row),
                false => self.grid.remove(step, row),
            }
        }
    }

    fn write(&mut self, gene: usize, new: Gene) {
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

    /// Whether a holder has the message, directly or not, from whom a gene delivers to.
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

    /// A holder that can send to a gene's destination in a step: the nearest of so many.
    fn random_source(&mut self, gene: usize, step: u32, tries: u32, rng: &mut Rng) -> u32 {
        let genome = self.genome;
        let holders = (1..).zip(&self.genes[genome.genes_of(gene)]);
        self.ready.clear();
        self.ready.push(0);
        self.ready.extend(holders.filter(|(_, other)| other.step < step).map(|(holder, _)| holder));
        let mut best = (u32::MAX, 0);
        for _ in 0..tries {
            let holder = self.ready[scaled(rng.bits() as u32, self.ready.len() as u32) as usize];
            if !self.is_below(gene, holder) {
                let first = genome.path_numbers(gene, holder).start;
                best = best.min((genome.paths.path(first).len() as u32, holder));
            }
        }
        best.1
    }

    fn random_path(&self, gene: usize, source: u32, rng: &mut Rng) -> u32 {
        scaled(rng.bits() as u32, self.genome.path_count(gene, source))
    }

    /// Puts a gene into the tree, with as little change to it and others as makes a tree.
    fn place(&mut self, gene: usize, new: Gene, rng: &mut Rng) {
        let mut new = new;
        let ready = self.ready(gene, new.source);
        if self.is_below(gene, new.source)
            || ready > new.step
                && (self.genome.repair == Repair::Replace || ready >= self.genome.steps)
        {
            new.source = self.random_source(gene, new.step, 1, rng);
            new.path = self.random_path(gene, new.source, rng);
        }
        new.step = new.step.max(self.ready(gene, new.source));
        new.path %= self.genome.path_count(gene, new.source);
        self.write(gene, new);
        self.repair_below(gene, rng);
        debug_assert!(!gene.is_multiple_of(13) || self.is_sound(), "not a tree any more: {gene}");
    }

    /// Repairs what a later step of a gene makes impossible for those who have the message from
    /// its destination.
    fn repair_below(&mut self, gene: usize, rng: &mut Rng) {
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
                let mut new = Gene { step: step + 1, ..old };
                if genome.repair == Repair::Replace || new.step >= genome.steps {
                    let source = self.random_source(below, old.step, 1, rng);
                    let path = self.random_path(below, source, rng);
                    new = Gene { source, path, step: old.step };
                }
                self.write(below, new);
                if new.step > old.step {
                    self.late.push(below as u32);
                }
            }
        }
    }

    /// New genes for one message, restored step by step.
    fn restore(&self, genes: Range<usize>, raw: &mut [Gene], rng: &mut Rng) {
        let genome = self.genome;
        let first = genes.start;
        let mut is_placed = vec![false; raw.len()];
        for step in 0..genome.steps {
            // Those that get it in this step cannot send it on in this step.
            let has_it: Vec<u32> =
                (0..=raw.len() as u32).filter(|&h| h == 0 || is_placed[h as usize - 1]).collect();
            let has = |holder: u32| holder == 0 || has_it.binary_search(&holder).is_ok();
            let is_last = step + 1 == genome.steps;
            for at in 0..raw.len() {
                let is_due = match genome.repair {
                    Repair::Delay => raw[at].step <= step,
                    Repair::Replace => raw[at].step == step,
                };
                if is_placed[at] || !is_due {
                    continue;
                }
                if !has(raw[at].source) {
                    if genome.repair == Repair::Delay && !is_last {
                        continue;
                    }
                    raw[at].source = has_it[rng.below(has_it.len())];
                    raw[at].path = self.random_path(first + at, raw[at].source, rng);
                }
                raw[at].step = step;
                raw[at].path %= genome.path_count(first + at, raw[at].source);
                is_placed[at] = true;
            }
        }
    }

    /// The gene that its values stand for.
    fn decode(&self, gene: usize, values: &[u32]) -> Gene {
        let source = values[0] + u32::from(values[0] >= self.genome.holder(gene));
        Gene { source, path: values[1], step: values[2] }
    }

    fn is_sound(&self) -> bool {
        let in_time = |gene: usize| {
            let Gene { source, step, .. } = self.genes[gene];
            step < self.genome.steps && self.ready(gene, source) <= step
        };
        (0..self.genes.len()).all(in_time) && self.conflicts() == self.recount()
    }
}

impl Chromosome for Tree<'_> {
    fn gene_count(&self) -> usize {
        self.genes.len()
    }

    fn components(&self, gene: usize) -> Range<usize> {
        WIDTH * gene..WIDTH * (gene + 1)
    }

    fn limit(&self, component: usize) -> u32 {
        let gene = component / WIDTH;
        match self.role(component) {
            Role::Source => self.genome.genes_of(gene).len() as u32,
            Role::Path => self.genome.path_limits[gene],
            Role::Step => self.genome.steps,
        }
    }

    fn role(&self, component: usize) -> Role {
        [Role::Source, Role::Path, Role::Step][component % WIDTH]
    }

    fn read_gene(&self, gene: usize, values: &mut Vec<u32>) {
        let Gene { source, path, step } = self.genes[gene];
        values.extend([source - u32::from(source > self.genome.holder(gene)), path, step]);
    }

    fn set_gene(&mut self, gene: usize, values: &[u32], rng: &mut Rng) {
        self.journal.clear();
        let new = self.decode(gene, values);
        self.place(gene, new, rng);
    }

    fn assign(&mut self, values: &[u32], rng: &mut Rng) {
        for bounds in self.genome.firsts.windows(2) {
            let genes = bounds[0] as usize..bounds[1] as usize;
            let decode = |gene: usize| self.decode(gene, &values[WIDTH * gene..]);
            let mut raw: Vec<Gene> = genes.clone().map(decode).collect();
            self.restore(genes.clone(), &mut raw, rng);
            self.journal.clear();
            for (gene, new) in genes.zip(raw) {
                self.write(gene, new);
            }
        }
        debug_assert!(self.is_sound(), "not a tree any more");
    }

    fn copy_gene(&mut self, gene: usize, other: &Self, rng: &mut Rng) {
        self.journal.clear();
        self.place(gene, other.genes[gene], rng);
    }

    fn copy_from(&mut self, other: &Self) {
        self.genes.clone_from(&other.genes);
        self.grid.copy_from(&other.grid);
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
        let bits = rng.bits();
        let gene = scaled(bits as u32, self.genes.len() as u32) as usize;
        let step = match bits >> 63 {
            0 => self.genes[gene].step,
            _ => rng.below(self.genome.steps as usize) as u32,
        };
        let source = self.random_source(gene, step, NEAREST_OF, rng);
        let path = self.random_path(gene, source, rng);
        self.place(gene, Gene { source, path, step }, rng);
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
        let transfer = |(gene, delivery): (usize, &Delivery)| {
            let Gene { source, path, step } = self.genes[gene];
            let path = genome.paths.path(genome.path_numbers(gene, source).start + path);
            let (message, to) = (delivery.message, delivery.to);
            (step, Transfer { message, from: genome.processor(gene, source), to, path })
        };
        let transfers = genome.deliveries.iter().enumerate().map(transfer).collect();
        Some(super::decode::without_empty_steps(transfers))
    }
}
