//! The frame of the wormhole engines `nested-sets` and `layered`, which differ in how they find the
//! paths within a step ([`StepRouter`]).
//!
//! Chooses the holders after each step, from the last step back to the first. The holders before a
//! step are spread over those after it. Where a processor cannot be served, a holder that is near
//! or has little load moves there.

use super::cosets::Cosets;
use super::flow_router::FlowRouter;
use super::greedy::{ServedFirst, greedy};
use super::level::Level;
use super::one_message::{OneMessage, Send};
use super::sizes::Sizes;
use super::spread::HolderSpread;
use super::step_router::StepRouter;
use super::tour::{self, ServedGroup};
use super::tree::{self, Tree};
use crate::attempt::Attempt;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ProcessorId, Schedule};

/// Failed choices of holders before one step until the holders after it are chosen again.
const CHOICES: u32 = 3;

/// Failed choices, per step of the schedule, until the search restarts.
const FAILURES: u32 = 8;

/// Channels per receiver from which on paths rarely conflict.
const SPARSE: usize = 8;

/// Builds a schedule of any number of steps: over a spanning tree where there is hardly any other
/// link and the paths are as short as the routing requires, otherwise greedily; by flooding if that
/// takes fewer steps. `None` if the budget runs out.
pub(super) fn construct(
    task: &OneMessage<'_>,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let tree = Tree::new(task);
    let over_tree =
        tree.and_then(|tree| over_tree(task, &tree, &mut FlowRouter::new(task), budget, rng));
    // A tree has only one path between two routers.
    let is_allowed = |found: &Schedule| tree::is_tree(task.problem) || task.allows(found);
    let found = over_tree
        .filter(is_allowed)
        .or_else(|| greedy(task, ServedFirst::Farthest, u32::MAX, budget))?;
    let fewer = found.step_count() - 1;
    Some(greedy(task, ServedFirst::Nearest, fewer, budget).unwrap_or(found))
}

/// Searches for a schedule of at most `steps` steps, each routed by `router`.
pub(super) fn attempt(
    task: &OneMessage<'_>,
    router: &mut impl StepRouter,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Attempt {
    find(task, router, steps, budget, rng).map_or(Attempt::OutOfBudget, Attempt::Found)
}

/// Finds a schedule of at most `steps` steps, each routed by `router`. Returns `None` if the budget
/// runs out or the ports do not allow so few steps.
fn find<R: StepRouter>(
    task: &OneMessage<'_>,
    router: &mut R,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let sizes = Sizes::new(task, steps)?;
    // Without slack, randomly chosen holders seldom fit; chains of groups do if there is symmetry.
    let is_tight = sizes.most(steps) == sizes.most(steps - 1) * sizes.most(1)
        && sizes.most(steps) == task.destinations.len() + 1;
    let level = Level::new(task, router);
    let tree = if R::LEADS { Tree::new(task) } else { None };
    let mut search = HolderSearch { task, sizes, spread: HolderSpread::new(task), level, tree };
    let half = budget.left() / 2;
    let mut cosets = None;
    for number in 0u64.. {
        if !budget.spend(1) {
            return None;
        }
        let mut last_steps = Vec::new();
        if number.is_multiple_of(2) && (is_tight || budget.left() < half) {
            let cosets =
                cosets.get_or_insert_with(|| Cosets::new(task, steps, budget.interrupt(), rng));
            if let Some(cosets) = cosets {
                last_steps = cosets.last_steps(steps, budget, rng);
            }
        }
        let has_tree = number.is_multiple_of(2);
        if let Some(sends) = search.chain(steps, last_steps, has_tree, budget, rng) {
            return Some(task.schedule(sends));
        }
    }
    None
}

/// Builds a schedule over a spanning tree, with the fewest holders before every step. Returns
/// `None` if some step cannot be routed this way or the budget runs out.
fn over_tree(
    task: &OneMessage<'_>,
    tree: &Tree<'_>,
    router: &mut impl StepRouter,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let mut level = Level::new(task, router);
    let mut steps = Vec::new();
    let mut next = task.destinations.to_vec();
    while !next.is_empty() {
        if budget.is_stopped() {
            return None;
        }
        let holders = tree.fewest(&next, false, rng).filter(|some| some.len() <= next.len())?;
        next = level.serve_from(holders, &next, &[], budget, rng)?;
        steps.push(level.sends());
    }
    steps.reverse();
    Some(task.schedule(steps))
}

struct HolderSearch<'a, R> {
    task: &'a OneMessage<'a>,
    sizes: Sizes,
    spread: HolderSpread<'a>,
    level: Level<'a, R>,
    tree: Option<Tree<'a>>,
}

