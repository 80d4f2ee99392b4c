//! How schedule files of this program come about: with their status and who made them, gzipped where
//! their name says so.

use crate::words;
use pavane_model::Bound;
use pavane_render::file;
use pavane_verify::CheckedSchedule;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

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
    /// Writes the file that a path names.
    pub fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        if path.extension().is_none_or(|ending| ending != "gz") {
            return self.write_plain(out);
        }
        let mut gzip = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        self.write_plain(&mut gzip)?;
        gzip.finish().map(drop)
    }

    /// Writes the file as it is read.
    pub fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        more.insert("made_by".into(), self.made_by());
        file::write(self.name, &self.phases, &more, out)
    }

    /// The same as a value.
    pub fn as_json(&self) -> io::Result<Value> {
        let mut bytes = Vec::new();
        self.write_plain(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
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
            "program": concat!("pavane ", env!("CARGO_PKG_VERSION")),
            "engine": self.engine,
            "seed": self.seed,
        })
    }
}

/// Steps beyond the bound.
pub fn gap(checked: &CheckedSchedule, bound: &Bound) -> u32 {
    checked.schedule().step_count() - bound.steps
}
