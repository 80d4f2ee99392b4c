//! Store-and-forward: for every delivery a path from the origin and the step of each of its
//! channels. Paths of the same message may share a channel in a step; that counts as one use. If a
//! processor would receive the message twice, the schedule keeps the earlier transfer.

mod genome;
mod moves;

pub use genome::{StepEncoding, StoreAndForwardGenome, can_count_hops};

use super::decode;
use super::individual::{Chromosome, Role, is_recounted, scaled};
use super::rows::Grid;
use genome::Place;
use pavane_model::{ChannelId, Schedule, Transfer};
use pavane_search::Rng;
use std::ops::Range;

/// An individual: for every delivery, the places along its path.
#[derive(Debug, Clone)]
pub struct StoreAndForward<'a> {
    genome: &'a StoreAndForwardGenome<'a>,
    lengths: Vec<u32>,
    /// By gene: its places, as many as its length, then unused ones up to the width.
    places: Vec<Place>,
    /// By multi-destination message, hop and step: how many of its paths use it.
    uses: Vec<u16>,
    grid: Grid,
    /// The share of moves that join the tree of the other paths.
    join_share: f64,
    draft: Vec<Place>,
    hops: Vec<u32>,
}

impl<'a> StoreAndForwardGenome<'a> {
    /// An individual with random paths and steps.
    pub fn random(&'a self, rng: &mut Rng) -> StoreAndForward<'a> {
        let mut hops = StoreAndForward::blank(self, Grid::new(&self.rows, self.steps));
        for gene in 0..self.deliveries.len() {
            hops.fill(gene, rng);
        }
        hops
    }
}

impl<'a> StoreAndForward<'a> {
    fn blank(genome: &'a StoreAndForwardGenome<'a>, grid: Grid) -> Self {
        let genes = genome.deliveries.len();
        Self {
            genome,
            lengths: vec![0; genes],
            places: vec![Place::default(); genes * genome.width],
            uses: vec![0; genome.use_count()],
            grid,
            join_share: 0.0,
            draft: Vec::new(),
            hops: Vec::new(),
        }
    }

    /// The same individual, with this share of moves that join the tree of the other paths.
    pub fn joining(mut self, share: f64) -> Self {
        self.join_share = share;
        self
    }

    fn places(&self, gene: usize) -> &[Place] {
        let first = gene * self.genome.width;
        &self.places[first..first + self.lengths[gene] as usize]
    }

    fn add(&mut self, gene: usize, place: Place) {
        let message = self.genome.deliveries[gene].message;
        if let Some(slot) = self.genome.use_slot(message, place) {
            self.uses[slot] += 1;
            if self.uses[slot] > 1 {
                return;
            }
        }
        self.genome.count(&mut self.grid, message, place, true);
    }

    fn remove(&mut self, gene: usize, place: Place) {
        let message = self.genome.deliveries[gene].message;
        if let Some(slot) = self.genome.use_slot(message, place) {
            self.uses[slot] -= 1;
            if self.uses[slot] > 0 {
                return;
            }
        }
        self.genome.count(&mut self.grid, message, place, false);
    }

    /// Swaps a gene's places with the draft, which then contains the old ones.
    fn exchange(&mut self, gene: usize) {
        let first = gene * self.genome.width;
        let mut draft = std::mem::take(&mut self.draft);
        let old_length = self.lengths[gene] as usize;
        // The common prefix needs no recounting.
        let same = self.places(gene).iter().zip(&draft).take_while(|(a, b)| a == b).count();
        for at in first + same..first + old_length {
            self.remove(gene, self.places[at]);
        }
        for &place in &draft[same..] {
            self.add(gene, place);
        }
        self.lengths[gene] = draft.len() as u32;
        let common = old_length.max(draft.len());
        draft.resize(common, Place::default());
        draft.swap_with_slice(&mut self.places[first..first + common]);
        draft.truncate(old_length);
        self.draft = draft;
        debug_assert!(
            !is_recounted(gene, self.lengths.len()) || self.conflicts() == self.recount(),
            "count drifted: gene {gene}"
        );
    }

    /// Fills a gene that has no places yet.
    fn fill(&mut self, gene: usize, rng: &mut Rng) {
        self.draft_random(gene, rng);
        self.exchange(gene);
    }

    /// Drafts the places that the values encode.
    fn draft_values(&mut self, gene: usize, values: &[u32]) {
        self.genome.hops(gene, values[0], &mut self.hops);
        self.draft.clear();
        let slack = self.genome.steps - self.hops.len() as u32;
        let mut delay = 0;
        for (position, &hop) in self.hops.iter().enumerate() {
            // Delays never decrease along a path: time spent waiting is lost.
            let value = match self.genome.timing {
                StepEncoding::Window { .. } => values.get(1 + position).copied().unwrap_or(0),
                StepEncoding::Start => values[1],
            };
            delay = delay.max(value.min(slack));
            self.draft.push(Place { hop, step: position as u32 + delay });
        }
    }
}

impl Chromosome for StoreAndForward<'_> {
    fn gene_count(&self) -> usize {
        self.lengths.len()
    }

