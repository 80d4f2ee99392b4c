//! The sequence of tasks that a search considers, one after the other. A plan is plain data: the same
//! results lead to the same next task, so the driver can run a copy of it ahead of the answers.
//!
//! Engines that can first construct a schedule of any length. Then rounds follow: a round asks several
//! engines for the same number of steps and ends with the first success.

use super::results::Results;
use super::roster::Roster;
use super::task::{Answer, Goal, Task};

/// Tasks of a round. Part of what a seed means, so it does not depend on the number of workers.
const TASKS: u64 = 4;

/// The same where a task is expensive: such tasks differ little, and fewer steps are a better use of time.
const EXPENSIVE_TASKS: u64 = 2;

/// Workers up to which a round of that size is enough to keep all of them busy with tasks that end in
/// time: each round ahead may make more effort.
const WORKERS: u64 = 16;

/// Evaluations from which on a task is expensive.
const EXPENSIVE: u64 = 20_000_000;

/// Growth of the effort once all numbers of steps below the best schedule have failed.
const GROWTH: u64 = 2;

/// The same where tasks are expensive: efforts that are too small would take most of the time.
const EXPENSIVE_GROWTH: u64 = 4;

/// How many times more an exact engine may spend where a proof is asked for.
const PROVING: u64 = 8;

/// Distance below the best schedule within which the exact engine is asked.
const NEAR: u32 = 3;

/// Doublings of the bound at which the search for a first schedule begins.
const HIGH: u32 = 4;

/// How far above the bound a search without any schedule goes before it makes more effort.
const HIGHEST: u32 = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Constructions, from this engine on, by engines that do or do not use prices.
    Construct { next: usize, with_prices: bool },
    /// The bounds are to be completed before the plan goes on.
    Bounds,
    /// A first round at the bound by engines that reach it at once or not at all.
    AimAtBound,
    /// Rounds with steps to spare where no schedule was constructed; so many doublings of the bound.
    AimHigh { doublings: u32 },
    /// Rounds between the bound and the best schedule.
    Search,
    /// Rounds of an exact engine, to prove that the steps asked for are too few.
    Refute,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Round {
    steps: u32,
    effort: u64,
    members: Vec<usize>,
    /// The member that is asked next.
    at: usize,
}

