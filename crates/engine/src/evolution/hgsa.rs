//! Hybrid parallel genetic simulated annealing (HGSA): annealing islands that meet at fixed
//! iterations. A master hands every island the solution of another, better ones more often; from the
//! two come two children by double-point crossover; the best of the four, mutated, is taken or left
//! by the Metropolis rule. After Ohlídal and Schwarz, Mendel 2004, and Jaroš, Ohlídal and Dvořák,
//! GECCO 2007.

use super::cooling::{COLD, Cooling, HOT, Metropolis};
use super::encoding::{AT_ONCE, Encoding, JOIN, REPAIR, SLOTS, STRETCH, SWAP, TIMING, TREES};
use super::{Search, attempt, takes};
use crate::attempt::{Attempt, Context, Engine};
use crate::budget::Budget;
use crate::chromosome::Chromosome;
use crate::parameters::{Parameter, Parameters, Range};
use crate::rng::Rng;
use pavane_model::Problem;
use rayon::prelude::*;

/// Hybrid parallel genetic simulated annealing.
#[derive(Debug, Clone, Copy)]
pub struct Hgsa;

const ISLANDS: Parameter = Parameter {
    name: "islands",
    meaning: "annealing processes, the master among them",
    range: Range::Whole(1, 1000),
    paper: 10.0,
    tuned: 10.0,
};

const COOLING: Parameter = Parameter {
    name: "cooling",
    meaning: "factor from one temperature to the next",
    range: Range::Real(0.01, 0.999_999),
    paper: 0.99,
    tuned: 0.97,
};

const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    meaning: "iterations of an island at one temperature; 0: as many as the budget allows",
    range: Range::Whole(0, 1 << 40),
    paper: 200.0,
    tuned: 0.0,
};

const EXCHANGE: Parameter = Parameter {
    name: "exchange",
    meaning: "iterations between two meetings of the islands (the older paper: 10)",
    range: Range::Whole(1, 1 << 40),
    paper: 100.0,
    tuned: 10_000.0,
};

const MUTATION: Parameter = Parameter {
    name: "mutation",
    meaning: "probability that a child is mutated; a parent always is",
    range: Range::Real(0.0, 1.0),
    paper: 0.1,
    tuned: 0.1,
};

const FITNESS: Parameter = Parameter {
    name: "fitness",
    meaning: "where islands meet: conflicts, or (older) weighted conflicts plus steps",
    range: Range::Word(&["conflicts", "weighted"]),
    paper: 0.0,
    tuned: 0.0,
};

/// How many steps a conflict weighs in the older fitness.
const WEIGHT: u32 = 100;

impl Engine for Hgsa {
    fn name(&self) -> &'static str {
        "hgsa"
    }

    fn purpose(&self) -> &'static str {
        "annealing islands with crossover (GECCO 2007: many-to-many broadcast); any problem"
    }

    fn takes(&self, problem: &Problem) -> bool {
        takes(problem)
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[
            ISLANDS, HOT, COLD, COOLING, ITERATIONS, EXCHANGE, MUTATION, FITNESS, REPAIR, TIMING,
            AT_ONCE, JOIN, STRETCH, SWAP, SLOTS, TREES,
        ]
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        1_500_000 + 5_000 * problem.messages().delivery_count() as u64
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let parameters = context.parameters();
        let search = Islands::new(parameters);
        attempt(context, steps, &search, &Encoding::new(parameters), budget, rng)
    }
}

struct Islands {
    islands: u64,
    cooling: Cooling,
    exchange: u64,
    mutation: f64,
    is_weighted: bool,
}

struct Island<C> {
    current: C,
    /// Room for the children.
    children: [C; 2],
    rng: Rng,
}

impl Islands {
    fn new(parameters: &Parameters) -> Self {
        let cooling = Cooling {
            hot: parameters.value(&HOT),
            cold: parameters.value(&COLD),
            factor: parameters.value(&COOLING),
            iterations: parameters.whole(&ITERATIONS),
        };
        Self {
            islands: parameters.whole(&ISLANDS),
            cooling,
            exchange: parameters.whole(&EXCHANGE),
            mutation: parameters.value(&MUTATION),
            is_weighted: parameters.is(&FITNESS, "weighted"),
        }
    }

    fn fitness<C: Chromosome>(&self, individual: &C) -> u32 {
        match self.is_weighted {
            true => WEIGHT * individual.conflicts() + individual.last_step(),
            false => individual.conflicts(),
        }
    }

