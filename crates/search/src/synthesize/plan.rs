//! The sequence of tasks of a search. A plan is plain data: the same results lead to the same next
//! task, so the driver can advance a copy of it before the answers arrive.
//!
//! First, engines that can construct schedules of any length do so. Then rounds follow: in a round,
//! several tasks try the same number of steps, and the first success ends it.

pub mod position;

use super::results::Results;
use super::roster::Roster;
use super::task::{Answer, Goal, Task};
use serde::{Deserialize, Serialize};

/// Tasks of a round. Changing it changes the result for a seed.
const TASKS: u64 = 4;

/// The same if tasks are expensive: they differ little, so the time is better spent on other step
/// counts.
const EXPENSIVE_TASKS: u64 = 2;

/// A round has [`TASKS`] tasks for up to this many workers, and proportionally more for more
/// workers. The workers execute several rounds ahead. Quotas may grow with each round, so larger
/// rounds keep the tasks of many workers short.
const WORKERS: u64 = 16;

/// A task with more evaluations than this is expensive.
const EXPENSIVE: u64 = 20_000_000;

/// Factor by which the effort grows after all step counts below the best schedule have failed.
const GROWTH: u64 = 2;

/// The same if tasks are expensive: otherwise too small efforts would take most of the time.
const EXPENSIVE_GROWTH: u64 = 4;

/// Factor on the quota of an exact engine if a proof is wanted.
const PROVING: u64 = 8;

/// A task with less work than this is tried before the engines that aim at the bound.
const LIGHT: u64 = 50_000_000;

/// The first task of an engine counts only with 1/`CREDIT` of its work when the next engine is
/// chosen, so that expensive engines also have a turn early.
const CREDIT: u64 = 16;

/// The exact engine runs for step counts within this distance below the best schedule.
const NEAR: u32 = 3;

/// Doublings of the bound at which the search for a first schedule begins.
const HIGH: u32 = 4;

/// Distance above the bound up to which a search without a schedule goes before the effort grows.
const HIGHEST: u32 = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// Constructions by the engines from `next` on that use prices, or by those that do not.
    Construct { next: usize, with_prices: bool },
    /// The plan waits for the remaining bounds.
    Bounds,
    /// A first round at the bound, by engines that either meet it immediately or fail.
    AimAtBound,
    /// Rounds with many steps if no schedule was constructed: `doublings` doublings of the bound.
    AimHigh { doublings: u32 },
    /// Rounds between the bound and the best schedule.
    Search,
    /// Rounds of an exact engine, to prove that the requested steps are too few.
    Refute,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Round {
    steps: u32,
    /// The engines of its tasks, with their quotas.
    members: Vec<(usize, u64)>,
    /// Index of the next member.
    at: usize,
}

/// The sequence of tasks of a search from its current position on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    stage: Stage,
    round: Option<Round>,
    /// Whether a round of [`Stage::Search`] has begun.
    is_begun: bool,
    /// Rounds that have begun.
    rounds: u64,
    /// Factor by which quotas have grown.
    effort: u64,
    /// Largest number of steps that failed with this effort.
    failed: Option<u32>,
    /// Work that was assigned to each engine.
    work: Vec<u64>,
    pub results: Results,
}

impl Plan {
    pub fn new(bound: u32) -> Self {
        Self {
            stage: Stage::Construct { next: 0, with_prices: false },
            round: None,
            is_begun: false,
            rounds: 0,
            effort: 1,
            failed: None,
            work: Vec::new(),
            results: Results { spent: 0, best: None, bound, is_refuted: false },
        }
    }

    /// Whether the plan is still at the constructions that precede the bounds.
    pub fn precedes_bounds(&self) -> bool {
        matches!(self.stage, Stage::Construct { with_prices: false, .. } | Stage::Bounds)
    }

    /// Continues after the bounds: with constructions that use prices or, if the requested steps
    /// are below the bound, with their refutation. A resumed plan that is further stays there.
    pub fn continue_with_prices(&mut self, roster: &Roster<'_>) {
        let is_below = roster.steps.is_some_and(|steps| steps < self.results.bound);
        if is_below && self.stage != Stage::Refute {
            (self.stage, self.round) = (Stage::Refute, None);
        } else if self.precedes_bounds() {
            self.stage = Stage::Construct { next: 0, with_prices: true };
        }
    }

    /// Skips the remaining constructions and continues with rounds.
    pub fn end_constructions(&mut self) {
        if matches!(self.stage, Stage::Construct { .. }) {
            self.stage = Stage::AimAtBound;
        }
    }

