//! `pavane solve NETWORK COLLECTIVE`: searches for the shortest schedule and judges it.

use crate::args::solve::SolveArgs;
use crate::commands::bound::PHASES;
use crate::commands::interrupt::{self, INTERRUPTED, Signals};
use crate::commands::proof;
use crate::commands::task::{Task, time_left};
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::{Ticker, is_quiet};
use crate::report::common::{SummedBound, TotalBound};
use crate::report::solve::{SolutionReport, SolvedPhase, Unsolved};
use crate::schedule_file::ScheduleFile;
use crate::words;
use pavane_cluster::Cluster;
use pavane_interop::table;
use pavane_model::{Problem, Routing, Switching, quantity};
use pavane_search::Proof;
use pavane_search::bounds::{self, Bounds};
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::synthesize::{Options, Outcome, Solution, synthesize};
use pavane_verify::CheckedSchedule;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Up to this many transfers, the summary shows the whole schedule.
pub const SHOWN: usize = 300;

/// Limits on the time to see whether non-minimal routing does better, after minimal routing is
/// solved. It gets a tenth of the time of that search, within these limits.
const MOST_ASIDE: Duration = Duration::from_secs(3);
const LEAST_ASIDE: Duration = Duration::from_millis(300);

/// A solved phase.
struct Phase {
    solution: Solution,
    bounds: Bounds,
    proof: Option<Proof>,
    /// The file of the proof.
    proof_file: Option<PathBuf>,
    evaluations: u64,
}

impl Phase {
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
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let signals = Signals::watch(cluster);
    let problems: Vec<Arc<Problem>> = args.problem.load()?.into_iter().map(Arc::new).collect();
    if args.steps.is_some() && problems.len() > 1 {
        let name = &args.problem.collective;
        return Err(Failure::bad_input(format!(
            "--steps: {name} has several phases; solve each phase separately"
        )));
    }
    let task = Task::new(args, cluster, &problems, &signals, clock)?;
    let stop = &task.stop;
    if !cluster.is_first() {
        task.assist()?;
        return Ok(DONE);
    }
    let mut phases = Vec::new();
    for (number, problem) in problems.iter().enumerate() {
        match solve(problem, &task, number)? {
            Found::Solved(phase) => phases.push(*phase),
            Found::Unsolved(bounds) => return unsolved(args, problem, &bounds),
            Found::Impossible(proof) => return proof::impossible(args, problem, &proof),
            Found::Interrupted => return interrupted(args),
        }
    }
    let aside = (clock.elapsed() / 10).clamp(LEAST_ASIDE, MOST_ASIDE);
    let aside = time_left(args.time, &clock, 1).map_or(aside, |left| left.min(aside));
    let hint = if aside.is_zero() {
        None
    } else {
        let _ticker = Ticker::saying("trying non-minimal routing");
        non_minimal_hint(args, &phases, aside, stop)
    };
    let is_one = phases.len() == 1;
    for (number, phase) in (1..).zip(&mut phases) {
        let number = (!is_one).then_some(number);
        let place = args.output.as_ref().and_then(|path| proof::place(path, number));
        phase.proof_file = proof::keep(&mut phase.bounds.best, phase.proof.as_ref(), place)?;
    }
    let report = Report { args, phases, hint, seconds: clock.elapsed().as_secs_f64() };
    if let Some(path) = &args.output {
        report.file().save(path)?;
        let kept = report.phases.iter().filter_map(|phase| phase.proof_file.as_deref());
        proof::remove_others(path, &kept.collect::<Vec<_>>());
    }
    task.tidy();
    match (args.json, is_quiet()) {
        (true, _) => report.print_json()?,
        (false, true) => {}
        (false, false) => report.print()?,
    }
    Ok(DONE)
}

/// Result of one phase.
enum Found {
    Solved(Box<Phase>),
    Unsolved(Bounds),
    Impossible(Proof),
    Interrupted,
}