    fn components(&self, gene: usize) -> Range<usize> {
        self.genome.components(gene)
    }

    fn limit(&self, component: usize) -> u32 {
        let gene = self.genome.firsts.partition_point(|&first| first as usize <= component) - 1;
        let delivery = &self.genome.deliveries[gene];
        match component - self.genome.components(gene).start {
            0 => delivery.path_count,
            1 if delivery.is_at_once => 1,
            _ => self.genome.steps - delivery.shortest + 1,
        }
    }

    fn role(&self, component: usize) -> Role {
        match self.genome.firsts.binary_search(&(component as u32)) {
            Ok(_) => Role::Path,
            Err(_) => Role::Step,
        }
    }

    fn read_gene(&self, gene: usize, values: &mut Vec<u32>) {
        let delivery = &self.genome.deliveries[gene];
        let places = self.places(gene);
        let channels = places.iter().filter_map(|place| self.genome.channel(place.hop));
        let channels: Vec<ChannelId> = channels.collect();
        let path = |number: u32| self.genome.paths.path(delivery.first_path + number);
        // The path table is sorted by channels.
        let (mut low, mut high) = (0, delivery.path_count - 1);
        while low < high {
            let middle = low.midpoint(high);
            if path(middle) < &channels[..] { low = middle + 1 } else { high = middle }
        }
        let first = values.len();
        values.push(low);
        let delays = (0..).zip(places).map(|(position, place)| place.step - position);
        values.extend(delays);
        // Components beyond the end of the path are unused.
        values.resize(first + self.components(gene).len(), 0);
    }

    fn set_gene(&mut self, gene: usize, values: &[u32], _: &mut Rng) {
        self.draft_values(gene, values);
        self.exchange(gene);
    }

    fn copy_gene(&mut self, gene: usize, other: &Self, _: &mut Rng) {
        if self.places(gene) != other.places(gene) {
            self.draft.clear();
            self.draft.extend(other.places(gene));
            self.exchange(gene);
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.lengths.clone_from(&other.lengths);
        self.places.clone_from(&other.places);
        self.uses.clone_from(&other.uses);
        self.grid.copy_from(&other.grid);
        self.join_share = other.join_share;
    }

    fn pack(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for gene in 0..self.lengths.len() {
            numbers.push(self.lengths[gene].into());
            let places = self.places(gene).iter();
            numbers.extend(places.flat_map(|place| [place.hop, place.step].map(u64::from)));
        }
        numbers
    }

    fn unpack(&mut self, numbers: &[u64]) -> Option<()> {
        let mut numbers = numbers.iter().map(|&number| number as u32);
        for gene in 0..self.lengths.len() {
            self.draft.clear();
            for _ in 0..numbers.next()? {
                self.draft.push(Place { hop: numbers.next()?, step: numbers.next()? });
            }
            self.exchange(gene);
        }
        Some(())
    }

    fn mutate(&mut self, gene: usize, rng: &mut Rng) {
        self.draft_random(gene, rng);
        self.exchange(gene);
    }

    fn try_move(&mut self, allowed: i32, rng: &mut Rng) -> i32 {
        let gene = scaled(rng.bits() as u32, self.lengths.len() as u32) as usize;
        self.draft_move(gene, rng);
        let before = self.grid.conflicts();
        self.exchange(gene);
        let change = self.grid.conflicts() - before;
        if change > allowed {
            self.exchange(gene);
            return 0;
        }
        change
    }

    fn conflicts(&self) -> u32 {
        self.grid.conflicts() as u32
    }

    fn recount(&self) -> u32 {
        let genome = self.genome;
        let mut anew = StoreAndForward::blank(genome, Grid::new(&genome.rows, genome.steps));
        for gene in 0..self.lengths.len() {
            for &place in self.places(gene) {
                anew.add(gene, place);
            }
        }
        anew.conflicts()
    }

    fn gene_end(&self, gene: usize) -> u32 {
        self.places(gene).last().map_or(0, |place| place.step + 1)
    }

    fn shorten(&mut self, _: &mut Rng) {
        self.shorten_all();
    }

    fn schedule(&self) -> Option<Schedule> {
        if self.conflicts() > 0 {
            return None;
        }
        let genome = self.genome;
        let channels: Vec<ChannelId> =
            (0..genome.problem.network().channel_count() as u32).map(ChannelId).collect();
        let mut by_message = vec![Vec::new(); genome.problem.messages().len()];
        for (gene, delivery) in genome.deliveries.iter().enumerate() {
            for place in self.places(gene) {
                let (from, to) = genome.ends(delivery.message, place.hop);
                let path = match genome.channel(place.hop) {
                    Some(channel) => &channels[channel.index()..=channel.index()],
                    None => &[],
                };
                let transfer = Transfer { message: delivery.message, from, to, path };
                by_message[delivery.message.index()].push((place.step, transfer));
            }
        }
        for (message, transfers) in genome.problem.messages().ids().zip(&mut by_message) {
            decode::drop_useless(genome.problem, message, transfers);
        }
        Some(decode::without_empty_steps(by_message.concat()))
    }
}
