//! `pavane solve NETWORK COLLECTIVE`: searches for the shortest schedule and judges it.

pub mod chunks;
mod report;
pub(crate) mod timed;
pub(crate) mod timed_printer;
mod whole;

use crate::args::problem::ChunkCount;
use crate::args::solve::{Objective, SolveArgs};
use crate::commands::atlas::start::AtlasStart;
use crate::commands::check_solver;
use crate::commands::interrupt::{self, INTERRUPTED, Signals, tell_of_interrupt};
use crate::commands::proof;
use crate::commands::search_request::{SearchRequest, time_left};
use crate::output::{DONE, Failure, impossible, not_so, print_json};
use crate::progress::{Ticker, is_quiet};
use crate::report::solve::Unsolved;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{Bound, Problem, Routing, collective};
use pavane_search::Proof;
use pavane_search::bounds::{self, Bounds};
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::synthesize::{Options, Outcome, Solution, synthesize};
use pavane_verify::CheckedSchedule;
use report::SolutionPrinter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Limits on the time to see whether non-minimal routing does better, after minimal routing is
/// solved. It gets a tenth of the time of that search, within these limits.
const MOST_ASIDE: Duration = Duration::from_secs(3);
const LEAST_ASIDE: Duration = Duration::from_millis(300);

/// A solved phase.
struct FoundPhase {
    solution: Solution,
    bounds: Bounds,
    proof: Option<Proof>,
    /// The file of the proof.
    proof_file: Option<PathBuf>,
    evaluations: u64,
    /// Where the search started.
    start: AtlasStart,
}

impl FoundPhase {
    fn checked(&self) -> &CheckedSchedule {
        &self.solution.checked
    }

    fn steps(&self) -> u32 {
        self.checked().schedule().step_count()
    }

    fn gap(&self) -> u32 {
        self.steps() - self.bounds.best.steps
    }

    /// The best bound that needs no proof, for comparison.
    fn certified(&self) -> u32 {
        let bounds = self.bounds.bounds.iter().filter(|bound| bound.reason != "exact");
        bounds.map(|bound| bound.steps).max().unwrap_or(0)
    }
}

/// Solves the problem and prints or writes the result.
pub fn run(args: &SolveArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    check_solver(args.prove)?;
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let signals = Signals::watch(cluster);
    if args.minimize == Objective::Time {
        return timed::run(args, &signals, &clock);
    }
    args.time_model.check_unused()?;
    let chunks = args.problem.chunks.unwrap_or(ChunkCount::Fixed(1));
    if let (Some(most), ChunkCount::Fixed(_)) = (args.max_chunks, chunks) {
        return Err(Failure::bad_input(format!(
            "--max-chunks {most} limits the search for the number of chunks; add --chunks auto"
        )));
    }
    match chunks {
        ChunkCount::Fixed(count) => {
            let problems = problems(args, count)?;
            let request = SearchRequest::new(args, cluster, &problems, &signals, clock)?;
            let search = Clock::start();
            let searched = solve_phases(&request)?;
            let seconds = search.elapsed().as_secs_f64();
            let is_solved = matches!(searched, Searched::Solved(_));
            let code = finish(args, searched, seconds, &clock, &signals.stop)?;
            if is_solved {
                request.tidy();
            }
            Ok(code)
        }
        ChunkCount::Auto => {
            let search = Clock::start();
            let searched = chunks::search(args, cluster, &signals, clock)?;
            finish(args, searched, search.elapsed().as_secs_f64(), &clock, &signals.stop)
        }
    }
}

/// The problems, one per phase, with each message in `chunks` chunks.
fn problems(args: &SolveArgs, chunks: u32) -> Result<Vec<Arc<Problem>>, Failure> {
    Ok(args.problem.load_in_chunks(chunks)?.into_iter().map(Arc::new).collect())
}

/// The result of all phases.
enum Searched {
    /// A schedule for every phase.
    Solved(Vec<FoundPhase>),
    /// No schedule. The reason has been reported.
    Ended(ExitCode),
}

