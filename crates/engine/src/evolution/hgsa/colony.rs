//! Islands that live on one rank: they walk by themselves, and cross with what they are sent.

use super::Rules;
use crate::budget::LOOK_EVERY;
use crate::chromosome::Chromosome;
use crate::evolution::cooling::Metropolis;
use crate::rng::Rng;
use rayon::prelude::*;

/// Moves below which threads are not worth their while.
const WORTH_A_THREAD: u64 = 2_000;

/// How many steps a conflict weighs in the older fitness.
const WEIGHT: u32 = 100;

/// Evaluations of a crossing.
pub(super) const CROSSING: u64 = 3;

/// How far islands walk until all look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leg {
    /// Iterations of every island.
    pub moves: u64,
    /// The number of the temperature.
    pub temperature: u64,
    /// Whether islands meet at its end.
    pub is_meeting: bool,
}

/// How an island stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub conflicts: u32,
    pub fitness: u32,
}

struct Island<C> {
    current: C,
    /// Room for the children.
    children: [C; 2],
    rng: Rng,
}

/// The islands of one rank.
pub(super) struct Colony<'a, C> {
    rules: &'a Rules,
    islands: Vec<Island<C>>,
    /// What the islands had when they last met.
    shown: Vec<C>,
    /// Room for what comes from elsewhere.
    guest: Option<C>,
    metropolis: Metropolis,
}

impl<'a, C: Chromosome> Colony<'a, C> {
    /// One island for every seed; `None` if the search is stopped before all are there.
    pub fn new(
        rules: &'a Rules,
        random: &impl Fn(&mut Rng) -> C,
        seeds: &[u64],
        is_stopped: impl Fn() -> bool,
    ) -> Option<Self> {
        let island = |&seed: &u64| (!is_stopped()).then(|| new_island(random, seed));
        let islands: Vec<Island<C>> = seeds.iter().map(island).collect::<Option<_>>()?;
        let shown: Vec<C> = islands.iter().map(|island| island.current.clone()).collect();
        let guest = shown.first().cloned();
        Some(Self { rules, islands, shown, guest, metropolis: Metropolis::new() })
    }

    pub fn len(&self) -> usize {
        self.islands.len()
    }

    /// Walks a leg on every island, less far where no conflict is left, or when the search is stopped;
    /// how many moves in all.
    pub fn walk(&mut self, leg: Leg, is_stopped: impl Fn() -> bool + Sync) -> u64 {
        self.metropolis.set_temperature(self.rules.cooling.temperature(leg.temperature));
        let metropolis = &self.metropolis;
        let walk = |island: &mut Island<C>| {
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
        match leg.moves < WORTH_A_THREAD {
            true => self.islands.iter_mut().map(walk).sum(),
            false => self.islands.par_iter_mut().map(walk).sum(),
        }
    }

    pub fn standings(&self) -> impl Iterator<Item = Standing> {
        self.islands.iter().map(|island| Standing {
            conflicts: island.current.conflicts(),
            fitness: fitness(self.rules, &island.current),
        })
    }

    /// What an island has.
    pub fn current(&self, island: usize) -> &C {
        &self.islands[island].current
    }

    /// Notes what every island has, so that all meet what the others had before they met.
    pub fn show(&mut self) {
        for (place, island) in self.shown.iter_mut().zip(&self.islands) {
            place.copy_from(&island.current);
        }
    }

    /// What an island had when it was last shown.
    pub fn shown(&self, island: usize) -> &C {
        &self.shown[island]
    }

    /// An individual from elsewhere; `None` if the numbers are none.
    pub fn unpacked(&mut self, numbers: &[u64]) -> Option<&C> {
        let guest = self.guest.as_mut()?;
        guest.unpack(numbers)?;
        Some(guest)
    }

    /// Crosses an island with what another one here has shown.
    pub fn cross(&mut self, island: usize, other: usize) {
        cross(self.rules, &mut self.islands[island], &self.shown[other], &self.metropolis);
    }

    /// Crosses an island with an individual from elsewhere; with nothing if the numbers are none.
    pub fn cross_with(&mut self, island: usize, numbers: &[u64]) {
        let Some(guest) = &mut self.guest else { return };
        if guest.unpack(numbers).is_some() {
            cross(self.rules, &mut self.islands[island], guest, &self.metropolis);
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
    match rules.is_weighted {
        true => WEIGHT * individual.conflicts() + individual.last_step(),
        false => individual.conflicts(),
    }
}

/// Two children of an island's solution and the one it was sent; the best of the four, mutated,
/// replaces the first if the Metropolis rule lets it.
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
