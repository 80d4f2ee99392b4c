//! The islands of one rank.

use super::rules::{Leg, Rules};
use crate::chromosome::Chromosome;
use crate::cooling::Metropolis;
use pavane_search::Rng;
use pavane_search::budget::LOOK_EVERY;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Below this number of moves the islands run on one thread, because starting others costs more.
const WORTH_A_THREAD: u64 = 2_000;

/// Weight of a conflict in the older fitness, in steps.
const WEIGHT: u32 = 100;

/// Evaluations of a crossover.
pub(super) const CROSSOVER: u64 = 3;

/// The quality of an island's current solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Quality {
    pub conflicts: u32,
    pub fitness: u32,
}

struct Island<C> {
    current: C,
    /// Buffers for the children of a crossover.
    children: [C; 2],
    rng: Rng,
}

/// The islands of one rank.
pub(super) struct Islands<'a, C> {
    rules: &'a Rules,
    islands: Vec<Island<C>>,
    /// The solutions of all islands at the last exchange.
    offered: Vec<C>,
    /// Buffer for a solution from another rank.
    received: Option<C>,
    metropolis: Metropolis,
}

impl<'a, C: Chromosome> Islands<'a, C> {
    /// Creates one island per seed; `None` if the search is stopped before all exist.
    pub fn new(
        rules: &'a Rules,
        random: &impl Fn(&mut Rng) -> C,
        seeds: &[u64],
        is_stopped: impl Fn() -> bool,
    ) -> Option<Self> {
        let island = |&seed: &u64| (!is_stopped()).then(|| new_island(random, seed));
        let islands: Vec<Island<C>> = seeds.iter().map(island).collect::<Option<_>>()?;
        let offered: Vec<C> = islands.iter().map(|island| island.current.clone()).collect();
        let received = offered.first().cloned();
        Some(Self { rules, islands, offered, received, metropolis: Metropolis::new() })
    }

    pub fn len(&self) -> usize {
        self.islands.len()
    }

    /// Anneals every island for a leg. An island ends early without conflicts, or when the search is
    /// stopped. Returns the number of moves of all islands.
    pub fn anneal(&mut self, leg: Leg, is_stopped: impl Fn() -> bool + Sync) -> u64 {
        self.metropolis.set_temperature(self.rules.cooling.temperature(leg.temperature));
        let metropolis = &self.metropolis;
        let anneal = |island: &mut Island<C>| {
            for made in 0..leg.moves {
                let is_to_look = made.is_multiple_of(LOOK_EVERY);
                if island.current.conflicts() == 0 || is_to_look && is_stopped() {
                    return made;
                }
                let allowed = metropolis.draw(&mut island.rng);
                island.current.try_move(allowed, &mut island.rng);
            }
            leg.moves
        };
        if leg.moves < WORTH_A_THREAD {
            self.islands.iter_mut().map(anneal).sum()
        } else {
            pavane_search::start_threads();
            self.islands.par_iter_mut().map(anneal).sum()
        }
    }

    /// The quality of every island's solution.
    pub fn qualities(&self) -> impl Iterator<Item = Quality> {
        self.islands.iter().map(|island| Quality {
            conflicts: island.current.conflicts(),
            fitness: fitness(self.rules, &island.current),
        })
    }

    /// The current solution of an island.
    pub fn current(&self, island: usize) -> &C {
        &self.islands[island].current
    }

    /// Copies the solutions of all islands, so that every crossover uses those before the exchange.
    pub fn offer(&mut self) {
        for (place, island) in self.offered.iter_mut().zip(&self.islands) {
            place.copy_from(&island.current);
        }
    }

    /// The solution of an island at the last exchange.
    pub fn offered(&self, island: usize) -> &C {
        &self.offered[island]
    }

    /// Unpacks a solution from another rank; `None` if the numbers encode none.
    pub fn unpacked(&mut self, numbers: &[u64]) -> Option<&C> {
        let received = self.received.as_mut()?;
        received.unpack(numbers)?;
        Some(received)
    }

    /// Crosses an island with the offered solution of another island of this rank.
    pub fn cross(&mut self, island: usize, other: usize) {
        cross(self.rules, &mut self.islands[island], &self.offered[other], &self.metropolis);
    }

    /// Crosses an island with a packed solution from another rank. Does nothing if the numbers encode
    /// none.
    pub fn cross_with(&mut self, island: usize, numbers: &[u64]) {
        let Some(received) = &mut self.received else { return };
        if received.unpack(numbers).is_some() {
            cross(self.rules, &mut self.islands[island], received, &self.metropolis);
        }
    }
}

fn new_island<C: Chromosome>(random: &impl Fn(&mut Rng) -> C, seed: u64) -> Island<C> {
    let mut rng = Rng::seeded(seed);
    let mut current = random(&mut rng);
    current.shorten(&mut rng);
    Island { children: [current.clone(), current.clone()], current, rng }
}

fn fitness<C: Chromosome>(rules: &Rules, individual: &C) -> u32 {
    if rules.is_weighted {
        WEIGHT * individual.conflicts() + individual.last_step()
    } else {
        individual.conflicts()
    }
}

/// Makes two children of an island's solution and another one. The best of the four, mutated, replaces
/// the island's solution if the Metropolis rule accepts it.
fn cross<C: Chromosome>(rules: &Rules, island: &mut Island<C>, sent: &C, metropolis: &Metropolis) {
    let Island { current, children, rng } = island;
    let genes = current.gene_count();
    let (one, other) = (rng.below(genes), rng.below(genes));
    let segment = one.min(other)..one.max(other) + 1;
    let [child, second] = children;
    child.copy_from(current);
    child.take_over(segment.clone(), sent, rng);
    second.copy_from(sent);
    second.take_over(segment, current, rng);
    let values = [&*current, sent, child, second].map(|one| fitness(rules, one));
    let best = (0..4).min_by_key(|&at| values[at]).unwrap_or(0);
    match best {
        0 => child.copy_from(current),
        1 => child.copy_from(sent),
        2 => {}
        _ => child.copy_from(second),
    }
    child.shorten(rng);
    if best < 2 || rng.chance(rules.mutation) {
        let gene = rng.below(genes);
        child.mutate(gene, rng);
    }
    let change = fitness(rules, child) as i32 - fitness(rules, current) as i32;
    if change <= metropolis.draw(rng) {
        current.copy_from(child);
    }
}
