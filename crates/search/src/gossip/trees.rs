//! All-gather by a free group of automorphisms: one tree per orbit of origins, translated to all
//! others. A channel and its images carry images of the same message, so every orbit of channels
//! serves one edge of a tree in every step; under half duplex both channels of a link share an
//! orbit. The trees grow step by step; if all new routers of an orbit are taken, the other orbits
//! are reassigned.

mod group;

use super::rotation;
use crate::attempt::Context;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup};
use pavane_model::{ChannelId, Duplex, MessageId, Ports, Problem, RouterId, Schedule, Transfer};

/// Largest number of routers: the table of a group can have this size squared.
const MOST_ROUTERS: usize = 8192;

/// Builds a schedule that is invariant under a group of automorphisms, with as many steps as it
/// takes. `None` if the network has too little symmetry, or something other than channels is
/// limited, or if it would take more than `most` trees.
pub(super) fn find(
    context: &Context,
    most: usize,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let problem = context.problem();
    let network = problem.network();
    let model = problem.model();
    let message_of = rotation::message_of(problem)?;
    let is_even = model.ports == Ports::All
        && network.router_count() <= MOST_ROUTERS
        && network.routers().all(|router| {
            let residents = network.residents(router);
            network.is_lost(router)
                || residents.len() == 1 && message_of[residents[0].index()].is_some()
        });
    let group = is_even.then(|| context.free_group(budget.interrupt()))??;
    let oriented = match model.duplex {
        Duplex::Half => Some(group::oriented(network, group, budget, rng)?),
        Duplex::Full => None,
    };
    let group = oriented.as_ref().unwrap_or(group);
    if problem.messages().len() > most * group.order() {
        return None;
    }
    let mut forest = Forest::new(problem, group);
    let steps = forest.grow(budget, rng)?;
    let origins = &forest.origins;
    unfold(problem, group, &message_of, origins, &steps, budget.interrupt())
}

/// A channel that passes on the message of a tree's origin.
#[derive(Debug, Clone, Copy)]
struct TreeEdge {
    tree: usize,
    channel: ChannelId,
}

/// Translates every edge of every step by every member of the group. `None` after an interrupt.
fn unfold(
    problem: &Problem,
    group: &FreeGroup,
    message_of: &[Option<MessageId>],
    origins: &[RouterId],
    steps: &[Vec<TreeEdge>],
    interrupt: &Interrupt,
) -> Option<Schedule> {
    let network = problem.network();
    let order = ChannelOrder::new(network);
    let orbits = group.orbits();
    let resident = |router: u32| network.residents(RouterId(router))[0];
    let mut schedule = Schedule::new();
    for edges in steps {
        if interrupt.is_raised() {
            return None;
        }
        schedule.start_step();
        for TreeEdge { tree, channel } in edges {
            let ends = network.channel(*channel);
            let (tails, heads) = (orbits.of(ends.tail), orbits.of(ends.head));
            for ((&tail, &head), &origin) in tails.iter().zip(heads).zip(orbits.of(origins[*tree]))
            {
                let origin = resident(origin);
                schedule.push(Transfer {
                    message: message_of[origin.index()].expect("every processor has a message"),
                    from: resident(tail),
                    to: resident(head),
                    path: &[order.between(RouterId(tail), RouterId(head), *channel)],
                });
            }
        }
    }
    Some(schedule)
}

/// The trees under construction.
struct Forest<'a> {
    problem: &'a Problem,
    origins: Vec<RouterId>,
    /// The channels of every orbit.
    orbits: Vec<Vec<ChannelId>>,
    /// By tree and router: the step in which it was reached.
    reached: Vec<Vec<u32>>,
    /// By tree and router: the orbit that last reached it, and in which step.
    taken: Vec<Vec<(u32, u32)>>,
    /// By orbit: its options in this step, best last.
    options: Vec<Vec<TreeEdge>>,
    chosen: Vec<Option<TreeEdge>>,
    /// By router: the number of its orbit; and the number of orbits.
    classes: (Vec<usize>, usize),
    missing: usize,
}

const NEVER: u32 = u32::MAX;

