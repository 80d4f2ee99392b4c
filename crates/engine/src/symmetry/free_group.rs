//! A group of automorphisms in which all but the identity move every processor, as a table: where
//! each member brings each router. A member is known by where it brings one or two routers, so
//! products are looked up. New members are closed under products coset by coset, after Dimino.

use super::permutation::{Permutation, product};
use pavane_model::{Network, RouterId};
use rustc_hash::FxHashMap;

/// The most entries of the table.
const MOST_ENTRIES: usize = 1 << 26;

/// What members of the group other than the identity may leave in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// No processor: the group acts freely on processors.
    Processors,
    /// At most one processor: the group acts freely on pairs of processors, and so on messages.
    Pairs,
}

/// Automorphisms that are closed under products; member 0 is the identity.
#[derive(Debug, Clone)]
pub struct FreeGroup {
    freedom: Freedom,
    /// Per router, how many processors stay when it stays.
    residents: Vec<u32>,
    bases: [u32; 2],
    images: Vec<u32>,
    member_of: FxHashMap<(u32, u32), u32>,
    generators: Vec<u32>,
}

impl FreeGroup {
    /// The group of the identity alone.
    pub fn trivial(network: &Network, freedom: Freedom) -> Self {
        let residents: Vec<u32> =
            network.routers().map(|router| network.residents(router).len() as u32).collect();
        let mut homes = (0..residents.len() as u32).filter(|&r| residents[r as usize] > 0);
        let first = homes.next().unwrap_or(0);
        let second = match freedom {
            Freedom::Processors => first,
            Freedom::Pairs => homes.next().unwrap_or(first),
        };
        let mut group = Self {
            freedom,
            bases: [first, second],
            images: Vec::new(),
            member_of: FxHashMap::default(),
            generators: Vec::new(),
            residents,
        };
        let identity: Permutation = (0..group.residents.len() as u32).collect();
        group.push(&identity);
        group
    }

    /// How many members it has.
    pub fn order(&self) -> usize {
        self.images.len() / self.residents.len()
    }

    /// What its members may leave in place.
    pub fn freedom(&self) -> Freedom {
        self.freedom
    }

    /// Where a member brings every router.
    pub fn images(&self, member: u32) -> &[u32] {
        let routers = self.residents.len();
        &self.images[member as usize * routers..(member as usize + 1) * routers]
    }

    /// Where a member brings a router.
    pub fn image(&self, member: u32, router: RouterId) -> RouterId {
        RouterId(self.images[member as usize * self.residents.len() + router.index()])
    }

    /// The member that acts like `first` and then `then`.
    pub fn product(&self, first: u32, then: u32) -> u32 {
        let then = self.images(then);
        let image = |base: u32| then[self.images(first)[base as usize] as usize];
        self.member_of[&(image(self.bases[0]), image(self.bases[1]))]
    }

    /// The member that undoes another one.
    pub fn inverse(&self, member: u32) -> u32 {
        let mut before = 0;
        let mut power = member;
        while power != 0 {
            before = power;
            power = self.product(power, member);
        }
        before
    }

    /// Members that generate all others.
    pub fn generators(&self) -> &[u32] {
        &self.generators
    }

    /// Whether for any two routers with processors exactly one member brings the one to the other.
    pub fn is_regular(&self) -> bool {
        self.freedom == Freedom::Processors
            && self.order() == self.residents.iter().filter(|&&count| count > 0).count()
    }

    /// The group of some of the members, which must be closed under products.
    pub fn restricted_to(&self, members: &[u32]) -> Self {
        let mut group = Self {
            images: Vec::new(),
            member_of: FxHashMap::default(),
            generators: Vec::new(),
            residents: self.residents.clone(),
            ..*self
        };
        group.push(self.images(0));
        for &member in members {
            if !group.has(self.images(member)) {
                let larger = group.with(self.images(member), members.len());
                group = larger.expect("a part of a free group is free");
            }
        }
        group
    }

    /// Whether a permutation other than the identity moves as much as members must.
    pub(super) fn is_free(&self, permutation: &[u32]) -> bool {
        let most = match self.freedom {
            Freedom::Processors => 0,
            Freedom::Pairs => 1,
        };
        let mut kept = 0;
        for ((from, &to), residents) in (0..).zip(permutation).zip(&self.residents) {
            if from == to {
                kept += residents;
                if kept > most {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the permutation is a member already.
    pub(super) fn has(&self, permutation: &[u32]) -> bool {
        self.find(permutation).is_some_and(|member| self.images(member) == permutation)
    }

    /// The group that a permutation generates together with this one; `None` if one of its members
    /// does not move enough, or if it has more than `most` members.
    pub(super) fn with(&self, permutation: &[u32], most: usize) -> Option<Self> {
        let routers = self.residents.len();
        let most = most.min(MOST_ENTRIES / routers);
        let mut group = self.clone();
        let mut generators: Vec<Permutation> =
            self.generators.iter().map(|&member| self.images(member).to_vec()).collect();
        generators.push(permutation.to_vec());
        // Every coset of the old group by its first member; the old group itself is the first.
        let mut cosets = vec![0];
        let mut at = 0;
        while at < cosets.len() {
            for generator in &generators {
                let next = product(group.images(cosets[at]), generator);
                match group.find(&next) {
                    Some(member) if group.images(member) == next => {}
                    Some(_) => return None,
                    None => {
                        if group.order() + self.order() > most {
                            return None;
                        }
                        cosets.push(group.order() as u32);
                        group.push_coset(self, &next)?;
                    }
                }
            }
            at += 1;
        }
        group.generators.push(group.find(permutation)?);
        Some(group)
    }

    /// Adds what the members of `part`, and then `last`, do.
    fn push_coset(&mut self, part: &Self, last: &[u32]) -> Option<()> {
        for member in 0..part.order() as u32 {
            let next = product(part.images(member), last);
            if !self.is_free(&next) || self.find(&next).is_some() {
                return None;
            }
            self.push(&next);
        }
        Some(())
    }

    fn push(&mut self, permutation: &[u32]) {
        self.member_of.insert(self.key(permutation), self.order() as u32);
        self.images.extend_from_slice(permutation);
    }

    fn find(&self, permutation: &[u32]) -> Option<u32> {
        self.member_of.get(&self.key(permutation)).copied()
    }

    fn key(&self, permutation: &[u32]) -> (u32, u32) {
        (permutation[self.bases[0] as usize], permutation[self.bases[1] as usize])
    }
}
