//! Saves a schedule for every class of faults in a folder, with an index of all faults.

use super::row::Finding;
use super::run::numbers;
use super::{Column, Survey};
use crate::commands::proof;
use crate::contingency::{Contingencies, FaultEntry, Index};
use crate::output::Failure;
use crate::schedule_file::ScheduleFile;
use pavane_model::collective::has_any_root;
use pavane_search::fault::{Part, Solved};
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
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let label: String = column.label.chars().map(plain).collect();
    match class {
        None => format!("{label}-no-fault.json"),
        Some(class) => format!("{label}-{}.json", class + 1),
    }
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
) -> io::Result<Vec<(String, Vec<u8>)>> {
    let path = Path::new(name);
    let (mut bounds, mut files) = (Vec::new(), Vec::new());
    let is_one = solved.phases.len() == 1;
    for (number, phase) in (1..).zip(&solved.phases) {
        let mut bound = phase.bound.clone();
        let place = proof::place(path, (!is_one).then_some(number));
        if let Some((place, proof)) = proof::claim(&mut bound, phase.proof.as_ref(), place) {
            let mut bytes = Vec::new();
            proof::write_to(&mut bytes, &proof.lrat)?;
            files.push((place.display().to_string(), bytes));
        }
        bounds.push(bound);
    }
    let file = ScheduleFile {
        name: &column.request.collective,
        phases: solved.phases.iter().map(|phase| &phase.checked).zip(&bounds).collect(),
        whole: None,
        engine: "faults".to_owned(),
        seed,
    };
    let mut bytes = Vec::new();
    file.write(path, &mut bytes)?;
    files.push((name.to_owned(), bytes));
    Ok(files)
}

/// Writes the index after everything is solved.
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
            root_moves: has_any_root(&column.request.collective, &column.request.groups),
            no_fault: column.healthy.steps().map(|_| file_name(column, None)),
            faults: entries.into_iter().flatten().collect(),
        });
    }
    index.write(folder)
}

fn entry(survey: &Survey<'_>, column: &Column, class: usize, at: usize) -> FaultEntry {
    let members = &column.classes.classes[class];
    let (finding, renumbering) = column.finding_of(class, at, &survey.network);
    let disconnected = match &finding {
        Finding::Disconnected { pairs, .. } => pairs.clone(),
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
