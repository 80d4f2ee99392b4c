//! `pavane atlas`: the best-known schedules with their bounds.

mod pages;
mod search;
pub mod start;

use crate::args::atlas::{
    AtlasAddArgs, AtlasArgs, AtlasCommand, AtlasFolder, AtlasListArgs, AtlasShowArgs,
    AtlasVerifyArgs,
};
use crate::output::{DONE, Failure, not_so, print_json, standard, write_file};
use crate::picture_file::check_output;
use crate::progress::Ticker;
use crate::report::atlas::{AtlasAddition, AtlasEntryReport, AtlasVerdict, ShownEntry};
use crate::report::common::ErrorReport;
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use crate::words;
use pavane_atlas::{
    Addition, Atlas, AtlasEntry, AtlasError, JudgedFile, NewEntry, PublishedFigure,
};
use pavane_model::words::counted;
use serde_json::{Map, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Runs the subcommand.
pub fn run(args: &AtlasArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        AtlasCommand::List(args) => list(args),
        AtlasCommand::Show(args) => show(args),
        AtlasCommand::Verify(args) => verify(args),
        AtlasCommand::Search(args) => search::run(args),
        AtlasCommand::Add(args) => add(args),
        AtlasCommand::Pages(args) => pages::run(args),
    }
}

/// Warnings about wrong entries that are printed.
const WARNINGS: usize = 5;

/// Opens the atlas, and warns about entries that are left out.
fn open(args: &AtlasFolder) -> Result<Atlas, Failure> {
    let atlas = open_quietly(args)?;
    warn(atlas.refused().iter().map(|entry| entry.reason.as_str()));
    Ok(atlas)
}

/// Opens the atlas. The caller reports entries that are left out.
fn open_quietly(args: &AtlasFolder) -> Result<Atlas, Failure> {
    Atlas::open(&args.folder).map_err(|error| match error {
        AtlasError::NoAtlas { .. } => {
            Failure::bad_input(format!("{error}; give its folder with --atlas DIR"))
        }
        other => Failure::bad_input(other),
    })
}

/// Warns about wrong entries.
pub fn warn<'a>(reasons: impl ExactSizeIterator<Item = &'a str>) {
    let count = reasons.len();
    for reason in reasons.take(WARNINGS) {
        words::warn(&format!("the atlas has a wrong entry, which is left out: {reason}"));
    }
    if count > WARNINGS {
        let more = count - WARNINGS;
        words::warn(&format!("and {more} more wrong entries: see `pavane atlas verify`"));
    }
}

