//! `pavane bench survey`: solves a list of problems under many rules, counts how many schedules meet
//! the bound, and compares the results with earlier ones.

mod compare;
mod list;
mod print;
pub mod row;
mod run;
mod summary;

use crate::args::survey::SurveyArgs;
use crate::commands::interrupt::{incomplete, stop_on_interrupt};
use crate::output::{DONE, Failure, check_place, is_standard, not_so, print_json, standard};
use compare::SurveyChanges;
use list::ListedProblem;
use pavane_cluster::Cluster;
use pavane_model::text_file;
use run::SurveyRun;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use summary::SurveyCounts;

/// Solves the problems and prints the counts. The exit code is 1 if a problem has no schedule, or is
/// worse than in the results to compare with.
pub fn run(args: &SurveyArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    // The searches have threads of their own.
    pavane_search::use_threads(1);
    let entries = entries(args)?;
    let stop = stop_on_interrupt(cluster);
    let survey = SurveyRun { args, entries: &entries, stop, cluster };
    if !cluster.is_first() {
        survey.assist();
        return Ok(DONE);
    }
    let (name, earlier) = match &args.compare {
        Some(path) => (path.display().to_string(), row::read(path)?),
        None => ("the stored results".to_owned(), row::parse(compare::STORED, "survey.csv")?),
    };
    [&args.resume, &args.output].into_iter().flatten().try_for_each(|path| check_place(path))?;
    let rows = survey.run()?;
    let summary = SurveyCounts::new(&entries, &rows);
    let comparison = SurveyChanges::new(&earlier, &rows);
    if args.json {
        print_json(&print::report(&summary, &comparison, &name, &rows))?;
    } else if !is_standard([&args.output]) {
        let mut out = standard();
        print::table(&mut out, &summary, &rows, args.worst)?;
        print::comparison(&mut out, &comparison, &name)?;
        out.flush()?;
    }
    if survey.stop.load(Ordering::Relaxed) || cluster.is_stopped() {
        return Ok(incomplete(rows.len(), entries.len(), "problem"));
    }
    let is_worse = !comparison.worse.is_empty() || rows.iter().any(|row| row.steps.is_none());
    Ok(if is_worse { not_so() } else { DONE })
}

/// The problems whose lines contain all words of the filter.
fn entries(args: &SurveyArgs) -> Result<Vec<ListedProblem>, Failure> {
    let mut entries = match &args.file {
        Some(path) => {
            let text = text_file::read(path).map_err(Failure::bad_input)?;
            list::parse(&text, &path.display().to_string())?
        }
        None => list::parse(list::BUILT_IN, "survey.txt")?,
    };
    let is_wanted = |entry: &ListedProblem| {
        let problem = entry.problem();
        args.filter.iter().all(|word| problem.contains(word))
    };
    entries.retain(is_wanted);
    if entries.is_empty() {
        return Err(Failure::bad_input(match &args.filter[..] {
            [] => "the list has no problems".to_owned(),
            words => format!("no problem of the survey contains {:?}", words.join(" ")),
        }));
    }
    Ok(entries)
}
