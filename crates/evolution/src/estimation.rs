//! Common part of the estimation of distribution algorithms: tournaments choose parents, a model
//! learns the distribution of their values, and children are drawn from it, mutated, and replace
//! other individuals. After Mühlenbein and Paaß, PPSN IV, 1996, and Očenášek, PhD thesis, 2002.

use crate::chromosome::{Chromosome, Role};
use crate::search::{Frame, IndividualSearch, first_population};
use pavane_search::parameters::{Parameter, Range};
use pavane_search::{Budget, Rng};

/// Population size.
pub(super) const POPULATION: Parameter = Parameter {
    name: "population",
    meaning: "number of individuals; half of them become parents",
    range: Range::Whole(4, 100_000),
    paper: 60.0,
    tuned: 60.0,
};

/// Selection pressure.
pub(super) const TOURNAMENT: Parameter = Parameter {
    name: "tournament",
    meaning: "individuals that compete to be a parent",
    range: Range::Whole(1, 1000),
    paper: 2.0,
    tuned: 2.0,
};

/// Restarts.
pub(super) const PATIENCE: Parameter = Parameter {
    name: "patience",
    meaning: "generations without a better individual before a restart; 0: never",
    range: Range::Whole(0, 1 << 40),
    paper: 0.0,
    tuned: 300.0,
};

/// A model that is learned from parents and from which children are drawn.
pub(super) trait Model {
    /// The learned distribution.
    type Learned: Sync;

    /// Learns from the values of parents, by individual and component. Finishes early at an
    /// interrupt.
    fn learn(&self, parents: &[Vec<u32>], budget: &Budget, rng: &mut Rng) -> Self::Learned;

    /// Draws the values of a child.
    fn draw(&self, learned: &Self::Learned, parents: &[Vec<u32>], rng: &mut Rng, child: &mut [u32]);
}

/// Which individual a child replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// All children together replace the worse half.
    WorseHalf,
    /// The worst of some random ones, if the child is no worse.
    Tournament(usize),
    /// The most similar of some random ones, if the child is no worse.
    Restricted(usize),
}

/// How children are changed after they are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// The probability of a mutation.
    pub mutation: f64,
    /// Whether personalised messages are mutated by swapping the steps of two, or by changing a
    /// path.
    pub swaps: bool,
    /// Whether port use is redistributed before evaluation.
    pub redesigns: bool,
}

/// A search with a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimation<M> {
    pub model: M,
    pub population: usize,
    pub tournament: usize,
    pub replacement: Replacement,
    pub change: Change,
    /// Whether broadcasts start with all steps as early as possible.
    pub begins_early: bool,
    pub patience: u64,
}

impl<M: Model> IndividualSearch for Estimation<M> {
    fn run<C: Chromosome>(
        &self,
        _: Frame,
        random: impl Fn(&mut Rng) -> C + Sync,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<C> {
        let end = budget.spent().saturating_add(quota);
        while budget.spent() < end {
            let make = || self.first(&random, rng);
            let mut population = match first_population(self.population, end, budget, make) {
                Ok(population) => population,
                Err(ended) => return ended,
            };
            let mut evaluations = 0;
            let mut children: Vec<C> = population[..self.population / 2].to_vec();
            let (mut least, mut idle) = (u32::MAX, 0);
            loop {
                let best = (0..population.len()).min_by_key(|&at| population[at].conflicts())?;
                let conflicts = population[best].conflicts();
                idle = if conflicts < least { 0 } else { idle + 1 };
                least = least.min(conflicts);
                budget.tell_open(conflicts as usize);
                let may_go_on = budget.spend(evaluations);
                if conflicts == 0 {
                    return Some(population.swap_remove(best));
                }
                // A generation may take long, so check the interrupt every time.
                if !may_go_on || budget.spent() >= end || budget.is_stopped() {
                    return None;
                }
                if self.patience > 0 && idle >= self.patience {
                    break;
                }
                let left = children.len().min((end - budget.spent()) as usize);
                evaluations = self.breed(&population, &mut children[..left], budget, rng);
                self.replace(&mut population, &mut children[..left], budget, rng);
            }
        }
        None
    }
}

impl<M: Model> Estimation<M> {
    /// A member of the first population.
    fn first<C: Chromosome>(&self, random: &impl Fn(&mut Rng) -> C, rng: &mut Rng) -> C {
        let mut individual = random(rng);
        if self.begins_early {
            individual.start_early(rng);
        }
        if self.change.redesigns {
            individual.redesign_ports(rng);
        }
        individual
    }

