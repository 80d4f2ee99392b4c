//! Subgroups of a free group, their cosets, and chains of them.

use super::free_group::FreeGroup;
use crate::rng::Rng;

/// Some members of a group that are closed under products, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subgroup(Vec<u32>);

impl Subgroup {
    /// The identity alone.
    pub fn trivial() -> Self {
        Self(vec![0])
    }

    /// The whole group.
    pub fn whole(group: &FreeGroup) -> Self {
        Self((0..group.order() as u32).collect())
    }

    /// The members.
    pub fn members(&self) -> &[u32] {
        &self.0
    }

    /// How many members it has.
    pub fn order(&self) -> usize {
        self.0.len()
    }

    /// Whether a member of the group is in it.
    pub fn has(&self, member: u32) -> bool {
        self.0.binary_search(&member).is_ok()
    }

    /// The subgroup that a member of the group generates together with this one.
    pub fn with(&self, group: &FreeGroup, member: u32) -> Self {
        let mut generators = self.generators(group);
        generators.push(member);
        Self(closure(group, &generators))
    }

    /// Members that generate all others.
    pub fn generators(&self, group: &FreeGroup) -> Vec<u32> {
        if self.order() == group.order() {
            return group.generators().to_vec();
        }
        let mut generators = Vec::new();
        let mut generated = vec![0];
        for &member in &self.0 {
            if generated.binary_search(&member).is_err() {
                generators.push(member);
                generated = closure(group, &generators);
            }
        }
        generators
    }

    /// The members of both.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|&member| other.has(member)).collect())
    }

    /// Whether it is the same seen from everywhere: conjugates of its members are in it.
    pub fn is_normal(&self, group: &FreeGroup) -> bool {
        group.generators().iter().all(|&by| {
            let back = group.inverse(by);
            let is_kept = |&own: &u32| self.has(group.product(group.product(back, own), by));
            self.0.iter().all(is_kept)
        })
    }

    /// One member of the group for every left coset: acting first with a member of the subgroup
    /// and then with a member of this list gives every member of the group once.
    pub fn cosets(&self, group: &FreeGroup) -> Vec<u32> {
        let mut is_in = vec![false; group.order()];
        let mut first = Vec::new();
        for member in 0..group.order() as u32 {
            if is_in[member as usize] {
                continue;
            }
            first.push(member);
            for &own in &self.0 {
                is_in[group.product(own, member) as usize] = true;
            }
        }
        first
    }
}

/// All products of some members, in the order of their numbers.
fn closure(group: &FreeGroup, generators: &[u32]) -> Vec<u32> {
    let mut is_in = vec![false; group.order()];
    is_in[0] = true;
    let mut all = vec![0];
    let mut at = 0;
    while at < all.len() {
        for &generator in generators {
            let next = group.product(all[at], generator);
            if !std::mem::replace(&mut is_in[next as usize], true) {
                all.push(next);
            }
        }
        at += 1;
    }
    all.sort_unstable();
    all
}

/// Subgroups from the identity to the whole group, each inside the next, with steps as small as
/// chance finds them.
pub fn subgroup_chain(group: &FreeGroup, rng: &mut Rng) -> Vec<Subgroup> {
    const TRIES: usize = 8;
    let mut chain = vec![Subgroup::trivial()];
    while let Some(last) = chain.last().filter(|last| last.order() < group.order()) {
        let mut smallest: Option<Subgroup> = None;
        for _ in 0..TRIES {
            let mut member = rng.below(group.order()) as u32;
            while last.has(member) {
                member = (member + 1) % group.order() as u32;
            }
            // The last power outside adds the least.
            let next = last.with(group, last_power_outside(group, last, member));
            if smallest.as_ref().is_none_or(|smallest| next.order() < smallest.order()) {
                smallest = Some(next);
            }
        }
        chain.extend(smallest);
    }
    chain
}

/// A power of a member outside the subgroup such that its own prime powers are inside.
fn last_power_outside(group: &FreeGroup, inside: &Subgroup, member: u32) -> u32 {
    let mut power = member;
    let mut order = 1u64;
    while !inside.has(power) {
        power = group.product(power, member);
        order += 1;
    }
    let prime = super::permutation::prime_divisors(order).pop().unwrap_or(1);
    (1..order / prime).fold(member, |power, _| group.product(power, member))
}
