//! `pavane repair FILE --fault …` for TDM schedules.

use super::printer::{content, header, save};
use super::problem::refused;
use crate::args::faults::RepairArgs;
use crate::commands::interrupt::tell_of_interrupt;
use crate::commands::repair::{broken, excluded, failed};
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::tdm::{TdmBoundReport, TdmRepairReport};
use crate::route_text;
use crate::words;
use pavane_model::format::open_beside;
use pavane_model::tdm::TdmProblemError;
use pavane_model::words::counted;
use pavane_model::{Network, TdmSchedule};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tdm::bounds::in_words;
use pavane_tdm::{LongerPeriod, TdmChanges, TdmOptions, TdmRepairError, TdmRepaired, repair};
use pavane_verify::check_tdm_with;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// If a smaller share of the words that are still valid stays in place, the output names `--keep`.
const FEW: f64 = 0.8;

/// Repairs a schedule and prints or writes the result.
pub fn run(
    args: &RepairArgs,
    schedule: TdmSchedule,
    stop: Arc<AtomicBool>,
) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let faults = broken(args, schedule.problem.network())?;
    let file = args.schedule.display().to_string();
    let open = |name: &str| open_beside(&args.schedule, name);
    let checked = check_tdm_with(schedule, &open).map_err(|error| {
        Failure::bad_input(format!(
            "{file} is not a valid schedule even without the faults: {error} (`pavane verify` lists all violations)"
        ))
    })?;
    let deadline = args.time.and_then(|time| clock.after(time));
    let options = TdmOptions {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        interrupt: Interrupt::never().until(deadline).unless(stop.clone()),
        evaluations: args.evaluations.or(TdmOptions::default().evaluations),
        ..TdmOptions::default()
    };
    let ticker = Ticker::saying("repairing the schedule");
    let keep = f64::from(args.keep.unwrap_or(0)) / 100.0;
    let repaired = repair(&checked, &faults, keep, &options);
    drop(ticker);
    let repaired = match repaired {
        Ok(repaired) => repaired,
        Err(TdmRepairError::Unmet(unmet)) => {
            let intact = checked.schedule().problem.network();
            let unmet = unmet.in_words(|processor| route_text::processor(intact, processor), None);
            let why = format!("with these faults, {unmet}");
            return Err(Failure::bad_input(why).into_impossible());
        }
        Err(TdmRepairError::Problem(error @ TdmProblemError::Unreachable { .. })) => {
            return Err(refused(error));
        }
        Err(
            error @ (TdmRepairError::NotFound { .. }
            | TdmRepairError::KeepsLess { .. }
            | TdmRepairError::Problem(_)),
        ) => return failed(args, &error.to_string()),
        Err(error @ TdmRepairError::Rejected(_)) => return Err(Failure::Bug(error.to_string())),
        Err(error) => return Err(Failure::bad_input(error)),
    };
    match repaired.longer().filter(|_| args.keep_steps) {
        None => {}
        Some(LongerPeriod::Excluded(why)) => return Err(excluded(args, &why)?),
        Some(LongerPeriod::Found(why)) => {
            let TdmChanges { kept, rerouted, moved, .. } = repaired.changes;
            return failed(
                args,
                &format!(
                    "{why}; without --keep-steps, {kept} words stay in place, {rerouted} are re-routed in their slot \
                     and {moved} move"
                ),
            );
        }
    }
    let status = status(&repaired);
    if let Some(path) = &args.output {
        save(path, repaired.schedule.schedule(), &status, args.seed)?;
    }
    let seconds = clock.elapsed().as_secs_f64();
    if args.json {
        report(args, &repaired, seconds)?
    } else {
        print(args, &repaired, checked.schedule().problem.network(), seconds)?
    }
    tell_of_interrupt(&stop, "schedule", gap(&repaired) == 0);
    Ok(DONE)
}

/// Slots between the period and the bound.
fn gap(repaired: &TdmRepaired) -> u32 {
    repaired.schedule.schedule().period.saturating_sub(repaired.bounds.best.period)
}

fn status(repaired: &TdmRepaired) -> String {
    match gap(repaired) {
        0 => "optimal".to_owned(),
        gap => format!("at most {} from optimal", counted(gap, "slot")),
    }
}

fn report(args: &RepairArgs, repaired: &TdmRepaired, seconds: f64) -> Result<(), Failure> {
    let schedule = repaired.schedule.schedule();
    let network = schedule.problem.network();
    let status = status(repaired);
    let TdmChanges { before, untouched, kept, rerouted, moved, dropped } = repaired.changes;
    print_json(&TdmRepairReport {
        network: network.name(),
        faults: network.fault_names(),
        status: &status,
        period_before: repaired.period_before,
        period: schedule.period,
        bound: TdmBoundReport::new(&schedule.problem, &repaired.bounds.best),
        words_before: before,
        untouched,
        kept,
        rerouted,
        moved,
        dropped,
        missing: &repaired.missing,
        seed: args.seed,
        seconds,
        file: args.output.as_ref().map(|path| path.display().to_string()),
        schedule: match args.output {
            Some(_) => None,
            None => Some(content(schedule, &status, args.seed)?),
        },
    })
}

/// `intact` is the network before the faults: lost processors have names there.
fn print(
    args: &RepairArgs,
    repaired: &TdmRepaired,
    intact: &Network,
    seconds: f64,
) -> Result<(), Failure> {
    let mut out = standard();
    let schedule = repaired.schedule.schedule();
    let bound = &repaired.bounds.best;
    writeln!(out, "{}", header(&schedule.problem))?;
    let (slots, reason) = (counted(bound.period, "slot"), bound.certificate.reason());
    writeln!(out, "  bound     {slots} by {reason}: {}", in_words(&schedule.problem, bound))?;
    let (period, before) = (counted(schedule.period, "slot"), repaired.period_before);
    writeln!(out, "  period    {period}, {before} before: {}", status(repaired))?;
    let TdmChanges { before, untouched, kept, rerouted, moved, dropped } = repaired.changes;
    writeln!(
        out,
        "  words     {before} before, {untouched} of them still valid; {kept} kept, {rerouted} \
         re-routed in the same slot, {moved} moved, {dropped} dropped"
    )?;
    if args.keep.is_none() && repaired.changes.kept_share() < FEW {
        writeln!(
            out,
            "  few       {kept} of {untouched} valid words stay: a period of {period} leaves little room; --keep \
             90 allows a longer one"
        )?;
    }
    if !repaired.missing.is_empty() {
        writeln!(out, "  missing   {}", words::processors_of(intact, &repaired.missing))?;
    }
    writeln!(out, "  found     with seed {} in {seconds:.2} s", args.seed)?;
    if let Some(path) = &args.output {
        writeln!(out, "  written   {}", path.display())?;
    }
    if args.all {
        writeln!(out)?;
        route_text::write_words(schedule, &mut out)?;
    }
    out.flush()?;
    Ok(())
}