/// The holders before a step, without the origin, and the sends of the step.
struct Link {
    holders: Vec<ProcessorId>,
    sends: Vec<Send>,
    failures: u32,
}

impl<R: StepRouter> HolderSearch<'_, R> {
    /// One attempt at all steps, last first, continuing from the given last steps.
    fn chain(
        &mut self,
        steps: u32,
        last_steps: Vec<(Vec<ProcessorId>, Vec<Send>)>,
        has_tree: bool,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Vec<Vec<Send>>> {
        let all = self.task.destinations.to_vec();
        let mut links = vec![Link { holders: all, sends: Vec::new(), failures: 0 }];
        let link = |(holders, sends)| Link { holders, sends, failures: 0 };
        links.extend(last_steps.into_iter().map(link));
        let mut failures_left = FAILURES * steps;
        let eagerness = 0.3 + 0.7 * rng.unit();
        while let Some(next) = links.last() {
            if budget.is_stopped() {
                return None;
            }
            if next.holders.is_empty() {
                return Some(links.drain(1..).rev().map(|link| link.sends).collect());
            }
            let step = steps - links.len() as u32;
            let tries = next.failures;
            let link = match &self.tree {
                Some(tree) if has_tree => {
                    let holders = tree.fewest(&next.holders, tries > 0, rng);
                    let holders = holders.filter(|some| some.len() <= self.sizes.most(step));
                    holders.and_then(|some| self.link(some, &next.holders, &[], budget, rng))
                }
                _ => self.link_before(step, &next.holders, eagerness, tries == 0, budget, rng),
            };
            if let Some(link) = link {
                links.push(link);
                continue;
            }
            failures_left = failures_left.saturating_sub(1);
            if failures_left == 0 || budget.is_over() {
                return None;
            }
            let last = links.last_mut().expect("the loop ends before the list is empty");
            last.failures += 1;
            // Before the first step only the origin holds the message.
            if last.failures == CHOICES || step == 0 {
                links.pop();
            }
        }
        None
    }

    /// Chooses holders before a step from which all of `next` can be served in it.
    fn link_before(
        &mut self,
        step: u32,
        next: &[ProcessorId],
        eagerness: f64,
        is_first: bool,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Link> {
        let least = self.sizes.least_before(next.len() + 1);
        let most = self.sizes.most(step);
        if least > most {
            return None;
        }
        let most = most.min(next.len() + 1);
        let ratio = most as f64 / least as f64;
        let size = (least as f64 * ratio.powf(eagerness)).round() as usize;
        let size = size.clamp(least, most);
        let groups = is_first.then(|| self.groups(next, size)).flatten().unwrap_or_default();
        let holders = if groups.is_empty() {
            let pool = self.pool(next, rng);
            let samples = 4 << rng.below(5);
            self.spread.choose(&pool, size, samples, rng)
        } else {
            let mut holders: Vec<ProcessorId> = groups.iter().map(|group| group.holder).collect();
            let origin = holders.iter().position(|&p| p == self.task.origin).unwrap_or(0);
            holders.swap(0, origin);
            holders
        };
        self.link(holders, next, &groups, budget, rng)
    }

    /// The step from these holders, or from as many others, to all of `next`.
    fn link(
        &mut self,
        holders: Vec<ProcessorId>,
        next: &[ProcessorId],
        groups: &[ServedGroup],
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Link> {
        let holders = self.level.serve_from(holders, next, groups, budget, rng)?;
        Some(Link { holders, sends: self.level.sends(), failures: 0 })
    }

    /// Groups of neighbours. Used if the receivers are so few that their paths rarely conflict; the
    /// difficulty is then to use every port.
    fn groups(&self, next: &[ProcessorId], count: usize) -> Option<Vec<ServedGroup>> {
        let is_sparse = SPARSE * next.len() <= self.task.network.channel_count();
        (R::LEADS && is_sparse).then(|| tour::groups(self.task, next, count))?
    }

    /// The processors that holders are chosen from: those that want the message and, half of the
    /// time, all other candidates too.
    fn pool(&self, next: &[ProcessorId], rng: &mut Rng) -> Vec<ProcessorId> {
        let mut pool = next.to_vec();
        if self.task.candidates.len() > self.task.destinations.len() && rng.chance(0.5) {
            pool.extend_from_slice(&self.task.candidates);
            pool.sort_unstable();
            pool.dedup();
        }
        pool
    }
}