    /// Number of remaining constructions in this stage.
    pub fn constructions(&self, roster: &Roster<'_>) -> usize {
        let Stage::Construct { next, with_prices } = self.stage else { return 0 };
        (next..roster.searching).filter(|&engine| roster.uses_prices(engine) == with_prices).count()
    }

    /// The next task; [`Plan::advance`] moves past it. `None` if the search is over or the plan
    /// waits for bounds.
    pub fn next(&mut self, roster: &Roster<'_>) -> Option<Task> {
        loop {
            if let Stage::Construct { next, with_prices } = self.stage {
                if self.results.best.is_some() && self.is_over(roster) {
                    return None;
                }
                match roster.next_construction(next, with_prices) {
                    Some(engine) => {
                        self.stage = Stage::Construct { next: engine, with_prices };
                        let (goal, stream) = (Goal::Construct, engine as u64);
                        return Some(Task { engine, goal, quota: u64::MAX, stream });
                    }
                    None if with_prices => self.stage = Stage::AimAtBound,
                    None => self.stage = Stage::Bounds,
                }
                continue;
            }
            if self.stage == Stage::Bounds || self.is_over(roster) {
                return None;
            }
            match &self.round {
                Some(round) if self.is_settled(round) => self.end_round(roster),
                Some(round) => return Some(self.member(round, roster)),
                None => self.begin_round(roster)?,
            }
        }
    }

    /// Moves past the task returned by [`Plan::next`], with the results after it.
    pub fn advance(&mut self, results: Results, roster: &Roster<'_>) {
        self.results = results;
        if let Stage::Construct { next, with_prices } = self.stage {
            self.stage = Stage::Construct { next: next + 1, with_prices };
            return;
        }
        let Some(round) = &mut self.round else { return };
        round.at += 1;
        if self.round.as_ref().is_some_and(|round| self.is_settled(round)) {
            self.end_round(roster);
        }
    }

    /// Moves past a task, assuming that its answer is accepted. A task without an answer counts as
    /// failed.
    pub fn assume(&mut self, task: &Task, answer: Option<&Answer>, roster: &Roster<'_>) {
        self.advance(self.results.with(task, answer), roster);
    }

    /// Whether all tasks of a round are decided or the remaining ones are unnecessary.
    fn is_settled(&self, round: &Round) -> bool {
        let is_found = self.results.best.is_some_and(|best| best <= round.steps);
        let is_pointless = self.stage != Stage::Refute && self.results.bound > round.steps;
        round.at >= round.members.len() || is_found || is_pointless
    }

    /// Whether the best schedule is good enough, or the evaluations are spent.
    pub fn is_over(&self, roster: &Roster<'_>) -> bool {
        if roster.evaluations.is_some_and(|limit| self.results.spent >= limit) {
            return true;
        }
        if self.stage == Stage::Refute {
            return self.results.is_refuted || !roster.prove;
        }
        let enough = roster.steps.unwrap_or(self.results.bound);
        self.results.best.is_some_and(|best| best <= enough) || enough < self.results.bound
    }

    /// The task of a round's next member.
    fn member(&self, round: &Round, roster: &Roster<'_>) -> Task {
        let (engine, mut quota) = round.members[round.at];
        if roster.is_exact(engine) && self.is_proof_wanted(round.steps, roster) {
            quota = quota.saturating_mul(PROVING);
        }
        if let Some(limit) = roster.evaluations {
            // The remaining evaluations are divided among the remaining members.
            let members = (round.members.len() - round.at) as u64;
            quota = quota.min(limit.saturating_sub(self.results.spent).div_ceil(members));
        }
        // Members after the first `TASKS` + 1 use streams that no other round uses.
        let at = round.at as u64;
        let stream = self.rounds * TASKS + if at > TASKS { at << 32 } else { at };
        Task { engine, goal: Goal::Steps(round.steps), quota: quota.max(1), stream }
    }

