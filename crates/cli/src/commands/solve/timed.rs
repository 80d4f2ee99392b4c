//! `pavane solve … --minimize time`: a timed schedule, judged, with its bound.

use crate::args::problem::ChunkCount;
use crate::args::solve::SolveArgs;
use crate::commands::draw::timed::TimedPicture;
use crate::commands::interrupt::Signals;
use crate::commands::throughput::sizes;
use crate::output::{DONE, Failure, check_place, is_standard, print_json, standard};
use crate::picture_file::draw_or_write;
use crate::progress::{Ticker, is_quiet};
use crate::report::timed::TimedReport;
use crate::schedule_file::PROGRAM;
use crate::words::{self, counted};
use pavane_baselines::known;
use pavane_model::timed::{self, BufferSize};
use pavane_model::{CollectiveRequest, Fraction, Model, Problem, strict_json};
use pavane_search::budget::{Clock, is_past};
use pavane_throughput::rates::{Payload, Rate, figure};
use pavane_timed::{TimedAnswer, TimedRequest, TimedSearchError, explanation, search_time, solve};
use pavane_verify::judge_timed_within;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Time limit of the search if none is given.
const USUAL: Duration = Duration::from_secs(10);

/// Searches for a quick schedule, has it judged, and prints or writes it.
pub fn run(args: &SolveArgs, signals: &Signals, clock: &Clock) -> Result<ExitCode, Failure> {
    check_options(args)?;
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let problems = problems(args)?;
    let (size, unit) = size(args, &problems)?;
    let time = args.time.or(args.evaluations.is_none().then_some(USUAL));
    let deadline = time.and_then(|time| clock.after(search_time(time)));
    let stop = || signals.stop.load(Ordering::Relaxed) || is_past(deadline);
    let (name, duplex) = (&args.problem.collective, args.problem.rules.duplex);
    // Most of the time belongs to the search.
    let early = time.and_then(|time| clock.after(time / 8));
    let known = known(name, &problems, &size, duplex, &|| stop() || is_past(early));
    let request = TimedRequest {
        size: &size,
        duplex,
        chunks: match args.problem.chunks {
            None | Some(ChunkCount::Auto) => None,
            Some(ChunkCount::Fixed(count)) => Some(count.into()),
        },
        seed: args.seed,
        rounds: args.evaluations,
        threads: args.threads.unwrap_or_else(words::cores),
        known: &known,
        stop: &stop,
    };
    // A signal ends the search, which keeps its best schedule.
    signals.then(|| {});
    let ticker = Ticker::saying("searching for a quick schedule");
    let found = solve(name, &problems, &request)?;
    judge(&found)?;
    drop(ticker);
    let printer = TimedPrinter { args, problems: &problems, found: &found, unit };
    if let Some(path) = &args.output {
        printer.save(path)?;
    }
    // The schedule may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        print_json(&printer.json(clock.elapsed().as_secs_f64())?)?;
    } else if !is_quiet() {
        printer.print(clock.elapsed().as_secs_f64())?;
    }
    Ok(DONE)
}

/// Refuses options that apply to steps only.
fn check_options(args: &SolveArgs) -> Result<(), Failure> {
    let model = args.problem.rules.model();
    let usual = Model { duplex: model.duplex, ..Model::default() };
    let given = [
        ("--steps", args.steps.is_some()),
        ("--engine", args.engine.is_some()),
        ("--preset", args.preset.is_some()),
        ("--set", !args.set.is_empty()),
        ("--prove", args.prove),
        ("--resume", args.resume.is_some()),
        ("--atlas", args.atlas.is_some()),
        ("--switching, --routing and --ports", model != usual),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::bad_input(format!(
            "{option}: these count steps, and do not apply to --minimize time"
        ))),
        None => Ok(()),
    }
}

/// The problems, one for each phase of the collective. Warns about processors that the faults remove.
fn problems(args: &SolveArgs) -> Result<Vec<Problem>, Failure> {
    let (healthy, broken) = args.problem.network.load_both()?;
    let timed = broken.with_timing(args.time_model.bandwidth, args.time_model.latency);
    let broken = timed.map_err(Failure::bad_input)?;
    let request = CollectiveRequest {
        collective: args.problem.collective.clone(),
        groups: args.problem.rules.groups.groups(),
        chunks: 1,
        model: Model::without_ports(),
        limit: args.problem.rules.max_deliveries,
    };
    let left = request.on(&healthy, &broken)?;
    if !left.missing.is_empty() {
        words::warn(&format!("missing: {}", words::processors(&left.missing)));
    }
    Ok(left.phases)
}

/// The sizes of the messages, and with a file of sizes its unit.
fn size(args: &SolveArgs, problems: &[Problem]) -> Result<(BufferSize, Option<u64>), Failure> {
    match (&args.time_model.bytes, &args.time_model.sizes) {
        (Some(bytes), _) => Ok((BufferSize::Bytes(*bytes), None)),
        (None, Some(path)) => {
            let sizes = sizes::read(path, problems)?;
            let bytes = sizes.relative.iter().map(|size| size.checked_mul(sizes.unit));
            let bytes: Option<Vec<u64>> = bytes.collect();
            let bytes = bytes.ok_or_else(|| Failure::bad_input("--sizes: too many bytes"))?;
            Ok((BufferSize::Each(bytes), Some(sizes.unit)))
        }
        (None, None) => Err(Failure::bad_input(
            "--minimize time needs the size of the messages: --bytes SIZE, such as 1MB, or --sizes FILE",
        )),
    }
}

