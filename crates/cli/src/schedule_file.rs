//! Writes schedule files with their status and origin, gzipped if the name ends in `.gz`.

use crate::output::{Failure, is_special, print_in_order, print_json_with, write_file};
use crate::picture_file::PictureFormat;
use crate::report::common::{MadeBy, WithSchedule};
use crate::words;
use pavane_model::Bound;
use pavane_model::claims;
use pavane_model::format::{Phase, open_beside, read_whole_file};
use pavane_model::whole::{Whole, WholeBound};
use pavane_render::picture::{self, DrawnSchedule, Show, Theme};
use pavane_render::{file, viewer};
use pavane_verify::{CheckedSchedule, Limits, judge, judge_whole};
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
        let drawn = self.drawn();
        if format == PictureFormat::Html {
            let page = viewer::schedule_page(&drawn);
            return page.map(String::into_bytes).map_err(Failure::bad_input);
        }
        let scene = if format == PictureFormat::Gif {
            picture::animated_schedule(&drawn, &Show::default())
        } else {
            picture::schedule(&drawn, &Show::default())
        };
        format.bytes(&scene.map_err(Failure::bad_input)?, Theme::default(), self.name)
    }

    /// What pictures of it show.
    fn drawn(&self) -> DrawnSchedule<'_> {
        DrawnSchedule { name: self.name, phases: self.phases.clone(), whole: self.whole() }
    }

    /// What the file says about the phases together.
    fn whole(&self) -> Whole {
        self.whole.as_ref().map_or_else(Whole::default, |whole| Whole {
            start: whole.start,
            bound: Some(whole.bound.clone()),
        })
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
        file::write(self.name, &self.phases, &self.whole(), &more, out)
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

/// A judged schedule with the name of its collective and with proved bounds: those of its file, or those that
/// the judge derives itself.
pub struct JudgedSchedule {
    /// The collective.
    pub name: String,
    /// The phases, each with its bound.
    pub phases: Vec<(CheckedSchedule, Bound)>,
    /// For an all-reduce: when its broadcast starts, and its bound.
    pub whole: Whole,
}

impl JudgedSchedule {
    /// Judges the phases of a file and the whole. The error is the first violation. `open` opens the file of
    /// a proof.
    pub fn judge(
        phases: Vec<Phase>,
        whole: Whole,
        open: &dyn Fn(&str) -> io::Result<Box<dyn io::BufRead>>,
    ) -> Result<Self, String> {
        let name = match &phases[..] {
            [only] => claims::collective_in_words(&only.problem),
            _ => "all-reduce".to_owned(),
        };
        let mut checked = Vec::new();
        for Phase { problem, bound, schedule } in phases {
            let verdict = judge(problem, schedule, bound.as_ref(), open);
            let first = verdict.violations.first().map(ToString::to_string).unwrap_or_default();
            let bound = verdict.accepted(bound).unwrap_or_else(|| Bound {
                steps: verdict.proved,
                reason: "found by the judge".to_owned(),
                explanation: String::new(),
                certificate: None,
            });
            checked.push((verdict.checked.ok_or(first)?, bound));
        }
        let [(reduce, before), (broadcast, after)] = &checked[..] else {
            return Ok(Self { name, phases: checked, whole });
        };
        let limits = Limits::of(broadcast.problem());
        let proved = [before.steps, after.steps];
        let verdict = judge_whole([reduce, broadcast], &whole, proved, limits);
        if let Some(first) = verdict.violations.first() {
            return Err(first.to_string());
        }
        let bound = verdict.bound(whole.bound.as_ref());
        let whole = Whole { start: whole.start, bound: Some(bound) };
        Ok(Self { name, phases: checked, whole })
    }

    /// What pictures of it show.
    pub fn drawn(&self) -> DrawnSchedule<'_> {
        DrawnSchedule {
            name: &self.name,
            phases: self.phases.iter().map(|(checked, bound)| (checked, bound)).collect(),
            whole: self.whole.clone(),
        }
    }
}

/// The schedule in a file, judged.
pub fn judged(path: &Path, max_deliveries: u64) -> Result<JudgedSchedule, Failure> {
    let (phases, whole) = read_whole_file(path, max_deliveries).map_err(Failure::bad_input)?;
    let judged = JudgedSchedule::judge(phases, whole, &|proof| open_beside(path, proof));
    judged.map_err(|first| {
        let file = path.display();
        Failure::bad_input(format!(
            "{file} is not a valid schedule: {first} (`pavane verify` lists all violations)"
        ))
    })
}
