//! `pavane verify FILE…`: is a schedule valid, and is its claim to be optimal proved?

use crate::args::VerifyArgs;
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::Ticker;
use crate::words;
use pavane_model::format::{Phase, read_file};
use pavane_model::{Network, import};
use pavane_verify::{Verdict, judge};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Violations that are printed for one schedule.
const SHOWN: usize = 20;

/// Judges every file.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let ticker = Ticker::saying("judging");
    let network = args.network.as_deref().map(import::load).transpose();
    let network = network.map_err(Failure::bad_input)?;
    let mut verdicts = Vec::new();
    for path in &args.files {
        let phases = read_file(path, args.max_deliveries).map_err(Failure::bad_input)?;
        if let Some(network) = &network {
            check_network(path, &phases, network)?;
        }
        let judged = phases.into_iter().map(|p| judge(p.problem, p.schedule, p.bound.as_ref()));
        verdicts.push((path.display().to_string(), judged.collect::<Vec<_>>()));
    }
    drop(ticker);
    match args.json {
        true => print_json(&as_json(&verdicts))?,
        false => print_text(&verdicts)?,
    }
    let is_fine = verdicts.iter().flat_map(|(_, phases)| phases).all(Verdict::is_fine);
    Ok(if is_fine { DONE } else { not_so() })
}

fn check_network(path: &Path, phases: &[Phase], wanted: &Network) -> Result<(), Failure> {
    for phase in phases {
        if !phase.problem.network().is_same_as(wanted) {
            return Err(Failure::bad_input(format!(
                "{}: the schedule is for another network ({}), not for {}",
                path.display(),
                phase.problem.network().name(),
                wanted.name()
            )));
        }
    }
    Ok(())
}

fn as_json(verdicts: &[(String, Vec<Verdict>)]) -> Value {
    let file = |(path, phases): &(String, Vec<Verdict>)| {
        let phases: Vec<Value> = phases.iter().map(phase_json).collect();
        match <[Value; 1]>::try_from(phases) {
            Ok([mut only]) => {
                only["file"] = json!(path);
                only
            }
            Err(phases) => json!({
                "file": path,
                "valid": phases.iter().all(|phase| phase["valid"] == true),
                "phases": phases,
            }),
        }
    };
    match verdicts {
        [only] => file(only),
        several => several.iter().map(file).collect(),
    }
}

fn phase_json(verdict: &Verdict) -> Value {
    let violations: Vec<Value> = verdict
        .violations
        .iter()
        .map(|v| json!({"rule": v.rule().map(|r| r.to_string()), "message": v.to_string()}))
        .collect();
    json!({
        "collective": verdict.problem.collective().name,
        "network": verdict.problem.network().name(),
        "steps": verdict.steps,
        "valid": verdict.is_valid(),
        "violations": violations,
        "bound": verdict.proved,
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
        "optimal": verdict.is_optimal(),
    })
}

fn print_text(verdicts: &[(String, Vec<Verdict>)]) -> Result<(), Failure> {
    let mut out = standard();
    for (path, phases) in verdicts {
        for verdict in phases {
            let word = if verdict.is_valid() { "valid" } else { "NOT VALID" };
            let name = &verdict.problem.collective().name;
            let network = verdict.problem.network().name();
            writeln!(
                out,
                "{path}: {word}: {name} on {network} in {}",
                words::steps(verdict.steps)
            )?;
            for violation in verdict.violations.iter().take(SHOWN) {
                match violation.rule() {
                    Some(rule) => writeln!(out, "  {rule}: {violation}")?,
                    None => writeln!(out, "  {violation}")?,
                }
            }
            if verdict.violations.len() > SHOWN {
                let more = verdict.violations.len() - SHOWN;
                writeln!(out, "  and {more} more (all: --json)")?;
            }
            if let Some(error) = &verdict.bound_error {
                writeln!(out, "  bound: {error}")?;
            }
            if verdict.is_valid() {
                writeln!(out, "  {}", optimality(verdict))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn optimality(verdict: &Verdict) -> String {
    let proved = words::steps(verdict.proved);
    match verdict.is_optimal() {
        true => format!("optimal: at least {proved} are proved necessary"),
        false => format!("at least {proved} are proved necessary"),
    }
}
