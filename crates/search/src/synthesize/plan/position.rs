//! The position of a plan, for checkpoints. A checkpoint file may be damaged or come from another
//! version, so restoring keeps only values that fit the search.

use super::{HIGH, HIGHEST, Plan, Round, Stage};
use crate::synthesize::roster::Roster;
use serde::{Deserialize, Serialize};

/// Upper limit on counters; reaching it would take years.
const MOST: u64 = 1 << 48;

/// The position of a search in its sequence of tasks. With the evaluations so far, the best
/// schedule and the proof, it determines all later tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanPosition {
    stage: Stage,
    round: Option<Round>,
    is_begun: bool,
    rounds: u64,
    effort: u64,
    failed: Option<u32>,
    #[serde(default)]
    work: Vec<u64>,
}

impl Default for PlanPosition {
    /// The position of a search that has not begun.
    fn default() -> Self {
        Plan::new(0).position()
    }
}

impl Plan {
    /// The position of the plan.
    pub fn position(&self) -> PlanPosition {
        let Self { stage, ref round, is_begun, rounds, effort, failed, ref work, .. } = *self;
        let (round, work) = (round.clone(), work.clone());
        PlanPosition { stage, round, is_begun, rounds, effort, failed, work }
    }

    /// Moves the plan to a position of an earlier search. [`Plan::drop_unfit`] must follow as soon
    /// as the bound is known.
    pub fn restore(&mut self, position: PlanPosition) {
        let PlanPosition { stage, round, is_begun, rounds, effort, failed, work } = position;
        self.work = work;
        (self.rounds, self.effort) = (rounds.min(MOST), effort.clamp(1, MOST));
        (self.stage, self.round, self.is_begun, self.failed) = (stage, round, is_begun, failed);
        match &mut self.stage {
            Stage::Construct { .. } | Stage::Bounds => self.round = None,
            Stage::AimHigh { doublings } => *doublings = (*doublings).min(HIGH),
            Stage::AimAtBound | Stage::Search | Stage::Refute => {}
        }
    }

    /// Drops a round and a failed step count that do not fit this search: with engines that it does
    /// not have, or with more steps than a search tries.
    pub fn drop_unfit(&mut self, roster: &Roster<'_>) {
        let search = (self.results.bound.saturating_add(HIGHEST)).saturating_mul(2);
        let most = search.max(self.most_steps(roster)).max(self.results.best.unwrap_or_default());
        let most = most.min(u32::MAX / 4);
        let fits = |round: &Round| {
            let are_known = round.members.iter().all(|&(engine, _)| engine < roster.engines.len());
            are_known && (1..=most).contains(&round.steps)
        };
        self.round = self.round.take().filter(fits);
        self.failed = self.failed.filter(|&failed| failed <= most);
    }
}
