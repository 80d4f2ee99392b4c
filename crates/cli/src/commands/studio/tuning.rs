//! The best schedule for every size, as `pavane tune` chooses it: the table of switch points, the plots,
//! and the plans for libraries to download.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::machine::MachineAsked;
use super::throughput::{optional, text};
use crate::args::tune::parse_range;
use crate::commands::tune::printer::TuningPrinter;
use crate::commands::tune::{TuningSearch, folder};
use crate::file_sink::FilesInMemory;
use crate::report::studio::TuningSummary;
use crate::words;
use pavane_model::units::size_in_words;
use pavane_model::{Aftermath, Duplex, Model};
use pavane_search::budget::Clock;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The most sizes of one request.
const MOST_SIZES: usize = 64;

/// A tuning as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningAsked {
    /// The network and the collective.
    machine: MachineAsked,
    /// The smallest and the largest size, such as 1KB..1GB.
    #[serde(default)]
    bytes: String,
    /// Each size is this many times the one before.
    #[serde(default)]
    factor: String,
}

impl TuningAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.machine.size() + self.bytes.len() + self.factor.len()
    }

    /// The problems and the sizes, or why they are invalid.
    pub fn problems(&self) -> Result<(Aftermath, Vec<u64>), String> {
        let sizes = self.sizes()?;
        Ok((self.machine.problems(Model::default())?, sizes))
    }

    fn sizes(&self) -> Result<Vec<u64>, String> {
        let range = parse_range(self.bytes.trim()).map_err(|error| format!("bytes: {error}"))?;
        let factor = optional("factor", &self.factor, |text| {
            let factor = text.parse().ok().filter(|factor| (2..=1024).contains(factor));
            factor.ok_or_else(|| format!("{text:?} is not a number from 2 to 1024"))
        })?;
        let (least, most) = range;
        let sizes = pavane_tuning::sizes(least, most, factor.unwrap_or(2));
        if sizes.len() > MOST_SIZES {
            return Err(format!("bytes: the studio tunes at most {MOST_SIZES} sizes at once"));
        }
        Ok(sizes)
    }
}

/// The table, and the files of the folder that the command writes.
pub struct StudioTuning {
    stem: String,
    data: Value,
    files: Vec<(String, Vec<u8>)>,
}

/// Finds the schedules. When the user stops it, the result is the sizes that are done.
pub fn compute(asked: &TuningAsked, job: &Job, time: Duration) -> Result<StudioTuning, String> {
    let clock = Clock::start();
    let (Aftermath { phases: problems, missing }, sizes) = asked.problems()?;
    let collective = asked.machine.collective();
    let search = TuningSearch {
        collective,
        sizes: &sizes,
        duplex: Duplex::Full,
        seed: asked.machine.problem.seed,
        rounds: None,
        time,
        stop: job.stop.clone(),
        tell: &|text| job.tell(text),
        threads: words::cores(),
    };
    let tuned = search.run(&problems, &clock).map_err(text)?;
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    job.tell("writing the plans".to_owned());
    let mut files = FilesInMemory::default();
    let ranges = folder::write_plans(&mut files, &tuned).map_err(text)?;
    let stem = format!("{}-tuned", archive::stem(collective, problems[0].network().name()));
    let printer = TuningPrinter {
        collective,
        folder: Path::new(&stem),
        problems: &problems,
        tuned: &tuned,
        ranges: &ranges,
        seconds: clock.elapsed().as_secs_f64(),
    };
    folder::write_summary(&mut files, &printer).map_err(text)?;
    let summary = TuningSummary {
        title: &printer.title(),
        sizes_in_words: tuned.sizes.iter().map(|size| size_in_words(size.bytes)).collect(),
        ranges_in_words: ranges.iter().map(|range| size_in_words(range.min_bytes)).collect(),
        missing: &words::processors_or_none(problems[0].network(), &missing),
        tuning: printer.json(),
    };
    let data = serde_json::to_value(summary).map_err(|error| error.to_string())?;
    Ok(StudioTuning { data, files: files.0, stem })
}

impl StudioTuning {
    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Data for the page.
    pub fn data(&self) -> Value {
        self.data.clone()
    }

    /// A file by the name in the query, or all files as an archive.
    pub fn download(
        &self,
        format: &str,
        query: &BTreeMap<String, String>,
    ) -> Result<Download, String> {
        match format {
            "tar" => {
                let bytes = archive::tar(&self.files)?;
                let kind = "application/octet-stream";
                Ok(Download { name: format!("{}.tar", self.stem), kind, bytes })
            }
            "file" => {
                let wanted = query.get("file").map_or("", String::as_str);
                let found = self.files.iter().find(|(name, _)| name == wanted);
                let (name, bytes) = found.ok_or_else(|| format!("there is no file {wanted:?}"))?;
                let kind = match name.rsplit('.').next() {
                    Some("svg") => "image/svg+xml",
                    Some("json") => "application/json",
                    _ => "application/octet-stream",
                };
                let name = format!("{}-{}", self.stem, name.replace('/', "-"));
                Ok(Download { name, kind, bytes: bytes.clone() })
            }
            other => Err(format!("a tuning cannot be downloaded as {other:?}; use tar or file")),
        }
    }
}
