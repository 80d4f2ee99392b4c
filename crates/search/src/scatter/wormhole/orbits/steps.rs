//! Action of a group on steps: a sequence of coset spaces of subgroups. A subgroup fixes the first
//! step of its coset space, so a message in that step shares it with its images under the subgroup.

use crate::symmetry::{FreeGroup, Subgroup};

/// Steps that a group permutes.
pub(super) struct Steps {
    /// Number of steps.
    pub count: u32,
    /// A normal subgroup whose members fix every step.
    pub fold: Subgroup,
    /// One member for every coset of the fold.
    pub acting: Vec<u32>,
    /// Per member of the group, the index in `acting` of its coset.
    pub acting_of: Vec<u32>,
    /// The subgroups that fix the first step of a coset space.
    pub kinds: Vec<Subgroup>,
    /// Per step, the index of its subgroup in `kinds`.
    pub kind_of: Vec<u32>,
    /// Per step, the index in `acting` of the member that maps it to the first step of its coset
    /// space.
    pub back: Vec<u32>,
    images: Vec<u32>,
}

impl Steps {
    /// One coset space for each of the subgroups, in order.
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

    /// The images of the steps under the member with this index in `acting`.
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

/// Intersection of all subgroups if it is normal; otherwise the trivial subgroup.
fn fold_of(group: &FreeGroup, kinds: &[Subgroup]) -> Subgroup {
    let Some((first, rest)) = kinds.split_first() else { return Subgroup::trivial() };
    let common = rest.iter().fold(first.clone(), |common, kind| common.intersection(kind));
    if common.is_normal(group) { common } else { Subgroup::trivial() }
}
