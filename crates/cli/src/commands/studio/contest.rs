//! A timed schedule beside the algorithms of libraries, as `pavane compare` simulates them: a table and
//! a chart for every size, and every schedule to play and to download.

use super::answer::{Download, SOON};
use super::archive;
use super::job::Job;
use super::machine::MachineAsked;
use crate::args::values::parse_size;
use crate::commands::compare::picture;
use crate::commands::compare::printer::ComparisonPrinter;
use crate::commands::draw::timed::TimedPicture;
use crate::report::studio::ContestSummary;
use crate::words;
use pavane_baselines::Simulated;
use pavane_model::units::size_in_words;
use pavane_model::{Aftermath, Duplex, Model, Problem, timed};
use pavane_render::picture::check_size;
use pavane_search::budget::{Clock, is_past};
use pavane_tuning::compare::{ComparedSize, ComparisonRequest, algorithms, compare};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most sizes of one request.
const MOST_SIZES: usize = 16;

/// A comparison as the page requests it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestAsked {
    /// The network and the collective.
    machine: MachineAsked,
    /// Sizes with commas between them.
    #[serde(default)]
    bytes: String,
}

impl ContestAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.machine.size() + self.bytes.len()
    }

    /// The problems and the sizes, or why they are invalid.
    pub fn problems(&self) -> Result<(Aftermath, Vec<u64>), String> {
        let sizes = self.sizes()?;
        Ok((self.machine.problems(Model::default())?, sizes))
    }

    fn sizes(&self) -> Result<Vec<u64>, String> {
        let sizes: Result<Vec<u64>, String> =
            self.bytes.split(',').map(|size| parse_size(size.trim())).collect();
        let sizes = sizes.map_err(|error| format!("bytes: {error}"))?;
        if sizes.len() > MOST_SIZES {
            return Err(format!("bytes: the studio compares at most {MOST_SIZES} sizes at once"));
        }
        Ok(sizes)
    }
}

/// The judged schedules of all algorithms and sizes.
pub struct StudioComparison {
    collective: String,
    problems: Vec<Problem>,
    results: Vec<ComparedSize>,
    seconds: f64,
    missing: String,
}

/// Compares the algorithms for every size. When the user stops it, the result is the sizes that are done.
pub fn compute(
    asked: &ContestAsked,
    job: &Job,
    time: Duration,
) -> Result<StudioComparison, String> {
    let clock = Clock::start();
    let (Aftermath { phases: problems, missing }, sizes) = asked.problems()?;
    let missing = words::processors_or_none(problems[0].network(), &missing);
    let collective = asked.machine.collective();
    let each = SOON.min(time / sizes.len() as u32);
    let mut results = Vec::new();
    for &bytes in &sizes {
        job.tell(format!("simulating {}", size_in_words(bytes)));
        let is_stopped = || job.is_stopped();
        let others = algorithms(collective, &problems, Duplex::Full, bytes, &is_stopped);
        let others = others.map_err(|error| error.to_string())?;
        let deadline = Clock::start().after(each);
        let request = ComparisonRequest {
            collective,
            problems: &problems,
            duplex: Duplex::Full,
            seed: asked.machine.problem.seed,
            rounds: None,
            threads: words::cores(),
            stop: &|| job.is_stopped() || is_past(deadline),
        };
        results.push(compare(&request, bytes, others, &[]).map_err(|error| error.to_string())?);
        if job.is_stopped() {
            break;
        }
    }
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    Ok(StudioComparison {
        collective: collective.to_owned(),
        problems,
        results,
        seconds: clock.elapsed().as_secs_f64(),
        missing,
    })
}

impl StudioComparison {
    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let entries = self.results.iter().flat_map(|result| &result.entries);
        let phases = entries.flat_map(|entry| &entry.simulated.checked.schedule().phases);
        phases.map(|phase| 24 * phase.chunks.len() + 16 * phase.sends.len()).sum()
    }

    /// Data for the page: the table, or the schedule of the size and algorithm in the query.
    pub fn data(&self, query: &BTreeMap<String, String>) -> Result<Value, String> {
        if query.contains_key("algorithm") {
            check_size(self.problems[0].network()).map_err(|error| error.to_string())?;
            let entry = self.entry(query)?;
            let mut data = TimedPicture::of(entry.checked.clone())
                .data()
                .ok_or_else(|| format!("{} has too many sends to play; download it", entry.name))?;
            data["title"] =
                format!("{}: {}", entry.name, data["title"].as_str().unwrap_or("")).into();
            return Ok(data);
        }
        let printer = ComparisonPrinter {
            collective: &self.collective,
            picture: None,
            problems: &self.problems,
            results: &self.results,
            seconds: self.seconds,
        };
        let size = |result: &ComparedSize| size_in_words(result.bytes);
        let summary = ContestSummary {
            title: &printer.title(),
            sizes_in_words: self.results.iter().map(size).collect(),
            missing: &self.missing,
            comparison: printer.json(),
        };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    fn result(&self, query: &BTreeMap<String, String>) -> Result<&ComparedSize, String> {
        let given = query.get("size").map_or("0", String::as_str);
        let found = given.parse().ok().and_then(|at: usize| self.results.get(at));
        found.ok_or_else(|| format!("there is no size {given:?}"))
    }

    fn entry(&self, query: &BTreeMap<String, String>) -> Result<&Simulated, String> {
        let given = query.get("algorithm").map_or("", String::as_str);
        let mut entries = self.result(query)?.entries.iter().map(|entry| &entry.simulated);
        entries
            .find(|entry| entry.name == given)
            .ok_or_else(|| format!("there is no algorithm {given:?}"))
    }

    /// The chart of a size, or the schedule of an algorithm.
    pub fn download(
        &self,
        format: &str,
        query: &BTreeMap<String, String>,
    ) -> Result<Download, String> {
        let result = self.result(query)?;
        let bytes = result.bytes;
        let stem = archive::stem(&self.collective, self.problems[0].network().name());
        match format {
            "svg" => {
                let svg = picture::draw(&self.collective, result).into_bytes();
                let name = format!("{stem}-{bytes}-compared.svg");
                Ok(Download { name, kind: "image/svg+xml", bytes: svg })
            }
            "json" => {
                let entry = self.entry(query)?;
                let mut file = Vec::new();
                timed::write(&mut file, entry.checked.schedule(), &Map::new())
                    .map_err(|error| error.to_string())?;
                let name = format!("{stem}-{bytes}-{}.json", entry.name.replace(' ', "-"));
                Ok(Download { name, kind: "application/json", bytes: file })
            }
            other => {
                Err(format!("a comparison cannot be downloaded as {other:?}; use svg or json"))
            }
        }
    }
}
