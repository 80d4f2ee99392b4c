//! Prints the results of a survey, as text or JSON.

use super::compare::SurveyChanges;
use super::row::SurveyRow;
use super::summary::SurveyCounts;
use crate::report::survey::{ChangeReport, ComparisonReport, RuleReport, SurveyReport};
use crate::words;
use std::io::{self, Write};

/// Counts by set of rules, the total, the largest gaps and the problems that took too long.
pub fn table(
    out: &mut dyn Write,
    summary: &SurveyCounts<'_>,
    rows: &[SurveyRow],
    worst: usize,
) -> io::Result<()> {
    writeln!(out, "solved    of   share  worst  rules")?;
    for (rules, counts) in summary.rules.iter().filter(|(_, counts)| counts.problems > 0) {
        let (solved, problems) = (counts.solved, counts.problems);
        let (share, worst) = (percent(solved, problems), gap(counts.worst_percent));
        writeln!(out, "{solved:>6} {problems:>5} {share:>7} {worst:>6}  {rules}")?;
    }
    let (solved, share) = (summary.solved, percent(summary.solved, rows.len()));
    write!(out, "{solved} of {} solved, {share}", words::counted(rows.len(), "problem"))?;
    if summary.proved > 0 {
        write!(out, "; {} of them by a proof that fewer steps are impossible", summary.proved)?;
    }
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    writeln!(out, "; {seconds:.1}s of search")?;
    if !summary.gaps.is_empty() && worst > 0 {
        writeln!(out, "\nbound  steps     gap  not solved")?;
    }
    for row in summary.gaps.iter().take(worst) {
        let steps = row.steps.map_or("none".to_owned(), |steps| steps.to_string());
        let gap = row.gap_percent().map_or("-".to_owned(), gap);
        writeln!(out, "{:>5}  {steps:>5}  {gap:>6}  {}", row.bound, row.problem)?;
    }
    match summary.gaps.len().saturating_sub(worst) {
        0 => {}
        more => writeln!(out, "… and {more} more (--worst {})", summary.gaps.len())?,
    }
    for row in rows.iter().filter(|row| !row.remark.is_empty()) {
        writeln!(out, "{}: {}", row.problem, row.remark)?;
    }
    if let Some(longest) = summary.late.first() {
        writeln!(
            out,
            "\n{} took more than a tenth of the time limit and a second too long; the longest, {:.1}s: {}",
            words::counted(summary.late.len(), "problem"),
            longest.seconds,
            longest.problem
        )?;
    }
    Ok(())
}

/// The changes since an earlier survey.
pub fn comparison(out: &mut dyn Write, changes: &SurveyChanges<'_>, name: &str) -> io::Result<()> {
    let (improved, worse) = (changes.improved.len(), changes.worse.len());
    if improved + worse + changes.same == 0 {
        return writeln!(out, "\nNone of these problems is in {name}");
    }
    let new = match changes.new {
        0 => String::new(),
        new => format!(", {new} new"),
    };
    let same = changes.same;
    writeln!(
        out,
        "\nCompared with {name}: {improved} improved, {worse} worse, {same} the same{new}"
    )?;
    for (word, changed) in [("improved", &changes.improved), ("worse", &changes.worse)] {
        for (before, after) in changed {
            let [before, now] = [before, after].map(|row| figures(row));
            writeln!(out, "{word:<8}  {before} to {now}  {}", after.problem)?;
        }
    }
    Ok(())
}

/// Steps and bound: `8 (bound 7)`, or `8` if they are equal.
fn figures(row: &SurveyRow) -> String {
    match row.steps {
        Some(steps) if steps == row.bound => steps.to_string(),
        Some(steps) => format!("{steps} (bound {})", row.bound),
        None => format!("none (bound {})", row.bound),
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn gap(percent: f64) -> String {
    if percent == 0.0 { "-".to_owned() } else { format!("{percent:.1} %") }
}

/// The results for `--json`.
pub fn report<'a>(
    summary: &SurveyCounts<'a>,
    changes: &SurveyChanges<'a>,
    name: &'a str,
    rows: &'a [SurveyRow],
) -> SurveyReport<'a> {
    let rules = summary.rules.iter().map(|(rules, counts)| RuleReport {
        rules,
        problems: counts.problems,
        solved: counts.solved,
        worst_gap_percent: counts.worst_percent,
    });
    let changed = |changed: &[(&'a SurveyRow, &'a SurveyRow)]| {
        let change = |&(before, after): &(&'a SurveyRow, &'a SurveyRow)| ChangeReport {
            problem: &after.problem,
            steps_before: before.steps,
            bound_before: before.bound,
            steps: after.steps,
            bound: after.bound,
        };
        changed.iter().map(change).collect()
    };
    SurveyReport {
        complete: rows.len() == summary.listed,
        listed: summary.listed,
        problems: rows.len(),
        solved: summary.solved,
        proved: summary.proved,
        unsolved: summary.unsolved,
        late: summary.late.len(),
        rules: rules.collect(),
        comparison: ComparisonReport {
            with: name,
            improved: changed(&changes.improved),
            worse: changed(&changes.worse),
            same: changes.same,
            new: changes.new,
        },
        rows,
    }
}
