//! `pavane repair FILE --fault …` for timed schedules.

use super::draw::timed::TimedPicture;
use super::interrupt::tell_of_interrupt;
use super::repair::{broken, failed, print_impossible};
use super::solve::timed::judge;
use crate::args::faults::RepairArgs;
use crate::output::{DONE, Failure, is_standard, print_json, standard};
use crate::picture_file::draw_or_write;
use crate::progress::Ticker;
use crate::report::repair::KeepReport;
use crate::report::timed::TimedRepairReport;
use crate::route_text;
use crate::schedule_file::PROGRAM;
use crate::words;
use pavane_model::timed::{self, TimedSchedule};
use pavane_model::{Fraction, Network, strict_json};
use pavane_search::budget::{Clock, is_past};
use pavane_throughput::rates::figure;
use pavane_timed::{
    MendedTimed, RepairedTimed, SendChanges, TimedRepairError, TimedRepairRequest, explanation,
    repair,
};
use pavane_verify::check_timed;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time limit of the search for the quickest schedule if none is given.
const USUAL: Duration = Duration::from_secs(2);

/// Repairs a schedule and prints or writes the result.
pub fn run(
    args: &RepairArgs,
    schedule: TimedSchedule,
    clock: Clock,
    stop: Arc<AtomicBool>,
) -> Result<ExitCode, Failure> {
    if args.keep_steps {
        return Err(Failure::bad_input(format!(
            "--keep-steps does not apply to {}, a timed schedule: it has no steps",
            args.schedule.display()
        )));
    }
    let checked = check_timed(schedule).map_err(|rejection| {
        Failure::bad_input(format!(
            "{} is not a valid schedule even without the faults: {rejection} (`pavane verify` lists \
             all violations)",
            args.schedule.display()
        ))
    })?;
    let faults = broken(args, checked.network())?;
    let time = args.time.or(args.evaluations.is_none().then_some(USUAL));
    let deadline = time.and_then(|time| clock.after(time));
    let is_over = || stop.load(Ordering::Relaxed) || is_past(deadline);
    let request = TimedRepairRequest {
        keep: args.keep.map(|percent| f64::from(percent) / 100.0),
        seed: args.seed,
        rounds: args.evaluations,
        threads: args.threads.unwrap_or_else(words::cores),
        stop: &is_over,
    };
    let ticker = Ticker::saying("repairing the schedule");
    let repaired = repair(checked.schedule(), &faults, &request);
    drop(ticker);
    let repaired = match repaired {
        Ok(repaired) => repaired,
        Err(error @ TimedRepairError::KeepsTooLittle { .. }) => {
            return failed(args, &error.to_string());
        }
        Err(error) => return Err(impossible(args, error)?),
    };
    for mended in [Some(&repaired.chosen), repaired.other.as_ref()].into_iter().flatten() {
        judge(&mended.answer)?;
    }
    let network = checked.network();
    let before = checked.time_ns();
    let printer = RepairedTimedPrinter { args, before, network, repaired: &repaired };
    if let Some(path) = &args.output {
        printer.save(path)?;
    }
    tell_of_interrupt(&stop, "schedule", printer.is_optimal());
    // The schedule may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        print_json(&printer.json(clock.elapsed().as_secs_f64())?)?;
    } else {
        printer.print(clock.elapsed().as_secs_f64())?;
    }
    Ok(DONE)
}

/// Why no schedule is possible. With `--json` this is also printed as JSON.
fn impossible(args: &RepairArgs, error: TimedRepairError) -> Result<Failure, Failure> {
    let message = error.to_string();
    Ok(match error {
        TimedRepairError::Aftermath(error) => {
            if args.json {
                print_impossible(&message, Some(&error), &[])?;
            }
            Failure::from(error).into_impossible()
        }
        TimedRepairError::NoParticipants { missing } => {
            if args.json {
                print_impossible(&message, None, &missing)?;
            }
            Failure::bad_input(message).into_impossible()
        }
        error => Failure::bad_input(error),
    })
}

struct RepairedTimedPrinter<'a> {
    args: &'a RepairArgs,
    /// The time of the schedule before, in nanoseconds.
    before: Fraction,
    /// The network before.
    network: &'a Network,
    repaired: &'a RepairedTimed,
}