    fn begin_round(&mut self, roster: &Roster<'_>) -> Option<()> {
        self.forget_failure();
        let all: Vec<usize> = (0..roster.searching).collect();
        match self.stage {
            Stage::Construct { .. } | Stage::Bounds => {}
            Stage::AimAtBound => {
                // The missing transfers of an incomplete schedule often fit without further steps.
                let aims = |engine: &usize| {
                    roster.has_start || roster.engines[*engine].describe().aims_at_bound
                };
                let steps = roster.steps.unwrap_or(self.results.bound);
                let is_light = |engine: &usize| roster.first_work(*engine, steps) < LIGHT;
                let (aiming, others): (Vec<usize>, Vec<usize>) = all.into_iter().partition(aims);
                if aiming.is_empty() {
                    self.stage = Stage::AimHigh { doublings: HIGH }
                } else {
                    self.begin(steps);
                    let light = others.into_iter().filter(is_light);
                    let again = aiming.iter().copied().filter(is_light).cycle();
                    let again = again.take((TASKS as usize).saturating_sub(aiming.len()));
                    let members: Vec<usize> =
                        light.chain(aiming.iter().copied()).chain(again).collect();
                    members.into_iter().for_each(|engine| self.add(engine, 1, roster));
                }
            }
            Stage::AimHigh { doublings } => match self.high_steps(doublings, roster) {
                Some(steps) => self.start(&all, steps, 1, roster),
                None => self.stage = Stage::Search,
            },
            Stage::Search => {
                let steps = self.target(roster);
                self.is_begun = true;
                self.start(&all, steps, self.effort, roster);
            }
            Stage::Refute => {
                let exact = roster.exact().or(roster.is_exact(0).then_some(0))?;
                self.start(&[exact], roster.steps?, self.effort, roster);
            }
        }
        Some(())
    }

    /// Starts a round. Each of its tasks goes to the engine that has had the least work.
    fn start(&mut self, engines: &[usize], steps: u32, effort: u64, roster: &Roster<'_>) {
        // Several tasks of an exact engine would repeat the same work.
        let is_alone = engines.len() == 1 && roster.is_exact(engines[0]);
        let times = roster.workers.div_ceil(WORKERS);
        let count = match (is_alone, self.is_expensive(roster)) {
            (true, _) => 1,
            (false, true) => EXPENSIVE_TASKS * times,
            (false, false) => TASKS * times,
        };
        let exact = roster.exact().filter(|_| !is_alone && self.is_exact_wanted(steps, roster));
        let candidates: Vec<usize> = engines.iter().copied().chain(exact).collect();
        let is_proof_wanted = self.is_proof_wanted(steps, roster);
        self.begin(steps);
        for _ in 0..count {
            let after = |&&engine: &&usize| {
                let quota = self.quota(engine, steps, effort, roster);
                let task = quota.saturating_mul(roster.cost(engine, steps));
                match self.work_of(engine) {
                    0 if roster.is_exact(engine) && is_proof_wanted => 0,
                    0 => task / CREDIT,
                    before => before.saturating_add(task),
                }
            };
            if let Some(&engine) = candidates.iter().min_by_key(after) {
                self.add(engine, effort, roster);
            }
        }
    }

    /// Begins a round without members.
    fn begin(&mut self, steps: u32) {
        self.rounds += 1;
        self.round = Some(Round { steps, members: Vec::new(), at: 0 });
    }

    /// Adds a task of an engine to the round.
    fn add(&mut self, engine: usize, effort: u64, roster: &Roster<'_>) {
        let Some(mut round) = self.round.take() else { return };
        let quota = self.quota(engine, round.steps, effort, roster);
        self.work.resize(roster.engines.len(), 0);
        let work = quota.saturating_mul(roster.cost(engine, round.steps));
        self.work[engine] = self.work[engine].saturating_add(work);
        round.members.push((engine, quota));
        self.round = Some(round);
    }

    fn work_of(&self, engine: usize) -> u64 {
        self.work.get(engine).copied().unwrap_or_default()
    }

    /// Evaluations of a task. The effort multiplies the work of the cheapest steady engine; the
    /// other engines have the same work, but not less than a first attempt needs. An exact engine
    /// repeats what it did before, so its quota doubles each time.
    fn quota(&self, engine: usize, steps: u32, effort: u64, roster: &Roster<'_>) -> u64 {
        let works = roster.steady().map(|engine| roster.first_work(engine, steps));
        let work = works.min().unwrap_or_default().saturating_mul(effort);
        let before = if roster.is_exact(engine) { self.work_of(engine) } else { 0 };
        let (first, cost) = (roster.first_quota(engine, steps), roster.cost(engine, steps));
        let again = match before / cost {
            // The second attempt is longer only where a proof is likely to be found.
            before if self.is_proof_wanted(steps, roster) => first.saturating_add(before),
            before => before,
        };
        first.max(again).max(work / cost)
    }