    /// Two children of an island's solution and the one it was sent; the best of the four,
    /// mutated, replaces the first if the Metropolis rule lets it. Returns the evaluations.
    fn cross<C: Chromosome>(
        &self,
        island: &mut Island<C>,
        sent: &C,
        metropolis: &Metropolis,
    ) -> u64 {
        let Island { current, children, rng } = island;
        let genes = current.gene_count();
        let (one, other) = (rng.below(genes), rng.below(genes));
        let segment = one.min(other)..one.max(other) + 1;
        let [child, second] = children;
        child.copy_from(current);
        child.take_over(segment.clone(), sent, rng);
        second.copy_from(sent);
        second.take_over(segment, current, rng);
        let values = [&*current, sent, child, second].map(|one| self.fitness(one));
        let best = (0..4).min_by_key(|&at| values[at]).unwrap_or(0);
        match best {
            0 => child.copy_from(current),
            1 => child.copy_from(sent),
            2 => {}
            _ => child.copy_from(second),
        }
        child.shorten(rng);
        if best < 2 || rng.chance(self.mutation) {
            let gene = rng.below(genes);
            child.mutate(gene, rng);
        }
        let change = self.fitness(child) as i32 - self.fitness(current) as i32;
        if change <= metropolis.draw(rng) {
            current.copy_from(child);
        }
        3
    }
}

impl Search for Islands {
    fn run<C: Chromosome>(
        &self,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C> {
        let end = budget.spent().saturating_add(quota);
        let iterations = self.cooling.iterations(quota / self.islands);
        let mut metropolis = Metropolis::new();
        let mut islands: Vec<Island<C>> =
            (0..self.islands).map(|_| new_island(&random, rng)).collect();
        let mut sent: Vec<C> = islands.iter().map(|island| island.current.clone()).collect();
        let coldest = self.cooling.temperatures() - 1;
        let mut done = 0;
        // Once it is as cold as can be it stays so: the papers tell of one run, not of several.
        while budget.spent() < end {
            let left = (end - budget.spent()).div_ceil(self.islands);
            let next_cooling = iterations - done % iterations;
            let next_meeting = self.exchange - done % self.exchange;
            let moves = next_cooling.min(next_meeting).min(left);
            let number = (done / iterations).min(coldest);
            metropolis.set_temperature(self.cooling.temperature(number));
            let mut made = walk(&mut islands, &metropolis, moves);
            done += moves;
            if done.is_multiple_of(self.exchange) {
                made += self.meet(&mut islands, &mut sent, &metropolis, rng);
            }
            let best = islands.iter().min_by_key(|island| island.current.conflicts())?;
            budget.tell_open(best.current.conflicts() as usize);
            let may_go_on = budget.spend(made);
            if best.current.conflicts() == 0 {
                return Some(best.current.clone());
            }
            if !may_go_on {
                return None;
            }
        }
        None
    }
}

impl Islands {
    /// All islands send their solutions to the master, who hands them out again: to each one
    /// chosen by roulette, and keeps his own. Returns the evaluations.
    fn meet<C: Chromosome>(
        &self,
        islands: &mut [Island<C>],
        sent: &mut [C],
        metropolis: &Metropolis,
        rng: &mut Rng,
    ) -> u64 {
        for (place, island) in sent.iter_mut().zip(islands.iter()) {
            place.copy_from(&island.current);
        }
        let shares: Vec<f64> =
            sent.iter().map(|one| 1.0 / (1.0 + f64::from(self.fitness(one)))).collect();
        let chosen: Vec<usize> = islands.iter().map(|_| spin(&shares, rng)).collect();
        let slaves = islands.iter_mut().zip(chosen).skip(1);
        slaves.map(|(island, chosen)| self.cross(island, &sent[chosen], metropolis)).sum()
    }
}

fn new_island<C: Chromosome>(random: &impl Fn(&mut Rng) -> C, rng: &mut Rng) -> Island<C> {
    let mut rng = Rng::seeded(rng.bits());
    let mut current = random(&mut rng);
    current.shorten(&mut rng);
    Island { children: [current.clone(), current.clone()], current, rng }
}

/// Moves below which threads are not worth their while.
const WORTH_A_THREAD: u64 = 2_000;

/// So many moves on every island, fewer where no conflict is left; how many in all.
fn walk<C: Chromosome>(islands: &mut [Island<C>], metropolis: &Metropolis, moves: u64) -> u64 {
    let walk = |island: &mut Island<C>| {
        for made in 0..moves {
            if island.current.conflicts() == 0 {
                return made;
            }
            let allowed = metropolis.draw(&mut island.rng);
            island.current.try_move(allowed, &mut island.rng);
        }
        moves
    };
    match moves < WORTH_A_THREAD {
        true => islands.iter_mut().map(walk).sum(),
        false => islands.par_iter_mut().map(walk).sum(),
    }
}

/// Roulette: the number of a share, larger ones more often.
fn spin(shares: &[f64], rng: &mut Rng) -> usize {
    let mut ball = rng.unit() * shares.iter().sum::<f64>();
    for (at, share) in shares.iter().enumerate() {
        ball -= share;
        if ball < 0.0 {
            return at;
        }
    }
    shares.len() - 1
}
