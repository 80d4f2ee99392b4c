//! The quickest schedule of a collective, as `pavane solve --minimize time` finds it: judged, to play
//! and to download; and its repair after faults.

use super::answer::{Download, SOON};
use super::archive;
use super::job::Job;
use super::machine::MachineAsked;
use super::request::{chunk_count, faults};
use super::throughput::{optional, text};
use crate::args::problem::ChunkCount;
use crate::args::values::parse_size;
use crate::commands::draw::timed::TimedPicture;
use crate::commands::repair_timed::in_words;
use crate::commands::solve::timed::{each_size, judge};
use crate::commands::solve::timed_printer::{TimedPrinter, micro};
use crate::picture_file::PictureFormat;
use crate::report::studio::TimedSummary;
use crate::words;
use pavane_baselines::known;
use pavane_interop::timed::{TIMED_FORMATS, export, find};
use pavane_model::timed::BufferSize;
use pavane_model::{Aftermath, Fraction, Model, Problem, TimedSchedule, claims};
use pavane_render::picture::{Theme, check_size, svg};
use pavane_search::budget::{Clock, is_past};
use pavane_throughput::sizes::{Sizes, read_matrix};
use pavane_timed::{TimedAnswer, TimedRepairRequest, TimedRequest, repair, solve};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// A timed schedule as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedAsked {
    /// The network and the collective.
    machine: MachineAsked,
    /// Size of the buffer, as in nccl-tests.
    #[serde(default)]
    bytes: String,
    /// Bytes of each message as a matrix in CSV or JSON, instead of one size.
    #[serde(default)]
    sizes: String,
    /// Chunks per message, or `auto`.
    #[serde(default)]
    chunks: String,
}

impl TimedAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.machine.size() + self.bytes.len() + self.sizes.len() + self.chunks.len()
    }

    /// The problems and the sizes of their messages, the latter perhaps with a unit, or why they are
    /// invalid.
    pub fn problems(&self) -> Result<(Aftermath, BufferSize, Option<u64>), String> {
        let left = self.machine.problems(Model::without_ports())?;
        let (size, unit) = self.sizes(&left.phases)?;
        Ok((left, size, unit))
    }

    /// The sizes of the messages: one size in bytes, or each with its unit.
    fn sizes(&self, problems: &[Problem]) -> Result<(BufferSize, Option<u64>), String> {
        let bytes = optional("bytes", &self.bytes, parse_size)?;
        match (bytes, self.sizes.trim()) {
            (Some(bytes), "") => Ok((BufferSize::Bytes(bytes), None)),
            (None, "") => {
                Err("bytes: give the size of the messages, such as 1MB, or a matrix of sizes"
                    .into())
            }
            (Some(_), _) => Err("bytes and sizes exclude each other; use one of them".into()),
            (None, _) => {
                let rows = read_matrix(&self.sizes).map_err(|error| format!("sizes: {error}"))?;
                let sizes = Sizes::of_matrix(problems, &rows);
                let sizes = sizes.map_err(|error| format!("sizes: {error}"))?;
                let each = each_size(&sizes).ok_or("sizes: too many bytes")?;
                Ok((each, Some(sizes.unit)))
            }
        }
    }
}

