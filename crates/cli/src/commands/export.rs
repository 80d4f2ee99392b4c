//! `pavane export SCHEDULE --to FORMAT`: writes a checked schedule, TDM schedule or timed schedule in a
//! format of another program.

use crate::args::interop::ExportArgs;
use crate::output::{DONE, Failure, check_place, print_json, standard, write_file};
use crate::progress::Ticker;
use crate::report::export::{Exported, FormatReport, WrittenFile};
use crate::words;
use pavane_interop::FORMATS;
use pavane_interop::export::{self, ExportOptions, File};
use pavane_interop::tdm::{self, TDM_FORMATS};
use pavane_interop::timed::{self, TIMED_FORMATS};
use pavane_model::format::{Phase, Stored, read_stored_file};
use pavane_model::{TdmSchedule, TimedSchedule};
use pavane_verify::{CheckedSchedule, check_tdm, check_timed, verify};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Judges the schedule and writes it.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let (Some(schedule), Some(format)) = (&args.schedule, &args.to) else {
        return list(args);
    };
    let place = args.output.as_deref().unwrap_or(Path::new("-"));
    if place != Path::new("-") {
        check_place(place)?;
    }
    let ticker = Ticker::saying("verifying and exporting");
    let stored = read_stored_file(schedule, args.max_deliveries).map_err(Failure::bad_input)?;
    let (format, files) = match stored {
        Stored::Tdm(stored) => tdm_files(args, format, *stored)?,
        Stored::Timed(stored) => timed_files(args, format, *stored)?,
        stored => {
            if let Stored::Schedule(_, whole) = &stored {
                words::note_overlap(schedule, whole, "exported");
            }
            let name = schedule.display().to_string();
            let phases = stored.into_schedule(&name).map_err(Failure::bad_input)?;
            schedule_files(args, format, phases)?
        }
    };
    let mut written = Vec::new();
    for File { suffix, bytes } in files {
        let mut name = place.as_os_str().to_owned();
        name.push(suffix);
        let path = PathBuf::from(name);
        write_file(&path, |out| out.write_all(&bytes))?;
        written.push(WrittenFile { file: path.display().to_string(), bytes: bytes.len() });
    }
    drop(ticker);
    if args.json && place != Path::new("-") {
        print_json(&Exported { format, files: written })?;
    }
    Ok(DONE)
}

/// The name of a format and the files of an export.
type ExportedFiles = (&'static str, Vec<File>);

fn schedule_files(
    args: &ExportArgs,
    format: &str,
    phases: Vec<Phase>,
) -> Result<ExportedFiles, Failure> {
    let format = export::find(format).map_err(Failure::bad_input)?;
    check_name(args, format.name, format.ending)?;
    let checked = judge(phases).map_err(|problem| invalid(args, &problem))?;
    let default = ExportOptions::default();
    let options = ExportOptions { bytes: args.bytes.unwrap_or(default.bytes), ..default };
    let files = export::export(format.name, &checked, options).map_err(Failure::bad_input)?;
    Ok((format.name, files))
}

fn tdm_files(
    args: &ExportArgs,
    format: &str,
    schedule: TdmSchedule,
) -> Result<ExportedFiles, Failure> {
    let format = tdm::find(format).map_err(Failure::bad_input)?;
    check_name(args, format.name, format.ending)?;
    let checked = check_tdm(schedule).map_err(|problem| invalid(args, &problem))?;
    let files = tdm::export(format.name, &checked).map_err(Failure::bad_input)?;
    Ok((format.name, files))
}

fn timed_files(
    args: &ExportArgs,
    format: &str,
    schedule: TimedSchedule,
) -> Result<ExportedFiles, Failure> {
    let format = timed::find(format).map_err(Failure::bad_input)?;
    check_name(args, format.name, format.ending)?;
    let checked = check_timed(schedule).map_err(|problem| invalid(args, &problem))?;
    let files = timed::export(format.name, &checked, args.bytes).map_err(Failure::bad_input)?;
    Ok((format.name, files))
}

/// Formats of several files need a name.
fn check_name(args: &ExportArgs, format: &str, ending: &str) -> Result<(), Failure> {
    let is_standard = args.output.as_deref().is_none_or(|place| place == Path::new("-"));
    if is_standard && ending.is_empty() {
        return Err(Failure::bad_input(format!(
            "the format {format} consists of several files; name them with -o NAME"
        )));
    }
    Ok(())
}

fn invalid(args: &ExportArgs, problem: &dyn Display) -> Failure {
    let file = args.schedule.as_deref().unwrap_or(Path::new("")).display();
    Failure::bad_input(format!(
        "{file} is not a valid schedule and was not exported: {problem} (`pavane verify` lists all violations)"
    ))
}

/// The judged phases of a schedule, or the first violation.
fn judge(phases: Vec<Phase>) -> Result<Vec<CheckedSchedule>, String> {
    let verified = phases.into_iter().map(|phase| verify(phase.problem, phase.schedule));
    let first =
        |violations: Vec<_>| violations.first().map(ToString::to_string).unwrap_or_default();
    verified.map(|one| one.map_err(first)).collect()
}

fn list(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let schedules = FORMATS.iter().map(|one| FormatReport {
        of: "schedule",
        name: one.name,
        meaning: one.meaning,
        ending: one.ending,
    });
    let slot_tables = TDM_FORMATS.iter().map(|one| FormatReport {
        of: "tdm",
        name: one.name,
        meaning: one.meaning,
        ending: one.ending,
    });
    let timed = TIMED_FORMATS.iter().map(|one| FormatReport {
        of: "timed",
        name: one.name,
        meaning: one.meaning,
        ending: one.ending,
    });
    if args.json {
        print_json(&schedules.chain(slot_tables).chain(timed).collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    let mut out = standard();
    for format in schedules {
        writeln!(out, "{:<15}{}", format.name, format.meaning)?;
    }
    writeln!(out, "\nTDM schedules:")?;
    for format in slot_tables {
        writeln!(out, "{:<15}{}", format.name, format.meaning)?;
    }
    writeln!(out, "\nTimed schedules:")?;
    for format in timed {
        writeln!(out, "{:<15}{}", format.name, format.meaning)?;
    }
    out.flush()?;
    Ok(DONE)
}
