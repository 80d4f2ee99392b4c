//! All-reduce as one problem: the broadcast of a sum starts as soon as this sum is complete, while others are
//! still reduced.
//!
//! First the transfers of the two phases, solved one by one, start as early as their order allows
//! (`retime`), under any rules. Where every router has one processor and every processor takes part, a search
//! then builds both trees of every sum hop by hop in the free slots of a number of steps (`trees`), and shortens
//! the whole by ruin and recreate (`search`): sums that do not fit push out others. It does so for all
//! sums one by one, and for the orbits of groups of automorphisms, whose trees are images of each other
//! (`folded`).

mod folded;
mod retime;
mod search;
mod slots;
mod sums;
mod trees;

use crate::attempt::Context;
use crate::bounds::{self, RefusedBound};
use crate::budget::{Budget, Clock, Interrupt};
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup, Freedom, subgroup_chain};
use crate::synthesize::Options;
use folded::Folded;
use pavane_model::whole::{Whole, WholeBound};
use pavane_model::{ChannelId, MessageId, ProcessorId, RouterId, Schedule, Transfer};
use pavane_verify::{CheckedSchedule, CheckedWhole, Violation, verify, verify_whole};
use rayon::prelude::*;
use search::Placing;
use slots::Carried;
use std::time::Duration;
use sums::Sums;
use trees::SumTrees;

/// The name of the engine.
pub const NAME: &str = "overlap";

/// Evaluations of a search without other limits: so many per transfer, up to a maximum.
const PER_TRANSFER: u64 = 5_000;
const EVALUATIONS: u64 = 40_000_000;

/// Evaluations of every task in the first round. A round without success doubles them.
const FIRST_ROUND: u64 = 200_000;

/// Chains of subgroups that are tried, and the most orbits of a subgroup of a regular group.
const CHAINS: u64 = 3;
const MOST_ORBITS: usize = 8;

/// Subgroups of a regular group, those with the fewest orbits.
const MOST_SUBGROUPS: usize = 4;

/// Largest number of transfers of the trees of a task.
const MOST_TRANSFERS: usize = 1 << 22;

/// Limits of the search, and its random seed.
#[derive(Debug, Clone)]
pub struct WholeOptions {
    /// Random seed.
    pub seed: u64,
    /// Number of tasks at the same time. With `evaluations` only, the result does not depend on it.
    pub threads: usize,
    /// Evaluations after which the search ends.
    pub evaluations: u64,
    /// Ends the search with the best all-reduce so far.
    pub interrupt: Interrupt,
}

/// An all-reduce and the evaluations that the search took.
#[derive(Debug, Clone)]
pub struct FoundWhole {
    /// The all-reduce. Its phases are the given ones, one after the other, if nothing shorter was found.
    pub checked: CheckedWhole,
    /// Number of evaluations.
    pub evaluations: u64,
}

/// An all-reduce with its bound, and the evaluations that it took to overlap its phases.
#[derive(Debug, Clone)]
pub struct SolvedWhole {
    /// The all-reduce.
    pub checked: CheckedWhole,
    /// Its bound.
    pub bound: WholeBound,
    /// Number of evaluations.
    pub evaluations: u64,
}

impl SolvedWhole {
    /// Number of steps above the bound.
    pub fn gap(&self) -> u32 {
        self.checked.steps() - self.bound.steps
    }

    /// The number of steps before the broadcast, if the phases overlap.
    pub fn start(&self) -> Option<u32> {
        self.checked.is_overlapping().then(|| self.checked.start())
    }

    /// What a file says about it.
    pub fn in_file(&self) -> Whole {
        Whole { start: self.start(), bound: Some(self.bound.clone()) }
    }
}

