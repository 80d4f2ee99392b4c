//! A group of automorphisms that acts freely on processors, or on pairs of them, as a table of the
//! image of each router under each member. The images of one or two base routers identify a member,
//! so products are found by lookup. New members are closed under products coset by coset (Dimino's
//! algorithm).

use super::permutation::{Permutation, product};
use pavane_model::{Network, RouterId};
use rustc_hash::FxHashMap;

/// Maximum number of table entries.
const MOST_ENTRIES: usize = 1 << 26;

/// What members of the group other than the identity may fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// No processor: the group acts freely on processors.
    Processors,
    /// At most one processor: the group acts freely on pairs of processors, and therefore on
    /// messages.
    Pairs,
}

/// Automorphisms that are closed under products; member 0 is the identity.
#[derive(Debug, Clone)]
pub struct FreeGroup {
    freedom: Freedom,
    /// Per router, the number of its processors.
    residents: Vec<u32>,
    bases: [u32; 2],
    images: Vec<u32>,
    member_of: FxHashMap<(u32, u32), u32>,
    generators: Vec<u32>,
}

/// Routers whose orbits are filled together, so that parts of rows are read as a whole.
const ORBITS_AT_ONCE: usize = 32;

/// The images of every router under all members of a group.
pub struct GroupOrbits {
    images: Vec<u32>,
    order: usize,
}

impl GroupOrbits {
    /// The images of a router, by member.
    pub fn of(&self, router: RouterId) -> &[u32] {
        &self.images[router.index() * self.order..(router.index() + 1) * self.order]
    }
}

impl FreeGroup {
    /// The trivial group.
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

    /// The number of members.
    pub fn order(&self) -> usize {
        self.images.len() / self.residents.len()
    }

    /// What its members may fix.
    pub fn freedom(&self) -> Freedom {
        self.freedom
    }

    /// The images of all routers under a member.
    pub fn images(&self, member: u32) -> &[u32] {
        let routers = self.residents.len();
        &self.images[member as usize * routers..(member as usize + 1) * routers]
    }

    /// The image of a router under a member.
    pub fn image(&self, member: u32, router: RouterId) -> RouterId {
        RouterId(self.images[member as usize * self.residents.len() + router.index()])
    }

    /// The images of every router under all members. One orbit after another can then be read
    /// without visiting the whole table for each.
    pub fn orbits(&self) -> GroupOrbits {
        let (routers, order) = (self.residents.len(), self.order());
        let mut images = vec![0; routers * order];
        for first in (0..routers).step_by(ORBITS_AT_ONCE) {
            let last = routers.min(first + ORBITS_AT_ONCE);
            for member in 0..order {
                let row = &self.images[member * routers + first..member * routers + last];
                for (router, &image) in (first..).zip(row) {
                    images[router * order + member] = image;
                }
            }
        }
        GroupOrbits { images, order }
    }

    /// The product of two members: `first` is applied first, then `then`.
    pub fn product(&self, first: u32, then: u32) -> u32 {
        let then = self.images(then);
        let image = |base: u32| then[self.images(first)[base as usize] as usize];
        self.member_of[&(image(self.bases[0]), image(self.bases[1]))]
    }

    /// The inverse of a member.
    pub fn inverse(&self, member: u32) -> u32 {
        let mut before = 0;
        let mut power = member;
        while power != 0 {
            before = power;
            power = self.product(power, member);
        }
        before
    }

    /// Generators of the group.
    pub fn generators(&self) -> &[u32] {
        &self.generators
    }

    /// Whether the group acts regularly: for any two routers with processors, exactly one member
    /// maps one to the other.
    pub fn is_regular(&self) -> bool {
        self.freedom == Freedom::Processors
            && self.order() == self.residents.iter().filter(|&&count| count > 0).count()
    }

    /// The subgroup with the given members, which must be closed under products.
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

    /// Whether a permutation other than the identity fixes no more processors than [`Freedom`]
    /// allows.
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

    /// Whether the permutation is a member.
    pub(super) fn has(&self, permutation: &[u32]) -> bool {
        self.find(permutation).is_some_and(|member| self.images(member) == permutation)
    }

    /// The group generated by this one and a permutation; `None` if one of its members fixes too
    /// many processors, or if it has more than `most` members.
    pub(super) fn with(&self, permutation: &[u32], most: usize) -> Option<Self> {
        let routers = self.residents.len();
        let most = most.min(MOST_ENTRIES / routers);
        let mut group = self.clone();
        let mut generators: Vec<Permutation> =
            self.generators.iter().map(|&member| self.images(member).to_vec()).collect();
        generators.push(permutation.to_vec());
        // One representative for every coset of the old group, starting with the old group itself.
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

    /// Adds the coset of products of each member of `part` with `last`.
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
