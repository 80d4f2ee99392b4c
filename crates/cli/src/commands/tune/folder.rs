//! The folder of a tuning:
//!
//! - `msccl/*.xml`, `mscclpp/*.json`, `mpi/*.c`: plans and programs by range of sizes, with `minBytes` and
//!   `maxBytes`, or `min_message_size` and `max_message_size`;
//! - `schedules/*.json`: the schedule files that they were made from;
//! - `timed/*.json.gz`: the quickest timed schedule of every size;
//! - `tuning.json`, `time.svg`, `bandwidth.svg`: the table and the plots.

use super::plots;
use super::printer::TuningPrinter;
use crate::file_sink::FileSink;
use crate::output::Failure;
use crate::report::tune::TunedRange;
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use pavane_interop::export::{ExportOptions, export};
use pavane_model::whole::Whole;
use pavane_model::{Bound, strict_json, timed};
use pavane_render::file;
use pavane_tuning::{SizeRange, Tuning, ranges};
use pavane_verify::{CheckedSchedule, cheap_bound};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// The formats of plans, with the ending of their files.
const FORMATS: [(&str, &str); 3] = [("msccl", "xml"), ("mscclpp", "json"), ("mpi", "c")];

/// The longest message of the MPI program, which allocates it.
const MOST_MPI_BYTES: u64 = 1 << 20;

/// The folders of the files.
const FOLDERS: [&str; 5] = ["msccl", "mscclpp", "mpi", "schedules", "timed"];

/// Creates the folders, so that a wrong name is found before the search.
pub fn create(folder: &Path) -> Result<(), Failure> {
    for name in FOLDERS {
        std::fs::create_dir_all(folder.join(name)).map_err(|error| {
            let name = folder.display();
            Failure::bad_input(format!("cannot create the folder {name}: {}", error.kind()))
        })?;
    }
    Ok(())
}

/// Removes the files that `tuning.json` of an earlier run lists: a library would choose between its plans
/// and the new ones.
pub fn remove_earlier(folder: &Path) {
    let text = std::fs::read(folder.join("tuning.json")).unwrap_or_default();
    let Ok(earlier) = strict_json::from_slice::<Value>(&text) else { return };
    let list = |field: &str| earlier[field].as_array().cloned().unwrap_or_default();
    let timed = list("sizes").into_iter().map(|size| size["timed_file"].clone());
    let plans = list("ranges")
        .into_iter()
        .flat_map(|range| range["files"].as_array().cloned().unwrap_or_default());
    for name in timed.chain(plans) {
        let parts = name.as_str().and_then(|name| name.split_once('/'));
        let is_own = |(kind, file): &(&str, &str)| {
            FOLDERS.contains(kind) && !file.contains(['/', '\\']) && !file.starts_with('.')
        };
        if let Some((kind, file)) = parts.filter(is_own) {
            // A file that is gone already needs no removal.
            let _ = std::fs::remove_file(folder.join(kind).join(file));
        }
    }
}

/// The file of the quickest timed schedule for a size.
pub fn timed_name(bytes: u64) -> String {
    format!("timed/{bytes}.json.gz")
}

fn made_by() -> Map<String, Value> {
    let mut more = Map::new();
    more.insert("made_by".into(), json!({"program": PROGRAM, "engine": "tune"}));
    more
}

/// Writes the schedules and the plans of every range.
pub fn write_plans(folder: &mut dyn FileSink, tuned: &Tuning) -> Result<Vec<TunedRange>, Failure> {
    for size in &tuned.sizes {
        let name = timed_name(size.bytes);
        let write = |out: &mut dyn Write| timed::write(out, size.timed.schedule(), &made_by());
        folder.add(&name, &|out| gzipped_by_name(Path::new(&name), out, write))?;
    }
    let mut written = Vec::new();
    for range in ranges(tuned) {
        written.push(write_range(folder, tuned, &range)?);
    }
    Ok(written)
}

fn write_range(
    folder: &mut dyn FileSink,
    tuned: &Tuning,
    range: &SizeRange,
) -> Result<TunedRange, Failure> {
    let (schedule, phases) = &tuned.schedules[range.schedule];
    let most = if range.is_unlimited() { "max".to_owned() } else { range.most.to_string() };
    let stem = format!("{}-{most}", range.least);
    let mut files = Vec::new();
    let mut not_written = Vec::new();
    let name = format!("schedules/{stem}.json");
    folder.add(&name, &|out| write_schedule(out, phases))?;
    files.push(name);
    let message = (range.sample / phases[0].problem().messages().len().max(1) as u64) & !3;
    let options = ExportOptions {
        bytes: message.clamp(4, MOST_MPI_BYTES),
        sizes: Some((range.least, range.most)),
    };
    for (format, ending) in FORMATS {
        match export(format, phases, options) {
            Ok(exported) => {
                for file in exported {
                    let name = format!("{format}/{stem}{}.{ending}", file.suffix);
                    folder.add(&name, &|out| out.write_all(&file.bytes))?;
                    files.push(name);
                }
            }
            Err(error) => not_written.push(error.to_string()),
        }
    }
    Ok(TunedRange {
        min_bytes: range.least,
        max_bytes: range.most,
        schedule: schedule.clone(),
        files,
        not_written,
    })
}

fn write_schedule(out: &mut dyn Write, phases: &[CheckedSchedule]) -> std::io::Result<()> {
    let bound = |checked: &CheckedSchedule| Bound {
        steps: cheap_bound(checked.problem()),
        reason: "found by the judge".to_owned(),
        explanation: String::new(),
        certificate: None,
    };
    let bounds: Vec<Bound> = phases.iter().map(bound).collect();
    let phases: Vec<(&CheckedSchedule, &Bound)> = phases.iter().zip(&bounds).collect();
    let name = if phases.len() > 1 { "all-reduce" } else { "" };
    file::write(name, &phases, &Whole::default(), &made_by(), out)
}

/// Writes the table and the plots.
pub fn write_summary(
    folder: &mut dyn FileSink,
    printer: &TuningPrinter<'_>,
) -> Result<(), Failure> {
    folder.add("time.svg", &|out| out.write_all(plots::time(printer).as_bytes()))?;
    folder.add("bandwidth.svg", &|out| out.write_all(plots::bandwidth(printer).as_bytes()))?;
    folder.add("tuning.json", &|out| {
        serde_json::to_writer_pretty(&mut *out, &printer.json())?;
        writeln!(out)
    })
}
