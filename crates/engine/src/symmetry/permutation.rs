//! Permutations of routers: products, powers, cycles, and random members of the group that some
//! of them generate. Product replacement is after Celler and others, Generating Random Elements of
//! a Finite Group, 1995.

use crate::rng::Rng;
use pavane_model::RouterId;

/// Where every router goes.
pub(super) type Permutation = Vec<u32>;

/// First `first`, then `then`.
pub(super) fn product(first: &[u32], then: &[u32]) -> Permutation {
    first.iter().map(|&router| then[router as usize]).collect()
}

/// The way back.
pub(super) fn inverse(permutation: &[u32]) -> Permutation {
    let mut inverse = vec![0; permutation.len()];
    for (from, &to) in (0..).zip(permutation) {
        inverse[to as usize] = from;
    }
    inverse
}

/// The same permutation so many times over.
pub(super) fn power(permutation: &[u32], exponent: u64) -> Permutation {
    let mut result = vec![u32::MAX; permutation.len()];
    let mut cycle = Vec::new();
    for start in 0..permutation.len() as u32 {
        if result[start as usize] != u32::MAX {
            continue;
        }
        cycle.clear();
        let mut router = start;
        loop {
            cycle.push(router);
            router = permutation[router as usize];
            if router == start {
                break;
            }
        }
        let shift = (exponent % cycle.len() as u64) as usize;
        for (at, &router) in cycle.iter().enumerate() {
            result[router as usize] = cycle[(at + shift) % cycle.len()];
        }
    }
    result
}

/// After how many times every router is back; `None` if that is beyond all numbers.
pub(super) fn order(permutation: &[u32]) -> Option<u64> {
    let mut order = 1u64;
    let mut is_seen = vec![false; permutation.len()];
    for start in 0..permutation.len() {
        let (mut router, mut length) = (start, 0);
        while !is_seen[router] {
            is_seen[router] = true;
            router = permutation[router] as usize;
            length += 1;
        }
        if length > 0 {
            order = (order / greatest_common_divisor(order, length)).checked_mul(length)?;
        }
    }
    Some(order)
}

pub(crate) fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The primes that divide a number.
pub(super) fn prime_divisors(mut number: u64) -> Vec<u64> {
    let mut primes = Vec::new();
    let mut factor = 2;
    while factor * factor <= number {
        if number.is_multiple_of(factor) {
            primes.push(factor);
            while number.is_multiple_of(factor) {
                number /= factor;
            }
        }
        factor += 1;
    }
    if number > 1 {
        primes.push(number);
    }
    primes
}

/// A source of random members of a group.
pub(super) struct RandomMembers {
    state: Vec<Permutation>,
    last: Permutation,
}

impl RandomMembers {
    /// Fewer members than this mix badly.
    const LEAST: usize = 10;

    /// Products before the first member is drawn.
    const WARM_UP: usize = 60;

    /// Of the group that `generators`, at least one, generate.
    pub fn new(generators: &[Vec<RouterId>], rng: &mut Rng) -> Self {
        let listed = generators.iter().map(|g| g.iter().map(|router| router.0).collect());
        let mut state: Vec<Permutation> = listed.collect();
        for copy in 0..Self::LEAST.saturating_sub(generators.len()) {
            state.push(state[copy % generators.len()].clone());
        }
        let last = (0..state[0].len() as u32).collect();
        let mut members = Self { state, last };
        for _ in 0..Self::WARM_UP + members.state.len() {
            members.draw(rng);
        }
        members
    }

    /// A random member.
    pub fn draw(&mut self, rng: &mut Rng) -> &Permutation {
        let changed = rng.below(self.state.len());
        let other = (changed + 1 + rng.below(self.state.len() - 1)) % self.state.len();
        let factor = match rng.chance(0.5) {
            true => self.state[other].clone(),
            false => inverse(&self.state[other]),
        };
        self.state[changed] = match rng.chance(0.5) {
            true => product(&self.state[changed], &factor),
            false => product(&factor, &self.state[changed]),
        };
        self.last = product(&self.last, &self.state[changed]);
        &self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_orders() {
        let permutation = vec![1, 2, 0, 4, 3, 5];
        assert_eq!(order(&permutation), Some(6));
        assert_eq!(power(&permutation, 2), product(&permutation, &permutation));
        assert_eq!(power(&permutation, 5), inverse(&permutation));
        assert_eq!(prime_divisors(360), [2, 3, 5]);
    }
}