fn list(args: &AtlasListArgs) -> Result<ExitCode, Failure> {
    let atlas = open(&args.atlas)?;
    if let Some(family) = &args.family
        && !atlas.entries().iter().any(|entry| entry.family == *family)
    {
        let mut families: Vec<&str> = atlas.entries().iter().map(|e| e.family.as_str()).collect();
        families.dedup();
        let known = families.join(", ");
        return Err(Failure::bad_input(format!(
            "the atlas has no family {family:?} (valid: {known})"
        )));
    }
    let is_chosen = |entry: &&AtlasEntry| {
        args.family.as_ref().is_none_or(|family| entry.family == *family)
            && args.model.is_none_or(|model| entry.model == model)
            && !(args.open && entry.is_optimal())
            && (!args.records || entry.is_improvement())
    };
    let chosen: Vec<&AtlasEntry> = atlas.entries().iter().filter(is_chosen).collect();
    if args.json {
        let report = |entry| AtlasEntryReport::new(entry, atlas.folder());
        print_json(&chosen.into_iter().map(report).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    let mut out = standard();
    let mut family = "";
    for entry in &chosen {
        if entry.family != family {
            family = &entry.family;
            writeln!(out, "{family}")?;
        }
        writeln!(out, "  {}", line(entry))?;
    }
    let optimal = chosen.iter().filter(|entry| entry.is_optimal()).count();
    let entries = entries_in_words(chosen.len());
    writeln!(out, "{entries}, {optimal} optimal; {}", improvements(&atlas, &chosen))?;
    out.flush()?;
    Ok(DONE)
}

/// `1 entry`, `7 entries`.
fn entries_in_words(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// How many problems have better schedules than published. Entries that a symmetry of the network maps
/// to each other count once.
fn improvements(atlas: &Atlas, entries: &[&AtlasEntry]) -> String {
    let better = entries.iter().filter(|entry| entry.is_improvement()).count();
    let problems = atlas.distinct_improvements(entries);
    let counted = counted(problems as u64, "problem");
    if better == problems {
        format!("{counted} better than published")
    } else {
        let entries = entries_in_words(better);
        format!("{counted} better than published ({entries}: symmetric ones count once)")
    }
}

/// An entry in one line.
fn line(entry: &AtlasEntry) -> String {
    let mut line = format!("{}: {}, {}", entry.id, entry.figure(), entry.status());
    if let Some(published) = &entry.published {
        let how = if entry.is_improvement() { "better than" } else { "published:" };
        let (_, value) = entry.model.in_words_apart(entry.value, published.value);
        line += &format!("; {how} {value}");
        if published.is_for_another_problem {
            line += " for another problem";
        }
    }
    line
}

fn show(args: &AtlasShowArgs) -> Result<ExitCode, Failure> {
    let atlas = open(&args.atlas)?;
    if let Some(path) = &args.output {
        check_output(path, true)?;
    }
    let entry = match atlas.find(&args.entry) {
        Ok(entry) => entry,
        Err(error @ AtlasError::Entry { .. }) => return Err(Failure::bad_input(error)),
        Err(error) => return not_found(args.json, &error.to_string()),
    };
    if let Some(path) = &args.output {
        let judged = atlas.judge(entry).map_err(Failure::bad_input)?;
        save(path, &judged.file, entry)?;
    }
    let file = args.output.as_ref().map(|path| path.display().to_string());
    if args.json {
        print_json(&ShownEntry { entry: AtlasEntryReport::new(entry, atlas.folder()), file })?;
        return Ok(DONE);
    }
    let mut out = standard();
    writeln!(out, "{}", entry.id)?;
    writeln!(out, "  figure    {}: {}", entry.figure(), entry.status())?;
    if let Some(published) = &entry.published {
        let (_, value) = entry.model.in_words_apart(entry.value, published.value);
        let what = if published.is_for_another_problem { " for another problem" } else { "" };
        writeln!(out, "  published {value}{what}: {}", published.source)?;
        if !published.note.is_empty() {
            writeln!(out, "            {}", published.note)?;
        }
    }
    writeln!(out, "  command   {}", entry.command(atlas.folder()))?;
    writeln!(out, "  found     in {:.2} s, seed {}", entry.seconds, entry.seed)?;
    writeln!(out, "  schedule  {}", atlas.folder().join(&entry.file).display())?;
    if let Some(path) = &args.output {
        writeln!(out, "  written   {}", path.display())?;
    }
    out.flush()?;
    Ok(DONE)
}

/// Reports that something is not in the atlas.
fn not_found(is_json: bool, message: &str) -> Result<ExitCode, Failure> {
    words::warn(message);
    if is_json {
        print_json(&ErrorReport { status: "error", error: message, exit_code: 1 })?;
    }
    Ok(not_so())
}

/// Writes a judged schedule, and says where it comes from.
fn save(path: &Path, file: &JudgedFile, entry: &AtlasEntry) -> Result<(), Failure> {
    let mut more = Map::new();
    let engine = start::engine_of(&entry.id);
    let made_by = json!({"program": PROGRAM, "engine": engine, "seed": entry.seed});
    more.insert("made_by".to_owned(), made_by);
    write_file(path, |out| gzipped_by_name(path, out, |out| file.write(&more, out)))
}

fn verify(args: &AtlasVerifyArgs) -> Result<ExitCode, Failure> {
    let atlas = open_quietly(&args.atlas)?;
    let mut chosen: Vec<&AtlasEntry> = Vec::new();
    let mut problems = Vec::new();
    for id in &args.entries {
        match atlas.find(id) {
            Ok(entry) => chosen.push(entry),
            Err(error @ AtlasError::Entry { .. }) => problems.push(error.to_string()),
            Err(error) => return not_found(args.json, &error.to_string()),
        }
    }
    if args.entries.is_empty() {
        chosen = atlas.entries().iter().collect();
        problems.extend(atlas.refused().iter().map(|entry| entry.reason.clone()));
        problems.extend(atlas.strays().map_err(Failure::bad_input)?);
    }
    problems.extend(judge_all(&atlas, &chosen));
    let verdict = AtlasVerdict {
        valid: problems.is_empty(),
        entries: chosen.len(),
        optimal: chosen.iter().filter(|entry| entry.is_optimal()).count(),
        improvements: atlas.distinct_improvements(&chosen),
        problems,
    };
    if args.json {
        print_json(&verdict)?;
    } else {
        let mut out = standard();
        for problem in &verdict.problems {
            writeln!(out, "NOT VALID: {problem}")?;
        }
        let entries = entries_in_words(verdict.entries);
        if verdict.valid {
            let improvements = improvements(&atlas, &chosen);
            writeln!(out, "{entries} valid: {} optimal; {improvements}", verdict.optimal)?;
        } else {
            let count = counted(verdict.problems.len() as u64, "problem");
            writeln!(out, "{entries} verified: {count}")?;
        }
        out.flush()?;
    }
    Ok(if verdict.valid { DONE } else { not_so() })
}

/// Judges entries on all cores, and returns what is wrong, in the order of the entries.
fn judge_all(atlas: &Atlas, entries: &[&AtlasEntry]) -> Vec<String> {
    let done = Arc::new(AtomicU64::new(0));
    let _ticker = Ticker::counting(1, "verifying entries", entries.len() as u64, &done);
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..words::cores() {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { break };
                    if let Err(error) = atlas.judge(entry)
                        && let Ok(mut problems) = problems.lock()
                    {
                        problems.push((at, error.to_string()));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let mut problems = problems.into_inner().unwrap_or_default();
    problems.sort();
    problems.into_iter().map(|(_, problem)| problem).collect()
}

fn add(args: &AtlasAddArgs) -> Result<ExitCode, Failure> {
    // Another addition at the same time would replace the same index. A new folder has no lock yet.
    let folder = File::open(&args.atlas.folder).ok();
    if let Some(folder) = &folder {
        folder.lock().map_err(Failure::bad_input)?;
    }
    let mut atlas = Atlas::open_or_new(&args.atlas.folder).map_err(Failure::bad_input)?;
    let published = args.published.zip(args.source.clone());
    let new = NewEntry {
        family: args.family.clone(),
        network: args.network.clone(),
        seed: args.seed,
        seconds: args.seconds,
        options: args.options.clone(),
        published: published.map(|(value, source)| PublishedFigure {
            value,
            source,
            note: args.note.clone(),
            is_for_another_problem: args.other_problem,
        }),
    };
    let added = match atlas.add(&args.file, &new) {
        Ok(added) => added,
        Err(error @ AtlasError::Rejected { .. }) => {
            return not_found(args.json, &format!("the judge rejects it: {error}"));
        }
        Err(error) => return Err(Failure::bad_input(error)),
    };
    let (added, isomorphic) = match added {
        Addition::Isomorphic(addition) => (*addition, true),
        other => (other, false),
    };
    let entry = added.entry();
    let (status, before) = match &added {
        Addition::New(_) => ("new", None),
        Addition::Better(_, value, _) => ("better", Some(*value)),
        Addition::Published(_) => ("published", None),
        Addition::Kept(_) | Addition::Isomorphic(_) => ("kept", None),
    };
    if args.json {
        let before = before.map(|value| value.to_string());
        let report = AtlasEntryReport::new(entry, atlas.folder());
        print_json(&AtlasAddition { status, before, isomorphic, entry: report })?;
    } else {
        let mut out = standard();
        if isomorphic {
            let id = &entry.id;
            writeln!(out, "the problem is that of entry {id} under other names; mapped to them")?;
        }
        match &added {
            Addition::New(_) => writeln!(out, "new entry {}", line(entry))?,
            Addition::Better(_, value, bound) => {
                let was = entry.model.in_words(*value);
                writeln!(out, "{}; before: {was}, bound {bound}", line(entry))?;
            }
            Addition::Published(_) => {
                writeln!(out, "published figure of {}", line(entry))?;
            }
            Addition::Kept(_) | Addition::Isomorphic(_) => {
                writeln!(out, "not better than what the atlas has: {}", line(entry))?;
            }
        }
        out.flush()?;
    }
    Ok(if matches!(added, Addition::Kept(_)) { not_so() } else { DONE })
}