/// A judged timed schedule.
pub struct StudioTimed {
    collective: String,
    bytes: Option<u64>,
    unit: Option<u64>,
    seed: u64,
    title: String,
    lines: Vec<(&'static str, String)>,
    found: TimedAnswer,
    picture: TimedPicture,
}

/// Searches for a quick schedule. At the deadline, or when the user stops it, the result is the best so
/// far.
pub fn compute(asked: &TimedAsked, job: &Job, time: Duration) -> Result<StudioTimed, String> {
    let (Aftermath { phases: problems, missing }, size, unit) = asked.problems()?;
    let chunks = match chunk_count(&asked.chunks)? {
        None | Some(ChunkCount::Auto) => None,
        Some(ChunkCount::Fixed(count)) => Some(count.into()),
    };
    let clock = Clock::start();
    let deadline = clock.after(SOON.min(time));
    let stop = || job.is_stopped() || is_past(deadline);
    let duplex = asked.machine.problem.duplex()?;
    let early = clock.after(SOON.min(time) / 8);
    let known =
        known(asked.machine.collective(), &problems, &size, duplex, &|| stop() || is_past(early));
    let request = TimedRequest {
        size: &size,
        duplex,
        chunks,
        seed: asked.machine.problem.seed,
        rounds: None,
        threads: words::cores(),
        known: &known,
        stop: &stop,
    };
    let collective = asked.machine.collective();
    let found = solve(collective, &problems, &request).map_err(|error| error.to_string())?;
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let bytes = match size {
        BufferSize::Bytes(bytes) => Some(bytes),
        BufferSize::Each(_) => None,
    };
    let seed = asked.machine.problem.seed;
    let mut answer = StudioTimed::new(collective, (bytes, unit, seed), &problems, found, None)?;
    if let Some(note) = words::default_bandwidth(problems[0].network(), "the field bandwidth") {
        answer.lines.push(("note", note));
    }
    if !missing.is_empty() {
        answer.lines.push(("missing", words::processors_of(problems[0].network(), &missing)));
    }
    Ok(answer)
}

/// Repairs the schedule of an earlier job, as `pavane repair` does.
pub fn mend(
    before: &StudioTimed,
    texts: &[String],
    keep: Option<f64>,
    job: &Job,
) -> Result<StudioTimed, String> {
    let checked = before.picture.checked();
    let broken = faults(checked.network(), texts)?;
    let clock = Clock::start();
    let deadline = clock.after(REPAIR);
    let stop = || job.is_stopped() || is_past(deadline);
    let request = TimedRepairRequest {
        keep,
        seed: before.seed,
        rounds: None,
        threads: words::cores(),
        stop: &stop,
    };
    let repaired = repair(checked.schedule(), &broken, &request);
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let repaired = repaired.map_err(|error| error.to_string())?;
    let changes = in_words(&repaired.chosen.changes);
    let of = (before.bytes, before.unit, before.seed);
    let earlier = Some(before.found.time_ns);
    let found = repaired.chosen.answer;
    let mut answer = StudioTimed::new(&before.collective, of, &repaired.problems, found, earlier)?;
    answer.lines.push(("sends", changes));
    if let Some(other) = &repaired.other {
        let share = 100.0 * other.changes.kept_share();
        let time = micro(other.answer.time_ns);
        let quicker = other.answer.time_ns < answer.found.time_ns;
        let keep = if quicker { 0.0 } else { share.floor() };
        let other = format!("{time} keeps {share:.1} % of the valid sends; keep {keep} % gives it");
        answer.lines.push(("other", other));
    }
    if !repaired.missing.is_empty() {
        let network = repaired.problems[0].network();
        answer.lines.push(("missing", words::processors_of(network, &repaired.missing)));
    }
    Ok(answer)
}

/// Time to search for the quickest schedule after a fault; the repair itself takes no search.
const REPAIR: Duration = Duration::from_secs(2);

impl StudioTimed {
    /// Has a schedule judged and describes it. `before` is the time before a repair.
    fn new(
        collective: &str,
        (bytes, unit, seed): (Option<u64>, Option<u64>, u64),
        problems: &[Problem],
        found: TimedAnswer,
        before: Option<Fraction>,
    ) -> Result<Self, String> {
        judge(&found).map_err(text)?;
        let picture = TimedPicture::new(found.schedule.clone()).map_err(text)?;
        let printer = TimedPrinter { collective, bytes, unit, seed, problems, found: &found };
        let (title, mut lines) = (printer.title(), printer.lines(before));
        lines.push(("found by", format!("{}, seed {seed}", found.method)));
        let collective = collective.to_owned();
        Ok(Self { collective, bytes, unit, seed, title, lines, found, picture })
    }