/// The judge rejected an all-reduce or its bound, which is a bug.
#[derive(Debug, thiserror::Error)]
pub enum WholeError {
    /// The bound.
    #[error(transparent)]
    Bound(#[from] RefusedBound),
    /// The all-reduce.
    #[error(transparent)]
    Schedule(#[from] RefusedWhole),
}

/// Bounds the all-reduce of two solved phases, whose proved bounds are `proved`, and shortens it by letting
/// them overlap, until it has the requested steps. `options` are those of the phases, with the time that is left.
pub fn solve(
    phases: [&CheckedSchedule; 2],
    proved: [u32; 2],
    options: &Options,
) -> Result<SolvedWhole, WholeError> {
    let deadline = options.time.and_then(|time| Clock::start().after(time));
    let interrupt = Interrupt::never().until(deadline).unless(options.stop.clone());
    let bound = bounds::of_whole(phases.map(CheckedSchedule::problem), proved, &interrupt)?;
    let most = evaluations(phases, options.evaluations, options.time);
    // An engine that was asked for by name is the only one.
    let evaluations = if options.engine.is_some() { 0 } else { most };
    let (seed, threads) = (options.seed, options.threads);
    let limits = WholeOptions { seed, threads, evaluations, interrupt };
    let enough = options.steps.map_or(bound.steps, |steps| steps.max(bound.steps));
    let FoundWhole { checked, evaluations } = overlap(phases[0], phases[1], enough, &limits)?;
    Ok(SolvedWhole { checked, bound, evaluations })
}

/// The judge rejected a result, which is a bug.
#[derive(Debug, thiserror::Error)]
#[error("the judge rejected an overlapped all-reduce: {0}")]
pub struct RefusedWhole(String);

impl RefusedWhole {
    fn of(violations: &[Violation]) -> Self {
        Self(violations.first().map(ToString::to_string).unwrap_or_default())
    }
}

/// Evaluations of a search, given the limits of the user: without a time limit it ends soon.
pub fn evaluations(
    phases: [&CheckedSchedule; 2],
    most: Option<u64>,
    time: Option<Duration>,
) -> u64 {
    let transfers: usize = phases.iter().map(|phase| phase.schedule().transfer_count()).sum();
    let usual = match time {
        Some(_) => u64::MAX,
        None => EVALUATIONS.min(PER_TRANSFER * transfers as u64),
    };
    most.unwrap_or(u64::MAX).min(usual)
}

/// Shortens an all-reduce of two phases by letting them overlap, until it has `bound` steps or a limit is
/// reached. The result is never longer than one phase after the other.
pub fn overlap(
    reduce: &CheckedSchedule,
    broadcast: &CheckedSchedule,
    bound: u32,
    options: &WholeOptions,
) -> Result<FoundWhole, RefusedWhole> {
    let length = reduce.schedule().step_count();
    let plain = verify_whole(reduce.clone(), broadcast.clone(), length);
    let plain = plain.map_err(|violations| RefusedWhole::of(&violations))?;
    let Some(sums) = Sums::new(reduce.problem(), broadcast.problem()) else {
        return Ok(FoundWhole { checked: plain, evaluations: 0 });
    };
    if plain.steps() <= bound || options.interrupt.is_raised() {
        return Ok(FoundWhole { checked: plain, evaluations: 0 });
    }
    let case = Case { reduce, broadcast, sums };
    let mut best = plain;
    let phases = [reduce.schedule(), broadcast.schedule()];
    let retimed = retime::retimed(broadcast.problem(), &case.sums, phases);
    if let Some(moved) = &retimed {
        let start = moved[1].iter().map(|one| one.step).min().unwrap_or(length).min(length);
        let schedules =
            [retime::moved(phases[0], &moved[0], 0), retime::moved(phases[1], &moved[1], start)];
        let whole = case.checked(schedules, start)?;
        if whole.steps() < best.steps() {
            best = whole;
        }
    }
    if best.steps() <= bound {
        return Ok(FoundWhole { checked: best, evaluations: 0 });
    }
    let (found, evaluations) =
        crate::with_threads(options.threads, || case.search(best.steps(), bound, retimed, options));
    let checked = match found {
        Some((schedules, start)) => case.checked(schedules, start)?,
        None => best,
    };
    Ok(FoundWhole { checked, evaluations })
}

/// A transfer of a tree: its step, message, ends and channel.
type TreeHop = (u32, MessageId, ProcessorId, ProcessorId, ChannelId);

struct Case<'a> {
    reduce: &'a CheckedSchedule,
    broadcast: &'a CheckedSchedule,
    sums: Sums,
}

/// A group, what it divides the problem into, and the best trees that it has led to.
#[derive(Clone)]
struct WholeTask {
    group: FreeGroup,
    folded: Folded,
    /// The sums that stand for all others: their numbers, roots and least steps.
    sums: Vec<usize>,
    roots: Vec<usize>,
    least: Vec<(usize, usize)>,
    known: Option<Vec<SumTrees>>,
}

impl Case<'_> {
    fn checked(&self, schedules: [Schedule; 2], start: u32) -> Result<CheckedWhole, RefusedWhole> {
        let [reduce, broadcast] = schedules;
        let refused = |violations: Vec<Violation>| RefusedWhole::of(&violations);
        let reduce = verify(self.reduce.problem().clone(), reduce).map_err(refused)?;
        let broadcast = verify(self.broadcast.problem().clone(), broadcast).map_err(refused)?;
        verify_whole(reduce, broadcast, start).map_err(refused)
    }

