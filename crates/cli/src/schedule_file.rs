//! Writes schedule files with their status and origin, gzipped if the name ends in `.gz`.

use crate::output::{Failure, is_special, print_in_order, print_json_with, write_file};
use crate::picture_file::PictureFormat;
use crate::report::common::{MadeBy, WithSchedule};
use crate::words;
use pavane_model::Bound;
use pavane_model::claims;
use pavane_model::format::{Phase, open_beside, read_whole_file};
use pavane_model::whole::{Whole, WholeBound};
use pavane_render::picture::{self, Show, Theme};
use pavane_render::{file, viewer};
use pavane_verify::{CheckedSchedule, judge};
use serde::Serialize;
use serde_json::Map;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use pavane_store::files::{PROGRAM, gzipped_by_name};

/// A schedule with the additional data of its file.
pub struct ScheduleFile<'a> {
    /// The collective.
    pub name: &'a str,
    /// The phases, each with its bound.
    pub phases: Vec<(&'a CheckedSchedule, &'a Bound)>,
    /// The all-reduce, if there are two phases and they were solved together.
    pub whole: Option<WholePart<'a>>,
    /// The engines that found it.
    pub engine: String,
    /// Random seed.
    pub seed: u64,
}

/// An all-reduce as a whole.
pub struct WholePart<'a> {
    /// The number of steps before the broadcast, if the phases overlap.
    pub start: Option<u32>,
    /// Number of steps.
    pub steps: u32,
    /// The proved lower bound.
    pub bound: &'a WholeBound,
}

impl ScheduleFile<'_> {
    /// Writes the file: a picture if the name is that of one. If that fails, writes a temporary file
    /// and names it in the error, so that the result is not lost.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let written = match PictureFormat::of(path) {
            Some(format) => {
                self.picture(format).and_then(|bytes| write_file(path, |out| out.write_all(&bytes)))
            }
            None => write_file(path, |out| self.write(path, out)),
        };
        let failure = match written {
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
                Failure::bad_input(format!("{why}; the schedule was written to {kept} instead"))
            }
            Err(_) => failure,
        })
    }

    fn picture(&self, format: PictureFormat) -> Result<Vec<u8>, Failure> {
        let overlapping = self.whole.as_ref().filter(|whole| whole.start.is_some());
        let name = match overlapping {
            Some(whole) => picture::drawn_in_order(self.name, whole.steps),
            None => self.name.to_owned(),
        };
        if format == PictureFormat::Html {
            let page = viewer::schedule_page(&name, &self.phases);
            return page.map(String::into_bytes).map_err(Failure::bad_input);
        }
        let scene = if format == PictureFormat::Gif {
            picture::animated_schedule(&name, &self.phases, &Show::default())
        } else {
            picture::schedule(&name, &self.phases, &Show::default())
        };
        format.bytes(&scene.map_err(Failure::bad_input)?, Theme::default(), &name)
    }

    /// Writes the content, gzipped according to `path`.
    pub fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        gzipped_by_name(path, out, |out| self.write_plain(out))
    }

    /// Writes the content uncompressed.
    pub fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        more.insert("made_by".into(), serde_json::to_value(self.made_by())?);
        let whole = self.whole.as_ref().map_or_else(Whole::default, |whole| Whole {
            start: whole.start,
            bound: Some(whole.bound.clone()),
        });
        file::write(self.name, &self.phases, &whole, &more, out)
    }

    /// Prints a report as JSON, with the path of the file, or with the whole schedule if there is
    /// none.
    pub fn print_json(&self, report: &impl Serialize, path: Option<&Path>) -> Result<(), Failure> {
        let report = serde_json::to_value(report).map_err(io::Error::from)?;
        if let Some(path) = path {
            let file = Some(path.display().to_string());
            return print_in_order(&WithSchedule { report, file, schedule: None });
        }
        print_json_with(&report, "schedule", |out| self.write_plain(out))
    }

    /// Whether it is optimal, as text.
    pub fn status(&self) -> String {
        if let Some(whole) = &self.whole {
            return match whole.steps - whole.bound.steps {
                0 => "optimal".to_owned(),
                gap => format!("best found, at most {} from optimal", words::steps(gap)),
            };
        }
        let gap: u32 = self.phases.iter().map(|(checked, bound)| gap(checked, bound)).sum();
        match (gap, self.phases.len()) {
            (0, 1) => "optimal".to_owned(),
            (0, _) => "every phase optimal".to_owned(),
            (gap, _) => format!("best found, at most {} from optimal", words::steps(gap)),
        }
    }

    /// The program, engine and seed that produced it.
    pub fn made_by(&self) -> MadeBy<'_> {
        MadeBy { program: PROGRAM, engine: Some(&self.engine), seed: self.seed }
    }
}

/// Number of steps above the bound.
pub fn gap(checked: &CheckedSchedule, bound: &Bound) -> u32 {
    checked.schedule().step_count() - bound.steps
}

/// The schedule in a file, judged, with the name of its collective and with proved bounds: those of
/// the file, or those that the judge derives itself.
pub fn judged(
    path: &Path,
    max_deliveries: u64,
) -> Result<(String, Vec<(CheckedSchedule, Bound)>), Failure> {
    let (phases, whole) = read_whole_file(path, max_deliveries).map_err(Failure::bad_input)?;
    let name = match (&phases[..], whole.start) {
        ([only], _) => claims::collective_in_words(&only.problem),
        ([reduce, broadcast], Some(_)) => {
            let lengths = [reduce, broadcast].map(|phase| phase.schedule.step_count());
            picture::drawn_in_order("all-reduce", whole.steps(lengths[0], lengths[1]))
        }
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
                "{file} is not a valid schedule: {first} (`pavane verify` lists all violations)"
            )));
        };
        checked.push((valid, bound));
    }
    Ok((name, checked))
}