    /// Draws children from the distribution of good individuals, fewer at an interrupt. Returns the
    /// number of evaluations.
    fn breed<C: Chromosome>(
        &self,
        population: &[C],
        children: &mut [C],
        budget: &Budget,
        rng: &mut Rng,
    ) -> u64 {
        let mut parents: Vec<Vec<u32>> = Vec::new();
        for _ in 0..population.len() / 2 {
            if budget.is_stopped() {
                return 0;
            }
            parents.push(self.parent(population, rng).read());
        }
        let learned = self.model.learn(&parents, budget, rng);
        let mut values = parents[0].clone();
        for (made, child) in (0..).zip(&mut *children) {
            if budget.is_stopped() {
                return made;
            }
            self.model.draw(&learned, &parents, rng, &mut values);
            child.assign(&values, rng);
            if rng.chance(self.change.mutation) {
                self.mutate(child, rng);
            }
            if self.change.redesigns {
                child.redesign_ports(rng);
            }
        }
        children.len() as u64
    }

    /// The winner of a tournament.
    fn parent<'p, C: Chromosome>(&self, population: &'p [C], rng: &mut Rng) -> &'p C {
        let mut best = &population[rng.below(population.len())];
        for _ in 1..self.tournament {
            let other = &population[rng.below(population.len())];
            if other.conflicts() < best.conflicts() {
                best = other;
            }
        }
        best
    }

    fn mutate<C: Chromosome>(&self, child: &mut C, rng: &mut Rng) {
        let genes = child.gene_count();
        let gene = rng.below(genes);
        let components = child.components(gene);
        let is_pair = components.len() == 2 && child.role(components.start) == Role::Path;
        if !self.change.swaps || !is_pair {
            child.mutate(gene, rng);
            return;
        }
        let mut values = Vec::new();
        child.read_gene(gene, &mut values);
        if rng.chance(0.5) {
            let path = rng.below(child.limit(components.start) as usize) as u32;
            child.set_gene(gene, &[path, values[1]], rng);
            return;
        }
        let other = rng.below(genes);
        child.read_gene(other, &mut values);
        child.set_gene(gene, &[values[0], values[3]], rng);
        child.set_gene(other, &[values[2], values[1]], rng);
    }

    /// Puts children into the population and leaves the replaced individuals in `children` as
    /// buffers for the next generation.
    fn replace<C: Chromosome>(
        &self,
        population: &mut [C],
        children: &mut [C],
        budget: &Budget,
        rng: &mut Rng,
    ) {
        if self.replacement == Replacement::WorseHalf {
            population.sort_by_key(C::conflicts);
            let worse = population.len() - children.len();
            population[worse..].swap_with_slice(children);
            return;
        }
        for child in children {
            if budget.is_stopped() {
                return;
            }
            let count = population.len();
            let place = match self.replacement {
                Replacement::Tournament(size) => (0..size.min(count))
                    .map(|_| rng.below(count))
                    .max_by_key(|&at| population[at].conflicts()),
                Replacement::Restricted(window) => {
                    let values = child.read();
                    (0..window.min(count))
                        .map(|_| rng.below(count))
                        .min_by_key(|&at| difference(&population[at].read(), &values))
                }
                Replacement::WorseHalf => None,
            };
            if let Some(place) = place
                && child.conflicts() <= population[place].conflicts()
            {
                std::mem::swap(child, &mut population[place]);
            }
        }
    }
}

/// The number of components in which two individuals differ.
fn difference(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).filter(|(a, b)| a != b).count()
}
