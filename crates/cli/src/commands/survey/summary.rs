//! Counts over the results of a survey.

use super::list::ListedProblem;
use super::row::SurveyRow;
use std::collections::BTreeMap;

/// Counts for one set of rules.
#[derive(Debug, Default, PartialEq)]
pub struct RuleCounts {
    /// Number of problems with a result.
    pub problems: usize,
    /// Number of schedules that meet the bound.
    pub solved: usize,
    /// The largest gap, in percent of the bound.
    pub worst_percent: f64,
}

/// Counts over the whole survey.
#[derive(Debug)]
pub struct SurveyCounts<'a> {
    /// Number of problems in the list.
    pub listed: usize,
    /// Number of schedules that meet the bound.
    pub solved: usize,
    /// Number of those whose bound was raised by a proof.
    pub proved: usize,
    /// Number of problems without a schedule.
    pub unsolved: usize,
    /// Counts by set of rules, in the order of the list.
    pub rules: Vec<(&'a str, RuleCounts)>,
    /// Problems above the bound or without a schedule, the largest gap first.
    pub gaps: Vec<&'a SurveyRow>,
    /// Problems that took too long, the longest first.
    pub late: Vec<&'a SurveyRow>,
}

impl<'a> SurveyCounts<'a> {
    /// Counts the results. Rows that are not in the list are not counted.
    pub fn new(entries: &'a [ListedProblem], rows: &'a [SurveyRow]) -> Self {
        let by_problem: BTreeMap<&str, &SurveyRow> =
            rows.iter().map(|row| (&row.problem[..], row)).collect();
        let mut rules: Vec<(&str, RuleCounts)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in entries {
            let place = *places.entry(&entry.rules).or_insert_with(|| {
                rules.push((&entry.rules, RuleCounts::default()));
                rules.len() - 1
            });
            let Some(row) = by_problem.get(&entry.problem()[..]) else { continue };
            let counts = &mut rules[place].1;
            counts.problems += 1;
            counts.solved += usize::from(row.is_solved());
            counts.worst_percent = counts.worst_percent.max(row.gap_percent().unwrap_or(0.0));
        }
        let gap = |row: &SurveyRow| row.gap_percent().unwrap_or(f64::INFINITY);
        let mut gaps: Vec<&SurveyRow> = rows.iter().filter(|row| !row.is_solved()).collect();
        gaps.sort_by(|a, b| gap(b).total_cmp(&gap(a)));
        let mut late: Vec<&SurveyRow> = rows.iter().filter(|row| row.is_late()).collect();
        late.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Self {
            listed: entries.len(),
            solved: rows.iter().filter(|row| row.is_solved()).count(),
            proved: rows.iter().filter(|row| row.is_proved()).count(),
            unsolved: rows.iter().filter(|row| row.steps.is_none()).count(),
            rules,
            gaps,
            late,
        }
    }
}
