//! `pavane-verify FILE…`: the judge by itself, for those who trust no searcher. Exit 0: every
//! schedule is valid and no claim is false; 1: not so; 2: bad input.

use pavane_model::format::{Phase, Refutation, Stored, open_beside, read_stored_file};
use pavane_model::problem::DELIVERIES;
use pavane_model::words::{self, printable};
use pavane_verify::{Verdict, check_bound_with, judge};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: pavane-verify [--max-deliveries N] FILE...

Judges schedule files (pavane/schedule/1, plain or gzipped): tries every rule on every transfer and
derives every claimed bound anew; refutations (pavane/refutation/1) are bounds without a schedule. Steps, and the transfers within a step, are counted from 0.

exit status: 0 all valid, 1 a schedule is not valid or a claim is false, 2 bad input
";

/// What was asked for.
struct Request {
    files: Vec<String>,
    limit: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return finish(io::stdout().write_all(USAGE.as_bytes()).map(|()| ExitCode::SUCCESS));
    }
    match parse(&arguments) {
        Ok(request) => finish(run(&request)),
        Err(problem) => {
            // Nobody is left to tell if even this cannot be written.
            let _ = write!(io::stderr(), "{problem}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// A closed pipe is no failure of the judge, but nobody has read its verdict either.
fn finish(result: io::Result<ExitCode>) -> ExitCode {
    result.unwrap_or(ExitCode::from(2))
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request { files: Vec::new(), limit: DELIVERIES };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--max-deliveries" {
            let number = rest.next().ok_or("--max-deliveries needs a number")?;
            request.limit =
                number.parse().map_err(|_| format!("--max-deliveries: {number:?} is no number"))?;
        } else if argument.starts_with("--") {
            return Err(format!("there is no option {argument:?}"));
        } else {
            request.files.push(argument.clone());
        }
    }
    match request.files.is_empty() {
        true => Err("no file is given".to_owned()),
        false => Ok(request),
    }
}

/// Judges every file; the worst of them decides the exit status.
fn run(request: &Request) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let mut status = 0;
    for file in &request.files {
        let path = Path::new(file);
        match read_stored_file(path, request.limit) {
            Err(error) => {
                writeln!(io::stderr(), "{}", printable(&error.to_string()))?;
                status = 2;
            }
            Ok(Stored::Refutation(refutation)) => {
                if !judge_refutation(&mut out, path, &refutation)? {
                    status = status.max(1);
                }
            }
            Ok(Stored::Schedule(phases)) => {
                for phase in phases {
                    let Phase { problem, schedule, bound } = phase;
                    let open = |name: &str| open_beside(path, name);
                    let verdict = judge(problem, schedule, bound.as_ref(), &open);
                    write_verdict(&mut out, file, &verdict)?;
                    if !verdict.is_fine() {
                        status = status.max(1);
                    }
                }
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(status))
}

fn write_verdict(out: &mut dyn Write, file: &str, verdict: &Verdict) -> io::Result<()> {
    let Verdict { problem, steps, proved, .. } = verdict;
    let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
    let (name, network) = (&problem.collective().name, problem.network().name());
    let line = format!("{file}: {word}: {name} on {network} in {}", words::steps(*steps));
    writeln!(out, "{}", printable(&line))?;
    for violation in &verdict.violations {
        writeln!(out, "  {}: {violation}", violation.rule())?;
    }
    if let Some(error) = &verdict.bound_error {
        writeln!(out, "  bound: {}", printable(&error.to_string()))?;
    }
    match (verdict.is_valid(), verdict.is_optimal()) {
        (true, true) => writeln!(out, "  optimal: no schedule has fewer steps"),
        (true, false) => writeln!(out, "  at least {} proved necessary", are(*proved)),
        (false, _) => Ok(()),
    }
}

/// Whether the proof of a refutation is accepted.
fn judge_refutation(out: &mut dyn Write, path: &Path, refutation: &Refutation) -> io::Result<bool> {
    let Refutation { problem, bound } = refutation;
    let (name, network) = (&problem.collective().name, problem.network().name());
    let proved = check_bound_with(problem, bound, &|name| open_beside(path, name));
    let verdict = match &proved {
        Ok(steps) => {
            let steps = words::steps(steps.saturating_sub(1));
            format!("refuted: {name} on {network}: no schedule has {steps} or fewer")
        }
        Err(error) => format!("NOT REFUTED: {name} on {network}: {error}"),
    };
    writeln!(out, "{}", printable(&format!("{}: {verdict}", path.display())))?;
    Ok(proved.is_ok())
}

/// `1 step is`, `4 steps are`.
fn are(steps: u32) -> String {
    format!("{} {}", words::steps(steps), if steps == 1 { "is" } else { "are" })
}