fn solve(problem: &Arc<Problem>, task: &Task<'_>, number: usize) -> Result<Found, Failure> {
    let args = task.args;
    let options = task.options(number)?;
    let ticker = Ticker::watching(options.progress.clone(), task.cluster.ranks(), args.time);
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
            let phase = Phase { solution, bounds, proof, proof_file: None, evaluations };
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

fn unsolved(args: &SolveArgs, problem: &Problem, bounds: &Bounds) -> Result<ExitCode, Failure> {
    let wanted = match args.steps {
        Some(steps) => format!("of at most {}", words::steps(steps)),
        None => "within the limits".to_owned(),
    };
    let best = &bounds.best;
    let name = &problem.collective().name;
    let text = match args.steps.filter(|&steps| steps < best.steps) {
        Some(steps) => {
            let kept = proof::refuted(args, problem, best)?.unwrap_or_default();
            let (many, are) = (words::steps(steps), if steps == 1 { "is" } else { "are" });
            format!("{many} {are} impossible for {name}: {}{kept}", best.explanation)
        }
        None => format!(
            "no schedule {wanted} was found for {name}; the bound is {} ({}). Try a longer --time, another --seed, or more --steps",
            words::steps(best.steps),
            best.reason
        ),
    };
    if args.json {
        print_json(&Unsolved::NoneFound { bound: best, message: &text })?
    } else {
        words::warn(&text)
    }
    Ok(not_so())
}

/// A hint that non-minimal routing could do better, if it could.
fn non_minimal_hint(
    args: &SolveArgs,
    phases: &[Phase],
    aside: Duration,
    stop: &Arc<AtomicBool>,
) -> Option<String> {
    let [phase] = phases else { return None };
    let problem = phase.checked().problem();
    let steps = phase.steps();
    if problem.model().routing == Routing::Any || is_quiet() || stop.load(Ordering::Relaxed) {
        return None;
    }
    let model = pavane_model::Model { routing: Routing::Any, ..problem.model() };
    let freed = problem.under(model).ok()?;
    let clock = Clock::start();
    let interrupt = Interrupt::never().until(clock.after(aside)).unless(stop.clone());
    let is_out_of_reach = |bounds: &Bounds| bounds.best.steps >= steps;
    if is_out_of_reach(&bounds::simple(&freed, &interrupt).ok()?) {
        return None;
    }
    let bounds = bounds::all_until(&freed, &interrupt, &|_| {}).ok()?;
    if is_out_of_reach(&bounds) {
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
        Some(found) => format!("{} are possible with --routing any", words::steps(found)),
        None if bound < phase.certified() => {
            format!("with --routing any the bound is {}", words::steps(bound))
        }
        None => return None,
    })
}

struct Report<'a> {
    args: &'a SolveArgs,
    phases: Vec<Phase>,
    hint: Option<String>,
    seconds: f64,
}

