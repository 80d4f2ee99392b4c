//! `pavane tdm NETWORK`: the shortest period of a TDM schedule, with a proved bound and guarantees for
//! every pair.

pub mod printer;
pub mod problem;
mod proving;
pub mod repair;

use crate::args::tdm::TdmArgs;
use crate::commands::atlas::start::{AtlasUse, ENGINE, of_tdm};
use crate::commands::check_solver;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt, tell_of_interrupt};
use crate::output::{DONE, Failure, impossible, is_standard, not_so};
use crate::picture_file::check_output;
use crate::progress::{Doing, Ticker};
use crate::route_text;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::TdmProblem;
use pavane_model::tdm::TdmMessage;
use pavane_model::words::counted;
use pavane_search::budget::{Clock, Interrupt};
use pavane_tdm::bounds::TdmBounds;
use pavane_tdm::{TdmOptions, TdmSolverAnswer, solve_with};
use printer::TdmPrinter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time limit if neither time nor evaluations are given.
const TIME: Duration = Duration::from_secs(20);

/// Uses of channels and ports above which a problem is refused, and about the time that the judge takes
/// for one of them.
const MOST_USES: u64 = 30_000_000;
const USE_TIME: Duration = Duration::from_nanos(400);

/// How often the words of a period use channels and ports, on shortest routes.
fn use_count(problem: &TdmProblem) -> u64 {
    let network = problem.network();
    let of_group = |group: &[TdmMessage]| {
        let Some(from) = network.home(group[0].from) else { return 0 };
        let distances = network.distances_from(from);
        let of_message = |message: &TdmMessage| {
            let hops = network.home(message.to).map_or(0, |to| distances[to.index()]);
            u64::from(message.weight) * (u64::from(hops) + 2)
        };
        group.iter().map(of_message).sum()
    };
    problem.messages().chunk_by(|one, other| one.from == other.from).map(of_group).sum()
}

/// Searches for a schedule, and prints or writes it.
pub fn run(args: &TdmArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    check_solver(args.prove)?;
    let problem = problem::load(args)?;
    if let Some(path) = &args.output {
        check_output(path, false)?;
    }
    let uses = use_count(&problem);
    if uses > MOST_USES {
        return Err(Failure::bad_input(format!(
            "the words of a period use channels and ports {uses} times, but at most {MOST_USES} uses are \
             scheduled; use a smaller network, or --traffic with fewer words"
        )));
    }
    let (mut used, known) = match &args.atlas {
        None => (None, None),
        Some(folder) => {
            let (used, known) = of_tdm(folder, &problem)?;
            (Some(used), known)
        }
    };
    let is_known_optimal =
        known.as_ref().is_some_and(|one| one.proved() == Some(one.schedule().period));
    let stop = stop_on_interrupt(cluster);
    let time = args.time.or(args.evaluations.is_none().then_some(TIME));
    // The judge and the output take time too.
    let reserved = USE_TIME.saturating_mul(uses as u32);
    let deadline = time.and_then(|time| clock.after(time - reserved.min(time / 2)));
    let options = TdmOptions {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        slots: args.slots,
        prove: args.prove,
        // The bounds are still needed.
        evaluations: if is_known_optimal { Some(0) } else { args.evaluations },
        interrupt: Interrupt::never().until(deadline).unless(stop.clone()),
    };
    let doing = Arc::new(Doing::default());
    let line = doing.clone();
    let ticker = Ticker::start(move || line.describe());
    let told = |bounds: &TdmBounds, period: Option<u32>| {
        doing.tell(progress_line(bounds, period), 0, &Arc::default());
    };
    let outcome = solve_with(&problem, &options, &told);
    drop(ticker);
    let mut outcome = outcome
        .map_err(|error| Failure::Bug(format!("the judge rejected a TDM schedule: {error}")))?;
    if let (Some(unmet), None) = (&outcome.unmet, args.slots) {
        let proof = match (outcome.answer, &outcome.proof) {
            (Some(TdmSolverAnswer::Refuted(_, to)), Some(_)) => {
                let to = counted(to, "slot");
                format!("; a proof that the judge has checked refutes {to}")
            }
            _ => String::new(),
        };
        let name = |processor| route_text::processor(problem.network(), processor);
        let unmet = unmet.in_words(name, None);
        return Err(Failure::bad_input(format!("{unmet}{proof}")).into_impossible());
    }
    if let Some(known) = known {
        let period = known.schedule().period;
        let found = outcome.schedule.as_ref().map(|found| found.schedule().period);
        if found.is_none_or(|found| period < found || is_known_optimal) {
            outcome.schedule = Some(known);
            outcome.method = Some(ENGINE);
            used = used.map(AtlasUse::used);
        }
    }
    let printer = TdmPrinter {
        atlas: used.as_ref(),
        problem: &problem,
        outcome: &outcome,
        slots: args.slots,
        seed: args.seed,
        seconds: clock.elapsed().as_secs_f64(),
        output: args.output.as_deref(),
        prove: args.prove,
        is_long: args.all,
    };
    printer.save()?;
    printer.warn_of_weaker_bound();
    // The schedule or the refutation may have taken standard output.
    if !is_standard([&args.output]) || !printer.is_written() {
        if args.json {
            printer.print_json()?;
        } else {
            printer.print()?;
        }
    }
    if outcome.schedule.is_some() {
        tell_of_interrupt(&stop, "schedule", printer.is_optimal());
    } else if stop.load(Ordering::Relaxed) {
        crate::words::warn("interrupted: no schedule yet");
    }
    Ok(match outcome.schedule {
        Some(_) => DONE,
        None if stop.load(Ordering::Relaxed) => ExitCode::from(INTERRUPTED),
        None if args.slots.is_some_and(|slots| outcome.excludes(slots)) => impossible(),
        None => not_so(),
    })
}

/// How far a search is.
fn progress_line(bounds: &TdmBounds, period: Option<u32>) -> String {
    let bound = counted(bounds.best.period, "slot");
    match period {
        None => format!("searching for a schedule; the period is at least {bound}"),
        Some(period) => format!("found {}; at least {bound}", counted(period, "slot")),
    }
}
