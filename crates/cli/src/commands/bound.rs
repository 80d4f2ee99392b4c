//! `pavane bound NETWORK COLLECTIVE`: lower bounds on the number of steps, with their reasons.

use crate::args::BoundArgs;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::commands::search_request::time_left;
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::bound::{BoundsReport, PhaseFields, SkippedReport};
use crate::report::common::{TotalBound, WholeBoundReport};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::Problem;
use pavane_model::whole::WholeBound;
use pavane_search::bounds::{self, Bounds};
use pavane_search::budget::{Clock, Interrupt};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Prints every bound with its reason, and the largest bound.
pub fn run(args: &BoundArgs) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let problems = args.problem.load()?;
    let (each, done) = (bounds::BOUNDS.len(), Arc::new(AtomicU64::new(0)));
    let total = each * problems.len();
    let ticker = Ticker::counting(1, "lower bounds", total as u64, &done);
    let stop = stop_on_interrupt(&Cluster::alone());
    let mut found = Vec::new();
    for (before, problem) in problems.iter().enumerate() {
        let tell = |tried| done.store((before * each + tried) as u64, Ordering::Relaxed);
        let deadline = time_left(args.time, &clock, problems.len() - before);
        let deadline = deadline.and_then(|time| Clock::start().after(time));
        let interrupt = Interrupt::never().until(deadline).unless(stop.clone());
        found.push(bounds::all_until(problem, &interrupt, &tell)?);
    }
    drop(ticker);
    let whole = {
        let deadline = time_left(args.time, &clock, 1);
        let deadline = deadline.and_then(|time| Clock::start().after(time));
        whole(&problems, &found, &Interrupt::never().until(deadline).unless(stop.clone()))?
    };
    if args.json {
        print_json(&report(&args.problem.collective, &problems, &found, whole.as_ref()))?
    } else {
        print_text(&args.problem.collective, &problems, &found, whole.as_ref())?
    }
    if stop.load(Ordering::Relaxed) {
        words::warn("interrupted: bounds so far");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(DONE)
}

/// The bound of an all-reduce, given those of its phases.
fn whole(
    problems: &[Problem],
    found: &[Bounds],
    interrupt: &Interrupt,
) -> Result<Option<WholeBound>, Failure> {
    let ([reduce, broadcast], [before, after]) = (problems, found) else { return Ok(None) };
    let proved = [before.best.steps, after.best.steps];
    Ok(Some(bounds::of_whole([reduce, broadcast], proved, interrupt)?))
}

fn report<'a>(
    name: &'a str,
    problems: &'a [Problem],
    found: &'a [Bounds],
    whole: Option<&'a WholeBound>,
) -> BoundsReport<'a> {
    let mut phases: Vec<BoundsReport<'_>> =
        problems.iter().zip(found).map(|(problem, found)| phase_report(problem, found)).collect();
    let Some(whole) = whole else { return phases.remove(0) };
    BoundsReport {
        network: problems[0].network().name(),
        collective: name,
        bound: TotalBound::Whole(WholeBoundReport::of(whole)),
        bounds: found.iter().flat_map(|found| &found.bounds).collect(),
        skipped: found.iter().flat_map(skipped).collect(),
        phase: None,
        phases: Some(phases),
    }
}

fn phase_report<'a>(problem: &'a Problem, found: &'a Bounds) -> BoundsReport<'a> {
    BoundsReport {
        network: problem.network().name(),
        collective: &problem.collective().name,
        bound: TotalBound::Phase(&found.best),
        bounds: found.bounds.iter().collect(),
        skipped: skipped(found).collect(),
        phase: Some(PhaseFields {
            faults: problem.network().fault_names(),
            kind: problem.collective().kind,
            model: problem.model(),
        }),
        phases: None,
    }
}

fn skipped(found: &Bounds) -> impl Iterator<Item = SkippedReport<'_>> {
    found.skipped.iter().map(|one| SkippedReport { reason: one.reason, why: &one.why })
}

fn print_text(
    name: &str,
    problems: &[Problem],
    found: &[Bounds],
    whole: Option<&WholeBound>,
) -> Result<(), Failure> {
    let mut out = standard();
    for (problem, found) in problems.iter().zip(found) {
        writeln!(out, "{}", words::problem(problem))?;
        writeln!(out)?;
        writeln!(out, "at least  reason           explanation")?;
        for bound in &found.bounds {
            let because = words::printable(&bound.explanation);
            writeln!(out, "{:>8}  {:<15}  {because}", bound.steps, bound.reason)?;
        }
        for skipped in &found.skipped {
            let why = words::printable(&skipped.why);
            writeln!(out, " skipped  {:<15}  {why}", skipped.reason)?;
        }
        let best = &found.best;
        writeln!(out, "\nbound: {} ({})", words::steps(best.steps), best.reason)?;
        if problems.len() > 1 {
            writeln!(out)?;
        }
    }
    if let Some(whole) = whole {
        let reason = whole.certificate.kind.name();
        let why = words::printable(&whole.explanation);
        writeln!(out, "bound of {name}: {} ({reason}: {why})", words::steps(whole.steps))?;
        writeln!(
            out,
            "  (of all schedules that complete every sum at its root before they broadcast it)"
        )?;
    }
    out.flush()?;
    Ok(())
}
