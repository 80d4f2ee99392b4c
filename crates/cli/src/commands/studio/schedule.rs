//! A schedule with few steps: found, repaired, to play and to download.

use super::answer::{Download, SOON};
use super::archive;
use super::chunk_search;
use super::job::Job;
use super::opened::FormFields;
use super::request::{Asked, faults};
use crate::args::problem::ChunkCount;
use crate::commands::solve::chunks;
use crate::report::studio::{AnswerSummary, RepairSummary};
use crate::schedule_file::{JudgedSchedule, ScheduleFile, WholePart};
use crate::words;
use pavane_interop::{FORMATS, export};
use pavane_model::collective::message_file;
use pavane_model::whole::Whole;
use pavane_model::{Bound, Problem, Schedule};
use pavane_render::picture::{self, DrawnSchedule, Show, Theme, gif, png, svg};
use pavane_render::viewer;
use pavane_search::budget::Interrupt;
use pavane_search::fault::repair::PATIENCE;
use pavane_search::fault::{Changes, Terms, repair};
use pavane_search::synthesize::{Options, synthesize};
use pavane_search::{all_reduce, bounds};
use pavane_verify::CheckedSchedule;
use serde_json::Value;
use std::time::Duration;

/// A checked schedule with its bounds.
pub struct ScheduleAnswer {
    name: String,
    phases: Vec<(CheckedSchedule, Bound)>,
    /// For an all-reduce: when its broadcast starts, and its bound.
    whole: Whole,
    engine: String,
    seed: u64,
    /// For a repair: the steps before it, and the changes.
    changes: Option<(u32, Changes)>,
    missing: String,
    /// What the chunks of its messages gain, in words; `None` if messages are whole.
    chunks: Option<String>,
    /// If it comes from a file.
    opened: Option<Opened>,
}

/// Where an opened schedule comes from.
struct Opened {
    /// The name of the file.
    file: String,
    /// The fields of the form that describe its problem.
    form: FormFields,
}

/// The options of a search.
pub(super) fn options(
    job: &Job,
    seed: u64,
    time: Duration,
    patience: Duration,
    phases: usize,
) -> Options {
    Options {
        catalogue: pavane_evolution::catalogue(),
        seed,
        threads: 1,
        patience: patience.min(time / phases.max(1) as u32),
        stop: job.stop.clone(),
        progress: job.progress.clone(),
        ..Options::default()
    }
}

/// The phases of a schedule with their bounds, and the engines that found them.
pub(super) struct SolvedPhases {
    /// The phases.
    pub phases: Vec<(CheckedSchedule, Bound)>,
    engines: Vec<&'static str>,
}

/// Finds a schedule. When the user stops it, the result is the best so far.
pub fn solve(asked: &Asked, job: &Job, time: Duration) -> Result<ScheduleAnswer, String> {
    let mut solved = match asked.chunks()? {
        ChunkCount::Fixed(count) => {
            let problems = asked.problems(count)?;
            let options = Options {
                engine: asked.engine(),
                ..options(job, asked.seed, time, SOON, problems.len())
            };
            solve_phases(&problems, &options)?.ok_or_else(|| job.excuse())?
        }
        ChunkCount::Auto => chunk_search::search(asked, job, time)?,
    };
    let whole = solved.overlap(&Options {
        engine: asked.engine(),
        ..options(job, asked.seed, time, SOON, solved.phases.len())
    })?;
    let SolvedPhases { phases, engines } = solved;
    let name = match asked.collective.trim() {
        list if message_file::is_content(list) => "messages".to_owned(),
        name => name.to_owned(),
    };
    let (engine, seed, missing) = (engines.join(", "), asked.seed, String::new());
    let chunks = chunk_gain(&phases, &whole);
    let (changes, opened) = (None, None);
    Ok(ScheduleAnswer { name, phases, whole, engine, seed, changes, missing, chunks, opened })
}

impl SolvedPhases {
    /// Lets the phases of an all-reduce overlap, and bounds it as one problem, as `pavane solve` does.
    fn overlap(&mut self, options: &Options) -> Result<Whole, String> {
        let [(reduce, before), (broadcast, after)] = &self.phases[..] else {
            return Ok(Whole::default());
        };
        let proved = [before.steps, after.steps];
        let solved = all_reduce::solve([reduce, broadcast], proved, options);
        let solved = solved.map_err(|error| format!("bug: {error}"))?;
        if solved.start().is_some() {
            self.engines.push(all_reduce::NAME);
        }
        let schedules = [solved.checked.reduce(), solved.checked.broadcast()];
        for ((checked, _), found) in self.phases.iter_mut().zip(schedules) {
            *checked = found.clone();
        }
        Ok(solved.in_file())
    }
}

