//! `pavane repair DIR --fault …`: looks up the schedule for a fault in a folder of
//! `pavane faults --save`.

use crate::args::faults::RepairArgs;
use crate::commands::repair;
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::repair::{StoredRepair, Unrepaired};
use crate::schedule_file::ScheduleFile;
use crate::words;
use pavane_search::bounds;
use pavane_store::contingency::{Applied, Contingencies, FaultEntry, Folder, Index, Judged};
use std::io::Write;
use std::process::ExitCode;

/// Finds the schedule, judges it for these faults, and prints or writes it.
pub fn run(args: &RepairArgs) -> Result<ExitCode, Failure> {
    let _ticker = Ticker::saying("looking up the schedule for these faults");
    if args.keep.is_some() {
        return Err(Failure::bad_input(
            "--keep applies to schedule files only; a folder has exactly one schedule for each fault",
        ));
    }
    let index = Index::read(&args.schedule)?;
    let contingencies = choose(args, &index)?;
    let mut folder = Folder::new(&args.schedule, args.max_deliveries);
    let name = contingencies.no_fault.as_deref().unwrap_or_default();
    let healthy = folder.file(name).map_err(Failure::bad_input)?;
    let network = healthy[0].problem.network();
    let faults = repair::broken(args, network)?;
    let broken = network.without(&faults).map_err(Failure::bad_input)?;
    let Some(entry) = contingencies.find(network, &broken) else {
        return Err(Failure::bad_input(format!(
            "{} has no schedule for the faults {}; repair its schedule {name} instead",
            args.schedule.display(),
            words::printable(&broken.fault_names().join(", "))
        )));
    };
    let root_moves = contingencies.root_moves;
    let found = folder.entry(&healthy, root_moves, entry).map_err(Failure::bad_input)?;
    let Some(phases) = found else {
        let pairs = entry.disconnected.iter();
        let pairs = pairs.map(|&pair| format!("disconnected: {}", words::pair(network, pair)));
        let first = "no schedule is possible with these faults".to_owned();
        let why = Failure::of_lines([first].into_iter().chain(pairs));
        if args.json {
            print_json(&Unrepaired::Impossible {
                message: why.text(),
                disconnected: &entry.disconnected,
                missing: &entry.missing,
            })?;
        }
        return Err(why.into_impossible());
    };
    tell(args, contingencies, &healthy, entry, &phases)
}

/// The requested collective, or the only one.
fn choose<'a>(args: &RepairArgs, index: &'a Index) -> Result<&'a Contingencies, Failure> {
    let all = &index.collectives;
    let known: Vec<&str> = all.iter().map(|c| c.collective.as_str()).collect();
    let found = index.choose(args.collective.as_deref());
    found.ok_or_else(|| {
        Failure::bad_input(format!(
            "{} has schedules for {}; select one with --collective",
            args.schedule.display(),
            known.join(", ")
        ))
    })
}

fn tell(
    args: &RepairArgs,
    contingencies: &Contingencies,
    healthy: &[Judged],
    entry: &FaultEntry,
    phases: &[Applied],
) -> Result<ExitCode, Failure> {
    let before: u32 = healthy.iter().map(|phase| phase.schedule.step_count()).sum();
    let after = entry.steps.unwrap_or_default();
    // The certificate in the file may use other router numbers, so the bounds are derived again.
    let mut bounds = Vec::new();
    for phase in phases {
        bounds.push(bounds::all(phase.checked.problem())?.best);
    }
    if args.keep_steps && after > before {
        let steps = words::steps(after);
        let why = format!(
            "the stored schedule for these faults has {steps}, more than the {before} before"
        );
        let bound: u32 = bounds.iter().map(|bound| bound.steps).sum();
        if bound > before {
            let why =
                format!("{why}; with these faults, at least {} are needed", words::steps(bound));
            return Err(repair::excluded(args, &why)?);
        }
        return repair::failed(args, &why);
    }
    let file = ScheduleFile {
        name: contingencies.collective.split('@').next().unwrap_or_default(),
        phases: phases.iter().map(|phase| &phase.checked).zip(&bounds).collect(),
        whole: None,
        engine: "faults".to_owned(),
        seed: args.seed,
    };
    if let Some(path) = &args.output {
        file.save(path)?;
    }
    let source = entry.schedule.as_deref().unwrap_or_default();
    if args.json {
        let report = StoredRepair {
            collective: &contingencies.collective,
            faults: phases[0].checked.problem().network().fault_names(),
            steps_before: before,
            steps: after,
            missing: &entry.missing,
            kept_in: source,
        };
        file.print_json(&report, args.output.as_deref())?;
        return Ok(DONE);
    }
    let mut out = standard();
    for phase in phases {
        writeln!(out, "{}", words::stored_problem(phase.checked.problem(), None))?;
    }
    writeln!(out, "  schedule  {}, {before} before: {}", words::steps(after), file.status())?;
    if !entry.missing.is_empty() {
        writeln!(
            out,
            "  missing   {}",
            words::processors_of(healthy[0].problem.network(), &entry.missing)
        )?;
    }
    let how = if entry.renumbering.is_some() { ", renumbered" } else { "" };
    writeln!(out, "  stored in {}{how}", words::printable(source))?;
    if let Some(path) = &args.output {
        writeln!(out, "  written   {}", path.display())?;
    }
    out.flush()?;
    Ok(DONE)
}
