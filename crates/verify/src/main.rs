//! `pavane-verify FILE…`: the judge as a standalone program. Exit status 0: every schedule is valid
//! and no claim is false. 1: some schedule is invalid or some claim is false. 2: bad input, or a
//! claim that cannot be judged within the limits.

use pavane_model::format::{Phase, Refutation, Stored, open_beside, read_stored_file};
use pavane_model::problem::DELIVERIES;
use pavane_model::tdm::TdmRefutation;
use pavane_model::words::{self, printable};
use pavane_model::{Problem, TdmSchedule, ThroughputPlan, TimedSchedule, claims};
use pavane_verify::{
    BoundError, Limits, TdmBoundError, Verdict, WholeVerdict, check_bound_within,
    check_refuted_period, judge_plan_within, judge_tdm_within, judge_timed_within, judge_whole,
    judge_within,
};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: pavane-verify [--max-deliveries N] [--max-work N] FILE...

Judges schedule files (pavane/schedule/1, plain or gzipped): checks every transfer against every
rule and derives every claimed bound again. Refutations (pavane/refutation/1) are bounds without a
schedule. Throughput plans (pavane/throughput/1), TDM schedules (pavane/tdm/1) and refuted periods
(pavane/tdm-refutation/1) are judged too.
Steps, and the transfers within a step, are counted from 0.
The name of a network is in quotes because it is not checked; `pavane verify` checks it.

  --max-deliveries N  refuse problems with more deliveries (default: 50 million)
  --max-work N        maximum number of operations to check a bound (default: 10000000000, about ten
                      seconds, or 200 for every part of a larger problem)

exit status: 0 all valid; 1 a schedule is not valid or a claim is false; 2 bad input, or a claim
             that cannot be judged within the limits
";

/// Exit statuses: valid, not valid, not judged.
const VALID: u8 = 0;
const NOT_VALID: u8 = 1;
const NOT_JUDGED: u8 = 2;

/// Parsed command line.
struct Request {
    files: Vec<String>,
    max_deliveries: u64,
    max_work: Option<u64>,
}

impl Request {
    fn limits(&self, problem: &Problem) -> Limits {
        Limits::of(problem).with_operations(self.max_work)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return finish(io::stdout().write_all(USAGE.as_bytes()).map(|()| ExitCode::SUCCESS));
    }
    match parse(&arguments) {
        Ok(request) => finish(run(&request)),
        Err(problem) => {
            // If this write fails too, the error cannot be reported.
            let _ = write!(io::stderr(), "{problem}\n\n{USAGE}");
            ExitCode::from(NOT_JUDGED)
        }
    }
}

/// If output fails, for example because a pipe is closed, the verdict was not delivered: not
/// judged.
fn finish(result: io::Result<ExitCode>) -> ExitCode {
    result.unwrap_or(ExitCode::from(NOT_JUDGED))
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request { files: Vec::new(), max_deliveries: DELIVERIES, max_work: None };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || {
            let number = rest.next().ok_or_else(|| format!("{argument} needs a number"))?;
            number.parse().map_err(|_| format!("{argument}: {number:?} is not a number"))
        };
        match argument.as_str() {
            "--max-deliveries" => request.max_deliveries = number()?,
            "--max-work" => request.max_work = Some(number()?),
            option if option.starts_with("--") => {
                return Err(format!("unknown option {option:?}"));
            }
            file => request.files.push(file.to_owned()),
        }
    }
    if request.files.is_empty() { Err("no file is given".to_owned()) } else { Ok(request) }
}

/// Judges every file. The highest exit status wins.
fn run(request: &Request) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let mut status = VALID;
    for file in &request.files {
        status = status.max(judge_file(&mut out, file, request)?);
    }
    out.flush()?;
    Ok(ExitCode::from(status))
}

