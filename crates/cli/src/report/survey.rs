//! Output of `pavane bench survey`.

use crate::commands::survey::row::SurveyRow;
use serde::Serialize;

/// The results of a survey.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyReport<'a> {
    /// Whether every problem of the list has a result; false after an interrupt.
    pub complete: bool,
    /// Number of problems in the list.
    pub listed: usize,
    /// Number of problems with a result.
    pub problems: usize,
    /// Number of schedules that meet the bound.
    pub solved: usize,
    /// Number of those whose bound was raised by a proof that fewer steps are impossible.
    pub proved: usize,
    /// Number of problems without a schedule.
    pub unsolved: usize,
    /// Number of problems that took more than a tenth of the time limit and a second too long.
    pub late: usize,
    /// Counts by set of rules.
    pub rules: Vec<RuleReport<'a>>,
    /// The changes since an earlier survey.
    pub comparison: ComparisonReport<'a>,
    /// The results, in the order of the list.
    pub rows: &'a [SurveyRow],
}

/// Counts for one set of rules.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleReport<'a> {
    /// The collective and its rules, as arguments of `pavane solve`.
    pub rules: &'a str,
    /// Number of problems with a result.
    pub problems: usize,
    /// Number of schedules that meet the bound.
    pub solved: usize,
    /// The largest gap, in percent of the bound.
    pub worst_gap_percent: f64,
}

/// The changes since an earlier survey.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonReport<'a> {
    /// The file of the earlier survey.
    pub with: &'a str,
    /// Problems with fewer steps, or with the same steps and a higher bound.
    pub improved: Vec<ChangeReport<'a>>,
    /// Problems with more steps, or with the same steps and a lower bound.
    pub worse: Vec<ChangeReport<'a>>,
    /// Number of problems with the same steps and bound.
    pub same: usize,
    /// Number of problems that the earlier survey does not have.
    pub new: usize,
}

/// A problem with another result than before.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeReport<'a> {
    /// The arguments of `pavane solve`.
    pub problem: &'a str,
    /// Number of steps before; null if there was no schedule.
    pub steps_before: Option<u32>,
    /// The bound before.
    pub bound_before: u32,
    /// Number of steps; null if no schedule was found.
    pub steps: Option<u32>,
    /// The bound.
    pub bound: u32,
}
