//! `pavane tdm NETWORK`: the shortest period of a TDM schedule, with a proved bound and guarantees for
//! every pair.

pub mod printer;
pub mod problem;
pub mod repair;

use crate::args::tdm::TdmArgs;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::output::{DONE, Failure, check_place, is_standard, not_so};
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::words::counted;
use pavane_search::budget::{Clock, Interrupt};
use pavane_tdm::bounds::TdmBounds;
use pavane_tdm::{TdmOptions, solve_with};
use printer::TdmPrinter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time limit if neither time nor evaluations are given.
const TIME: Duration = Duration::from_secs(20);

/// Searches for a schedule, and prints or writes it.
pub fn run(args: &TdmArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let problem = problem::load(args)?;
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let stop = stop_on_interrupt(cluster);
    let time = args.time.or(args.evaluations.is_none().then_some(TIME));
    let deadline = time.and_then(|time| clock.after(time));
    let options = TdmOptions {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        slots: args.slots,
        prove: args.prove,
        evaluations: args.evaluations,
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
    let outcome = outcome
        .map_err(|error| Failure::Bug(format!("the judge rejected a TDM schedule: {error}")))?;
    let printer = TdmPrinter {
        problem: &problem,
        outcome: &outcome,
        slots: args.slots,
        seed: args.seed,
        seconds: clock.elapsed().as_secs_f64(),
        output: args.output.as_deref(),
    };
    printer.save()?;
    // The schedule may have taken standard output.
    if !is_standard([&args.output]) {
        if args.json {
            printer.print_json()?;
        } else {
            printer.print()?;
        }
    }
    Ok(match outcome.schedule {
        Some(_) => DONE,
        None if stop.load(Ordering::Relaxed) => ExitCode::from(INTERRUPTED),
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
