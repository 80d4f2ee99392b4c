//! Stores a proof next to the schedule that it shows to be optimal.

use crate::args::solve::SolveArgs;
use crate::output::{self, Failure, is_special, print_json, write_file};
use crate::picture_file::PictureFormat;
use crate::report::common::MadeBy;
use crate::report::solve::Unsolved;
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use crate::words;
use pavane_model::{Bound, Certificate, Problem, collective, format};
use pavane_search::Proof;
use pavane_store::files::{claim_proof, write_proof};
use serde_json::Map;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The proof file of a schedule file. `None` for a pipe or a picture.
pub fn place(schedule: &Path, phase: Option<usize>) -> Option<PathBuf> {
    let has_proof = !is_special(schedule) && PictureFormat::of(schedule).is_none();
    has_proof.then(|| format::proof_beside(schedule, phase))
}

/// Writes a proof in LRAT to a file, gzipped.
pub fn write(path: &Path, lrat: &[u8]) -> Result<(), Failure> {
    write_file(path, |out| write_proof(out, lrat))
}

/// Stores the proof that a bound needs, if any, and records its file name in the bound. Without a
/// place for the proof, the bound loses its certificate and its explanation says so. Returns the
/// path of the file.
pub fn keep(
    bound: &mut Bound,
    proof: Option<&Proof>,
    place: Option<PathBuf>,
) -> Result<Option<PathBuf>, Failure> {
    match claim(bound, proof, place) {
        Some((path, proof)) => write(&path, &proof.lrat).map(|()| Some(path)),
        None => Ok(None),
    }
}

/// Records in a bound where its proof will be stored. Returns the path and the proof to write
/// there.
pub fn claim<'a>(
    bound: &mut Bound,
    proof: Option<&'a Proof>,
    place: Option<PathBuf>,
) -> Option<(PathBuf, &'a Proof)> {
    let needs_proof = matches!(bound.certificate, Some(Certificate::Exact { .. }));
    let claimed = claim_proof(bound, proof, place);
    if needs_proof && claimed.is_none() {
        bound.explanation.push_str("; use -o FILE to keep the proof");
    }
    claimed
}

/// Removes proof files of earlier schedules with the same output file, which are no longer
/// referenced.
pub fn remove_others(schedule: &Path, kept: &[&Path]) {
    let places = [None, Some(1), Some(2)].into_iter().filter_map(|phase| place(schedule, phase));
    for old in places.filter(|place| !kept.contains(&&**place) && place.is_file()) {
        // A file that cannot be removed does no harm: it proves nothing about the new schedule.
        let _ = std::fs::remove_file(old);
    }
}

/// Reports that the requested number of steps is proved impossible.
pub fn impossible(args: &SolveArgs, problem: &Problem, proof: &Proof) -> Result<ExitCode, Failure> {
    let mut bound = proof.bound();
    let place = args.output.as_ref().and_then(|path| place(path, None));
    let kept = keep(&mut bound, Some(proof), place)?;
    let name = collective::todays_name(&problem.collective().name);
    let (steps, are) = (words::steps(proof.steps), if proof.steps == 1 { "is" } else { "are" });
    let mut text = format!("{steps} {are} impossible for {name}: proved");
    match refuted(args, problem, &bound)? {
        Some(written) => text.push_str(&written),
        None => text.push_str("; use -o FILE to keep the proof"),
    }
    let file = kept.as_ref().and(args.output.as_ref()).map(|path| path.display().to_string());
    let kept = kept.map(|path| path.display().to_string());
    if args.json {
        let steps = proof.steps;
        let (bound, message) = (&bound, &text[..]);
        print_json(&Unsolved::Impossible { steps, bound, proof: kept, file, message })?;
    } else {
        words::warn(&text)
    }
    Ok(output::impossible())
}

/// If an output file is given, writes the proved refutation there. Returns text that says where.
pub fn refuted(
    args: &SolveArgs,
    problem: &Problem,
    bound: &Bound,
) -> Result<Option<String>, Failure> {
    let is_file = |path: &&PathBuf| !is_special(path) && PictureFormat::of(path).is_none();
    let Some(path) = args.output.as_ref().filter(is_file) else {
        return Ok(None);
    };
    let mut more = Map::new();
    more.insert(
        "status".into(),
        format!("no schedule has fewer than {}", words::steps(bound.steps)).into(),
    );
    let made_by = MadeBy { program: PROGRAM, engine: None, seed: args.seed };
    write_file(path, |out| {
        more.insert("made_by".into(), serde_json::to_value(made_by)?);
        gzipped_by_name(path, out, |out| format::write_refutation(out, problem, bound, &more))
    })?;
    let proof = match &bound.certificate {
        Some(Certificate::Exact { proof, .. }) => Some(path.with_file_name(proof)),
        _ => None,
    };
    remove_others(path, &proof.as_deref().into_iter().collect::<Vec<_>>());
    let path = path.display();
    Ok(Some(format!("; written to {path} (check it with `pavane verify`)")))
}
