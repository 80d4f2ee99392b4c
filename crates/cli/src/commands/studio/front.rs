//! The k-synchronous schedules of a collective, as `pavane pareto` finds them: a table and a plot, and
//! the schedule of every point to play and to download.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::machine::MachineAsked;
use super::throughput::{MOST_DELIVERIES, networks, optional, text};
use crate::commands::pareto::printer::FrontPrinter;
use crate::commands::pareto::{FrontSearch, folder, plot};
use crate::file_sink::FilesInMemory;
use crate::report::studio::FrontSummary;
use crate::words;
use pavane_model::{Aftermath, Bound, Fraction, Problem};
use pavane_pareto::{Front, FrontPoint, check_routers, in_rounds, rules};
use pavane_render::picture::{CheckedPhase, DrawnSchedule, check_size};
use pavane_render::viewer;
use pavane_search::budget::{Clock, Interrupt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Limits on chunks and steps, as those of the command.
const MOST_CHUNKS: u32 = 64;
const MOST_STEPS: u32 = 1000;
const USUAL_CHUNKS: u32 = 4;

/// The work of the solver for one point, as that of the command.
const EVALUATIONS: u64 = 4_000_000_000;

/// A front as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontAsked {
    /// The network and the collective; bandwidths do not apply.
    machine: MachineAsked,
    /// The most chunks that a message is cut into.
    #[serde(default)]
    max_chunks: String,
    /// The most steps.
    #[serde(default)]
    max_steps: String,
}

impl FrontAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.machine.size() + self.max_chunks.len() + self.max_steps.len()
    }

    /// The problems with whole messages, or why they are invalid.
    pub fn problems(&self) -> Result<Aftermath, String> {
        let (_, broken) = networks(&self.machine.problem, &self.machine.faults)?;
        check_routers(&broken).map_err(|error| error.to_string())?;
        let left = self.machine.problems(rules())?;
        let phases: Result<Vec<Problem>, _> =
            left.phases.iter().map(|phase| in_rounds(phase, None)).collect();
        Ok(Aftermath { phases: phases.map_err(|error| error.to_string())?, ..left })
    }
}

/// Parses a number from 1 to `most`.
fn number(text: &str, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("{text:?} is not a number from 1 to {most}"))
}

/// The judged points.
pub struct StudioFront {
    collective: String,
    seed: u64,
    problems: Vec<Problem>,
    limit: Option<Fraction>,
    front: Front,
    seconds: f64,
    missing: String,
}

/// Finds the points. At the deadline, or when the user stops it, the result is what was found.
pub fn compute(asked: &FrontAsked, job: &Job, time: Duration) -> Result<StudioFront, String> {
    let clock = Clock::start();
    let max_chunks = optional("max_chunks", &asked.max_chunks, |text| number(text, MOST_CHUNKS))?;
    let max_steps = optional("max_steps", &asked.max_steps, |text| number(text, MOST_STEPS))?;
    let Aftermath { phases: problems, missing } = asked.problems()?;
    let missing = words::processors_or_none(problems[0].network(), &missing);
    let collective = asked.machine.collective();
    let search = FrontSearch {
        collective,
        max_chunks: max_chunks.unwrap_or(USUAL_CHUNKS),
        max_steps,
        seed: asked.machine.problem.seed,
        evaluations: EVALUATIONS,
        max_deliveries: MOST_DELIVERIES * u64::from(MOST_CHUNKS),
        time,
        interrupt: Interrupt::never().unless(job.stop.clone()),
        tell: &|text| job.tell(text),
    };
    let (front, limit) = search.run(&problems, &clock).map_err(text)?;
    if job.is_cancelled() || front.points.is_empty() {
        return Err(job.excuse());
    }
    Ok(StudioFront {
        collective: collective.to_owned(),
        seed: asked.machine.problem.seed,
        problems,
        limit,
        front,
        seconds: clock.elapsed().as_secs_f64(),
        missing,
    })
}

