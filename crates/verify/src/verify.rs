//! Applies every rule to a schedule. Only a schedule without violations becomes a
//! [`CheckedSchedule`].

use crate::case::{Case, Report};
use crate::rules;
use crate::violation::Violation;
use pavane_model::{Problem, Schedule};
use std::cell::Cell;

/// A valid schedule. Only [`verify`] and [`verify_unless`] create one.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSchedule {
    problem: Problem,
    schedule: Schedule,
}

impl CheckedSchedule {
    /// The problem that it solves.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}

/// Checks a schedule against every rule. On failure returns its violations: up to two hundred per
/// rule, then a count.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, NetworkBuilder, Problem, Schedule};
///
/// let mut builder = NetworkBuilder::new("two routers", 2);
/// builder.link(0, 1).processor_on_each_router();
/// let network = builder.build()?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// // A schedule without steps delivers nothing.
/// let violations = pavane_verify::verify(problem, Schedule::new()).unwrap_err();
/// assert!(!violations.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(problem: Problem, schedule: Schedule) -> Result<CheckedSchedule, Vec<Violation>> {
    verify_unless(problem, schedule, &|| false).expect("the callback never stops the check")
}

/// Like [`verify`], but stops when `is_over` returns true. `None` means that it stopped before all
/// rules were checked, and says nothing about the schedule.
pub fn verify_unless(
    problem: Problem,
    schedule: Schedule,
    is_over: &dyn Fn() -> bool,
) -> Option<Result<CheckedSchedule, Vec<Violation>>> {
    if !problem.is_backward() {
        let violations = judge_forward(&problem, &problem, &schedule, is_over)?;
        return Some(sealed(violations, problem, || schedule));
    }
    // A gather or reduce is valid if its reversed schedule is a valid scatter or broadcast. The
    // original is dropped meanwhile to keep only one copy in memory.
    let forward = schedule.reversed();
    drop(schedule);
    let violations = judge_forward(&problem, &problem.forward(), &forward, is_over)?;
    Some(sealed(violations, problem, || forward.reversed()))
}

fn sealed(
    violations: Vec<Violation>,
    problem: Problem,
    schedule: impl FnOnce() -> Schedule,
) -> Result<CheckedSchedule, Vec<Violation>> {
    if violations.is_empty() {
        Ok(CheckedSchedule { problem, schedule: schedule() })
    } else {
        Err(violations)
    }
}

/// Returns the violations of a schedule, or `None` if interrupted before all rules were checked.
fn judge_forward(
    original: &Problem,
    problem: &Problem,
    schedule: &Schedule,
    is_over: &dyn Fn() -> bool,
) -> Option<Vec<Violation>> {
    let is_cut_short = Cell::new(false);
    let case = Case { original, problem, schedule, is_over, is_cut_short };
    let mut report = Report::default();
    rules::check(&case, &mut report)?;
    Some(report.into_violations())
}