    fn end_round(&mut self, roster: &Roster<'_>) {
        let Some(Round { steps, .. }) = self.round.take() else { return };
        let is_found = self.results.best.is_some_and(|best| best <= steps);
        self.forget_failure();
        match self.stage {
            Stage::Construct { .. } | Stage::Bounds => {}
            Stage::AimAtBound => self.stage = Stage::AimHigh { doublings: HIGH },
            Stage::AimHigh { doublings } if is_found => {
                self.stage = Stage::AimHigh { doublings: doublings.saturating_sub(1) };
            }
            Stage::AimHigh { .. } => self.stage = Stage::Search,
            Stage::Search => {
                if !is_found {
                    self.failed = Some(steps);
                }
                let is_exhausted = match (roster.steps, self.results.best) {
                    (None, Some(best)) => self.failed.is_some_and(|failed| failed + 1 >= best),
                    (None, None) => {
                        self.failed.is_some_and(|failed| failed >= self.results.bound + HIGHEST)
                    }
                    (Some(_), _) => true,
                };
                if is_exhausted {
                    let growth = if self.is_expensive(roster) { EXPENSIVE_GROWTH } else { GROWTH };
                    self.effort = self.effort.saturating_mul(growth);
                    self.failed = None;
                }
            }
            Stage::Refute => self.effort = self.effort.saturating_mul(GROWTH),
        }
    }

    /// Clears a failed step count if a schedule of at most that many steps was found later, by a
    /// task with fewer steps or by one that had left the plan.
    fn forget_failure(&mut self) {
        let is_reached = |failed: u32| self.results.best.is_some_and(|best| best <= failed);
        self.failed = self.failed.filter(|&failed| !is_reached(failed));
    }

    /// Step count of the next round of [`Stage::AimHigh`]; `None` if that stage is over.
    fn high_steps(&self, doublings: u32, roster: &Roster<'_>) -> Option<u32> {
        let is_all_exact = (0..roster.searching).all(|engine| roster.is_exact(engine));
        if roster.steps.is_some() || is_all_exact {
            return None;
        }
        let most = self.most_steps(roster);
        let at =
            |times: u32| self.results.bound.saturating_mul(1 << times).saturating_add(1).min(most);
        // The first such round runs only if no schedule was constructed.
        let is_first = doublings == HIGH;
        if is_first && self.results.best.is_some() {
            return None;
        }
        (1..=doublings)
            .rev()
            .map(at)
            .find(|&steps| self.results.best.is_none_or(|best| best > steps))
    }

    /// Largest step count of [`Stage::AimHigh`]: with one step per delivery a schedule is trivial.
    fn most_steps(&self, roster: &Roster<'_>) -> u32 {
        let enough = roster.problem.messages().delivery_count() as u32;
        enough.min(roster.room).max(self.results.bound + 1)
    }

    /// Whether to spend more on a proof that `steps` is impossible: if it was requested, or if it
    /// is cheap and the best schedule is near.
    fn is_proof_wanted(&self, steps: u32, roster: &Roster<'_>) -> bool {
        roster.prove || (self.is_near(steps) && steps <= roster.limits.cheap)
    }

    /// Whether the exact engine takes part in a round with this step count.
    fn is_exact_wanted(&self, steps: u32, roster: &Roster<'_>) -> bool {
        // At the bound the other engines often fail.
        let is_tight = steps == self.results.bound;
        roster.prove || ((self.is_near(steps) || is_tight) && steps <= roster.limits.affordable)
    }

    fn is_near(&self, steps: u32) -> bool {
        self.results.best.is_some_and(|best| best <= steps + NEAR)
    }

    /// Whether even the cheapest task at the bound is expensive.
    fn is_expensive(&self, roster: &Roster<'_>) -> bool {
        let quotas =
            (0..roster.searching).map(|engine| roster.first_quota(engine, self.results.bound));
        quotas.min().is_some_and(|quota| quota > EXPENSIVE)
    }

    /// The step count of the next round. The first round tries the bound or, if tasks are
    /// expensive, two thirds of the way down to it. Later rounds go a third of the way from the
    /// best schedule down to the largest step count that failed, where a task is likely to succeed.
    fn target(&self, roster: &Roster<'_>) -> u32 {
        if let Some(steps) = roster.steps {
            return steps;
        }
        let (bound, failed) = (self.results.bound, self.failed);
        let Some(best) = self.results.best else {
            // Without a schedule there is no upper limit: increase the steps by growing amounts.
            let above = |failed: u32| (2 * failed + 1).saturating_sub(bound).max(failed + 1);
            return failed.map_or(bound, above);
        };
        if !self.is_begun {
            return if self.is_expensive(roster) { bound + (best - bound) / 3 } else { bound };
        }
        let least = failed.map_or(bound, |failed| (failed + 1).max(bound));
        best - (best - least).div_ceil(3).max(1)
    }
}

#[cfg(test)]
pub(super) mod tests;