impl StudioFront {
    fn printer(&self) -> FrontPrinter<'_> {
        FrontPrinter {
            collective: &self.collective,
            seed: self.seed,
            folder: None,
            problems: &self.problems,
            limit: self.limit,
            front: &self.front,
            seconds: self.seconds,
        }
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let phases = self.front.points.iter().flat_map(|point| &point.phases);
        phases.map(|phase| 20 * phase.schedule().transfer_count()).sum()
    }

    /// Data for the page: the table, or with a point in the query its schedule.
    pub fn data(&self, query: &BTreeMap<String, String>) -> Result<Value, String> {
        if let Some(point) = query.get("point") {
            return self.played(self.point(point)?);
        }
        let printer = self.printer();
        let points = &self.front.points;
        let summary = FrontSummary {
            title: &printer.title(),
            legend: &printer.legend(),
            fewer_in_words: points.iter().map(|point| printer.fewer(point)).collect(),
            places: plot::places(&printer),
            missing: &self.missing,
            front: printer.json(),
        };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    fn point(&self, text: &str) -> Result<&FrontPoint, String> {
        let found = text.parse().ok().and_then(|at: usize| self.front.points.get(at));
        found.ok_or_else(|| format!("there is no point {text:?}"))
    }

    /// The schedule of a point for the player.
    fn played(&self, point: &FrontPoint) -> Result<Value, String> {
        check_size(self.problems[0].network()).map_err(|error| error.to_string())?;
        let bounds: Vec<Bound> = point.phases.iter().map(folder::bound).collect();
        let phases: Vec<CheckedPhase<'_>> = point.phases.iter().zip(&bounds).collect();
        if !viewer::is_playable(&phases) {
            return Err("the schedule of this point is too large to play; download it".into());
        }
        let mut data = viewer::schedule_data(&DrawnSchedule::new(&self.collective, phases));
        // The bound on steps says nothing about rounds, so the facts are those of the point.
        let rounds: Vec<String> = point.rounds.iter().map(u32::to_string).collect();
        let facts = [
            ("steps", point.steps().to_string()),
            ("rounds", format!("{} ({})", point.round_count(), rounds.join("+"))),
            ("chunks per message", point.chunks.to_string()),
            ("rounds per chunk", point.rounds_per_chunk().to_string()),
            ("because", self.printer().fewer(point)),
        ];
        let by = data["words"][1].as_str().unwrap_or("sender").to_owned();
        data["words"] = json!(["round", by]);
        data["facts"] = serde_json::to_value(facts).map_err(|error| error.to_string())?;
        Ok(data)
    }

    /// The plot, the schedule of a point, or everything as an archive.
    pub fn download(
        &self,
        format: &str,
        query: &BTreeMap<String, String>,
    ) -> Result<Download, String> {
        let printer = self.printer();
        let stem = archive::stem(&self.collective, self.problems[0].network().name());
        match format {
            "svg" => {
                let bytes = plot::draw(&printer).into_bytes();
                Ok(Download { name: format!("{stem}-front.svg"), kind: "image/svg+xml", bytes })
            }
            "json" => {
                let point = self.point(query.get("point").map_or("", String::as_str))?;
                let mut bytes = Vec::new();
                folder::write_point(&mut bytes, &printer, point)
                    .map_err(|error| error.to_string())?;
                let name = format!("{stem}-{}.json", printer.name(point));
                Ok(Download { name, kind: "application/json", bytes })
            }
            "tar" => {
                let mut files = FilesInMemory::default();
                folder::write(&mut files, &printer).map_err(text)?;
                let bytes = archive::tar(&files.0)?;
                let kind = "application/octet-stream";
                Ok(Download { name: format!("{stem}-front.tar"), kind, bytes })
            }
            other => {
                Err(format!("a front cannot be downloaded as {other:?}; use svg, json or tar"))
            }
        }
    }
}