    /// Whether trees of single hops that reach every router are an all-reduce.
    fn has_trees(&self) -> bool {
        let problem = self.broadcast.problem();
        let network = problem.network();
        let living = network.living_processors().count();
        let is_for_all = |problem: &pavane_model::Problem| {
            let messages = problem.messages();
            messages.ids().all(|message| messages.destinations(message).len() == living - 1)
        };
        living > 2
            && network.routers().all(|r| network.is_lost(r) || network.residents(r).len() == 1)
            && is_for_all(problem)
            && is_for_all(self.reduce.problem())
    }

    /// Searches for an all-reduce of fewer than `steps` steps. Returns its phases and when the broadcast
    /// starts, and the evaluations.
    fn search(
        &self,
        steps: u32,
        bound: u32,
        retimed: Option<[Vec<retime::Moved>; 2]>,
        options: &WholeOptions,
    ) -> (Option<([Schedule; 2], u32)>, u64) {
        let mut tasks = self.tasks(options);
        // For all sums one by one, once from nothing and once from the two phases.
        let first = tasks.first().filter(|task| task.group.order() == 1);
        if let (Some(first), Some(moved)) = (first, retimed) {
            let known = self.trees_of(&moved);
            if known.is_some() {
                tasks.push(WholeTask { known, ..first.clone() });
            }
        }
        let (mut best, mut steps, mut spent) = (None, steps, 0u64);
        let (mut quota, mut round) = (FIRST_ROUND, 0u64);
        while steps > bound && !tasks.is_empty() {
            let left = options.evaluations.saturating_sub(spent) / tasks.len() as u64;
            if left == 0 || options.interrupt.is_raised() {
                break;
            }
            let attempt = |(number, task): (usize, &WholeTask)| {
                let mut budget =
                    Budget::evaluations(quota.min(left)).interrupted_by(options.interrupt.clone());
                let mut rng = Rng::stream(options.seed, (round << 16) + number as u64);
                let mut placing = Placing::new(&task.folded, &task.roots, &task.least, steps - 1);
                if let Some(known) = &task.known {
                    placing.start_from(known);
                }
                let found = placing.complete(&mut budget, &mut rng);
                (found, budget.spent())
            };
            let results: Vec<_> = tasks.par_iter().enumerate().map(attempt).collect();
            let mut is_found = false;
            for (number, (found, evaluations)) in results.into_iter().enumerate() {
                spent += evaluations;
                let Some(found) = found else { continue };
                let length = found.iter().map(SumTrees::end).max().unwrap_or(0) as u32;
                if length < steps {
                    steps = length;
                    best = Some(self.unfolded(&tasks[number], &found));
                }
                is_found = true;
                tasks[number].known = Some(found);
            }
            quota = if is_found { quota } else { 2 * quota };
            round += 1;
        }
        (best, spent)
    }

    /// Groups of automorphisms from chains of subgroups. If one group maps every router to every other, only
    /// subgroups with a few orbits: one orbit leaves no freedom, and many take long to fill every slot.
    fn groups(&self, options: &WholeOptions) -> Vec<FreeGroup> {
        let problem = self.broadcast.problem();
        let trivial = FreeGroup::trivial(problem.network(), Freedom::Processors);
        let context = Context::new(problem.clone());
        let Some(group) = context.free_group(&options.interrupt.after_part(4)) else {
            return vec![trivial];
        };
        let mut subgroups = Vec::new();
        for chain in 0..CHAINS {
            subgroups.extend(subgroup_chain(group, &mut Rng::stream(options.seed, chain)));
        }
        subgroups.sort_unstable_by_key(|one| (one.order(), one.members().to_vec()));
        subgroups.dedup();
        if group.is_regular() {
            let few = 2..=MOST_ORBITS;
            subgroups.retain(|one| few.contains(&(group.order() / one.order())));
            subgroups.reverse();
            subgroups.truncate(MOST_SUBGROUPS);
        }
        if subgroups.is_empty() {
            return vec![trivial];
        }
        subgroups.into_iter().map(|one| group.restricted_to(one.members())).collect()
    }

