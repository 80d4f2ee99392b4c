//! `pavane repair PLAN --fault …`: repairs a throughput plan after faults.

use super::draw::plan::PlanPicture;
use super::interrupt::tell_of_interrupt;
use super::repair::{broken, failed, print_impossible};
use super::throughput::bottleneck::bottleneck;
use super::throughput::{a_message, judge, rate_in_words};
use crate::args::faults::RepairArgs;
use crate::output::{DONE, Failure, is_standard, print_json, standard};
use crate::picture_file::draw_or_write;
use crate::progress::Ticker;
use crate::report::repair::KeepReport;
use crate::report::repair_plan::{OtherPlan, PlanRepair, RepairedTime};
use crate::report::throughput::{LimitReport, Rate};
use crate::route_text;
use crate::schedule_file::PROGRAM;
use crate::words;
use pavane_model::throughput::{self, ThroughputPlan};
use pavane_model::{Fraction, Network, Problem, claims, strict_json};
use pavane_networks::name_check;
use pavane_render::picture::ShownRoutes;
use pavane_search::budget::{Clock, Interrupt};
use pavane_throughput::explanation::explanation;
use pavane_throughput::rates::{Payload, figure};
use pavane_throughput::repair::{Mended, PlanRepairError, RepairedPlan, RouteChanges, repair};
use pavane_verify::check_plan;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Repairs the plan and prints or writes the result.
pub fn run(
    args: &RepairArgs,
    plan: ThroughputPlan,
    clock: Clock,
    stop: Arc<AtomicBool>,
) -> Result<ExitCode, Failure> {
    check_options(args)?;
    let checked = check_plan(plan).map_err(|rejection| {
        Failure::bad_input(format!(
            "{} is not a valid throughput plan even without the faults: {rejection} (`pavane verify` lists \
             all violations)",
            args.schedule.display()
        ))
    })?;
    let faults = broken(args, checked.network())?;
    let deadline = args.time.and_then(|time| clock.after(time));
    let interrupt = Interrupt::never().until(deadline).unless(stop.clone());
    let ticker = Ticker::saying("searching for a plan");
    let keep = f64::from(args.keep.unwrap_or(0)) / 100.0;
    let repaired = repair(checked.plan(), &faults, keep, &|| interrupt.is_raised());
    drop(ticker);
    let repaired = match repaired {
        Ok(repaired) => repaired,
        Err(error @ PlanRepairError::KeepsTooLittle { .. }) => {
            return failed(args, &error.to_string());
        }
        Err(error) => return Err(impossible(args, error)?),
    };
    for plan in [Some(&repaired.chosen), repaired.other.as_ref()].into_iter().flatten() {
        let is_optimal = repaired.best.reason.is_some() && plan.time == repaired.best.limit;
        judge(&plan.plan, plan.time, is_optimal)?;
    }
    let before = checked.plan();
    let report = PlanPrinter { args, before, time_before: checked.time(), repaired: &repaired };
    if let Some(path) = &args.output {
        report.save(path)?;
    }
    tell_of_interrupt(&stop, "plan", repaired.chosen.time == repaired.best.limit);
    // The plan may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        print_json(&report.json(clock.elapsed().as_secs_f64())?)?;
    } else {
        report.print(clock.elapsed().as_secs_f64())?;
    }
    Ok(DONE)
}

/// Refuses options that only schedules have.
fn check_options(args: &RepairArgs) -> Result<(), Failure> {
    let options = [
        ("--keep-steps", args.keep_steps, "it has no steps"),
        ("--evaluations", args.evaluations.is_some(), "use --time to limit the search"),
    ];
    match options.into_iter().find(|&(_, is_given, _)| is_given) {
        Some((option, _, why)) => Err(Failure::bad_input(format!(
            "{option} does not apply to {}, a throughput plan: {why}",
            args.schedule.display()
        ))),
        None => Ok(()),
    }
}