/// Schedules for all phases, if they are found.
pub(super) fn solve_phases(
    problems: &[Problem],
    options: &Options,
) -> Result<Option<SolvedPhases>, String> {
    let (mut phases, mut engines) = (Vec::new(), Vec::new());
    for problem in problems {
        let outcome = synthesize(problem, options).map_err(|error| error.to_string())?;
        if let Some(refusal) = outcome.refusals.first() {
            return Err(format!(
                "bug: the judge rejected a schedule of the engine {}: {}",
                refusal.engine, refusal.problem
            ));
        }
        let Some(solution) = outcome.solution else { return Ok(None) };
        engines.push(solution.engine);
        phases.push((solution.checked, outcome.bounds.best));
    }
    Ok(Some(SolvedPhases { phases, engines }))
}

/// Repairs the schedule of an earlier job.
pub fn mend(
    before: &ScheduleAnswer,
    texts: &[String],
    terms: Terms,
    (job, time): (&Job, Duration),
) -> Result<ScheduleAnswer, String> {
    let network = before.phases[0].0.problem().network();
    let broken = faults(network, texts)?;
    let options = options(job, before.seed, time, PATIENCE, before.phases.len());
    let (mut phases, mut engines) = (Vec::new(), Vec::new());
    let (mut changes, mut missing) = (Changes::default(), String::new());
    for (checked, _) in &before.phases {
        let repaired = repair(checked, &broken, terms, &options);
        let repaired = repaired
            .map_err(|error| if job.is_stopped() { job.excuse() } else { error.to_string() })?;
        changes += repaired.changes;
        if !repaired.missing.is_empty() {
            missing = words::processors_of(network, &repaired.missing);
        }
        engines.push(repaired.engine);
        phases.push((repaired.checked, repaired.bound));
    }
    let whole = whole_in_order(&phases, job)?;
    Ok(ScheduleAnswer {
        name: before.name.clone(),
        chunks: chunk_gain(&phases, &whole),
        phases,
        whole,
        engine: engines.join(", "),
        seed: before.seed,
        changes: Some((before.steps(), changes)),
        missing,
        opened: None,
    })
}

/// The bound of an all-reduce whose phases follow each other.
fn whole_in_order(phases: &[(CheckedSchedule, Bound)], job: &Job) -> Result<Whole, String> {
    let [(reduce, before), (broadcast, after)] = phases else { return Ok(Whole::default()) };
    let interrupt = Interrupt::never().unless(job.stop.clone());
    let problems = [reduce.problem(), broadcast.problem()];
    let bound = bounds::of_whole(problems, [before.steps, after.steps], &interrupt);
    let bound = bound.map_err(|error| format!("bug: {error}"))?;
    Ok(Whole { start: None, bound: Some(bound) })
}

/// What the chunks of messages gain, in words; `None` if messages are whole.
fn chunk_gain(phases: &[(CheckedSchedule, Bound)], whole: &Whole) -> Option<String> {
    let schedules: Vec<&CheckedSchedule> = phases.iter().map(|(checked, _)| checked).collect();
    let steps = whole.start.and_then(|_| match schedules[..] {
        [reduce, broadcast] => {
            let lengths = [reduce, broadcast].map(|phase| phase.schedule().step_count());
            Some(whole.steps(lengths[0], lengths[1]))
        }
        _ => None,
    });
    chunks::report(&schedules, steps, false).map(|report| chunks::in_words(&report))
}

