//! How schedule files of this program come about: with their status and who made them, gzipped where
//! their name says so.

use crate::output::{Failure, is_special, print_as_json, write_file};
use crate::words;
use pavane_model::Bound;
use pavane_model::claims;
use pavane_model::format::{Phase, open_beside, read_file};
use pavane_render::file;
use pavane_verify::{CheckedSchedule, judge};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Which program files are made by.
pub const PROGRAM: &str = concat!("pavane ", env!("CARGO_PKG_VERSION"));

/// A schedule with all that its file says besides.
pub struct ScheduleFile<'a> {
    /// The collective.
    pub name: &'a str,
    /// The phases, each with its bound.
    pub phases: Vec<(&'a CheckedSchedule, &'a Bound)>,
    /// The engines that found it.
    pub engine: String,
    /// Where chance started.
    pub seed: u64,
}

impl ScheduleFile<'_> {
    /// Writes the file that a path names; where that fails, another that the error names, so that no search was in vain.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let failure = match write_file(path, |out| self.write(path, out)) {
            Err(failure @ Failure::BadInput(_)) if !is_special(path) => failure,
            done => return done,
        };
        let keep = || {
            let mut file = tempfile::Builder::new().prefix("pavane-").suffix(".json").tempfile()?;
            let mut out = BufWriter::new(&mut file);
            self.write_plain(&mut out)?;
            out.flush()?;
            drop(out);
            file.keep().map(|(_, kept)| kept).map_err(|error| error.error)
        };
        Err(match keep() {
            Ok(kept) => {
                let (why, kept) = (failure.text(), kept.display());
                Failure::bad_input(format!("{why}; the schedule is kept in {kept}"))
            }
            Err(_) => failure,
        })
    }

    /// Writes the file that a path names.
    pub fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        gzipped_by_name(path, out, |out| self.write_plain(out))
    }

    /// Writes the file as it is read.
    pub fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        more.insert("made_by".into(), self.made_by());
        file::write(self.name, &self.phases, &more, out)
    }

    /// The file, as a part of another.
    pub fn embedded(&self) -> io::Result<Box<RawValue>> {
        let mut bytes = Vec::new();
        self.write_plain(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        Ok(RawValue::from_string(text)?)
    }

    /// Prints what is reported of it as JSON, with the file that it was written to, or else in full.
    pub fn print_json(&self, report: &Value, path: Option<&Path>) -> Result<(), Failure> {
        let file = path.map(|path| path.display().to_string());
        let schedule = if path.is_none() { Some(self.embedded()?) } else { None };
        print_as_json(&Report { report, file, schedule })
    }

    /// Whether it is optimal, in words.
    pub fn status(&self) -> String {
        let gap: u32 = self.phases.iter().map(|(checked, bound)| gap(checked, bound)).sum();
        match (gap, self.phases.len()) {
            (0, 1) => "optimal".to_owned(),
            (0, _) => "every phase optimal".to_owned(),
            (gap, _) => format!("best found, at most {} from optimal", words::steps(gap)),
        }
    }

    /// Which program, engine and seed it is from.
    pub fn made_by(&self) -> Value {
        json!({
            "program": PROGRAM,
            "engine": self.engine,
            "seed": self.seed,
        })
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    report: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<Box<RawValue>>,
}

/// Writes what a file holds, gzipped if its name says so.
pub fn gzipped_by_name(
    path: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.extension().is_none_or(|ending| ending != "gz") {
        return write(out);
    }
    let mut gzip = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
    write(&mut gzip)?;
    gzip.finish().map(drop)
}

/// Steps beyond the bound.
pub fn gap(checked: &CheckedSchedule, bound: &Bound) -> u32 {
    checked.schedule().step_count() - bound.steps
}

/// The schedule in a file, judged, with its collective in words and with bounds that are proved: those
/// of the file, or what the judge finds without help.
pub fn judged(
    path: &Path,
    max_deliveries: u64,
) -> Result<(String, Vec<(CheckedSchedule, Bound)>), Failure> {
    let phases = read_file(path, max_deliveries).map_err(Failure::bad_input)?;
    let name = match &phases[..] {
        [only] => claims::collective_in_words(&only.problem),
        _ => "all-reduce".to_owned(),
    };
    let mut checked = Vec::new();
    for Phase { problem, bound, schedule } in phases {
        let verdict = judge(problem, schedule, bound.as_ref(), &|proof| open_beside(path, proof));
        let first = verdict.violations.first().map(ToString::to_string).unwrap_or_default();
        let bound = verdict.accepted(bound).unwrap_or_else(|| Bound {
            steps: verdict.proved,
            reason: "found by the judge".to_owned(),
            explanation: String::new(),
            certificate: None,
        });
        let Some(valid) = verdict.checked else {
            let file = path.display();
            return Err(Failure::bad_input(format!(
                "{file} is not valid ({first}); see `pavane verify`"
            )));
        };
        checked.push((valid, bound));
    }
    Ok((name, checked))
}
