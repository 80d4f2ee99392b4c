//! How a group acts on steps: copies of its coset spaces, one after the other. The members of a
//! subgroup keep the first step of its copy, so a message and its images under that subgroup
//! share a step.

use crate::symmetry::{FreeGroup, Subgroup};

/// Steps that a group permutes.
pub(super) struct Steps {
    /// How many there are.
    pub count: u32,
    /// A normal subgroup whose members keep every step.
    pub fold: Subgroup,
    /// One member for every coset of the fold.
    pub acting: Vec<u32>,
    /// Per member of the group, the number in `acting` of what it does to steps.
    pub acting_of: Vec<u32>,
    /// The subgroups that keep the first step of a copy.
    pub kinds: Vec<Subgroup>,
    /// Per step, the number of its subgroup in `kinds`.
    pub kind_of: Vec<u32>,
    /// Per step, which of `acting` brings it to the first step of its copy.
    pub back: Vec<u32>,
    images: Vec<u32>,
}

impl Steps {
    /// One copy of the coset space of each of the subgroups.
    pub fn new(group: &FreeGroup, copies: &[Subgroup]) -> Self {
        let mut kinds = copies.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let spaces: Vec<CosetSpace> =
            kinds.iter().map(|kind| CosetSpace::new(group, kind)).collect();
        let fold = fold_of(group, &kinds);
        let folded = CosetSpace::new(group, &fold);
        let mut steps = Self {
            count: 0,
            acting: folded.first,
            acting_of: folded.of_member,
            fold,
            kind_of: Vec::new(),
            back: Vec::new(),
            images: Vec::new(),
            kinds,
        };
        let mut firsts = Vec::new();
        for copy in copies {
            let kind = steps.kinds.binary_search(copy).expect("kinds are the copies' subgroups");
            for &member in &spaces[kind].first {
                steps.kind_of.push(kind as u32);
                let back = steps.acting_of[group.inverse(member) as usize];
                steps.back.push(back);
            }
            firsts.push((kind, steps.count));
            steps.count += spaces[kind].first.len() as u32;
        }
        for &member in &steps.acting {
            for &(kind, first) in &firsts {
                let space = &spaces[kind];
                for &coset in &space.first {
                    let image = space.of_member[group.product(coset, member) as usize];
                    steps.images.push(first + image);
                }
            }
        }
        steps
    }

    /// Where each step goes under the member with this number in `acting`.
    pub fn images(&self, acting: usize) -> &[u32] {
        &self.images[acting * self.count as usize..(acting + 1) * self.count as usize]
    }
}

/// The left cosets of a subgroup.
struct CosetSpace {
    /// A member of each.
    first: Vec<u32>,
    /// The coset of each member.
    of_member: Vec<u32>,
}

impl CosetSpace {
    fn new(group: &FreeGroup, subgroup: &Subgroup) -> Self {
        let first = subgroup.cosets(group);
        let mut of_member = vec![0; group.order()];
        for (coset, &member) in (0..).zip(&first) {
            for &own in subgroup.members() {
                of_member[group.product(own, member) as usize] = coset;
            }
        }
        Self { first, of_member }
    }
}

/// What all subgroups have in common, if it is normal; otherwise the identity.
fn fold_of(group: &FreeGroup, kinds: &[Subgroup]) -> Subgroup {
    let Some((first, rest)) = kinds.split_first() else { return Subgroup::trivial() };
    let common = rest.iter().fold(first.clone(), |common, kind| common.intersection(kind));
    if common.is_normal(group) { common } else { Subgroup::trivial() }
}
