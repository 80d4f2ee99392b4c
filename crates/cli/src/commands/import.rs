//! `pavane import FILE`: judges schedules of other programs and compares them with the bound;
//! converts networks to JSON.

use super::foreign;
use crate::args::interop::ImportArgs;
use crate::output::{DONE, Failure, check_place, not_so, print_json, standard, write_file};
use crate::progress::Ticker;
use crate::report::import as report;
use crate::schedule_file::{PROGRAM, ScheduleFile, gzipped_by_name};
use crate::words;
use pavane_interop::import::{Imported, foreign_format, recognise};
use pavane_model::words::printable;
use pavane_model::{Bound, Model, text_file, timed};
use pavane_networks::export_network::FORMATS;
use pavane_networks::import::{self, FileKind};
use pavane_search::bounds;
use pavane_verify::{CheckedSchedule, Violation, verify};
use serde_json::{Map, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Maximum number of violations printed per phase.
const SHOWN: usize = 10;

/// A phase with its verdict.
struct ReadPhase {
    name: String,
    steps: u32,
    bound: Bound,
    judged: Result<CheckedSchedule, Vec<Violation>>,
}

/// Reads the file and reports its contents.
pub fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let text = text_file::read(&args.file).map_err(Failure::bad_input)?;
    // TE-CCL's files have no steps, only times.
    if args.bytes.is_some() || foreign_format(&text) == Some("TE-CCL") {
        return timed(args, &text);
    }
    if let Some(format) = own_format(&text) {
        return Err(Failure::bad_input(format!(
            "{}: already a file of Pavane ({format}); `pavane verify` reads it",
            args.file.display()
        )));
    }
    match schedule(args, &text)? {
        Some(imported) => tell(args, imported),
        None => network(args, &text),
    }
}

/// The format of a file that Pavane wrote, unless it is a network.
fn own_format(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('{')?.trim_start().strip_prefix("\"format\"")?;
    let name =
        rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split('"').next()?;
    (name.starts_with("pavane/") && !name.starts_with("pavane/network/")).then_some(name)
}

/// Times and judges the schedule in the file.
fn timed(args: &ImportArgs, text: &str) -> Result<ExitCode, Failure> {
    let named = |error: String| Failure::bad_input(format!("{}: {error}", args.file.display()));
    let network = args.network.as_deref().map(import::load).transpose()?;
    let ticker = Ticker::saying("timing and verifying");
    let judged = foreign::judge(text, network.as_ref(), args.bytes, None);
    drop(ticker);
    let judged = judged.ok_or_else(|| {
        named("--bytes: this is not a schedule of MSCCL, MSCCL++, SCCL or TE-CCL".to_owned())
    })?;
    let judged = judged.map_err(named)?;
    let file = args.file.display().to_string();
    if let (Some(path), true) = (&args.output, judged.verdict.is_valid()) {
        let made_by = json!({"program": PROGRAM, "engine": format!("import of {file}"), "seed": 0});
        let more = Map::from_iter([("made_by".to_owned(), made_by)]);
        let write = |out: &mut dyn Write| timed::write(out, &judged.schedule, &more);
        write_file(path, |out| gzipped_by_name(path, out, write))?;
    }
    if args.json {
        print_json(&judged.report(&file, network.as_ref()))?
    } else {
        let mut out = standard();
        judged.print(&mut out, &file, network.as_ref())?;
        out.flush()?;
    }
    Ok(if judged.is_fine() { DONE } else { not_so() })
}

/// Writes the network in the file as Pavane's JSON.
fn network(args: &ImportArgs, text: &str) -> Result<ExitCode, Failure> {
    let kind = FileKind::of(&args.file, text);
    let network = import::parse(text, &args.file.display().to_string(), kind);
    let network = network.map_err(Failure::bad_input)?;
    let format = FORMATS.iter().find(|(name, _)| *name == "json");
    let (_, write) = format.expect("our own format is in the table");
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    write_file(path, |out| write(&network, out))?;
    if path != Path::new("-") && args.json {
        print_json(&report::ImportedNetwork {
            file: path.display().to_string(),
            network: network.name(),
            routers: network.router_count(),
            channels: network.channel_count(),
            processors: network.living_processors().count(),
        })?;
    }
    Ok(DONE)
}

