//! `pavane bound NETWORK COLLECTIVE`: lower bounds on the number of steps, with their reasons.

use crate::args::BoundArgs;
use crate::commands::task::time_left;
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::words;
use pavane_engine::bounds::{self, Bounds};
use pavane_engine::budget::{Clock, Interrupt};
use pavane_model::Problem;
use serde_json::{Value, json};
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
    let mut found = Vec::new();
    for (before, problem) in problems.iter().enumerate() {
        let tell = |tried| done.store((before * each + tried) as u64, Ordering::Relaxed);
        let deadline = time_left(args.time, &clock, problems.len() - before);
        let interrupt =
            Interrupt::never().until(deadline.and_then(|time| Clock::start().after(time)));
        found.push(bounds::all_until(problem, &interrupt, &tell)?);
    }
    drop(ticker);
    match args.json {
        true => print_json(&as_json(&args.problem.collective, &problems, &found))?,
        false => print_text(&args.problem.collective, &problems, &found)?,
    }
    Ok(DONE)
}

fn as_json(name: &str, problems: &[Problem], found: &[Bounds]) -> Value {
    let one = |problem: &Problem, found: &Bounds| {
        json!({
            "network": problem.network().name(),
            "faults": problem.network().faults(),
            "collective": problem.collective().name,
            "kind": problem.collective().kind,
            "model": problem.model(),
            "bound": found.best,
            "bounds": found.bounds,
            "skipped": skipped_json(found),
        })
    };
    if let ([problem], [found]) = (problems, found) {
        return one(problem, found);
    }
    let phases: Vec<Value> = problems.iter().zip(found).map(|(p, f)| one(p, f)).collect();
    let steps: u32 = found.iter().map(|f| f.best.steps).sum();
    json!({
        "network": problems[0].network().name(),
        "collective": name,
        "bound": {"steps": steps, "reason": "phases", "explanation": PHASES, "certificate": null},
        "bounds": found.iter().flat_map(|found| &found.bounds).collect::<Vec<_>>(),
        "skipped": found.iter().flat_map(skipped_json).collect::<Vec<_>>(),
        "phases": phases,
    })
}

fn skipped_json(found: &Bounds) -> Vec<Value> {
    found.skipped.iter().map(|s| json!({"reason": s.reason, "why": s.why})).collect()
}

/// Explanation of the sum over the phases.
pub const PHASES: &str = "the sum over the phases, which run one after the other; an algorithm \
                          without these phases might need fewer steps";

fn print_text(name: &str, problems: &[Problem], found: &[Bounds]) -> Result<(), Failure> {
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
    if problems.len() > 1 {
        let steps: u32 = found.iter().map(|f| f.best.steps).sum();
        writeln!(out, "bound of {name}: {} ({PHASES})", words::steps(steps))?;
    }
    out.flush()?;
    Ok(())
}
