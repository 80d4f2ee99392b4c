//! `pavane pareto NETWORK COLLECTIVE`: the k-synchronous schedules from the fewest steps to the fewest
//! rounds per chunk, each judged, and the next better ones refuted where that is possible.

mod folder;
mod plot;
mod printer;

use crate::args::pareto::ParetoArgs;
use crate::commands::interrupt::stop_on_interrupt;
use crate::output::{DONE, Failure, check_place, print_json, write_file};
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{CollectiveRequest, Fraction, Problem};
use pavane_pareto::{FrontError, FrontRequest, check_routers, find, in_rounds, rules};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tuning::limit_in_rounds;
use printer::FrontPrinter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The part of the time that the throughput limit may take.
const LIMIT_SHARE: u32 = 4;

/// Finds the points, and prints or writes them.
pub fn run(args: &ParetoArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let problems = problems(args)?;
    let output = args.output.as_deref();
    match output {
        Some(path) if is_plot(path) => check_place(path)?,
        Some(path) => folder::create(path)?,
        None => {}
    }
    let stop = stop_on_interrupt(cluster);
    let interrupt = Interrupt::never().unless(stop);
    let doing = Arc::new(Doing::default());
    let line = doing.clone();
    let ticker = Ticker::start(move || line.describe());
    let tell = |text: String| doing.tell(text, 0, &Arc::default());
    tell("computing the throughput limit".to_owned());
    let early = interrupt.clone().until(clock.after(args.time / LIMIT_SHARE));
    let limits: Vec<Option<Fraction>> =
        problems.iter().map(|problem| limit_in_rounds(&args.collective, problem, &early)).collect();
    let front = find(
        &problems,
        &FrontRequest {
            max_chunks: args.max_chunks,
            max_steps: args.max_steps,
            limits: &limits,
            seed: args.seed,
            evaluations: args.evaluations,
            max_deliveries: args.max_deliveries,
            interrupt: interrupt.until(clock.after(args.time)),
            progress: &|chunks, steps, rounds| {
                tell(format!("{chunks} chunks per message, {steps} steps, {rounds} rounds"));
            },
        },
    )?;
    drop(ticker);
    let sum = limits.iter().try_fold(Fraction::ZERO, |sum, limit| sum.checked_add((*limit)?));
    let printer = FrontPrinter {
        args,
        problems: &problems,
        limit: sum,
        front: &front,
        seconds: clock.elapsed().as_secs_f64(),
    };
    match output {
        Some(path) if is_plot(path) => {
            let svg = plot::draw(&printer);
            write_file(path, |out| out.write_all(svg.as_bytes()))?;
        }
        Some(path) => folder::write(path, &printer)?,
        None => {}
    }
    if args.json {
        print_json(&printer.json())?;
    } else {
        printer.print()?;
    }
    Ok(DONE)
}

/// Whether only a plot is to be written.
fn is_plot(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"))
}

/// The problems with whole messages, one for each phase. Warns about processors that the faults remove.
fn problems(args: &ParetoArgs) -> Result<Vec<Problem>, Failure> {
    let (healthy, broken) = args.network.load_both()?;
    check_routers(&broken)?;
    let request = CollectiveRequest {
        collective: args.collective.clone(),
        groups: args.groups.groups(),
        chunks: 1,
        model: rules(),
        limit: args.max_deliveries,
    };
    let left = request.on(&healthy, &broken)?;
    if !left.missing.is_empty() {
        words::warn(&format!("missing: {}", words::processors(&left.missing)));
    }
    if args.round.is_some_and(Fraction::is_zero) {
        return Err(Failure::bad_input("--round: a bandwidth of 0 carries nothing"));
    }
    let phases = left.phases.iter().map(|phase| in_rounds(phase, args.round));
    Ok(phases.collect::<Result<_, _>>()?)
}

impl From<FrontError> for Failure {
    fn from(error: FrontError) -> Self {
        match error {
            FrontError::Rejected(_) => Self::Bug(error.to_string()),
            FrontError::Problem(error) => {
                Self::bad_input(format!("{error} (use fewer chunks, or raise --max-deliveries)"))
            }
            error => Self::bad_input(error),
        }
    }
}
