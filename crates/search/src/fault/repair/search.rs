//! The searches for a schedule after faults: from the kept transfers, with one more step, and from
//! scratch.

use super::terms::{Keep, RepairError};
use crate::bounds::Bounds;
use crate::synthesize::{Options, Outcome, SynthesisError, synthesize};
use pavane_model::{Problem, Schedule};
use pavane_verify::{CheckedSchedule, verify};
use std::sync::Arc;

/// The search for one schedule after faults.
pub(super) struct RepairSearch<'a> {
    pub problem: &'a Problem,
    /// The transfers that are still valid.
    pub start: Arc<Schedule>,
    /// The most steps allowed.
    pub limit: Option<u32>,
    /// How much to keep.
    pub keep: Keep,
    pub options: &'a Options,
}

/// Steps above the bound that are tried in turn if a share must be kept.
const MORE_STEPS: [u32; 4] = [2, 4, 8, 16];

/// The share of the still valid transfers that a schedule keeps.
type ShareOf<'a> = &'a dyn Fn(&CheckedSchedule) -> f64;

impl RepairSearch<'_> {
    /// Returns a schedule, and the shorter one that was rejected because it keeps less. If a
    /// required share is not kept, more steps are allowed.
    pub fn run(
        &self,
        share: ShareOf<'_>,
    ) -> Result<(Outcome, Option<CheckedSchedule>), RepairError> {
        let (mut outcome, given_up) = self.prefer(share)?;
        let Keep::AtLeast(asked) = self.keep else { return Ok((outcome, given_up)) };
        let Some(found) = outcome.solution.as_ref().map(|solution| solution.checked.clone()) else {
            return Ok((outcome, given_up));
        };
        let mut best = (share(&found), found.schedule().step_count());
        if best.0 >= asked {
            return Ok((outcome, given_up));
        }
        let known = Some(Arc::new(outcome.bounds.clone()));
        let most = self.limit.unwrap_or(u32::MAX);
        let bound = outcome.bounds.best.steps;
        let limits = MORE_STEPS.iter().map(|more| bound.saturating_add(*more));
        for limit in limits.filter(|&limit| limit <= most) {
            let longer = self.go_on(Some(limit), known.clone())?;
            let Some(longer) = longer.and_then(|outcome| outcome.solution) else { continue };
            let (kept, steps) = (share(&longer.checked), longer.checked.schedule().step_count());
            if kept >= asked {
                outcome.solution = Some(longer);
                return Ok((
                    outcome,
                    Some(found).filter(|other| other.schedule().step_count() < steps),
                ));
            }
            if kept > best.0 {
                best = (kept, steps);
            }
        }
        Err(RepairError::KeepsTooLittle { asked, kept: best.0, steps: best.1 })
    }

    /// Continues from the kept transfers first. If the result does not keep enough within one step
    /// above the bound, searches with that number of steps; a result that keeps enough is returned
    /// together with the shorter schedule it replaces. Otherwise, if there are more steps than the
    /// bound, searches from scratch, and the result counts only if it is shorter.
    fn prefer(
        &self,
        share: ShareOf<'_>,
    ) -> Result<(Outcome, Option<CheckedSchedule>), RepairError> {
        let asked = self.keep.share();
        let (may_cost, keeps) = (asked > 0.0, &|found: &CheckedSchedule| share(found) >= asked);
        let Some(mut first) = self.go_on(self.limit, None)? else {
            return Ok((self.begin_anew(self.limit, None, 1)?, None));
        };
        let known = Some(Arc::new(first.bounds.clone()));
        let bound = first.bounds.best.steps;
        if self.limit.is_some()
            && first.solution.is_some()
            && length(&first) > bound
            && let Some(second) = self.go_on(None, known.clone())?
        {
            first = shorter(first, second);
        }
        let steps = length(&first);
        let most = self.limit.unwrap_or(u32::MAX);
        let found = first.solution.as_ref().map(|solution| &solution.checked);
        let has_kept = steps <= bound + 1 && found.is_some_and(keeps);
        if may_cost && !has_kept && bound < most {
            let longer = self.go_on(Some(bound + 1), known.clone())?;
            let longer = longer.and_then(|outcome| outcome.solution);
            if let Some(longer) = longer.filter(|longer| keeps(&longer.checked)) {
                let is_shorter = |other: &CheckedSchedule| {
                    other.schedule().step_count() < longer.checked.schedule().step_count()
                };
                let other = found.filter(|other| is_shorter(other)).cloned();
                first.solution = Some(longer);
                return Ok((first, other));
            }
        }
        if most < bound || steps <= bound || may_cost && has_kept {
            return Ok((first, None));
        }
        let limit = if first.solution.is_some() { None } else { self.limit };
        Ok((shorter(first, self.begin_anew(limit, known, 3)?), None))
    }

    /// The options for one of `searches` searches, with an equal share of the time and evaluations.
    /// A step limit and a required share add searches.
    fn share(&self, searches: u32, steps: Option<u32>) -> Options {
        let options = self.options;
        let more = match self.keep {
            Keep::AtLeast(_) => MORE_STEPS.len() as u32,
            Keep::Prefer(_) => 0,
        };
        let searches = searches + more + u32::from(self.limit.is_some());
        Options {
            time: options.time.map(|time| time / searches),
            patience: options.patience / searches,
            evaluations: options.evaluations.map(|most| most.div_ceil(u64::from(searches))),
            steps,
            ..options.clone()
        }
    }

    /// Searches from the kept transfers, in at most `steps` steps. Returns `None` if no engine
    /// starts from an incomplete schedule of such a problem.
    fn go_on(
        &self,
        steps: Option<u32>,
        bounds: Option<Arc<Bounds>>,
    ) -> Result<Option<Outcome>, RepairError> {
        let warm = Options { start: Some(self.start.clone()), bounds, ..self.share(3, steps) };
        match synthesize(self.problem, &warm) {
            Ok(outcome) => judged(outcome).map(Some),
            Err(SynthesisError::NoEngine) => Ok(None),
            Err(error) => Err(RepairError::Refused(error.to_string())),
        }
    }

    /// Searches from scratch in at most `steps` steps, and then in as few as possible. Its share of
    /// the time is that of one of `searches` searches.
    fn begin_anew(
        &self,
        steps: Option<u32>,
        bounds: Option<Arc<Bounds>>,
        searches: u32,
    ) -> Result<Outcome, RepairError> {
        let anew = |steps, bounds| {
            let outcome =
                synthesize(self.problem, &Options { bounds, ..self.share(searches, steps) });
            judged(outcome.map_err(|error| RepairError::Refused(error.to_string()))?)
        };
        let first = anew(steps, bounds)?;
        let is_done = first.solution.is_none() || length(&first) <= first.bounds.best.steps;
        if steps.is_none() || is_done {
            return Ok(first);
        }
        let bounds = Some(Arc::new(first.bounds.clone()));
        Ok(shorter(first, anew(None, bounds)?))
    }
}

