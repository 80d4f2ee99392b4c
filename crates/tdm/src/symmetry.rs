//! Symmetries of a TDM problem. A member of the group moves every word to another message and, for
//! some groups, to a later slot. A schedule that is invariant under the group is determined by one word
//! per orbit, which makes the search smaller by the order of the group.

mod spaced;

use crate::chains::SquareTorus;
use pavane_model::tdm::{TdmDemand, TdmMessage};
use pavane_model::{ChannelId, ProcessorId, RouterId, TdmProblem};
use pavane_networks::symmetry::symmetries_keeping_unless;
use pavane_search::symmetry::{
    ChannelOrder, FreeGroup, Freedom, find_abelian_group, find_even_group, find_free_group,
};
use pavane_search::{Interrupt, Rng};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Automorphisms that are closed under products. Member 0 is the identity.
#[derive(Debug, Clone)]
pub(crate) struct Symmetry {
    pub members: Vec<Member>,
    /// The shift of a member is a multiple of this part of the period.
    pub parts: u32,
    /// If every word also stands for its reverse in reversed time: the opposite of every channel.
    pub opposites: Option<Vec<ChannelId>>,
}

/// An automorphism and how much later the moved words are.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub channels: Vec<ChannelId>,
    pub processors: Vec<ProcessorId>,
    /// The shift in parts of the period.
    pub shift: u32,
}

impl Symmetry {
    /// The group of the identity.
    pub fn trivial(problem: &TdmProblem) -> Self {
        let network = problem.network();
        let channels = (0..network.channel_count() as u32).map(ChannelId).collect();
        let processors = (0..network.processor_count() as u32).map(ProcessorId).collect();
        Self { members: vec![Member { channels, processors, shift: 0 }], parts: 1, opposites: None }
    }

    /// The number of members.
    pub fn order(&self) -> usize {
        self.members.len()
    }

    /// The shift of a member in slots, if the period can be divided into the parts.
    pub fn shift(&self, member: &Member, period: u32) -> u32 {
        period / self.parts * member.shift
    }

    /// Whether two groups without shifts have the same members.
    fn is_same(&self, other: &Self) -> bool {
        let is_member = |one: &Member| other.members.iter().any(|m| m.channels == one.channels);
        self.order() == other.order() && self.members.iter().all(is_member)
    }

    /// The subgroup with some members, in their order.
    fn restricted_to(&self, members: impl Iterator<Item = usize>) -> Self {
        let members = members.map(|member| self.members[member].clone()).collect();
        Self { members, parts: self.parts, opposites: self.opposites.clone() }
    }

    fn of_group(
        problem: &TdmProblem,
        group: &FreeGroup,
        members: &[(u32, u32)],
        parts: u32,
    ) -> Self {
        let network = problem.network();
        let order = ChannelOrder::new(network);
        let member = |&(member, shift): &(u32, u32)| Member {
            channels: (0..network.channel_count() as u32)
                .map(|channel| order.image(group, member, ChannelId(channel)))
                .collect(),
            processors: (0..network.processor_count() as u32)
                .map(|processor| image(problem, group, member, ProcessorId(processor)))
                .collect(),
            shift,
        };
        Self { members: members.iter().map(member).collect(), parts, opposites: None }
    }
}

/// The processor with the same rank on the image of its router. A lost processor stays.
fn image(problem: &TdmProblem, group: &FreeGroup, member: u32, of: ProcessorId) -> ProcessorId {
    let network = problem.network();
    let Some(home) = network.home(of) else { return of };
    let rank = network.residents(home).iter().position(|&other| other == of).unwrap_or(0);
    network.residents(group.image(member, home))[rank]
}

/// Messages between two polls of the interrupt.
const POLL: usize = 1024;
/// Entries of all tables above which a group is not used.
const MOST_ENTRIES: usize = 1 << 24;

/// The groups that a search may use, the largest first, the trivial one last.
pub(crate) fn candidates(
    problem: &TdmProblem,
    interrupt: &Interrupt,
    rng: &mut Rng,
) -> Vec<Symmetry> {
    let found = find(problem, interrupt, rng).unwrap_or_default();
    let mut found = spaced::suitable(problem, found, interrupt, rng);
    // If words may wrap, invariance under the reversal of time excludes too much.
    let is_tried = !found.is_empty() && !problem.rules().wraps;
    if let Some(opposites) = is_tried.then(|| opposites(problem)).flatten() {
        found = found
            .into_iter()
            .flat_map(|one| {
                let mirrored = Symmetry { opposites: Some(opposites.clone()), ..one.clone() };
                [mirrored, one]
            })
            .collect();
    }
    found.push(Symmetry::trivial(problem));
    found
}