/// Judges a file and returns its exit status.
fn judge_file(out: &mut dyn Write, file: &str, request: &Request) -> io::Result<u8> {
    let path = Path::new(file);
    let (phases, whole) = match read_stored_file(path, request.max_deliveries) {
        Ok(Stored::Schedule(phases, whole)) => (phases, whole),
        Ok(Stored::Refutation(refutation)) => {
            return judge_refutation(out, path, &refutation, request);
        }
        Ok(Stored::Throughput(plan)) => return judge_throughput(out, path, &plan, request),
        Ok(Stored::Timed(schedule)) => return judge_time(out, path, &schedule, request),
        Ok(Stored::Tdm(schedule)) => return judge_tdm_file(out, path, &schedule, request),
        Ok(Stored::TdmRefutation(refutation)) => {
            return judge_refuted_period(out, path, &refutation, request);
        }
        Err(error) => {
            writeln!(io::stderr(), "{}", printable(&error.to_string()))?;
            return Ok(NOT_JUDGED);
        }
    };
    let mut status = VALID;
    let mut verdicts = Vec::new();
    for Phase { problem, schedule, bound } in phases {
        let open = |name: &str| open_beside(path, name);
        let limits = request.limits(&problem);
        let verdict = judge_within(problem, schedule, bound.as_ref(), &open, limits);
        write_verdict(out, file, &verdict)?;
        status = status.max(match (verdict.is_fine(), verdict.over_limit()) {
            (true, _) => VALID,
            (false, None) => NOT_VALID,
            (false, Some(_)) => NOT_JUDGED,
        });
        verdicts.push(verdict);
    }
    if let [Some(reduce), Some(broadcast)] =
        &verdicts.iter().map(|verdict| verdict.checked.as_ref()).collect::<Vec<_>>()[..]
    {
        let proved = [verdicts[0].proved, verdicts[1].proved];
        let limits = request.limits(broadcast.problem());
        let verdict = judge_whole([reduce, broadcast], &whole, proved, limits);
        status = status.max(write_whole_verdict(out, file, &verdict)?);
    }
    Ok(status)
}

/// Writes the verdict on an all-reduce of valid phases and returns its exit status.
fn write_whole_verdict(out: &mut dyn Write, file: &str, verdict: &WholeVerdict) -> io::Result<u8> {
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let line = format!("{file}: {word}: all-reduce in {}", words::steps(verdict.steps));
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.bound_error {
        writeln!(out, "  bound: {}", printable(&told(error)))?;
    }
    match (verdict.is_valid(), verdict.is_optimal()) {
        (true, true) => writeln!(out, "  optimal: no schedule of it has fewer steps")?,
        (true, false) => writeln!(out, "  at least {} proved necessary", are(verdict.proved))?,
        (false, _) => {}
    }
    let is_over_limit = verdict.bound_error.as_ref().is_some_and(|e| e.over_limit().is_some());
    Ok(match verdict.is_fine() {
        true => VALID,
        false if verdict.is_valid() && is_over_limit => NOT_JUDGED,
        false => NOT_VALID,
    })
}

fn write_verdict(out: &mut dyn Write, file: &str, verdict: &Verdict) -> io::Result<()> {
    let Verdict { problem, steps, proved, .. } = verdict;
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let (name, network) = in_words(problem);
    let line = format!("{file}: {word}: {name} on {network} in {}", words::steps(*steps));
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.bound_error {
        writeln!(out, "  bound: {}", printable(&told(error)))?;
    }
    match (verdict.is_valid(), verdict.is_optimal()) {
        (true, true) => writeln!(out, "  optimal: no schedule has fewer steps"),
        (true, false) => writeln!(out, "  at least {} proved necessary", are(*proved)),
        (false, _) => Ok(()),
    }
}

/// Judges a refutation and returns its exit status.
fn judge_refutation(
    out: &mut dyn Write,
    path: &Path,
    refutation: &Refutation,
    request: &Request,
) -> io::Result<u8> {
    let Refutation { problem, bound } = refutation;
    let (name, network) = in_words(problem);
    let open = |name: &str| open_beside(path, name);
    let (verdict, status) = match check_bound_within(problem, bound, &open, request.limits(problem))
    {
        Ok(steps) => {
            let steps = words::steps(steps.saturating_sub(1));
            let verdict = format!("refuted: {name} on {network}: no schedule has {steps} or fewer");
            (verdict, VALID)
        }
        Err(error) => {
            let (word, status) = match error.over_limit() {
                Some(_) => ("NOT JUDGED", NOT_JUDGED),
                None => ("NOT REFUTED", NOT_VALID),
            };
            (format!("{word}: {name} on {network}: {}", told(&error)), status)
        }
    };
    writeln!(out, "{}", printable(&format!("{}: {verdict}", path.display())))?;
    Ok(status)
}

/// Judges a throughput plan and returns its exit status.
fn judge_throughput(
    out: &mut dyn Write,
    path: &Path,
    plan: &ThroughputPlan,
    request: &Request,
) -> io::Result<u8> {
    let file = path.display();
    let verdict = match judge_plan_within(plan, request.max_work) {
        Ok(verdict) => verdict,
        Err(error) => {
            writeln!(io::stderr(), "{}", printable(&format!("{file}: {error}")))?;
            return Ok(NOT_JUDGED);
        }
    };
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let (name, network) = in_words(&plan.phases[0].problem);
    let name = if plan.phases.len() > 1 { "all-reduce".to_owned() } else { name };
    let line = format!("{file}: {word}: throughput plan: {name} on {network}");
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.limit_error {
        writeln!(out, "  limit: {error}")?;
    }
    let time = verdict.time;
    match (verdict.is_valid(), verdict.is_optimal(), verdict.proved) {
        (false, ..) => {}
        (_, true, _) => writeln!(out, "  throughput-optimal: {time} ns per byte")?,
        (_, _, Some(limit)) => writeln!(out, "  {time} ns per byte; the proved limit is {limit}")?,
        (_, _, None) => writeln!(out, "  {time} ns per byte")?,
    }
    Ok(match (verdict.is_fine(), verdict.over_limit()) {
        (true, _) => VALID,
        (false, None) => NOT_VALID,
        (false, Some(_)) => NOT_JUDGED,
    })
}