/// Why no plan is possible. With `--json` this is also printed as JSON.
fn impossible(args: &RepairArgs, error: PlanRepairError) -> Result<Failure, Failure> {
    let message = error.to_string();
    Ok(match error {
        PlanRepairError::Aftermath(error) => {
            if args.json {
                print_impossible(&message, Some(&error), &[])?;
            }
            Failure::from(error).into_impossible()
        }
        PlanRepairError::NoParticipants { missing } => {
            if args.json {
                print_impossible(&message, None, &missing)?;
            }
            Failure::bad_input(message).into_impossible()
        }
        error => Failure::bad_input(error),
    })
}

struct PlanPrinter<'a> {
    args: &'a RepairArgs,
    before: &'a ThroughputPlan,
    time_before: Fraction,
    repaired: &'a RepairedPlan,
}

impl PlanPrinter<'_> {
    fn network(&self) -> &Network {
        self.repaired.problems[0].network()
    }

    /// Whether the messages have sizes.
    fn is_sized(&self) -> bool {
        self.before.phases.iter().any(|phase| !phase.sizes.is_empty())
    }

    /// A time of a plan for these problems, in all units. The file does not say how many bytes a
    /// message has.
    fn rate(&self, problems: &[Problem], time: Fraction) -> Result<Rate, Failure> {
        let unit = self.is_sized().then_some(1);
        let rate = Payload { problems, bytes: None, unit }.rate(time);
        let rate = rate.map(Rate::from).map_err(Failure::bad_input)?;
        Ok(Rate { microseconds: None, ..rate })
    }

    fn rate_before(&self) -> Result<Rate, Failure> {
        let problems: Vec<Problem> =
            self.before.phases.iter().map(|phase| phase.problem.clone()).collect();
        self.rate(&problems, self.time_before)
    }

    fn rate_after(&self, time: Fraction) -> Result<Rate, Failure> {
        self.rate(&self.repaired.problems, time)
    }

    fn in_words(&self, rate: &Rate) -> String {
        let what = if self.is_sized() {
            "a message of size 1"
        } else {
            a_message(&self.repaired.problems[0], self.repaired.best.has_paths())
        };
        rate_in_words(rate, what)
    }

    fn are_bandwidths_checked(&self) -> bool {
        name_check::are_bandwidths_right(self.network())
    }

    /// The name of the collective, and whether it is right.
    fn collective(&self) -> (&str, bool) {
        match &self.repaired.problems[..] {
            [only] => (&only.collective().name, claims::is_collective_right(only)),
            _ => {
                let name = &self.before.name;
                let phases = self.problems();
                let is_right = claims::is_all_reduce_right(name, &phases);
                (name, is_right && claims::has_all_roots(&phases))
            }
        }
    }

    fn collective_in_words(&self) -> String {
        claims::plan_phases_in_words(&self.before.name, &self.problems())
    }

    fn problems(&self) -> Vec<&Problem> {
        self.repaired.problems.iter().collect()
    }

    /// The fields of the file that are not part of the plan.
    fn more(&self) -> Map<String, Value> {
        let mut more = Map::new();
        more.insert("status".into(), self.repaired.status().into());
        more.insert("made_by".into(), json!({"program": PROGRAM}));
        more
    }

    fn save(&self, path: &Path) -> Result<(), Failure> {
        let plan = &self.repaired.chosen.plan;
        let draw = |format| PlanPicture::new(plan.clone(), ShownRoutes::default())?.bytes(format);
        draw_or_write(path, draw, |out| throughput::write(out, plan, &self.more()))
    }

    /// The plan as part of the report.
    fn embedded(&self) -> io::Result<Map<String, Value>> {
        let mut bytes = Vec::new();
        throughput::write(&mut bytes, &self.repaired.chosen.plan, &self.more())?;
        strict_json::from_slice(&bytes).map_err(io::Error::from)
    }

    fn json(&self, seconds: f64) -> Result<PlanRepair<'_>, Failure> {
        let RepairedPlan { chosen, other, best, problems, missing } = self.repaired;
        let kept = chosen.changes.kept_share();
        let (collective, collective_checked) = self.collective();
        let output = self.args.output.as_deref();
        let plan = if output.is_none() { Some(self.embedded()?) } else { None };
        Ok(PlanRepair {
            network: self.network().name(),
            network_checked: name_check::is_network_right(self.network()),
            bandwidths_checked: self.are_bandwidths_checked(),
            faults: self.network().fault_names(),
            collective,
            collective_checked,
            before: self.rate_before()?,
            limit: LimitReport {
                rate: self.rate_after(best.limit)?,
                explanation: explanation(problems, best, None),
                bottleneck: bottleneck(self.network(), best),
            },
            attained: RepairedTime {
                rate: self.rate_after(chosen.time)?,
                optimal: chosen.time == best.limit,
                excess_percent: self.repaired.excess_percent(),
                status: self.repaired.status(),
            },
            routes: chosen.changes.into(),
            keep: KeepReport {
                asked_percent: f64::from(self.args.keep.unwrap_or(0)),
                kept_percent: 100.0 * kept,
                is_demand: self.args.keep.is_some(),
                is_reached: true,
            },
            other: other.as_ref().map(|other| OtherPlan {
                ns_per_byte: other.time.to_string(),
                kept_percent: 100.0 * other.changes.kept_share(),
            }),
            missing,
            seconds,
            file: output.map(|path| path.display().to_string()),
            plan,
        })
    }

    fn print(&self, seconds: f64) -> Result<(), Failure> {
        let RepairedPlan { chosen, other, best, problems, missing } = self.repaired;
        let mut out = standard();
        let network = words::stored_network(self.network(), None);
        let bandwidths =
            if self.are_bandwidths_checked() { "" } else { ", with the bandwidths in the file" };
        writeln!(out, "{} on {network}{bandwidths}", self.collective_in_words())?;
        writeln!(out, "  limit     {}", self.in_words(&self.rate_after(best.limit)?))?;
        writeln!(out, "  why       {}", explanation(problems, best, None))?;
        let status = self.repaired.status();
        writeln!(out, "  plan      {}; {status}", self.in_words(&self.rate_after(chosen.time)?))?;
        writeln!(out, "  before    {}", self.in_words(&self.rate_before()?))?;
        writeln!(out, "  {:<9} {}", self.routes(), changes_in_words(&chosen.changes))?;
        if let Some(other) = other {
            writeln!(out, "  other     {}", self.other(other))?;
        }
        if !missing.is_empty() {
            writeln!(
                out,
                "  missing   {}",
                words::processors_of(self.before.phases[0].problem.network(), missing)
            )?;
        }
        writeln!(out, "  found in  {seconds:.2} s")?;
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        }
        if self.args.all {
            route_text::write_plan(&chosen.plan, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    fn routes(&self) -> &'static str {
        if self.repaired.best.has_paths() { "paths" } else { "trees" }
    }

    /// What the other plan would keep and take, and how to get it.
    fn other(&self, other: &Mended) -> String {
        let (time, routes) = (other.time, self.routes());
        let share = percent(&other.changes);
        let chosen = self.repaired.chosen.time;
        if time < chosen {
            return format!(
                "{time} ns per byte would keep only {share:.1} % of the weight of the {routes}; use a \
                 smaller --keep for this plan"
            );
        }
        let slower = time.checked_sub(chosen).and_then(|more| more.checked_div(chosen));
        let slower = slower.map_or(f64::NAN, Fraction::to_f64) * 100.0;
        let slower = figure(slower);
        format!(
            "{time} ns per byte, {slower} % longer, keeps {share:.1} % of the weight of the {routes}; use \
             --keep {} for this plan",
            share.floor()
        )
    }
}

/// Percentage of the valid weight that is kept.
fn percent(changes: &RouteChanges) -> f64 {
    100.0 * changes.kept_share()
}

/// `37 before, 34 of them still valid; 34 kept (100.0 % of their weight), 3 re-routed, 5 new`.
pub fn changes_in_words(changes: &RouteChanges) -> String {
    let share = percent(changes);
    let mut text = format!(
        "{} before, {} of them still valid; {} kept ({share:.1} % of their weight), {} re-routed",
        changes.before, changes.valid, changes.kept, changes.rerouted
    );
    for (count, word) in [(changes.new, "new"), (changes.dropped, "dropped")] {
        if count > 0 {
            text += &format!(", {count} {word}");
        }
    }
    text
}
