//! `pavane repair SCHEDULE --fault …`: repairs a schedule or a throughput plan after faults and keeps as
//! much of it as possible.

use crate::args::faults::RepairArgs;
use crate::commands::interrupt::{stop_on_interrupt, tell_of_interrupt};
use crate::commands::{proof, repair_plan, repair_timed, stored, tdm};
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::picture_file::check_output;
use crate::progress::Ticker;
use crate::report::repair::{KeepReport, Repair, Shorter, Unrepaired};
use crate::schedule_file::{ScheduleFile, WholePart, gap};
use crate::schedule_text;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::aftermath::AftermathError;
use pavane_model::format::{Phase, Stored, read_stored_file};
use pavane_model::whole::{Whole, WholeBound};
use pavane_model::{Fault, Network, ProcessorId, claims};
use pavane_networks::name_check;
use pavane_search::bounds;
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::fault::repair::PATIENCE;
use pavane_search::fault::{Changes, Keep, RepairError, Repaired, Terms, repair};
use pavane_search::synthesize::{Options, Progress};
use pavane_verify::{CheckedSchedule, verify};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Repairs the schedule and prints or writes the result.
pub fn run(args: &RepairArgs) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let stop = stop_on_interrupt(&Cluster::alone());
    if args.faults.is_empty() {
        return Err(Failure::bad_input("no faults given; use --fault or --faults"));
    }
    if let Some(path) = &args.output {
        check_output(path, true)?;
    }
    if args.schedule.is_dir() {
        return stored::run(args);
    }
    if args.collective.is_some() {
        return Err(Failure::bad_input(
            "--collective applies to folders only; a schedule file has one collective",
        ));
    }
    let stored = read_stored_file(&args.schedule, args.max_deliveries);
    let mut whole_before = Whole::default();
    let phases = match stored.map_err(Failure::bad_input)? {
        Stored::Throughput(plan) => return repair_plan::run(args, *plan, clock, stop),
        Stored::Tdm(schedule) => return tdm::repair::run(args, *schedule, stop),
        Stored::Timed(schedule) => return repair_timed::run(args, *schedule, clock, stop),
        Stored::Schedule(phases, whole) => {
            words::note_overlap(&args.schedule, &whole, "repaired");
            whole_before = whole;
            Ok(phases)
        }
        stored => stored.into_schedule(&args.schedule.display().to_string()),
    };
    let progress = Arc::new(Progress::default());
    let ticker = Ticker::watching(progress.clone(), 1, args.time);
    let (name, phases) = checked(args, phases.map_err(Failure::bad_input)?)?;
    let faults = broken(args, phases[0].problem().network())?;
    let options = Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        evaluations: args.evaluations,
        time: args.time.map(|time| time / phases.len() as u32),
        patience: PATIENCE,
        stop: stop.clone(),
        progress,
        ..Options::default()
    };
    let mut repaired = Vec::new();
    for phase in &phases {
        match mended(phase, &faults, args, &options)? {
            Ok(phase) => repaired.push(phase),
            Err(why) => {
                drop(ticker);
                return failed(args, &why);
            }
        }
    }
    drop(ticker);
    let is_one = repaired.len() == 1;
    for (number, phase) in (1..).zip(&mut repaired) {
        let number = (!is_one).then_some(number);
        let place = args.output.as_ref().and_then(|path| proof::place(path, number));
        proof::keep(&mut phase.bound, phase.proof.as_ref(), place)?;
    }
    let whole = whole(&repaired, &whole_before, &Interrupt::never().unless(stop.clone()))?;
    let seconds = clock.elapsed().as_secs_f64();
    let network = phases[0].problem().network();
    let report = RepairPrinter { args, name, network, repaired, whole, seconds };
    if let Some(path) = &args.output {
        report.file().save(path)?;
    }
    if args.json {
        report.print_json()?
    } else {
        report.print()?
    }
    let (_, steps, bound) = report.steps();
    let is_optimal = steps == bound;
    tell_of_interrupt(&stop, "schedule", is_optimal);
    Ok(DONE)
}

/// Judges the phases of the schedule file. Returns them and the name of its collective.
fn checked(
    args: &RepairArgs,
    phases: Vec<Phase>,
) -> Result<(String, Vec<CheckedSchedule>), Failure> {
    let mut checked = Vec::new();
    for Phase { problem, schedule, .. } in phases {
        checked.push(verify(problem, schedule).map_err(|violations| {
            let first = violations.first().map(ToString::to_string).unwrap_or_default();
            let file = args.schedule.display();
            Failure::bad_input(format!(
                "{file} is not a valid schedule even without the faults: {first} (`pavane verify` lists all violations)"
            ))
        })?);
    }
    let name = match &checked[..] {
        [only] => only.problem().collective().name.clone(),
        _ => "all-reduce".to_owned(),
    };
    Ok((name, checked))
}