    /// Has the schedule of a file judged and describes it.
    pub fn opened(file: &str, schedule: TimedSchedule) -> Result<Self, String> {
        let picture = TimedPicture::new(schedule.clone()).map_err(|failure| {
            let why = text(failure);
            format!("not a valid timed schedule: {why} (`pavane verify` lists all violations)")
        })?;
        let checked = picture.checked();
        let bound_ns = checked.proved_ns().map_or(Fraction::ZERO, |(bound, _)| bound);
        let bytes = match schedule.size {
            BufferSize::Bytes(bytes) => Some(bytes),
            BufferSize::Each(_) => None,
        };
        let problems: Vec<Problem> =
            schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
        let collective = match &problems[..] {
            [only] => claims::collective_in_words(only),
            _ => "all-reduce".to_owned(),
        };
        let (time_ns, method, unit, seed) = (checked.time_ns(), "import", None, 1);
        let found = TimedAnswer { schedule, time_ns, bound_ns, method };
        let printer = TimedPrinter {
            collective: &collective,
            bytes,
            unit,
            seed,
            problems: &problems,
            found: &found,
        };
        let mut lines = printer.lines(None);
        lines.push(("read from", file.to_owned()));
        let title = picture.title();
        Ok(Self { collective, bytes, unit, seed, title, lines, found, picture })
    }

    /// Approximate memory in bytes. The schedule is there twice: as found and as judged.
    pub fn bytes(&self) -> usize {
        let phases = &self.found.schedule.phases;
        2 * phases
            .iter()
            .map(|phase| 24 * phase.chunks.len() + 16 * phase.sends.len())
            .sum::<usize>()
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        check_size(self.picture.checked().network()).map_err(|error| error.to_string())?;
        let summary = TimedSummary {
            title: &self.title,
            lines: &self.lines,
            microseconds: self.found.time_ns.to_f64() / 1000.0,
            bound_microseconds: self.found.bound_ns.to_f64() / 1000.0,
            player: self.picture.data(),
        };
        serde_json::to_value(summary).map_err(|error| error.to_string())
    }

    /// A download in a given format.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        let network = self.picture.checked().network().name();
        let stem = archive::stem(&self.collective, network);
        let picture = |ending: &str, kind: &'static str, format: PictureFormat| {
            let bytes = self.picture.bytes(format).map_err(text)?;
            Ok(Download { name: format!("{stem}-timed.{ending}"), kind, bytes })
        };
        match format {
            "json" => {
                let problems: Vec<Problem> =
                    self.found.schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
                let printer = TimedPrinter {
                    collective: &self.collective,
                    bytes: self.bytes,
                    unit: self.unit,
                    seed: self.seed,
                    problems: &problems,
                    found: &self.found,
                };
                let mut bytes = Vec::new();
                printer.write(&mut bytes).map_err(|error| error.to_string())?;
                let (name, kind) = (format!("{stem}-timed.json"), "application/json");
                Ok(Download { name, kind, bytes })
            }
            "svg" => picture("svg", "image/svg+xml", PictureFormat::Svg),
            "png" => picture("png", "image/png", PictureFormat::Png),
            "animated-svg" => {
                let bytes = svg::write(&self.picture.animation().map_err(text)?, Theme::Auto);
                let name = format!("{stem}-timed.animated.svg");
                Ok(Download { name, kind: "image/svg+xml", bytes: bytes.into_bytes() })
            }
            "gif" => picture("gif", "image/gif", PictureFormat::Gif),
            "html" => picture("html", "text/html; charset=utf-8", PictureFormat::Html),
            other => {
                let found = find(other).map_err(|error| error.to_string())?;
                let files = export(found.name, self.picture.checked(), None);
                let files = files.map_err(|error| error.to_string())?;
                archive::exported(&stem, (found.name, found.ending), files)
            }
        }
    }
}

/// The download formats with their descriptions.
pub fn formats() -> Vec<(&'static str, &'static str)> {
    let own = [
        ("json", "timed schedule"),
        ("svg", "picture of channels and arrivals"),
        ("png", "the same as a bitmap"),
        ("animated-svg", "picture in which chunks move"),
        ("gif", "bitmap picture in which chunks move"),
        ("html", "page that plays the schedule"),
    ];
    own.into_iter().chain(TIMED_FORMATS.iter().map(|one| (one.name, one.meaning))).collect()
}