impl RepairedTimedPrinter<'_> {
    fn chosen(&self) -> &MendedTimed {
        &self.repaired.chosen
    }

    fn gap_percent(&self) -> f64 {
        let answer = &self.chosen().answer;
        100.0 * (answer.time_ns.to_f64() / answer.bound_ns.to_f64() - 1.0).max(0.0)
    }

    fn is_optimal(&self) -> bool {
        self.chosen().answer.time_ns == self.chosen().answer.bound_ns
    }

    fn status(&self) -> String {
        if self.is_optimal() {
            "optimal".to_owned()
        } else {
            format!("at most {} % above the best possible time", figure(self.gap_percent()))
        }
    }

    /// The fields of the file that are not part of the schedule.
    fn more(&self) -> Map<String, Value> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        let engine = self.chosen().answer.method;
        let made_by = json!({"program": PROGRAM, "engine": engine, "seed": self.args.seed});
        more.insert("made_by".into(), made_by);
        more
    }

    fn save(&self, path: &Path) -> Result<(), Failure> {
        let schedule = &self.chosen().answer.schedule;
        let draw = |format| TimedPicture::new(schedule.clone())?.bytes(format);
        draw_or_write(path, draw, |out| timed::write(out, schedule, &self.more()))
    }

    /// The schedule as part of the report.
    fn embedded(&self) -> io::Result<Map<String, Value>> {
        let mut bytes = Vec::new();
        timed::write(&mut bytes, &self.chosen().answer.schedule, &self.more())?;
        strict_json::from_slice(&bytes).map_err(io::Error::from)
    }

    fn json(&self, seconds: f64) -> Result<TimedRepairReport<'_>, Failure> {
        let MendedTimed { answer, changes } = self.chosen();
        let network = self.repaired.problems[0].network();
        let other = self.repaired.other.as_ref();
        let output = self.args.output.as_deref();
        Ok(TimedRepairReport {
            network: network.name(),
            faults: network.fault_names(),
            collective: &answer.schedule.name,
            microseconds_before: self.before.to_f64() / 1000.0,
            microseconds: answer.time_ns.to_f64() / 1000.0,
            time_ns: answer.time_ns.to_string(),
            bound_microseconds: answer.bound_ns.to_f64() / 1000.0,
            bound_ns: answer.bound_ns.to_string(),
            explanation: explanation(&answer.schedule),
            gap_percent: self.gap_percent(),
            optimal: self.is_optimal(),
            status: self.status(),
            sends_before: changes.before,
            sends_valid: changes.valid,
            sends_kept: changes.kept,
            sends_new: changes.new,
            keep: KeepReport {
                asked_percent: f64::from(self.args.keep.unwrap_or(0)),
                kept_percent: 100.0 * changes.kept_share(),
                is_demand: self.args.keep.is_some(),
                is_reached: true,
            },
            other_microseconds: other.map(|other| other.answer.time_ns.to_f64() / 1000.0),
            other_kept_percent: other.map(|other| 100.0 * other.changes.kept_share()),
            missing: &self.repaired.missing,
            seconds,
            file: output.map(|path| path.display().to_string()),
            schedule: if output.is_none() { Some(self.embedded()?) } else { None },
        })
    }

    fn print(&self, seconds: f64) -> Result<(), Failure> {
        let mut out = standard();
        let MendedTimed { answer, changes } = self.chosen();
        let title = words::problem_line(&answer.schedule.name, &self.repaired.problems[0]);
        writeln!(out, "{title}")?;
        let micro = |time: Fraction| format!("{:.4} µs", time.to_f64() / 1000.0);
        writeln!(out, "  bound     {}: {}", micro(answer.bound_ns), explanation(&answer.schedule))?;
        let (time, before) = (micro(answer.time_ns), micro(self.before));
        writeln!(out, "  time      {time}, {before} before: {}", self.status())?;
        writeln!(out, "  sends     {}", in_words(changes))?;
        if let Some(other) = &self.repaired.other {
            let (time, share) = (micro(other.answer.time_ns), 100.0 * other.changes.kept_share());
            let keep = if other.answer.time_ns < answer.time_ns { 0.0 } else { share.floor() };
            writeln!(
                out,
                "  other     {time} keeps {share:.1} % of the valid sends; use --keep {keep} for this \
                 schedule"
            )?;
        }
        if !self.repaired.missing.is_empty() {
            writeln!(
                out,
                "  missing   {}",
                words::processors_of(self.network, &self.repaired.missing)
            )?;
        }
        writeln!(out, "  found in  {seconds:.2} s")?;
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        }
        if self.args.all {
            route_text::write_sends(&answer.schedule, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// `1200 before, 1160 of them still valid; 1158 kept (99.8 %), 45 new`.
pub fn in_words(changes: &SendChanges) -> String {
    let SendChanges { before, valid, kept, new } = changes;
    let share = 100.0 * changes.kept_share();
    format!("{before} before, {valid} of them still valid; {kept} kept ({share:.1} %), {new} new")
}