/// Searches for a schedule of every phase. Ranks other than the first help and report nothing.
fn solve_phases(request: &SearchRequest<'_>) -> Result<Searched, Failure> {
    if !request.cluster.is_first() {
        request.assist()?;
        return Ok(Searched::Ended(DONE));
    }
    let mut phases = Vec::new();
    for (number, problem) in request.problems.iter().enumerate() {
        let code = match solve(problem, request, number)? {
            Found::Solved(phase) => {
                phases.push(*phase);
                continue;
            }
            Found::Unsolved(bounds) => unsolved(request.args, problem, &bounds)?,
            Found::Impossible(proof) => proof::impossible(request.args, problem, &proof)?,
            Found::Interrupted => interrupted(request.args)?,
        };
        return Ok(Searched::Ended(code));
    }
    Ok(Searched::Solved(phases))
}

/// Writes the schedule and its proofs, if there is one, and prints the report. `seconds` is the time
/// of the search, `clock` that of the command.
fn finish(
    args: &SolveArgs,
    searched: Searched,
    seconds: f64,
    clock: &Clock,
    stop: &Arc<AtomicBool>,
) -> Result<ExitCode, Failure> {
    let mut phases = match searched {
        Searched::Solved(phases) => phases,
        Searched::Ended(code) => return Ok(code),
    };
    let overlapping = Clock::start();
    let whole = whole::solve(args, &phases, clock, stop)?;
    let seconds = seconds + overlapping.elapsed().as_secs_f64();
    if let (Some(steps), Some(whole)) = (args.steps, &whole)
        && whole.checked.steps() > steps
    {
        let bound = whole::bound(whole);
        let name = collective::todays_name(&args.problem.collective);
        return unsolved_within(args, name, &bound, &|| Ok(None));
    }
    let hint = hint(args, &phases, clock, stop);
    let is_one = phases.len() == 1;
    for (number, phase) in (1..).zip(&mut phases) {
        let number = (!is_one).then_some(number);
        let place = args.output.as_ref().and_then(|path| proof::place(path, number));
        phase.proof_file = proof::keep(&mut phase.bounds.best, phase.proof.as_ref(), place)?;
    }
    let report = SolutionPrinter::new(args, phases, whole, hint, seconds);
    if let Some(path) = &args.output {
        report.file().save(path)?;
        let kept = report.phases.iter().filter_map(|phase| phase.proof_file.as_deref());
        proof::remove_others(path, &kept.collect::<Vec<_>>());
    }
    if args.json {
        report.print_json()?;
    } else if !is_quiet() {
        report.print()?;
    }
    tell_of_interrupt(stop, "schedule", report.is_optimal());
    Ok(DONE)
}

/// A hint that non-minimal routing could do better, if there is time to find out.
fn hint(
    args: &SolveArgs,
    phases: &[FoundPhase],
    clock: &Clock,
    stop: &Arc<AtomicBool>,
) -> Option<String> {
    let aside = (clock.elapsed() / 10).clamp(LEAST_ASIDE, MOST_ASIDE);
    let aside = time_left(args.time, clock, 1).map_or(aside, |left| left.min(aside));
    if aside.is_zero() {
        return None;
    }
    let _ticker = Ticker::saying("trying non-minimal routing");
    non_minimal_hint(args, phases, aside, stop)
}

/// Result of one phase.
enum Found {
    Solved(Box<FoundPhase>),
    Unsolved(Bounds),
    Impossible(Proof),
    Interrupted,
}

fn solve(
    problem: &Arc<Problem>,
    request: &SearchRequest<'_>,
    number: usize,
) -> Result<Found, Failure> {
    let args = request.args;
    let options = request.options(number)?;
    let ticker = Ticker::watching(options.progress.clone(), request.cluster.ranks(), args.time);
    let outcome = interrupt::search(problem, options)?;
    drop(ticker);
    let Some(outcome) = outcome else { return Ok(Found::Interrupted) };
    let Outcome { solution, bounds, proof, evaluations, refusals } = outcome;
    for refusal in &refusals {
        words::warn(&format!(
            "warning: the judge rejected a schedule of the engine {} ({}); the schedule was discarded. \
             Please report this with the command you ran.",
            refusal.engine, refusal.problem
        ));
    }
    let refuted = |proof: &Proof| args.steps.is_some_and(|steps| steps <= proof.steps);
    Ok(match (solution, proof) {
        (Some(solution), proof) => {
            let start = request.start(number).clone();
            let phase =
                FoundPhase { solution, bounds, proof, proof_file: None, evaluations, start };
            Found::Solved(Box::new(phase))
        }
        (None, Some(proof)) if refuted(&proof) => Found::Impossible(proof),
        (None, _) => Found::Unsolved(bounds),
    })
}

