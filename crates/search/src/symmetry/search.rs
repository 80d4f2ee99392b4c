//! Searches for large free groups of automorphisms: adds powers of random automorphisms that fix
//! few enough processors, and their conjugates, one by one as long as the group stays free.

use super::free_group::{FreeGroup, Freedom};
use super::permutation::{
    Permutation, RandomMembers, greatest_common_divisor, inverse, order, power, prime_divisors,
    product,
};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::Network;
use pavane_networks::symmetry::Symmetries;

/// Work limit, in automorphisms examined, in addition to the cost of closing groups.
const EFFORT: u64 = 10_000;

/// Consecutive failures to extend a group before a new one is started.
const PATIENCE: u32 = 24;

/// Conjugates of a new member that are added with it.
const CONJUGATES: u32 = 6;

/// Products that are sampled before a group is closed with a new member.
const SAMPLES: u32 = 4;

/// The largest free group found within a limited effort or until an interrupt. The result depends
/// on the random numbers.
pub fn find_free_group(
    network: &Network,
    symmetries: &Symmetries,
    freedom: Freedom,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> FreeGroup {
    let is_even = rng.chance(0.5);
    find(network, symmetries, freedom, Manner { is_even, commutes: false }, interrupt, rng)
}

/// Like [`find_free_group`], but first tries groups that contain the conjugates of their members:
/// for instance the translations of a torus or hypercube rather than other groups of the same
/// order.
pub fn find_even_group(
    network: &Network,
    symmetries: &Symmetries,
    freedom: Freedom,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> FreeGroup {
    find(network, symmetries, freedom, Manner { is_even: true, commutes: false }, interrupt, rng)
}

/// Like [`find_even_group`], for abelian groups.
pub fn find_abelian_group(
    network: &Network,
    symmetries: &Symmetries,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> FreeGroup {
    let manner = Manner { is_even: true, commutes: true };
    find(network, symmetries, Freedom::Processors, manner, interrupt, rng)
}

/// Constraints on the groups to search for.
#[derive(Clone, Copy)]
struct Manner {
    /// Whether a member is only added if its conjugates can be added, too.
    is_even: bool,
    /// Whether a member is only added if it commutes with all others.
    commutes: bool,
}

fn find(
    network: &Network,
    symmetries: &Symmetries,
    freedom: Freedom,
    manner: Manner,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> FreeGroup {
    let trivial = FreeGroup::trivial(network, freedom);
    if symmetries.generators.is_empty() {
        return trivial;
    }
    let most = most_members(network, symmetries, freedom);
    let routers = network.router_count() as u64;
    // Closing a group takes about as long as visiting all of its members a few times.
    let limit = routers * (EFFORT + 16 * (most as u64).min(routers));
    let mut search = FreeGroupSearch {
        most,
        members: RandomMembers::new(&symmetries.generators, rng),
        routers,
        budget: Budget::evaluations(limit).interrupted_by(interrupt.clone()),
        manner,
    };
    let mut best = trivial.clone();
    while !search.budget.is_over() && best.order() < search.most {
        let group = search.grow(trivial.clone(), rng);
        search.manner.is_even = !search.manner.is_even;
        if group.order() > best.order() {
            best = group;
        }
    }
    best
}

/// Upper bound on the order of a free group. On processors, the order divides the size of every
/// orbit of routers with processors; on pairs, it is at most the number of ordered pairs.
fn most_members(network: &Network, symmetries: &Symmetries, freedom: Freedom) -> usize {
    let processors = network.living_processors().count();
    if freedom == Freedom::Pairs {
        return processors.saturating_mul(processors.saturating_sub(1));
    }
    let mut sizes = vec![0u64; network.router_count()];
    for router in network.routers().filter(|&router| !network.residents(router).is_empty()) {
        sizes[symmetries.orbits[router.index()].index()] += 1;
    }
    sizes.into_iter().fold(0, greatest_common_divisor) as usize
}

struct FreeGroupSearch {
    most: usize,
    members: RandomMembers,
    routers: u64,
    budget: Budget,
    manner: Manner,
}

impl FreeGroupSearch {
    /// Adds members until that fails too often.
    fn grow(&mut self, mut group: FreeGroup, rng: &mut Rng) -> FreeGroup {
        let mut failures = 0;
        while failures < PATIENCE && !self.budget.is_over() && group.order() < self.most {
            let is_larger = match self.candidate(&group, rng) {
                Some(candidate) => self.add_with_conjugates(&mut group, candidate, rng),
                None => false,
            };
            failures = if is_larger { 0 } else { failures + 1 };
        }
        group
    }

    /// A power of a random automorphism whose own powers, except the identity, fix few enough
    /// processors.
    fn candidate(&mut self, group: &FreeGroup, rng: &mut Rng) -> Option<Permutation> {
        let drawn = self.members.draw(rng).clone();
        self.budget.spend(8 * self.routers);
        let order = order(&drawn)?;
        let mut exponent = 1;
        let mut kept = Vec::new();
        for prime in prime_divisors(order) {
            self.budget.spend(self.routers);
            if group.is_free(&power(&drawn, order / prime)) {
                kept.push(prime);
            } else {
                exponent *= highest_power(order, prime);
            }
        }
        // Sometimes takes only the part that belongs to one prime, or a power of it.
        if !kept.is_empty() && rng.chance(0.5) {
            let prime = kept[rng.below(kept.len())];
            let part = highest_power(order, prime);
            exponent = order / part;
            let mut rest = part / prime;
            while rest > 1 && rng.chance(0.5) {
                exponent *= prime;
                rest /= prime;
            }
        }
        (!kept.is_empty()).then(|| power(&drawn, exponent))
    }

    /// Adds a candidate and some of its conjugates; returns false if the group stays unchanged.
    fn add_with_conjugates(
        &mut self,
        group: &mut FreeGroup,
        candidate: Permutation,
        rng: &mut Rng,
    ) -> bool {
        let before = self.manner.is_even.then(|| group.clone());
        if !self.add(group, &candidate, rng) {
            return false;
        }
        for _ in 0..CONJUGATES {
            let by = self.members.draw(rng);
            let conjugate = product(&product(&inverse(by), &candidate), by);
            self.budget.spend(5 * self.routers);
            if !group.has(&conjugate) && !self.add(group, &conjugate, rng) {
                if let Some(before) = before {
                    *group = before;
                    return false;
                }
                break;
            }
        }
        true
    }

    /// Adds a candidate; returns false if it is already a member, or if the extended group would
    /// violate a constraint.
    fn add(&mut self, group: &mut FreeGroup, candidate: &[u32], rng: &mut Rng) -> bool {
        self.budget.spend(self.routers);
        if group.has(candidate) || (self.manner.commutes && !commutes(group, candidate)) {
            return false;
        }
        for _ in 0..if group.order() > 1 { SAMPLES } else { 0 } {
            let member = rng.below(group.order()) as u32;
            let sample = product(group.images(member), candidate);
            self.budget.spend(4 * self.routers);
            if !self.has_free_powers(group, &sample) {
                return false;
            }
        }
        self.budget.spend(2 * group.order() as u64 * self.routers);
        match group.with(candidate, self.most) {
            Some(larger) => {
                self.budget.spend(2 * larger.order() as u64 * self.routers);
                *group = larger;
                true
            }
            None => false,
        }
    }

    fn has_free_powers(&self, group: &FreeGroup, permutation: &[u32]) -> bool {
        let Some(order) = order(permutation) else { return false };
        let primes = prime_divisors(order);
        primes.into_iter().all(|prime| group.is_free(&power(permutation, order / prime)))
    }
}

/// Whether a permutation commutes with all members of a group.
fn commutes(group: &FreeGroup, permutation: &[u32]) -> bool {
    group.generators().iter().all(|&generator| {
        let generator = group.images(generator);
        let mut both = permutation.iter().zip(generator);
        both.all(|(&other, &own)| generator[other as usize] == permutation[own as usize])
    })
}

/// The highest power of a prime that divides a number.
fn highest_power(mut number: u64, prime: u64) -> u64 {
    let mut power = 1;
    while number.is_multiple_of(prime) {
        number /= prime;
        power *= prime;
    }
    power
}
