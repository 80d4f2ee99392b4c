//! `pavane export SCHEDULE --to FORMAT`: writes a checked schedule in a format of another program.

use crate::args::interop::ExportArgs;
use crate::output::{DONE, Failure, check_place, print_json, standard, write_file};
use crate::progress::Ticker;
use crate::report::export::{Exported, FormatReport, WrittenFile};
use pavane_interop::FORMATS;
use pavane_interop::export::{self, ExportOptions, File};
use pavane_model::format::{Phase, read_file};
use pavane_verify::{CheckedSchedule, verify};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Judges the schedule and writes it.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let (Some(schedule), Some(format)) = (&args.schedule, &args.to) else {
        return list(args);
    };
    let format = export::find(format).map_err(Failure::bad_input)?;
    let place = args.output.as_deref().unwrap_or(Path::new("-"));
    let is_standard = place == Path::new("-");
    if is_standard && format.ending.is_empty() {
        return Err(Failure::bad_input(format!(
            "the format {} consists of several files; name them with -o NAME",
            format.name
        )));
    }
    if !is_standard {
        check_place(place)?;
    }
    let ticker = Ticker::saying("verifying and exporting");
    let checked = match judged(schedule, args.max_deliveries)? {
        Ok(checked) => checked,
        Err(problem) => {
            drop(ticker);
            let file = schedule.display();
            return Err(Failure::bad_input(format!(
                "{file} is not a valid schedule and was not exported: {problem} (`pavane verify` lists all violations)"
            )));
        }
    };
    let options = ExportOptions { bytes: args.bytes };
    let files = export::export(format.name, &checked, options).map_err(Failure::bad_input)?;
    let mut written = Vec::new();
    for File { suffix, bytes } in files {
        let mut name = place.as_os_str().to_owned();
        name.push(suffix);
        let path = PathBuf::from(name);
        write_file(&path, |out| out.write_all(&bytes))?;
        written.push(WrittenFile { file: path.display().to_string(), bytes: bytes.len() });
    }
    drop(ticker);
    if args.json && !is_standard {
        print_json(&Exported { format: format.name, files: written })?;
    }
    Ok(DONE)
}

/// The phases of a schedule file, judged, or the first violation if they are not valid.
pub fn judged(path: &Path, limit: u64) -> Result<Result<Vec<CheckedSchedule>, String>, Failure> {
    let phases = read_file(path, limit).map_err(Failure::bad_input)?;
    let mut checked = Vec::new();
    for Phase { problem, schedule, .. } in phases {
        match verify(problem, schedule) {
            Ok(one) => checked.push(one),
            Err(violations) => {
                let first = violations.first().map(ToString::to_string).unwrap_or_default();
                return Ok(Err(first));
            }
        }
    }
    Ok(Ok(checked))
}

fn list(args: &ExportArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let formats = FORMATS.iter().map(|format| FormatReport {
            name: format.name,
            meaning: format.meaning,
            ending: format.ending,
        });
        print_json(&formats.collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    let mut out = standard();
    for format in FORMATS {
        writeln!(out, "{:<10}{}", format.name, format.meaning)?;
    }
    out.flush()?;
    Ok(DONE)
}
