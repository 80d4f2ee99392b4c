//! Saves a schedule for every class of faults in a folder, with an index of all faults.

use super::row::FaultFinding;
use super::run::numbers;
use super::{Column, Survey};
use crate::output::Failure;
use pavane_model::collective::has_any_root;
use pavane_search::fault::{Part, Solved};
use pavane_store::contingency::{self, Contingencies, FaultEntry, Index};
use pavane_store::files::{NamedFile, schedule_files};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// An empty index for a survey.
pub fn index(survey: &Survey<'_>) -> Index {
    let args = survey.args;
    let kinds = Part::ALL.iter().filter(|(_, part)| args.of.contains(part));
    let of = kinds.map(|(word, _)| (*word).to_owned()).collect();
    Index::new(survey.network.name(), of, args.count, survey.sets.is_sample())
}

/// The file name for a class of faults; `None` for the intact network.
pub fn file_name(column: &Column, class: Option<usize>) -> String {
    contingency::file_name(&column.label, class)
}

/// The file names of all classes.
pub fn file_names(survey: &Survey<'_>) -> BTreeSet<String> {
    let classes =
        |column: &Column| std::iter::once(None).chain((0..column.findings.len()).map(Some));
    let names = survey.columns.iter().flat_map(|column| {
        classes(column).map(|class| file_name(column, class)).collect::<Vec<_>>()
    });
    names.collect()
}

/// The files for a class: its schedule and the proofs that its bound needs, each with its name.
pub fn files(
    name: &str,
    column: &Column,
    solved: &Solved,
    seed: u64,
) -> io::Result<Vec<NamedFile>> {
    let phases = solved.phases.iter();
    let phases: Vec<_> = phases.map(|one| (&one.checked, &one.bound, one.proof.as_ref())).collect();
    schedule_files(name, &column.request.collective, &phases, ("faults", seed))
}

/// Writes the index of everything that is solved.
pub fn finish(survey: &Survey<'_>, folder: &Path, is_complete: bool) -> Result<(), Failure> {
    let mut index = index(survey);
    index.is_complete = is_complete;
    for column in &survey.columns {
        // Without this schedule, those for faults cannot be compared with anything.
        if column.healthy == FaultFinding::NotReached {
            continue;
        }
        let mut entries = vec![None; survey.sets.sets.len()];
        for (number, class) in column.classes.classes.iter().enumerate() {
            if column.findings[number] == FaultFinding::NotReached {
                continue;
            }
            for (at, member) in class.members.iter().enumerate() {
                entries[member.set] = Some(entry(survey, column, number, at));
            }
        }
        index.collectives.push(Contingencies {
            collective: column.label.clone(),
            root_moves: has_any_root(&column.request.collective, &column.request.groups),
            no_fault: column.healthy.steps().map(|_| file_name(column, None)),
            faults: entries.into_iter().flatten().collect(),
        });
    }
    Ok(index.write(folder)?)
}

fn entry(survey: &Survey<'_>, column: &Column, class: usize, at: usize) -> FaultEntry {
    let members = &column.classes.classes[class];
    let (finding, renumbering) = column.finding_of(class, at, &survey.network);
    let disconnected = match &finding {
        FaultFinding::Disconnected { pairs, .. } => pairs.clone(),
        _ => Vec::new(),
    };
    let is_solved = finding.steps().is_some();
    FaultEntry {
        faults: numbers(&survey.faults(members.members[at].set)),
        schedule: is_solved.then(|| file_name(column, Some(class))),
        steps: finding.steps(),
        missing: finding.missing().to_vec(),
        disconnected,
        renumbering: Some(renumbering).filter(|image| is_solved && !image.is_identity()),
    }
}
