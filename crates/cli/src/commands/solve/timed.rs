//! `pavane solve … --minimize time`: a timed schedule, judged, with its bound.

use super::timed_printer::TimedPrinter;
use crate::args::problem::{ChunkCount, problems_left};
use crate::args::solve::SolveArgs;
use crate::commands::draw::timed::TimedPicture;
use crate::commands::interrupt::{Signals, tell_of_interrupt};
use crate::commands::throughput::sizes;
use crate::output::{DONE, Failure, is_standard, print_json};
use crate::picture_file::{check_output, draw_or_write};
use crate::progress::{Ticker, is_quiet};
use crate::words;
use pavane_baselines::known;
use pavane_model::timed::BufferSize;
use pavane_model::{CollectiveRequest, Model, Problem};
use pavane_search::budget::{Clock, is_past};
use pavane_throughput::sizes::Sizes;
use pavane_timed::{TimedAnswer, TimedRequest, TimedSearchError, search_time, solve};
use pavane_verify::judge_timed_within;
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
        check_output(path, true)?;
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
    let printer = TimedPrinter {
        collective: &args.problem.collective,
        bytes: args.time_model.bytes,
        unit,
        seed: args.seed,
        problems: &problems,
        found: &found,
    };
    let output = args.output.as_deref();
    if let Some(path) = output {
        save(path, &printer)?;
    }
    tell_of_interrupt(&signals.stop, "schedule", found.time_ns == found.bound_ns);
    // The schedule may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        print_json(&printer.json(clock.elapsed().as_secs_f64(), output)?)?;
    } else if !is_quiet() {
        printer.print(clock.elapsed().as_secs_f64(), output, args.all)?;
    }
    Ok(DONE)
}

/// Writes a schedule, or draws it if the name of the file says so.
fn save(path: &Path, printer: &TimedPrinter<'_>) -> Result<(), Failure> {
    let draw = |format| TimedPicture::new(printer.found.schedule.clone())?.bytes(format);
    draw_or_write(path, draw, |out| printer.write(out))
}

/// Refuses options that apply to steps only.
fn check_options(args: &SolveArgs) -> Result<(), Failure> {
    let model = args.problem.rules.model();
    let usual = Model { duplex: model.duplex, ..Model::default() };
    let given = [
        ("--steps", args.steps.is_some()),
        ("--engine", args.engine.is_some()),
        ("--max-chunks", args.max_chunks.is_some()),
        ("--preset", args.preset.is_some()),
        ("--set", !args.set.is_empty()),
        ("--prove", args.prove),
        ("--resume", args.resume.is_some()),
        ("--atlas", args.atlas.is_some()),
        ("--ts, --tr, --t1 and --size", args.cost.is_given()),
        ("--switching, --routing and --ports", model != usual),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::bad_input(format!(
            "{option}: not with --minimize time, which counts no steps"
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
    problems_left(&request, &healthy, &broken)
}

/// The sizes of the messages, and with a file of sizes its unit.
fn size(args: &SolveArgs, problems: &[Problem]) -> Result<(BufferSize, Option<u64>), Failure> {
    match (&args.time_model.bytes, &args.time_model.sizes) {
        (Some(bytes), _) => Ok((BufferSize::Bytes(*bytes), None)),
        (None, Some(path)) => {
            let sizes = sizes::read(path, problems)?;
            let each = each_size(&sizes);
            let each = each.ok_or_else(|| Failure::bad_input("--sizes: too many bytes"))?;
            Ok((each, Some(sizes.unit)))
        }
        (None, None) => Err(Failure::bad_input(
            "--minimize time needs the size of the messages: --bytes SIZE, such as 1MB, or --sizes FILE",
        )),
    }
}

/// The bytes of every message; `None` if a number is too large.
pub fn each_size(sizes: &Sizes) -> Option<BufferSize> {
    let bytes = sizes.relative.iter().map(|size| size.checked_mul(sizes.unit));
    bytes.collect::<Option<Vec<u64>>>().map(BufferSize::Each)
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
