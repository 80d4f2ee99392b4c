//! Result of one problem of a survey: a row of the output and of the files of `-o` and `--resume`.

use crate::output::{Failure, write_file};
use pavane_model::{csv, text_file};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

/// First line of a file of results.
const HEAD: &str = "problem,bound,reason,steps,engine,evaluations,seconds,limit_s,seed,remark";

/// The result of one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRow {
    /// The arguments of `pavane solve`.
    pub problem: String,
    /// The proved lower bound, the sum over all phases.
    pub bound: u32,
    /// The reason of the bound, of each phase; `exact` if it was raised by a proof that a schedule
    /// with one step less is impossible.
    pub reason: String,
    /// Number of steps of the schedule; null if none was found.
    pub steps: Option<u32>,
    /// The engines that found it, one for each phase.
    pub engine: String,
    /// Number of evaluations.
    pub evaluations: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// The time limit in seconds.
    pub limit_s: f64,
    /// The random seed.
    pub seed: u64,
    /// Why there is no schedule, or what the judge rejected; empty as a rule.
    pub remark: String,
}

impl SurveyRow {
    /// Whether the schedule meets the bound.
    pub fn is_solved(&self) -> bool {
        self.steps == Some(self.bound)
    }

    /// Whether the schedule meets a bound that was raised by a proof.
    pub fn is_proved(&self) -> bool {
        self.is_solved() && self.reason.split('+').any(|reason| reason == "exact")
    }

    /// Steps above the bound, in percent of it; `None` without a schedule.
    pub fn gap_percent(&self) -> Option<f64> {
        let above = self.steps?.saturating_sub(self.bound);
        Some(100.0 * f64::from(above) / f64::from(self.bound.max(1)))
    }

    /// Whether the search took more than a tenth of its limit and a second longer than allowed.
    pub fn is_late(&self) -> bool {
        self.seconds > 1.1 * self.limit_s + 1.0
    }

    fn line(&self) -> String {
        let steps = self.steps.map(|steps| steps.to_string()).unwrap_or_default();
        format!(
            "{},{},{},{steps},{},{},{:.3},{},{},{}",
            csv::cell(&self.problem),
            self.bound,
            csv::cell(&self.reason),
            csv::cell(&self.engine),
            self.evaluations,
            self.seconds,
            self.limit_s,
            self.seed,
            csv::cell(&self.remark)
        )
    }

    fn parse(line: &str) -> Option<Self> {
        let cells = cells(line)?;
        let [problem, bound, reason, steps, engine, evaluations, seconds, limit_s, seed, remark] =
            &cells[..]
        else {
            return None;
        };
        let time = |text: &String| text.parse().ok().filter(|time: &f64| time.is_finite());
        Some(Self {
            problem: problem.clone(),
            bound: bound.parse().ok()?,
            reason: reason.clone(),
            steps: if steps.is_empty() { None } else { Some(steps.parse().ok()?) },
            engine: engine.clone(),
            evaluations: evaluations.parse().ok()?,
            seconds: time(seconds)?,
            limit_s: time(limit_s)?,
            seed: seed.parse().ok()?,
            remark: remark.clone(),
        })
    }
}

/// Writes rows to a file of results.
pub fn write(path: &Path, rows: &[SurveyRow]) -> Result<(), Failure> {
    write_file(path, |out| write_to(out, rows))
}

fn write_to(out: &mut dyn Write, rows: &[SurveyRow]) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    rows.iter().try_for_each(|row| writeln!(out, "{}", row.line()))
}

/// Reads a file of results.
pub fn read(path: &Path) -> Result<Vec<SurveyRow>, Failure> {
    let text = text_file::read(path).map_err(Failure::bad_input)?;
    parse(&text, &path.display().to_string())
}

/// The rows of a file of results; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<SurveyRow>, Failure> {
    let mut lines = (1..).zip(text.lines());
    if lines.next().is_none_or(|(_, head)| head != HEAD) {
        return Err(Failure::bad_input(format!(
            "{file} is not a results file of `pavane bench survey`: its first line is not {HEAD:?}"
        )));
    }
    let row = |(number, line): (usize, &str)| {
        let place = format!("{file}, line {number}");
        SurveyRow::parse(line).ok_or_else(|| {
            Failure::bad_input(format!("{place}: this is not a result of `pavane bench survey`"))
        })
    };
    lines.map(row).collect()
}

/// The cells of a line; `None` if a quoted cell does not end.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let (mut is_quoted, mut rest) = (false, line.chars().peekable());
    while let Some(character) = rest.next() {
        let cell = cells.last_mut()?;
        match character {
            '"' if is_quoted && rest.peek() == Some(&'"') => {
                cell.push('"');
                rest.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            character => cell.push(character),
        }
    }
    let shown = |cell: String| cell.strip_prefix('\'').map_or(cell.clone(), str::to_owned);
    (!is_quoted).then(|| cells.into_iter().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> SurveyRow {
        SurveyRow {
            problem: "kautz:3,3 all-to-all --ports 1".to_owned(),
            bound: 35,
            reason: "receive".to_owned(),
            steps: Some(37),
            engine: "ejection".to_owned(),
            evaluations: 12_345,
            seconds: 5.125,
            limit_s: 5.0,
            seed: 1,
            remark: String::new(),
        }
    }

    #[test]
    fn rows_are_read_as_written() {
        let refused = SurveyRow { steps: None, remark: "a \"b\", c".to_owned(), ..row() };
        let rows = [row(), refused];
        let mut text = Vec::new();
        write_to(&mut text, &rows).unwrap();
        let read = parse(&String::from_utf8(text).unwrap(), "file");
        assert_eq!(read.map_err(|failure| failure.text().to_owned()), Ok(rows.to_vec()));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "a,b\n", &format!("{HEAD}\nring:4 aas,1\n"), &format!("{HEAD}\n\"a\n")] {
            assert!(parse(text, "file").is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_a_schedule_at_the_bound_is_solved() {
        assert!(!row().is_solved() && row().gap_percent().is_some_and(|gap| gap > 5.7));
        let proved = SurveyRow { bound: 37, reason: "exact".to_owned(), ..row() };
        assert!(proved.is_solved() && proved.is_proved());
        assert!(!SurveyRow { steps: None, bound: 0, ..row() }.is_solved());
    }

    #[test]
    fn late_is_a_tenth_and_a_second_over_the_limit() {
        assert!(!SurveyRow { seconds: 6.5, ..row() }.is_late());
        assert!(SurveyRow { seconds: 6.6, ..row() }.is_late());
    }
}