/// Reports a signal that came before there was any schedule.
fn interrupted(args: &SolveArgs) -> Result<ExitCode, Failure> {
    let text = "interrupted before a schedule was found";
    if args.json {
        print_json(&Unsolved::Interrupted { message: text })?
    } else {
        words::warn(text)
    }
    Ok(ExitCode::from(INTERRUPTED))
}

/// Reports that no schedule was found, or that the bound excludes the requested number of steps.
fn unsolved(args: &SolveArgs, problem: &Problem, bounds: &Bounds) -> Result<ExitCode, Failure> {
    let best = &bounds.best;
    let name = collective::todays_name(&problem.collective().name);
    unsolved_within(args, name, best, &|| proof::refuted(args, problem, best))
}

/// The same for a collective of one phase or an all-reduce. `keep` writes the refutation and says where it is.
fn unsolved_within(
    args: &SolveArgs,
    name: &str,
    best: &Bound,
    keep: &dyn Fn() -> Result<Option<String>, Failure>,
) -> Result<ExitCode, Failure> {
    if let Some(steps) = args.steps.filter(|&steps| steps < best.steps) {
        let kept = keep()?;
        let file = kept.as_ref().and(args.output.as_ref()).map(|path| path.display().to_string());
        let (many, are) = (words::steps(steps), if steps == 1 { "is" } else { "are" });
        let text = format!(
            "{many} {are} impossible for {name}: {}{}",
            best.explanation,
            kept.unwrap_or_default()
        );
        if args.json {
            let message = &text[..];
            print_json(&Unsolved::Impossible { steps, bound: best, proof: None, file, message })?
        } else {
            words::warn(&text)
        }
        return Ok(impossible());
    }
    let wanted = match args.steps {
        Some(steps) => format!("of at most {}", words::steps(steps)),
        None => "within the limits".to_owned(),
    };
    let text = format!(
        "no schedule {wanted} was found for {name}; the bound is {} ({}). Try a longer --time, another --seed, or more --steps",
        words::steps(best.steps),
        best.reason
    );
    if args.json {
        print_json(&Unsolved::NotFound { bound: best, message: &text })?
    } else {
        words::warn(&text)
    }
    Ok(not_so())
}

/// A hint that non-minimal routing could do better, if it could.
fn non_minimal_hint(
    args: &SolveArgs,
    phases: &[FoundPhase],
    aside: Duration,
    stop: &Arc<AtomicBool>,
) -> Option<String> {
    let [phase] = phases else { return None };
    // The user has the steps that were asked for.
    if args.steps.is_some() {
        return None;
    }
    let problem = phase.checked().problem();
    let steps = phase.steps();
    if problem.model().routing == Routing::Any || is_quiet() || stop.load(Ordering::Relaxed) {
        return None;
    }
    let model = pavane_model::Model { routing: Routing::Any, ..problem.model() };
    let freed = problem.under(model).ok()?;
    let clock = Clock::start();
    let interrupt = Interrupt::never().until(clock.after(aside)).unless(stop.clone());
    if bounds::simple_reach(&freed, steps, &interrupt).ok()? {
        return None;
    }
    let bounds = bounds::all_until(&freed, &interrupt, &|_| {}).ok()?;
    if bounds.best.steps >= steps {
        return None;
    }
    let options = Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        time: time_left(Some(aside), &clock, 1),
        bounds: Some(Arc::new(bounds.clone())),
        stop: stop.clone(),
        ..Options::default()
    };
    let outcome = synthesize(&freed, &options).ok()?;
    let bound = bounds.best.steps;
    let found = outcome.solution.map(|s| s.checked.schedule().step_count());
    Some(match found.filter(|&found| found < steps) {
        Some(found) => {
            let is = if found == 1 { "is" } else { "are" };
            format!("{} {is} possible with --routing any", words::steps(found))
        }
        None if bound < phase.certified() => {
            format!("with --routing any the bound is {}", words::steps(bound))
        }
        None => return None,
    })
}
