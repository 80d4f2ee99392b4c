//! Compares the results of a survey with earlier ones.

use super::row::SurveyRow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The results of an earlier survey.
pub const STORED: &str = include_str!("../../../data/survey.csv");

/// The difference between two surveys.
#[derive(Debug, Default)]
pub struct SurveyChanges<'a> {
    /// Problems with fewer steps or a higher bound: the earlier row and the new one.
    pub improved: Vec<(&'a SurveyRow, &'a SurveyRow)>,
    /// Problems with more steps or a lower bound.
    pub worse: Vec<(&'a SurveyRow, &'a SurveyRow)>,
    /// Number of problems with the same steps and bound.
    pub same: usize,
    /// Number of problems that the earlier survey does not have.
    pub new: usize,
}

impl<'a> SurveyChanges<'a> {
    /// Compares the rows for the same problems.
    pub fn new(earlier: &'a [SurveyRow], rows: &'a [SurveyRow]) -> Self {
        let known: BTreeMap<&str, &SurveyRow> =
            earlier.iter().map(|row| (&row.problem[..], row)).collect();
        let mut comparison = Self::default();
        for row in rows {
            let Some(&before) = known.get(&row.problem[..]) else {
                comparison.new += 1;
                continue;
            };
            match rank(row).cmp(&rank(before)) {
                Ordering::Less => comparison.improved.push((before, row)),
                Ordering::Equal => comparison.same += 1,
                Ordering::Greater => comparison.worse.push((before, row)),
            }
        }
        comparison
    }
}

/// Smaller is better: first the steps, then the bound.
fn rank(row: &SurveyRow) -> (u32, std::cmp::Reverse<u32>) {
    (row.steps.unwrap_or(u32::MAX), std::cmp::Reverse(row.bound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::survey::row;

    fn row(problem: &str, bound: u32, steps: Option<u32>) -> SurveyRow {
        SurveyRow {
            problem: problem.to_owned(),
            bound,
            reason: String::new(),
            steps,
            engine: String::new(),
            evaluations: 0,
            seconds: 0.0,
            limit_s: 5.0,
            seed: 1,
            remark: String::new(),
        }
    }

    #[test]
    fn steps_count_before_bounds() {
        let earlier = [
            row("fewer steps", 4, Some(6)),
            row("higher bound", 4, Some(6)),
            row("no schedule", 4, Some(6)),
            row("lower bound", 6, Some(6)),
            row("same", 4, Some(6)),
            row("not run", 4, Some(6)),
        ];
        let rows = [
            row("fewer steps", 3, Some(5)),
            row("higher bound", 6, Some(6)),
            row("no schedule", 4, None),
            row("lower bound", 5, Some(6)),
            row("same", 4, Some(6)),
            row("added", 4, Some(6)),
        ];
        let comparison = SurveyChanges::new(&earlier, &rows);
        let names = |changes: &[(&SurveyRow, &SurveyRow)]| -> Vec<String> {
            changes.iter().map(|(_, row)| row.problem.clone()).collect()
        };
        assert_eq!(names(&comparison.improved), ["fewer steps", "higher bound"]);
        assert_eq!(names(&comparison.worse), ["no schedule", "lower bound"]);
        assert_eq!((comparison.same, comparison.new), (1, 1));
    }

    #[test]
    fn the_stored_results_can_be_read() {
        assert!(row::parse(STORED, "survey.csv").is_ok());
    }
}
