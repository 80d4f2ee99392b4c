//! All-gather by a free group of automorphisms: one tree per orbit of origins, translated to all
//! others. A channel and its images carry images of the same message, so every orbit of channels
//! serves one edge of a tree in every step. The trees grow step by step; if all new routers of an
//! orbit are taken, the other orbits are reassigned.

use super::rotation;
use crate::attempt::Context;
use crate::budget::Budget;
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup};
use pavane_model::{ChannelId, Duplex, MessageId, Ports, Problem, RouterId, Schedule, Transfer};

/// Largest number of routers: the table of a group can have this size squared.
const MOST_ROUTERS: usize = 8192;

/// Largest number of trees: with more there is little to gain over growing all of them.
const MOST_TREES: usize = 8;

/// Builds a schedule that is invariant under a group of automorphisms, with as many steps as it
/// takes. `None` if the network has too little symmetry, or something other than channels is
/// limited.
pub(super) fn find(context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
    let problem = context.problem();
    let network = problem.network();
    let model = problem.model();
    let message_of = rotation::message_of(problem)?;
    let is_even = model.ports == Ports::All
        && model.duplex == Duplex::Full
        && network.router_count() <= MOST_ROUTERS
        && network.routers().all(|router| {
            let residents = network.residents(router);
            network.is_lost(router)
                || residents.len() == 1 && message_of[residents[0].index()].is_some()
        });
    let group = is_even.then(|| context.free_group(budget.interrupt()))??;
    if problem.messages().len() > MOST_TREES * group.order() {
        return None;
    }
    let mut forest = Forest::new(problem, group);
    let steps = forest.grow(budget, rng)?;
    Some(unfold(problem, group, &message_of, &forest.origins, &steps))
}

/// A channel that passes on the message of a tree's origin.
#[derive(Debug, Clone, Copy)]
struct TreeEdge {
    tree: usize,
    channel: ChannelId,
}

/// Translates every edge of every step by every member of the group.
fn unfold(
    problem: &Problem,
    group: &FreeGroup,
    message_of: &[Option<MessageId>],
    origins: &[RouterId],
    steps: &[Vec<TreeEdge>],
) -> Schedule {
    let network = problem.network();
    let order = ChannelOrder::new(network);
    let resident = |router| network.residents(router)[0];
    let mut schedule = Schedule::new();
    for edges in steps {
        schedule.start_step();
        for TreeEdge { tree, channel } in edges {
            for member in 0..group.order() as u32 {
                let channel = order.image(group, member, *channel);
                let origin = resident(group.image(member, origins[*tree]));
                let ends = network.channel(channel);
                schedule.push(Transfer {
                    message: message_of[origin.index()].expect("every processor has a message"),
                    from: resident(ends.tail),
                    to: resident(ends.head),
                    path: &[channel],
                });
            }
        }
    }
    schedule
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
        for router in network.routers().filter(|&router| !network.is_lost(router)) {
            if !is_seen[router.index()] {
                origins.push(router);
                members().for_each(|m| is_seen[group.image(m, router).index()] = true);
            }
        }
        let mut is_seen = vec![false; network.channel_count()];
        let mut orbits = Vec::new();
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            if !is_seen[channel.index()] {
                let orbit: Vec<_> = members().map(|m| order.image(group, m, channel)).collect();
                orbit.iter().for_each(|c| is_seen[c.index()] = true);
                orbits.push(orbit);
            }
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

    /// Lists the options of every orbit; heads that can pass the message on to the most routers
    /// come last.
    fn list_options(&mut self, rng: &mut Rng) {
        let network = self.problem.network();
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
                    weighed.push((news, rng.bits(), TreeEdge { tree, channel }));
                }
            }
            weighed.sort_unstable_by_key(|&(news, tie, _)| (news, tie));
            options.clear();
            options.extend(weighed.into_iter().map(|(_, _, edge)| edge));
        }
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
