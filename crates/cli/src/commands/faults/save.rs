//! Keeps a schedule for every class of faults in a folder, and an index for every fault.

use super::row::Finding;
use super::run::numbers;
use super::{Column, Survey};
use crate::commands::proof;
use crate::contingency::{Contingencies, Entry, Index};
use crate::output::{Failure, write_file};
use crate::schedule_file::ScheduleFile;
use pavane_engine::fault::{Part, Solved};
use std::path::Path;

/// The index of a survey, with nothing in it yet.
pub fn index(survey: &Survey<'_>) -> Index {
    let args = survey.args;
    let kinds = Part::ALL.iter().filter(|(_, part)| args.of.contains(part));
    let of = kinds.map(|(word, _)| (*word).to_owned()).collect();
    Index::new(survey.network.name(), of, args.count, survey.sets.is_sample())
}

/// The file of a class of faults; that of the network as it is without one.
pub fn file_name(column: &Column, class: Option<usize>) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let label: String = column.label.chars().map(plain).collect();
    match class {
        None => format!("{label}-no-fault.json"),
        Some(class) => format!("{label}-{}.json", class + 1),
    }
}

/// Writes the schedule of a class.
pub fn write(
    folder: &Path,
    name: &str,
    column: &Column,
    solved: &Solved,
    seed: u64,
) -> Result<(), Failure> {
    let path = folder.join(name);
    let mut bounds = Vec::new();
    let is_one = solved.phases.len() == 1;
    for (number, phase) in (1..).zip(&solved.phases) {
        let mut bound = phase.bound.clone();
        let place = proof::place(&path, (!is_one).then_some(number));
        proof::keep(&mut bound, phase.proof.as_ref(), place)?;
        bounds.push(bound);
    }
    let file = ScheduleFile {
        name: &column.request.collective,
        phases: solved.phases.iter().map(|phase| &phase.checked).zip(&bounds).collect(),
        engine: "faults".to_owned(),
        seed,
    };
    write_file(&path, |out| file.write(&path, out))
}

/// Writes the index, when everything is solved.
pub fn finish(survey: &Survey<'_>, folder: &Path) -> Result<(), Failure> {
    let mut index = index(survey);
    index.is_complete = true;
    for column in &survey.columns {
        let mut entries = vec![None; survey.sets.sets.len()];
        for (number, class) in column.classes.classes.iter().enumerate() {
            for (at, member) in class.members.iter().enumerate() {
                entries[member.set] = Some(entry(survey, column, number, at));
            }
        }
        index.collectives.push(Contingencies {
            collective: column.label.clone(),
            no_fault: column.healthy.steps().map(|_| file_name(column, None)),
            faults: entries.into_iter().flatten().collect(),
        });
    }
    index.write(folder)
}

fn entry(survey: &Survey<'_>, column: &Column, class: usize, at: usize) -> Entry {
    let members = &column.classes.classes[class];
    let renumbering = column.classes.renumbering(members, at, &survey.network);
    let finding = column.findings[class].renumbered(&renumbering);
    let disconnected = match &finding {
        Finding::Disconnected { pairs, .. } => pairs.clone(),
        _ => Vec::new(),
    };
    let is_solved = finding.steps().is_some();
    Entry {
        faults: numbers(&survey.faults(members.members[at].set)),
        schedule: is_solved.then(|| file_name(column, Some(class))),
        steps: finding.steps(),
        missing: finding.missing().to_vec(),
        disconnected,
        renumbering: Some(renumbering).filter(|image| is_solved && !image.is_identity()),
    }
}