    /// A task for each group.
    fn tasks(&self, options: &WholeOptions) -> Vec<WholeTask> {
        let problem = self.broadcast.problem();
        let network = problem.network();
        let mut tasks = Vec::new();
        let Some(by_root) = self.sums.by_root(problem).filter(|_| self.has_trees()) else {
            return tasks;
        };
        for group in self.groups(options) {
            let Some(folded) = Folded::new(problem, &group) else { continue };
            let origins = folded.origins.iter();
            let sums: Vec<usize> =
                origins.flat_map(|&r| &by_root[network.residents(r)[0].index()]).copied().collect();
            if 2 * sums.len() * folded.routers > MOST_TRANSFERS {
                continue;
            }
            let roots: Vec<RouterId> =
                sums.iter().map(|&sum| problem.home(self.sums.root(sum))).collect();
            let furthest = |hops: Vec<u32>| {
                hops.into_iter().filter(|&hops| hops != u32::MAX).max().unwrap_or(0) as usize
            };
            let least = |&root: &RouterId| {
                (furthest(network.distances_to(root)), furthest(network.distances_from(root)))
            };
            let least = roots.iter().map(least).collect();
            let roots = roots.into_iter().map(RouterId::index).collect();
            tasks.push(WholeTask { group, folded, sums, roots, least, known: None });
        }
        tasks
    }

    /// The trees of schedules whose transfers are single hops.
    fn trees_of(&self, moved: &[Vec<retime::Moved>; 2]) -> Option<Vec<SumTrees>> {
        let schedules = [self.reduce.schedule(), self.broadcast.schedule()];
        if !schedules.into_iter().all(retime::is_by_hops) {
            return None;
        }
        let mut trees = vec![SumTrees::default(); self.sums.count()];
        for (phase, schedule) in schedules.into_iter().enumerate() {
            for one in &moved[phase] {
                let (message, channel) = retime::hop(schedule, one.number);
                let trees = &mut trees[self.sums.of(phase, message)];
                let carried = Carried { channel: channel.0, step: one.step };
                if phase == 0 {
                    trees.complete = trees.complete.max(one.step as usize + 1);
                    trees.reduce.push(carried);
                } else {
                    trees.broadcast.push(carried);
                }
            }
        }
        Some(trees)
    }

    /// The phases with the images of all trees, and when the broadcast starts.
    fn unfolded(&self, task: &WholeTask, trees: &[SumTrees]) -> ([Schedule; 2], u32) {
        let network = self.broadcast.problem().network();
        let order = ChannelOrder::new(network);
        let paths: Vec<ChannelId> = (0..network.channel_count() as u32).map(ChannelId).collect();
        let resident = |router: RouterId| network.residents(router)[0];
        let by_root = self.sums.by_root(self.broadcast.problem()).unwrap_or_default();
        let mut hops: [Vec<TreeHop>; 2] = Default::default();
        for (&sum, trees) in task.sums.iter().zip(trees) {
            let root = self.sums.root(sum);
            let home = self.broadcast.problem().home(root);
            let rank = by_root[root.index()].iter().position(|&one| one == sum).unwrap_or(0);
            for member in 0..task.group.order() as u32 {
                let image = by_root[resident(task.group.image(member, home)).index()][rank];
                for (phase, tree) in [&trees.reduce, &trees.broadcast].into_iter().enumerate() {
                    let message = self.sums.message(phase, image);
                    for carried in tree {
                        let channel = order.image(&task.group, member, ChannelId(carried.channel));
                        let ends = network.channel(channel);
                        let (from, to) = (resident(ends.tail), resident(ends.head));
                        hops[phase].push((carried.step, message, from, to, channel));
                    }
                }
            }
        }
        let length = hops[0].iter().map(|hop| hop.0 + 1).max().unwrap_or(0);
        let start = hops[1].iter().map(|hop| hop.0).min().unwrap_or(0).min(length);
        let schedule = |hops: &[TreeHop], first| {
            let steps = hops.iter().map(|hop| hop.0 + 1).max().unwrap_or(first) - first;
            let transfers: Vec<_> = hops
                .iter()
                .map(|&(step, message, from, to, channel)| {
                    let path = &paths[channel.index()..=channel.index()];
                    (step - first, Transfer { message, from, to, path })
                })
                .collect();
            Schedule::from_transfers(steps, &transfers)
        };
        ([schedule(&hops[0], 0), schedule(&hops[1], start)], start)
    }
}