/// Has the schedule and its bound judged. Nothing is printed or written that the judge rejects.
pub fn judge(found: &TimedAnswer) -> Result<(), Failure> {
    let verdict =
        judge_timed_within(&found.schedule, Some(u64::MAX)).map_err(Failure::bad_input)?;
    let problem = match (verdict.violations.first(), &verdict.bound_error) {
        (Some(violation), _) => violation.to_string(),
        (None, Some(error)) => error.to_string(),
        (None, None) if verdict.time_ns != found.time_ns => "it takes another time".to_owned(),
        (None, None) => return Ok(()),
    };
    Err(Failure::Bug(format!("the judge rejected a timed schedule: {problem}")))
}

impl From<TimedSearchError> for Failure {
    fn from(error: TimedSearchError) -> Self {
        Self::bad_input(error)
    }
}

/// A judged schedule, with what the user asked for.
struct TimedPrinter<'a> {
    args: &'a SolveArgs,
    problems: &'a [Problem],
    found: &'a TimedAnswer,
    /// With sizes from a file: their unit.
    unit: Option<u64>,
}

impl TimedPrinter<'_> {
    fn payload(&self) -> Payload<'_> {
        let bytes = self.args.time_model.bytes;
        Payload { problems: self.problems, bytes, unit: self.unit }
    }

    fn rate(&self) -> Option<Rate> {
        let bytes = self.args.time_model.bytes.filter(|bytes| *bytes > 0)?;
        let parts = Fraction::from(self.payload().parts());
        let shard = Fraction::from(bytes).checked_div(parts)?;
        self.payload().rate(self.found.time_ns.checked_div(shard)?).ok()
    }

    fn is_optimal(&self) -> bool {
        self.found.time_ns == self.found.bound_ns
    }

    fn gap_percent(&self) -> f64 {
        let (time, bound) = (self.found.time_ns.to_f64(), self.found.bound_ns.to_f64());
        if self.is_optimal() { 0.0 } else { 100.0 * (time / bound - 1.0) }
    }

    fn status(&self) -> String {
        if self.is_optimal() {
            "optimal".to_owned()
        } else {
            format!("at most {} % above the best possible time", figure(self.gap_percent()))
        }
    }

    fn counts(&self) -> (usize, usize) {
        let phases = &self.found.schedule.phases;
        let chunks = phases.iter().map(|phase| phase.chunks.len()).sum();
        (chunks, phases.iter().map(|phase| phase.sends.len()).sum())
    }

    fn explanation(&self) -> String {
        explanation(&self.found.schedule)
    }

    fn more(&self) -> Map<String, Value> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        let made_by =
            json!({"program": PROGRAM, "engine": self.found.method, "seed": self.args.seed});
        more.insert("made_by".into(), made_by);
        more
    }

    fn save(&self, path: &Path) -> Result<(), Failure> {
        let schedule = &self.found.schedule;
        let draw = |format| TimedPicture::new(schedule.clone())?.bytes(format);
        draw_or_write(path, draw, |out| timed::write(out, schedule, &self.more()))
    }

    fn json(&self, seconds: f64) -> Result<TimedReport<'_>, Failure> {
        let network = self.problems[0].network();
        let (chunks, sends) = self.counts();
        let rate = self.rate();
        let schedule = match &self.args.output {
            Some(_) => None,
            None => {
                let mut bytes = Vec::new();
                timed::write(&mut bytes, &self.found.schedule, &self.more())?;
                Some(strict_json::from_slice(&bytes).map_err(io::Error::from)?)
            }
        };
        Ok(TimedReport {
            network: network.name(),
            faults: network.faults(),
            collective: &self.args.problem.collective,
            processors: self.payload().processors().len(),
            bytes: self.args.time_model.bytes,
            chunks,
            sends,
            microseconds: self.found.time_ns.to_f64() / 1000.0,
            time_ns: self.found.time_ns.to_string(),
            algorithm_gbytes: rate.and_then(|rate| rate.algorithm_gbytes),
            bus_gbytes: rate.and_then(|rate| rate.bus_gbytes),
            bound_microseconds: self.found.bound_ns.to_f64() / 1000.0,
            bound_ns: self.found.bound_ns.to_string(),
            explanation: self.explanation(),
            gap_percent: self.gap_percent(),
            optimal: self.is_optimal(),
            status: self.status(),
            found_by: self.found.method,
            seconds,
            file: self.args.output.as_ref().map(|path| path.display().to_string()),
            schedule,
        })
    }

    fn print(&self, seconds: f64) -> Result<(), Failure> {
        let mut out = standard();
        let title = words::problem_line(&self.args.problem.collective, &self.problems[0]);
        writeln!(out, "{title}")?;
        let micro = |time: Fraction| format!("{:.4} µs", time.to_f64() / 1000.0);
        writeln!(out, "  bound     {}: {}", micro(self.found.bound_ns), self.explanation())?;
        let mut line = format!("{}: {}", micro(self.found.time_ns), self.status());
        if let Some(rate) = self.rate() {
            for (name, bandwidth) in
                [("algorithm", rate.algorithm_gbytes), ("bus", rate.bus_gbytes)]
            {
                if let Some(bandwidth) = bandwidth {
                    line += &format!("; {name} bandwidth {} GB/s", figure(bandwidth));
                }
            }
        }
        writeln!(out, "  time      {line}")?;
        let (chunks, sends) = self.counts();
        let (chunks, sends) = (counted(chunks as u64, "chunk"), counted(sends as u64, "send"));
        writeln!(out, "  schedule  {chunks}, {sends}")?;
        let (method, seed) = (self.found.method, self.args.seed);
        writeln!(out, "  found by  {method} in {seconds:.2} s, seed {seed}")?;
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        }
        out.flush()?;
        Ok(())
    }
}