fn length(outcome: &Outcome) -> u32 {
    outcome.solution.as_ref().map_or(u32::MAX, |found| found.checked.schedule().step_count())
}

/// The outcome with the shorter schedule, the first one in case of a tie, and the better bound.
fn shorter(mut first: Outcome, second: Outcome) -> Outcome {
    if length(&second) < length(&first) {
        first.solution = second.solution;
    }
    if second.bounds.best.steps > first.bounds.best.steps {
        first.bounds = second.bounds;
        first.proof = second.proof;
    }
    first
}

/// Fails if the judge rejected a result. Removes the steps that faults have left empty.
fn judged(mut outcome: Outcome) -> Result<Outcome, RepairError> {
    if let Some(refusal) = outcome.refusals.first() {
        return Err(RepairError::Refused(format!("{}: {}", refusal.engine, refusal.problem)));
    }
    if let Some(solution) = &mut outcome.solution {
        let schedule = solution.checked.schedule();
        let busy = |step: &u32| schedule.step(*step).len() > 0;
        let mut closed = Schedule::new();
        for step in (0..schedule.step_count()).filter(busy) {
            closed.start_step();
            schedule.step(step).for_each(|transfer| closed.push(transfer));
        }
        if closed.step_count() < schedule.step_count() {
            let checked = verify(solution.checked.problem().clone(), closed);
            solution.checked = checked.map_err(|violations| {
                let first = violations.first().map(ToString::to_string);
                RepairError::Refused(format!("{}: {}", solution.engine, first.unwrap_or_default()))
            })?;
        }
    }
    Ok(outcome)
}