impl ScheduleAnswer {
    /// The judged schedule of a file. `form` describes its problem.
    pub fn opened(file: &str, judged: JudgedSchedule, form: FormFields) -> Self {
        let JudgedSchedule { name, phases, whole } = judged;
        Self {
            name,
            chunks: chunk_gain(&phases, &whole),
            phases,
            whole,
            engine: format!("import of {file}"),
            seed: 1,
            changes: None,
            missing: String::new(),
            opened: Some(Opened { file: file.to_owned(), form }),
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.drawn().step_count()
    }

    /// The proved bound.
    pub fn bound(&self) -> u32 {
        self.drawn().bound().unwrap_or(0)
    }

    /// Approximate memory of its schedules in bytes.
    pub fn bytes(&self) -> usize {
        let size =
            |schedule: &Schedule| 16 * schedule.transfer_count() + 4 * schedule.channel_uses();
        self.phases.iter().map(|(checked, _)| size(checked.schedule())).sum()
    }

    fn drawn(&self) -> DrawnSchedule<'_> {
        DrawnSchedule {
            name: &self.name,
            phases: self.phases.iter().map(|(checked, bound)| (checked, bound)).collect(),
            whole: self.whole.clone(),
        }
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        let drawn = self.drawn();
        let network = self.phases[0].0.problem().network();
        picture::check_size(network).map_err(|error| error.to_string())?;
        if !viewer::is_playable(&drawn.phases) {
            return Err(format!(
                "the schedule was found, but is too large to play (more than {} transfers in a step, or \
                 too many in total); download it instead",
                viewer::MOST_TRANSFERS
            ));
        }
        let mut data = viewer::schedule_data(&drawn);
        let summary = AnswerSummary {
            steps: self.steps(),
            bound: self.bound(),
            engine: &self.engine,
            missing: &self.missing,
            chunks: self.chunks.as_deref(),
            file: self.opened.as_ref().map(|opened| &opened.file[..]),
            form: self.opened.as_ref().map(|opened| &opened.form),
        };
        let json = |error: serde_json::Error| error.to_string();
        data["summary"] = serde_json::to_value(summary).map_err(json)?;
        if let Some((before, changes)) = &self.changes {
            let repair = RepairSummary::new(*before, changes);
            data["repair"] = serde_json::to_value(repair).map_err(json)?;
        }
        Ok(data)
    }

    /// A download in a given format.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        let network = self.phases[0].0.problem().network().name();
        let stem = archive::stem(&self.name, network);
        let file = |ending: &str, kind: &'static str, bytes: Vec<u8>| Download {
            name: format!("{stem}.{ending}"),
            kind,
            bytes,
        };
        let scene = || {
            let scene = picture::schedule(&self.drawn(), &Show::default());
            scene.map_err(|error| error.to_string())
        };
        let animation = || {
            let scene = picture::animated_schedule(&self.drawn(), &Show::default());
            scene.map_err(|error| error.to_string())
        };
        match format {
            "json" => {
                let mut bytes = Vec::new();
                self.file().write_plain(&mut bytes).map_err(|error| error.to_string())?;
                Ok(file("json", "application/json", bytes))
            }
            "svg" => {
                Ok(file("svg", "image/svg+xml", svg::write(&scene()?, Theme::Auto).into_bytes()))
            }
            "png" => {
                let bytes =
                    png::write(&scene()?, Theme::Light).map_err(|error| error.to_string())?;
                Ok(file("png", "image/png", bytes))
            }
            "animated-svg" => {
                let bytes = svg::write(&animation()?, Theme::Auto).into_bytes();
                Ok(file("animated.svg", "image/svg+xml", bytes))
            }
            "gif" => {
                let bytes = gif::write(&animation()?, Theme::Light);
                Ok(file("gif", "image/gif", bytes.map_err(|error| error.to_string())?))
            }
            "html" => {
                let page = viewer::schedule_page(&self.drawn());
                let page = page.map_err(|error| error.to_string())?;
                Ok(file("html", "text/html; charset=utf-8", page.into_bytes()))
            }
            other => self.export(other, &stem),
        }
    }

    /// One of the export formats; several files are put into an archive.
    fn export(&self, format: &str, stem: &str) -> Result<Download, String> {
        let found = export::find(format).map_err(|error| error.to_string())?;
        let checked: Vec<CheckedSchedule> = self.phases.iter().map(|(c, _)| c.clone()).collect();
        let files = export::export(found.name, &checked, export::ExportOptions::default());
        let files = files.map_err(|error| error.to_string())?;
        archive::exported(stem, (found.name, found.ending), files)
    }

    fn file(&self) -> ScheduleFile<'_> {
        ScheduleFile {
            name: &self.name,
            phases: self.drawn().phases,
            whole: self.whole.bound.as_ref().map(|bound| WholePart {
                start: self.whole.start,
                steps: self.steps(),
                bound,
            }),
            engine: self.engine.clone(),
            seed: self.seed,
        }
    }
}

/// The download formats with their descriptions.
pub fn formats() -> Vec<(&'static str, &'static str)> {
    let own = [
        ("json", "schedule file"),
        ("svg", "picture"),
        ("png", "bitmap picture"),
        ("animated-svg", "picture in which messages move"),
        ("gif", "bitmap picture in which messages move"),
        ("html", "page that plays the schedule"),
    ];
    own.into_iter().chain(FORMATS.iter().map(|format| (format.name, format.meaning))).collect()
}