fn find(problem: &TdmProblem, interrupt: &Interrupt, rng: &mut Rng) -> Option<Vec<Symmetry>> {
    let network = problem.network();
    let is_over = || interrupt.is_raised();
    let symmetries = symmetries_keeping_unless(network, &marks(problem), &is_over)?;
    if symmetries.generators.is_empty() {
        return None;
    }
    let mut found = Vec::from_iter(translations(problem));
    let entries = network.channel_count() + network.processor_count();
    let fits = |group: &FreeGroup| group.order() > 1 && group.order() * entries <= MOST_ENTRIES;
    let abelian = find_abelian_group(network, &symmetries, interrupt, rng);
    let even = find_even_group(network, &symmetries, Freedom::Processors, interrupt, rng);
    let mut orders = Vec::new();
    for group in [even, abelian] {
        let group = keepers(problem, group, interrupt);
        if fits(&group) && !orders.contains(&group.order()) {
            orders.push(group.order());
            let members: Vec<(u32, u32)> = (0..group.order() as u32).map(|m| (m, 0)).collect();
            let symmetry = Symmetry::of_group(problem, &group, &members, 1);
            if found.iter().all(|known| !known.is_same(&symmetry)) {
                found.push(symmetry);
            }
        }
    }
    let rotations = find_free_group(network, &symmetries, Freedom::Pairs, interrupt, rng);
    let rotations = keepers(problem, rotations, interrupt);
    if problem.rules().wraps && fits(&rotations) {
        found.extend(shifted(problem, &rotations));
    }
    found.sort_by_key(|symmetry| std::cmp::Reverse(symmetry.order()));
    Some(found)
}

/// The translations of a square torus, if all processors send the same. They come before other groups of
/// the same order, because routers that share one table (S4NoC) need them.
fn translations(problem: &TdmProblem) -> Option<Symmetry> {
    let network = problem.network();
    let entries = network.channel_count() + network.processor_count();
    let is_small = network.router_count() * entries <= MOST_ENTRIES;
    if *problem.demand() != TdmDemand::AllToAll || !is_small {
        return None;
    }
    let torus = SquareTorus::recognise(network)?;
    let member = |to: usize| {
        let (routers, channels) = torus.translation(network, to)?;
        let processors = routers.into_iter().map(ProcessorId).collect();
        Some(Member { channels, processors, shift: 0 })
    };
    let members = (0..network.router_count()).map(member).collect::<Option<Vec<_>>>()?;
    Some(Symmetry { members, parts: 1, opposites: None })
}

/// The opposite of every channel, if the reverse of every word is a word too.
fn opposites(problem: &TdmProblem) -> Option<Vec<ChannelId>> {
    let network = problem.network();
    let is_reversible = problem.messages().iter().all(|message| {
        let is_same = |other: &TdmMessage| other.weight == message.weight;
        message.max_latency.is_none() && problem.find(message.to, message.from).is_some_and(is_same)
    });
    let opposite = |channel: u32| {
        let opposite = network.opposite(ChannelId(channel))?;
        let (one, other) = (network.channel(ChannelId(channel)), network.channel(opposite));
        ((one.tail, one.head) == (other.head, other.tail)).then_some(opposite)
    };
    let all = (0..network.channel_count() as u32).map(opposite).collect::<Option<Vec<_>>>();
    all.filter(|_| is_reversible)
}

/// Cyclic groups whose generator shifts words by a part of the period, so that the images of a word
/// use a port that the group keeps one after the other.
fn shifted(problem: &TdmProblem, group: &FreeGroup) -> Vec<Symmetry> {
    let powers = |generator: u32| {
        let mut powers = vec![0];
        let mut power = generator;
        while power != 0 {
            powers.push(power);
            power = group.product(power, generator);
        }
        powers
    };
    let cycles = (1..group.order() as u32).map(powers);
    let Some(longest) = cycles.max_by_key(|powers| powers.len()) else { return Vec::new() };
    let order = longest.len() as u32;
    let mut found = Vec::new();
    for parts in (2..=order).rev().filter(|&parts| order.is_multiple_of(parts)) {
        let step = (order / parts) as usize;
        let members: Vec<(u32, u32)> = longest.iter().copied().step_by(step).zip(0..).collect();
        found.push(Symmetry::of_group(problem, group, &members, parts));
    }
    found
}

/// The subgroup that keeps all messages, their weights and latencies. Only the neutral element if the
/// interrupt is raised.
fn keepers(problem: &TdmProblem, group: FreeGroup, interrupt: &Interrupt) -> FreeGroup {
    let keeps = |member: u32| {
        problem.messages().iter().enumerate().all(|(number, message)| {
            if number % POLL == 0 && interrupt.is_raised() {
                return false;
            }
            let from = image(problem, &group, member, message.from);
            let to = image(problem, &group, member, message.to);
            problem.find(from, to).is_some_and(|other| {
                (other.weight, other.max_latency) == (message.weight, message.max_latency)
            })
        })
    };
    let is_all = group.generators().iter().all(|&member| keeps(member));
    if is_all {
        return group;
    }
    let members: Vec<u32> = (0..group.order() as u32).filter(|&member| keeps(member)).collect();
    // An incomplete list may not be a group.
    if interrupt.is_raised() {
        return group.restricted_to(&[0]);
    }
    group.restricted_to(&members)
}

/// For every router, a hash of the weights that its processors send and receive, in their order.
fn marks(problem: &TdmProblem) -> Vec<u64> {
    let network = problem.network();
    let mut weights = vec![(0u64, 0u64); network.processor_count()];
    for message in problem.messages() {
        weights[message.from.index()].0 += u64::from(message.weight);
        weights[message.to.index()].1 += u64::from(message.weight);
    }
    let mark = |router: RouterId| {
        let mut hasher = FxHasher::default();
        for processor in network.residents(router) {
            weights[processor.index()].hash(&mut hasher);
        }
        hasher.finish()
    };
    network.routers().map(mark).collect()
}