/// The position of a search in its sequence of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    stage: Stage,
    round: Option<Round>,
    /// Whether a round of [`Stage::Search`] has begun.
    is_begun: bool,
    pub rounds: u64,
    pub effort: u64,
    /// The most steps that have failed with this effort.
    pub failed: Option<u32>,
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
            results: Results { spent: 0, best: None, bound, is_refuted: false },
        }
    }

    /// Goes on where an earlier search stopped between two rounds.
    pub fn resume(&mut self, rounds: u64, effort: u64, failed: Option<u32>, spent: u64) {
        (self.rounds, self.effort, self.failed) = (rounds, effort.max(1), failed);
        self.results.spent = spent;
        self.is_begun = rounds > 0;
    }

    /// Goes on after the bounds: with constructions that use prices, or with a refutation of the steps
    /// asked for.
    pub fn continue_with_prices(&mut self, roster: &Roster<'_>) {
        let is_below = roster.steps.is_some_and(|steps| steps < self.results.bound);
        self.stage = match is_below {
            true => Stage::Refute,
            false => Stage::Construct { next: 0, with_prices: true },
        };
    }

    /// Goes on with rounds, though constructions are left.
    pub fn end_constructions(&mut self) {
        if matches!(self.stage, Stage::Construct { .. }) {
            self.stage = Stage::AimAtBound;
        }
    }

    /// How many constructions are left in this stage.
    pub fn constructions(&self, roster: &Roster<'_>) -> usize {
        let Stage::Construct { next, with_prices } = self.stage else { return 0 };
        (next..roster.searching).filter(|&engine| roster.uses_prices(engine) == with_prices).count()
    }

    /// Whether the plan is between two rounds of the search proper, where it can be resumed.
    pub fn is_between_rounds(&self) -> bool {
        self.stage == Stage::Search && self.round.as_ref().is_none_or(|round| round.at == 0)
    }

    /// The next task, the same one until [`Plan::advance`]; `None` if the search is over or waits for
    /// bounds.
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

    /// Leaves the task that [`Plan::next`] returned last behind, with the results that came of it.
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

    /// Goes on as if the answer to a task had been judged; a task without an answer fails.
    pub fn assume(&mut self, task: &Task, answer: Option<&Answer>, roster: &Roster<'_>) {
        self.advance(self.results.with(task, answer), roster);
    }

    /// Whether all members of a round were asked, or the others need not be.
    fn is_settled(&self, round: &Round) -> bool {
        let is_found = self.results.best.is_some_and(|best| best <= round.steps);
        let is_pointless = self.stage != Stage::Refute && self.results.bound > round.steps;
        round.at >= round.members.len() || is_found || is_pointless
    }

    fn is_over(&self, roster: &Roster<'_>) -> bool {
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
        let engine = round.members[round.at];
        let mut effort = round.effort;
        if roster.is_exact(engine) && self.is_proof_wanted(round.steps, roster) {
            effort = effort.saturating_mul(PROVING);
        }
        let mut quota = roster.first_quota(engine, round.steps).saturating_mul(effort);
        if let Some(limit) = roster.evaluations {
            // What is left is shared among the members that are still to come.
            let members = (round.members.len() - round.at) as u64;
            quota = quota.min(limit.saturating_sub(self.results.spent).div_ceil(members));
        }
        // Members beyond the usual ones have streams far from those of other rounds.
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
                // An incomplete schedule often has room for the rest without more steps.
                let aims = |engine: &usize| {
                    roster.has_start || roster.engines[*engine].describe().aims_at_bound
                };
                let aiming: Vec<usize> = all.into_iter().filter(aims).collect();
                match aiming.is_empty() {
                    true => self.stage = Stage::AimHigh { doublings: HIGH },
                    false => {
                        self.start(&aiming, roster.steps.unwrap_or(self.results.bound), 1, roster)
                    }
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

    fn start(&mut self, engines: &[usize], steps: u32, effort: u64, roster: &Roster<'_>) {
        self.rounds += 1;
        // An exact engine would do the same work several times.
        let is_alone = engines.len() == 1 && roster.is_exact(engines[0]);
        let times = roster.workers.div_ceil(WORKERS);
        let count = match (is_alone, self.is_expensive(roster)) {
            (true, _) => 1,
            (false, true) => EXPENSIVE_TASKS * times,
            (false, false) => TASKS * times,
        };
        let member = |i: u64| engines[(self.rounds * count + i) as usize % engines.len()];
        let exact = roster.exact().filter(|_| !is_alone && self.is_exact_wanted(steps, roster));
        let members = (0..count).map(member).chain(exact).collect();
        self.round = Some(Round { steps, effort, members, at: 0 });
    }

    fn end_round(&mut self, roster: &Roster<'_>) {
        let Some(Round { steps, .. }) = self.round.take() else { return };
        let is_found = self.results.best.is_some_and(|best| best <= steps);
        self.forget_failure();
        match self.stage {
            Stage::Construct { .. } | Stage::Bounds => {}
            Stage::AimAtBound => self.stage = Stage::AimHigh { doublings: HIGH },
            Stage::AimHigh { doublings } if is_found => {
                self.stage = Stage::AimHigh { doublings: doublings - 1 };
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

    /// Forgets a failure with more steps than were needed after all, by a schedule that was shorter than
    /// asked for or by a task that was no longer next.
    fn forget_failure(&mut self) {
        let is_reached = |failed: u32| self.results.best.is_some_and(|best| best <= failed);
        self.failed = self.failed.filter(|&failed| !is_reached(failed));
    }

    /// Steps of the next round of [`Stage::AimHigh`]; `None` if that stage is over.
    fn high_steps(&self, doublings: u32, roster: &Roster<'_>) -> Option<u32> {
        let is_all_exact = (0..roster.searching).all(|engine| roster.is_exact(engine));
        if roster.steps.is_some() || is_all_exact {
            return None;
        }
        // With a step for every delivery there is nothing to search for.
        let enough = roster.problem.messages().delivery_count() as u32;
        let most = enough.min(roster.room).max(self.results.bound + 1);
        let at =
            |times: u32| self.results.bound.saturating_mul(1 << times).saturating_add(1).min(most);
        // The first such round runs only where nothing was constructed.
        let is_first = doublings == HIGH;
        if is_first && self.results.best.is_some() {
            return None;
        }
        (1..=doublings)
            .rev()
            .map(at)
            .find(|&steps| self.results.best.is_none_or(|best| best > steps))
    }

    /// Whether a proof that so many steps are too few is asked for, or all that is missing.
    fn is_proof_wanted(&self, steps: u32, roster: &Roster<'_>) -> bool {
        roster.prove || (self.is_near(steps) && steps <= roster.limits.cheap)
    }

    /// Whether it is worth asking if a schedule of so many steps exists at all.
    fn is_exact_wanted(&self, steps: u32, roster: &Roster<'_>) -> bool {
        // Searches that have no step to spare at the bound often fail.
        let is_tight = steps == self.results.bound;
        roster.prove || ((self.is_near(steps) || is_tight) && steps <= roster.limits.affordable)
    }

    fn is_near(&self, steps: u32) -> bool {
        self.results.best.is_some_and(|best| best <= steps + NEAR)
    }

    /// Whether even one task at the bound takes long.
    fn is_expensive(&self, roster: &Roster<'_>) -> bool {
        let quotas =
            (0..roster.searching).map(|engine| roster.first_quota(engine, self.results.bound));
        quotas.min().is_some_and(|quota| quota > EXPENSIVE)
    }

    /// The steps to try next: the bound first, or where tasks are expensive two thirds of the way down to
    /// it; then a third of the way from the best schedule down to the steps that failed, where a task is
    /// likely to succeed.
    fn target(&self, roster: &Roster<'_>) -> u32 {
        if let Some(steps) = roster.steps {
            return steps;
        }
        let (bound, failed) = (self.results.bound, self.failed);
        let Some(best) = self.results.best else {
            // Without any schedule there is no upper end: go up in growing strides.
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