/// Repairs one phase, or returns why there is no schedule for it.
fn mended(
    phase: &CheckedSchedule,
    faults: &[Fault],
    args: &RepairArgs,
    options: &Options,
) -> Result<Result<Repaired, String>, Failure> {
    let terms = Terms { keep_steps: args.keep_steps, keep: keep(args) };
    match repair(phase, faults, terms, options) {
        Ok(repaired) => Ok(Ok(repaired)),
        Err(RepairError::Fault(error)) => Err(Failure::bad_input(error)),
        Err(error @ (RepairError::Aftermath(_) | RepairError::NoParticipants { .. })) => {
            if args.json {
                print_impossible_schedule(&error)?;
            }
            let failure = match error {
                RepairError::Aftermath(error) => error.into(),
                error => Failure::bad_input(error),
            };
            Err(failure.into_impossible())
        }
        Err(error @ RepairError::TooFewSteps { .. }) => Err(excluded(args, &error.to_string())?),
        Err(RepairError::Refused(why)) => Err(Failure::Bug(why)),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// How much of the schedule must be kept.
fn keep(args: &RepairArgs) -> Keep {
    match args.keep {
        Some(percent) => Keep::AtLeast(f64::from(percent) / 100.0),
        None => Terms::default().keep,
    }
}

/// Prints as JSON that the faults disconnect processors or leave none.
fn print_impossible_schedule(error: &RepairError) -> Result<(), Failure> {
    let message = error.to_string();
    match error {
        RepairError::Aftermath(error) => print_impossible(&message, Some(error), &[]),
        RepairError::NoParticipants { missing } => print_impossible(&message, None, missing),
        _ => print_impossible(&message, None, &[]),
    }
}

/// Prints as JSON that the faults disconnect processors, as `error` says, or leave none.
pub fn print_impossible(
    message: &str,
    error: Option<&AftermathError>,
    missing: &[ProcessorId],
) -> Result<(), Failure> {
    let (disconnected, missing): (&[_], _) = match error {
        Some(AftermathError::Separated(separated)) => (&separated.pairs, &separated.missing[..]),
        _ => (&[], missing),
    };
    print_json(&Unrepaired::Impossible { message, disconnected, missing })
}

/// The faults in the network of a schedule. Fails if there are none.
pub fn broken(args: &RepairArgs, network: &Network) -> Result<Vec<Fault>, Failure> {
    let faults = args.faults.load(network)?;
    if faults.is_empty() {
        Err(Failure::bad_input("--faults: the file lists no faults"))
    } else {
        Ok(faults)
    }
}

/// The failure if a proof excludes what `--keep-steps` demands.
pub fn excluded(args: &RepairArgs, why: &str) -> Result<Failure, Failure> {
    if args.json {
        print_impossible(why, None, &[])?;
    }
    Ok(Failure::bad_input(why).into_impossible())
}

/// Reports why no schedule was found.
pub fn failed(args: &RepairArgs, why: &str) -> Result<ExitCode, Failure> {
    if args.json {
        print_json(&Unrepaired::NotFound { message: why })?
    } else {
        words::warn(why)
    }
    Ok(not_so())
}

/// An all-reduce with repaired phases.
struct RepairedWhole {
    steps_before: u32,
    steps: u32,
    bound: WholeBound,
}

/// The all-reduce, if there are two phases, given what the file says about it.
fn whole(
    repaired: &[Repaired],
    before: &Whole,
    interrupt: &Interrupt,
) -> Result<Option<RepairedWhole>, Failure> {
    let [reduce, broadcast] = repaired else { return Ok(None) };
    let problems = [reduce, broadcast].map(|phase| phase.checked.problem());
    let proved = [reduce, broadcast].map(|phase| phase.bound.steps);
    let steps = [reduce, broadcast].map(|phase| phase.checked.schedule().step_count());
    Ok(Some(RepairedWhole {
        steps_before: before.steps(reduce.steps_before, broadcast.steps_before),
        steps: steps.into_iter().sum(),
        bound: bounds::of_whole(problems, proved, interrupt)?,
    }))
}

struct RepairPrinter<'a> {
    args: &'a RepairArgs,
    name: String,
    /// The network before.
    network: &'a Network,
    repaired: Vec<Repaired>,
    whole: Option<RepairedWhole>,
    seconds: f64,
}

impl RepairPrinter<'_> {
    fn file(&self) -> ScheduleFile<'_> {
        let engines: Vec<&str> = self.repaired.iter().map(|phase| phase.engine).collect();
        ScheduleFile {
            name: &self.name,
            phases: self.repaired.iter().map(|phase| (&phase.checked, &phase.bound)).collect(),
            whole: self.whole.as_ref().map(|whole| WholePart {
                start: None,
                steps: whole.steps,
                bound: &whole.bound,
            }),
            engine: engines.join(", "),
            seed: self.args.seed,
        }
    }

    fn missing(&self) -> &[ProcessorId] {
        &self.repaired[0].missing
    }

    /// The steps before and after, and the bound.
    fn steps(&self) -> (u32, u32, u32) {
        if let Some(whole) = &self.whole {
            return (whole.steps_before, whole.steps, whole.bound.steps);
        }
        let sum = |count: &dyn Fn(&Repaired) -> u32| self.repaired.iter().map(count).sum();
        let after = |phase: &Repaired| phase.checked.schedule().step_count();
        (sum(&|phase| phase.steps_before), sum(&after), sum(&|phase| phase.bound.steps))
    }

    fn changes(&self) -> Changes {
        let mut all = Changes::default();
        for phase in &self.repaired {
            all += phase.changes;
        }
        all
    }

    /// The shorter schedules that were rejected in favour of keeping more.
    fn shorter(&self) -> Vec<Shorter> {
        let given_up = self.repaired.iter().filter_map(|phase| phase.shorter);
        given_up.map(|(steps, changes)| Shorter { steps, kept: changes.kept }).collect()
    }

    /// Whether the names of the collectives in the file are correct.
    fn is_collective_checked(&self) -> bool {
        self.repaired.iter().all(|phase| claims::is_collective_right(phase.checked.problem()))
    }

    fn print_json(&self) -> Result<(), Failure> {
        let problem = self.repaired[0].checked.problem();
        let (before, after, bound) = self.steps();
        let changes = self.changes();
        let file = self.file();
        let report = Repair {
            network: problem.network().name(),
            network_checked: name_check::is_network_right(problem.network()),
            faults: problem.network().fault_names(),
            collective: &self.name,
            collective_checked: self.is_collective_checked(),
            model: problem.model(),
            status: file.status(),
            steps_before: before,
            steps: after,
            bound,
            transfers: changes.into(),
            keep: KeepReport {
                asked_percent: 100.0 * keep(self.args).share(),
                kept_percent: percent(&changes),
                is_demand: self.args.keep.is_some(),
                is_reached: self.has_kept_enough(),
            },
            shorter: self.shorter(),
            missing: self.missing(),
            made_by: file.made_by(),
            seconds: self.seconds,
        };
        file.print_json(&report, self.args.output.as_deref())
    }

    fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        for phase in &self.repaired {
            writeln!(out, "{}", words::stored_problem(phase.checked.problem(), None))?;
            writeln!(out, "{}", words::bound(&phase.bound))?;
            let status = match gap(&phase.checked, &phase.bound) {
                0 => "optimal".to_owned(),
                1 if phase.shorter.is_some() => {
                    "one step above the bound, to keep more transfers".to_owned()
                }
                gap => format!("best found, at most {} from optimal", words::steps(gap)),
            };
            let after = phase.checked.schedule().step_count();
            let before = phase.steps_before;
            writeln!(out, "  schedule  {}, {before} before: {status}", words::steps(after))?;
            writeln!(out, "  changes   {}", in_words(&phase.changes))?;
            if let Some((steps, changes)) = &phase.shorter {
                let (steps, share) = (words::steps(*steps), percent(changes));
                writeln!(
                    out,
                    "  shorter   {steps} would keep only {share:.1} %; use --keep 0 for this schedule"
                )?;
            }
            if phase.changes.kept_share() < keep(self.args).share() {
                let (kept, asked) = (percent(&phase.changes), 100.0 * keep(self.args).share());
                writeln!(
                    out,
                    "  note      only {kept:.1} % are kept instead of {asked:.0} %, with at most one step above \
                     the bound; use --keep {asked:.0} to allow more steps"
                )?;
            }
        }
        if let Some(whole) = &self.whole {
            let (after, before) = (words::steps(whole.steps), whole.steps_before);
            let bound = words::steps(whole.bound.steps);
            writeln!(out, "{}", self.name)?;
            writeln!(out, "  bound     {bound} ({})", whole.bound.explanation)?;
            writeln!(out, "  schedule  {after}, {before} before: {}", self.file().status())?;
        }
        if !self.missing().is_empty() {
            writeln!(out, "  missing   {}", words::processors_of(self.network, self.missing()))?;
        }
        let (engine, seed) = (self.file().engine, self.args.seed);
        writeln!(out, "  found by  {engine} in {:.2} s, seed {seed}", self.seconds)?;
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        } else {
            let phases: Vec<&CheckedSchedule> =
                self.repaired.iter().map(|phase| &phase.checked).collect();
            schedule_text::write_all(&phases, None, self.args.all, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Whether every phase keeps as much as requested.
    fn has_kept_enough(&self) -> bool {
        let asked = keep(self.args).share();
        self.repaired.iter().all(|phase| phase.changes.kept_share() >= asked)
    }
}

/// Percentage of the valid transfers that are kept.
fn percent(changes: &Changes) -> f64 {
    100.0 * changes.kept_share()
}

/// `240 transfers before, 221 of them still valid; 215 kept (97 % of those), 19 re-routed, 6 moved`.
fn in_words(changes: &Changes) -> String {
    let share = percent(changes);
    let before = format!("{} before", words::counted(changes.before, "transfer"));
    let mut text = format!(
        "{}, {} of them still valid; {} kept ({share:.1} % of those), {} re-routed, {} moved",
        before, changes.untouched, changes.kept, changes.rerouted, changes.moved
    );
    for (count, word) in [(changes.new, "new"), (changes.dropped, "dropped")] {
        if count > 0 {
            text += &format!(", {count} {word}");
        }
    }
    text
}