impl Report<'_> {
    fn steps(&self) -> u32 {
        self.phases.iter().map(Phase::steps).sum()
    }

    fn bound_steps(&self) -> u32 {
        self.phases.iter().map(|phase| phase.bounds.best.steps).sum()
    }

    fn gap(&self) -> u32 {
        self.phases.iter().map(Phase::gap).sum()
    }

    fn engines(&self) -> String {
        let names: Vec<&str> = self.phases.iter().map(|phase| phase.solution.engine).collect();
        names.join(", ")
    }

    fn evaluations(&self) -> u64 {
        self.phases.iter().map(|phase| phase.evaluations).sum()
    }

    fn file(&self) -> ScheduleFile<'_> {
        ScheduleFile {
            name: &self.args.problem.collective,
            phases: self.phases.iter().map(|p| (p.checked(), &p.bounds.best)).collect(),
            engine: self.engines(),
            seed: self.args.seed,
        }
    }

    fn print_json(&self) -> Result<(), Failure> {
        let problem = self.phases[0].checked().problem();
        let bound = match &self.phases[..] {
            [phase] => TotalBound::Phase(&phase.bounds.best),
            _ => TotalBound::Sum(SummedBound {
                steps: self.bound_steps(),
                reason: "phases",
                explanation: PHASES,
                certificate: None,
            }),
        };
        let phases = self.phases.iter().map(|phase| SolvedPhase {
            kind: phase.checked().problem().collective().kind,
            steps: phase.steps(),
            bound: &phase.bounds.best,
        });
        let report = SolutionReport {
            network: problem.network().name(),
            faults: problem.network().faults(),
            collective: &self.args.problem.collective,
            model: problem.model(),
            steps: self.steps(),
            bound,
            status: self.file().status(),
            optimal: self.gap() == 0 && self.phases.len() == 1,
            gap: self.gap(),
            engine: self.engines(),
            seed: self.args.seed,
            seconds: self.seconds,
            evaluations: self.evaluations(),
            channel_use: self.phases.iter().flat_map(|p| channel_use(p.checked())).collect(),
            phases: (self.phases.len() > 1).then(|| phases.collect()),
            hint: self.hint.as_deref(),
            cost: self.cost(),
        };
        self.file().print_json(&report, self.args.output.as_deref())
    }

    fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        for phase in &self.phases {
            writeln!(out, "{}", words::problem(phase.checked().problem()))?;
            writeln!(out, "{}", words::bound(&phase.bounds.best))?;
            let status = match phase.gap() {
                0 => "optimal".to_owned(),
                gap => format!("best found, at most {} from optimal", words::steps(gap)),
            };
            writeln!(out, "  schedule  {}: {status}", words::steps(phase.steps()))?;
            writeln!(out, "  channels  {}", words::channel_use(&channel_use(phase.checked())))?;
        }
        if self.phases.len() > 1 {
            writeln!(
                out,
                "{}: {} in total; the bound of its phases is {}\n  ({PHASES})",
                self.args.problem.collective,
                words::steps(self.steps()),
                words::steps(self.bound_steps())
            )?;
        }
        writeln!(
            out,
            "  found by  {} in {:.2} s and {} evaluations, seed {}",
            self.engines(),
            self.seconds,
            self.evaluations(),
            self.args.seed
        )?;
        if let Some(cost) = self.cost() {
            writeln!(out, "  cost      {}", quantity::shown(cost))?;
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "  note      {hint}")?;
        }
        for kept in self.phases.iter().filter_map(|phase| phase.proof_file.as_ref()) {
            writeln!(out, "  proof     {}", kept.display())?;
        }
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        } else if self.phases.iter().map(|p| p.checked().schedule().transfer_count()).sum::<usize>()
            <= SHOWN
        {
            for phase in &self.phases {
                writeln!(out)?;
                table::write(phase.checked(), &mut out)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Total time by the cost model, if any of its constants was given.
    fn cost(&self) -> Option<f64> {
        let cost = &self.args.cost;
        if [cost.ts, cost.tr, cost.t1, cost.size].iter().all(Option::is_none) {
            return None;
        }
        let (start, hop, unit) =
            (cost.ts.unwrap_or(0.0), cost.tr.unwrap_or(0.0), cost.t1.unwrap_or(0.0));
        let size = cost.size.unwrap_or(1.0);
        let mut total = 0.0;
        for phase in &self.phases {
            let schedule = phase.checked().schedule();
            for step in 0..schedule.step_count() {
                let longest = schedule.step(step).map(|transfer| transfer.path.len()).max();
                let hops = match phase.checked().problem().model().switching {
                    Switching::Wormhole => longest.unwrap_or(0) as f64,
                    Switching::StoreAndForward => 1.0,
                };
                total += start + hops * hop + size * unit;
            }
        }
        Some(total)
    }
}

/// For each step, the share of the channels that are in use.
fn channel_use(checked: &CheckedSchedule) -> Vec<f64> {
    let channels = checked.problem().network().channel_count().max(1) as f64;
    let schedule = checked.schedule();
    let uses = |step| schedule.step(step).map(|t| t.path.len()).sum::<usize>();
    (0..schedule.step_count()).map(|step| uses(step) as f64 / channels).collect()
}