/// Judges a timed schedule and returns its exit status.
fn judge_time(
    out: &mut dyn Write,
    path: &Path,
    schedule: &TimedSchedule,
    request: &Request,
) -> io::Result<u8> {
    let file = path.display();
    let verdict = match judge_timed_within(schedule, request.max_work) {
        Ok(verdict) => verdict,
        Err(error) => {
            writeln!(io::stderr(), "{}", printable(&format!("{file}: {error}")))?;
            return Ok(NOT_JUDGED);
        }
    };
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let (name, network) = in_words(&schedule.phases[0].problem);
    let name = if schedule.phases.len() > 1 { "all-reduce".to_owned() } else { name };
    let line = format!("{file}: {word}: timed schedule: {name} on {network}");
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.bound_error {
        writeln!(out, "  bound: {error}")?;
    }
    let time = verdict.time_ns;
    match (verdict.is_valid(), verdict.is_optimal(), verdict.proved_ns) {
        (false, ..) => {}
        (_, true, _) => writeln!(out, "  optimal: {time} ns")?,
        (_, _, Some(bound)) => {
            writeln!(out, "  {time} ns; at least {bound} ns are proved necessary")?
        }
        (_, _, None) => writeln!(out, "  {time} ns")?,
    }
    Ok(match (verdict.is_fine(), verdict.over_limit()) {
        (true, _) => VALID,
        (false, None) => NOT_VALID,
        (false, Some(_)) => NOT_JUDGED,
    })
}

/// Judges a TDM schedule and returns its exit status.
fn judge_tdm_file(
    out: &mut dyn Write,
    path: &Path,
    schedule: &TdmSchedule,
    request: &Request,
) -> io::Result<u8> {
    let open = |name: &str| open_beside(path, name);
    let verdict = judge_tdm_within(schedule, &open, request.max_work);
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let network = claims::unchecked_network(schedule.problem.network());
    let period = words::counted(verdict.period as usize, "slot");
    let line = format!("{}: {word}: TDM schedule on {network} with {period}", path.display());
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.bound_error {
        writeln!(out, "  bound: {error}")?;
    }
    match (verdict.is_valid(), verdict.is_optimal(), verdict.proved) {
        (true, true, _) => writeln!(out, "  optimal: no schedule has a shorter period")?,
        (true, false, Some(proved)) => writeln!(out, "  at least {proved} slots are necessary")?,
        _ => {}
    }
    Ok(match (verdict.is_fine(), verdict.over_limit()) {
        (true, _) => VALID,
        (false, None) => NOT_VALID,
        (false, Some(_)) => NOT_JUDGED,
    })
}

/// Judges a refuted period and returns its exit status.
fn judge_refuted_period(
    out: &mut dyn Write,
    path: &Path,
    refutation: &TdmRefutation,
    request: &Request,
) -> io::Result<u8> {
    let open = |name: &str| open_beside(path, name);
    let network = claims::unchecked_network(refutation.problem.network());
    let period = words::counted(refutation.period as usize, "slot");
    let (verdict, status) = match check_refuted_period(refutation, &open, request.max_work) {
        Ok(()) => {
            (format!("refuted: no TDM schedule on {network} has a period of {period}"), VALID)
        }
        Err(error) => {
            let (word, status) = match error {
                TdmBoundError::OverLimit(_) => ("NOT JUDGED", NOT_JUDGED),
                _ => ("NOT REFUTED", NOT_VALID),
            };
            (format!("{word}: TDM schedules on {network} with {period}: {error}"), status)
        }
    };
    writeln!(out, "{}", printable(&format!("{}: {verdict}", path.display())))?;
    Ok(status)
}

/// Why a bound is rejected, with advice on how to raise the limit if that is the cause.
fn told(error: &BoundError) -> String {
    match error.over_limit() {
        Some(over) if over.is_about_operations() => format!("{error}; --max-work N allows more"),
        _ => error.to_string(),
    }
}

/// The collective and the network. The name of a network is a claim of the file: without the network
/// families it cannot be checked, so it is in quotes.
fn in_words(problem: &Problem) -> (String, String) {
    (claims::collective_in_words(problem), claims::unchecked_network(problem.network()))
}

/// `1 step is`, `4 steps are`.
fn are(steps: u32) -> String {
    format!("{} {}", words::steps(steps), if steps == 1 { "is" } else { "are" })
}
