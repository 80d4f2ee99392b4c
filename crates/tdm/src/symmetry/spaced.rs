//! Symmetries for words of several phits. A word that is longer than a hop overlaps its own image if a member
//! moves a channel of its route to one that follows soon. Only subgroups without such members are useful.

use super::Symmetry;
use crate::phases::Phases;
use pavane_model::{Network, ProcessorId, RouterId, TdmProblem};
use pavane_search::{Interrupt, Rng};
use rustc_hash::FxHashMap;

/// Routers above which subgroups are not looked for: distances between all of them are needed.
const MOST_ROUTERS: usize = 1500;
/// Random subgroups of which the largest is taken.
const ATTEMPTS: usize = 40;

/// The symmetries that suit words of several phits, the largest first.
pub(super) fn suitable(
    problem: &TdmProblem,
    found: Vec<Symmetry>,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> Vec<Symmetry> {
    let rules = problem.rules();
    if rules.phits == 1 {
        return found;
    }
    let phases = Phases::of(problem);
    let mut useful: Vec<Symmetry> = Vec::new();
    let mut distances = None;
    for symmetry in found {
        // Members with a shift use a channel at quite another time.
        let is_shifted = symmetry.parts > 1;
        let reduced = match &phases {
            _ if is_shifted => None,
            Some(phases) => {
                let keeps = |&member: &usize| phases.are_kept(problem, &symmetry, member);
                Some(symmetry.restricted_to((0..symmetry.order()).filter(keeps)))
            }
            None if rules.phits > rules.depth => {
                let network = problem.network();
                let distances = distances.get_or_insert_with(|| all_distances(network, interrupt));
                distances
                    .as_ref()
                    .and_then(|distances| spaced(problem, &symmetry, distances, interrupt, rng))
            }
            None => None,
        };
        let is_whole = is_shifted || phases.is_none() && rules.phits <= rules.depth;
        let whole = is_whole.then_some(symmetry);
        for one in whole.into_iter().chain(reduced) {
            if one.order() > 1 && (one.parts > 1 || useful.iter().all(|known| !known.is_same(&one)))
            {
                useful.push(one);
            }
        }
    }
    useful.sort_by_key(|symmetry| std::cmp::Reverse(symmetry.order()));
    useful
}

/// The distances from every router; `None` if there are too many or the interrupt is raised.
fn all_distances(network: &Network, interrupt: &Interrupt) -> Option<Vec<Vec<u32>>> {
    if network.router_count() > MOST_ROUTERS {
        return None;
    }
    let from = |router| (!interrupt.is_raised()).then(|| network.distances_from(router));
    network.routers().map(from).collect()
}

/// A large subgroup under which no word overlaps its images.
fn spaced(
    problem: &TdmProblem,
    symmetry: &Symmetry,
    distances: &[Vec<u32>],
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> Option<Symmetry> {
    let products = Products::new(problem.network(), symmetry)?;
    let is_close: Vec<bool> = (0..symmetry.order())
        .map(|member| member > 0 && is_close(problem, symmetry, member, distances))
        .collect();
    let mut best = vec![0];
    for _ in 0..ATTEMPTS {
        let mut order: Vec<u32> = (1..symmetry.order() as u32).collect();
        rng.shuffle(&mut order);
        let mut generators = Vec::new();
        let mut members = vec![0];
        for member in order {
            if interrupt.is_raised() {
                return None;
            }
            if is_close[member as usize] || members.contains(&member) {
                continue;
            }
            generators.push(member);
            match products.closure(&generators, &is_close) {
                Some(larger) => members = larger,
                None => drop(generators.pop()),
            }
        }
        if members.len() > best.len() {
            best = members;
        }
    }
    best.sort_unstable();
    Some(symmetry.restricted_to(best.into_iter().map(|member| member as usize)))
}

/// Whether a shortest route has a channel and, before a word has left it, its image.
fn is_close(
    problem: &TdmProblem,
    symmetry: &Symmetry,
    member: usize,
    distances: &[Vec<u32>],
) -> bool {
    let (network, rules) = (problem.network(), problem.rules());
    // Uses of channels so many hops apart overlap.
    let most = (rules.phits - 1) / rules.depth;
    let images = &symmetry.members[member].channels;
    network.channels().iter().zip(images).any(|(channel, &image)| {
        let image = network.channel(image);
        let distance = |from: RouterId, to: RouterId| distances[from.index()][to.index()];
        let hops = distance(channel.tail, image.tail);
        (1..=most).contains(&hops)
            && distance(channel.head, image.tail) == hops - 1
            && distance(channel.tail, image.head) == hops + 1
    })
}

/// Products of members, by the images of two processors.
struct Products<'a> {
    symmetry: &'a Symmetry,
    bases: [usize; 2],
    members: FxHashMap<[ProcessorId; 2], u32>,
}

impl<'a> Products<'a> {
    /// `None` if two members agree on the two processors.
    fn new(network: &Network, symmetry: &'a Symmetry) -> Option<Self> {
        let mut living = network.living_processors();
        let first = living.next()?;
        let second = living.find(|&other| network.home(other) != network.home(first))?;
        let bases = [first.index(), second.index()];
        let mut members = FxHashMap::default();
        for (number, member) in (0..).zip(&symmetry.members) {
            let images = bases.map(|base| member.processors[base]);
            if members.insert(images, number).is_some() {
                return None;
            }
        }
        Some(Self { symmetry, bases, members })
    }

    /// The product of two members, the first one applied first.
    fn product(&self, first: u32, then: u32) -> Option<u32> {
        let [first, then] = [first, then].map(|member| &self.symmetry.members[member as usize]);
        let images = self.bases.map(|base| then.processors[first.processors[base].index()]);
        self.members.get(&images).copied()
    }

    /// The members that some generate; `None` if one of them is excluded.
    fn closure(&self, generators: &[u32], is_excluded: &[bool]) -> Option<Vec<u32>> {
        let mut members = vec![0];
        let mut is_known = vec![false; self.symmetry.order()];
        is_known[0] = true;
        let mut at = 0;
        while let Some(&member) = members.get(at) {
            at += 1;
            for &generator in generators {
                let product = self.product(member, generator)?;
                if is_excluded[product as usize] {
                    return None;
                }
                if !std::mem::replace(&mut is_known[product as usize], true) {
                    members.push(product);
                }
            }
        }
        Some(members)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use pavane_model::tdm::{TdmDemand, TdmRules};

    /// The orders of the symmetries that a search uses.
    fn orders(spec: &str, depth: u32, phits: u32) -> Vec<usize> {
        let network = pavane_networks::topology::build(spec).unwrap();
        let rules = TdmRules { depth, phits, ..TdmRules::default() };
        let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10_000).unwrap();
        let interrupt = Interrupt::never();
        let found = super::super::candidates(&problem, &interrupt, &mut Rng::stream(1, 1));
        found.iter().map(Symmetry::order).collect()
    }

    #[test]
    fn no_word_overlaps_its_images() {
        for (spec, depth, phits, least) in [
            ("torus:8x8", 1, 3, 16),
            ("torus:8x8", 3, 2, 32),
            ("torus:8x8", 4, 3, 64),
            ("torus:8x8", 1, 2, 32),
            ("hypercube:4", 1, 3, 16),
        ] {
            let largest = orders(spec, depth, phits)[0];
            assert!(largest >= least, "{spec} {depth} {phits}: {largest}");
        }
        assert_eq!(*orders("path:3", 1, 3).last().unwrap(), 1);
    }
}