/// The schedules in the file; `None` if it contains none.
fn schedule(args: &ImportArgs, text: &str) -> Result<Option<Vec<Imported>>, Failure> {
    let named = |error: String| Failure::bad_input(format!("{}: {error}", args.file.display()));
    let Some(reader) = recognise(text) else { return Ok(None) };
    let network = args.network.as_deref().map(import::load).transpose()?;
    let model =
        Model { routing: args.routing, duplex: args.duplex, ports: args.ports, ..Model::default() };
    let imported = reader.read(text, network, args.switching, model);
    imported.map(Some).map_err(|error| named(error.to_string()))
}

/// Judges every phase and prints or writes the results.
fn tell(args: &ImportArgs, imported: Vec<Imported>) -> Result<ExitCode, Failure> {
    let ticker = Ticker::saying("verifying");
    let mut phases = Vec::new();
    for Imported { problem, schedule } in imported {
        let bound = bounds::all(&problem)?.best;
        let name = match args.network {
            Some(_) => words::stored_problem(&problem, Some(problem.network())),
            None => words::stored_problem(&problem, None),
        };
        let steps = schedule.step_count();
        phases.push(ReadPhase { name, steps, bound, judged: verify(problem, schedule) });
    }
    drop(ticker);
    let checked: Vec<(&CheckedSchedule, &Bound)> = phases
        .iter()
        .filter_map(|phase| phase.judged.as_ref().ok().map(|checked| (checked, &phase.bound)))
        .collect();
    let is_valid = checked.len() == phases.len();
    if let (Some(path), true) = (&args.output, is_valid) {
        let name = match checked.len() {
            1 => checked[0].0.problem().collective().name.clone(),
            _ => "all-reduce".to_owned(),
        };
        let engine = format!("import of {}", args.file.display());
        let file = ScheduleFile { name: &name, phases: checked, whole: None, engine, seed: 0 };
        write_file(path, |out| file.write(path, out))?;
    }
    if args.json {
        print_json(&as_json(&phases, is_valid))?
    } else {
        print_text(&phases)?
    }
    Ok(if is_valid { DONE } else { not_so() })
}

fn as_json(phases: &[ReadPhase], is_valid: bool) -> report::Imported<'_> {
    let steps = phases.iter().map(|phase| phase.steps).sum();
    let phases = phases.iter().map(|phase| {
        let violations = phase.judged.as_ref().err().into_iter().flatten();
        report::ImportedPhase {
            steps: phase.steps,
            bound: &phase.bound,
            valid: phase.judged.is_ok(),
            optimal: phase.judged.is_ok() && phase.steps == phase.bound.steps,
            violations: violations.map(ToString::to_string).collect(),
        }
    });
    report::Imported { valid: is_valid, steps, phases: phases.collect() }
}

fn print_text(phases: &[ReadPhase]) -> Result<(), Failure> {
    let mut out = standard();
    for ReadPhase { name, steps, bound, judged } in phases {
        writeln!(out, "{name}")?;
        writeln!(out, "{}", words::bound(bound))?;
        let status = match judged {
            Err(_) => "NOT VALID".to_owned(),
            Ok(_) if *steps == bound.steps => "valid, optimal".to_owned(),
            Ok(_) => format!("valid, {} above the bound", words::steps(steps - bound.steps)),
        };
        writeln!(out, "  schedule  {}: {status}", words::steps(*steps))?;
        for violation in judged.as_ref().err().into_iter().flatten().take(SHOWN) {
            writeln!(out, "  {}: {}", violation.rule(), printable(&violation.to_string()))?;
        }
    }
    out.flush()?;
    Ok(())
}