impl<'a> Forest<'a> {
    fn new(problem: &'a Problem, group: &FreeGroup) -> Self {
        let network = problem.network();
        let order = ChannelOrder::new(network);
        let members = || 0..group.order() as u32;
        let mut is_seen = vec![false; network.router_count()];
        let mut origins = Vec::new();
        let mut class_of = vec![0; network.router_count()];
        let mut classes = 0;
        for router in network.routers().filter(|&router| !network.is_lost(router)) {
            if !is_seen[router.index()] {
                origins.push(router);
                for image in members().map(|m| group.image(m, router).index()) {
                    is_seen[image] = true;
                    class_of[image] = classes;
                }
                classes += 1;
            }
        }
        let mut orbit_of = vec![usize::MAX; network.channel_count()];
        let mut orbits: Vec<Vec<ChannelId>> = Vec::new();
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            if orbit_of[channel.index()] != usize::MAX {
                continue;
            }
            let orbit: Vec<_> = members().map(|m| order.image(group, m, channel)).collect();
            let shared = match problem.model().duplex {
                Duplex::Half => network.opposite(channel).map(|other| orbit_of[other.index()]),
                Duplex::Full => None,
            };
            let number = shared.filter(|&shared| shared != usize::MAX).unwrap_or(orbits.len());
            if number == orbits.len() {
                orbits.push(Vec::new());
            }
            orbit.iter().for_each(|c| orbit_of[c.index()] = number);
            orbits[number].extend(orbit);
        }
        let mut reached = vec![vec![NEVER; network.router_count()]; origins.len()];
        for (tree, origin) in origins.iter().enumerate() {
            reached[tree][origin.index()] = 0;
        }
        Self {
            problem,
            taken: vec![vec![(NEVER, NEVER); network.router_count()]; origins.len()],
            options: vec![Vec::new(); orbits.len()],
            chosen: vec![None; orbits.len()],
            classes: (class_of, classes),
            missing: origins.len() * (problem.messages().len() - 1),
            origins,
            orbits,
            reached,
        }
    }

    /// Grows the trees and returns the edges of every step.
    fn grow(&mut self, budget: &mut Budget, rng: &mut Rng) -> Option<Vec<Vec<TreeEdge>>> {
        let mut steps = Vec::new();
        while self.missing > 0 {
            let now = steps.len() as u32 + 1;
            self.list_options(rng);
            let mut order: Vec<u32> = (0..self.orbits.len() as u32).collect();
            rng.shuffle(&mut order);
            order.sort_by_key(|&orbit| self.options[orbit as usize].len());
            self.chosen.fill(None);
            for orbit in order {
                let mut is_asked = vec![false; self.orbits.len()];
                self.choose(orbit, now, &mut is_asked);
            }
            let edges: Vec<TreeEdge> = self.chosen.iter().copied().flatten().collect();
            for edge in &edges {
                let head = self.problem.network().channel(edge.channel).head;
                self.reached[edge.tree][head.index()] = now;
            }
            self.missing -= edges.len();
            if edges.is_empty() || !budget.spend(edges.len() as u64) {
                return None;
            }
            steps.push(edges);
        }
        Some(steps)
    }

    /// Lists the options of every orbit; heads that miss the most messages per channel come last,
    /// and among these heads that can pass the message on to the most routers.
    fn list_options(&mut self, rng: &mut Rng) {
        let network = self.problem.network();
        let urgency = self.urgency();
        for (orbit, options) in self.options.iter_mut().enumerate() {
            let mut weighed = Vec::new();
            for (tree, reached) in self.reached.iter().enumerate() {
                for &channel in &self.orbits[orbit] {
                    let ends = network.channel(channel);
                    if reached[ends.tail.index()] == NEVER || reached[ends.head.index()] != NEVER {
                        continue;
                    }
                    let leaving = network.out_channels(ends.head).iter();
                    let news = leaving
                        .filter(|&&c| reached[network.channel(c).head.index()] == NEVER)
                        .count();
                    let urgency = urgency[ends.head.index()];
                    weighed.push((urgency, news, rng.bits(), TreeEdge { tree, channel }));
                }
            }
            weighed.sort_unstable_by_key(|&(urgency, news, tie, _)| (urgency, news, tie));
            options.clear();
            options.extend(weighed.into_iter().map(|(.., edge)| edge));
        }
    }

    /// By router: the messages that it misses per channel into it, in thousandths.
    fn urgency(&self) -> Vec<usize> {
        let network = self.problem.network();
        let mut missing = vec![0; network.router_count()];
        for reached in &self.reached {
            for (missing, &reached) in missing.iter_mut().zip(reached) {
                *missing += usize::from(reached == NEVER);
            }
        }
        let mut of_class = vec![0; self.classes.1];
        for (&class, missing) in self.classes.0.iter().zip(missing) {
            of_class[class] += missing;
        }
        let per_channel = |router: RouterId| {
            let channels = network.in_channels(router).len().max(1);
            1000 * of_class[self.classes.0[router.index()]] / channels
        };
        network.routers().map(per_channel).collect()
    }

    /// Chooses the edge of an orbit in this step. Other orbits, each asked once, are reassigned if
    /// necessary.
    fn choose(&mut self, orbit: u32, now: u32, is_asked: &mut [bool]) -> bool {
        is_asked[orbit as usize] = true;
        let options = std::mem::take(&mut self.options[orbit as usize]);
        let mut is_found = false;
        for may_push in [false, true] {
            for &edge in options.iter().rev() {
                let head = self.problem.network().channel(edge.channel).head.index();
                let (owner, step) = self.taken[edge.tree][head];
                let is_free = step != now
                    || may_push && !is_asked[owner as usize] && self.choose(owner, now, is_asked);
                if is_free {
                    self.taken[edge.tree][head] = (orbit, now);
                    self.chosen[orbit as usize] = Some(edge);
                    is_found = true;
                    break;
                }
            }
            if is_found {
                break;
            }
        }
        self.options[orbit as usize] = options;
        is_found
    }
}
