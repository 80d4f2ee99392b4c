//! `pavane pareto NETWORK COLLECTIVE`: the k-synchronous schedules from the fewest steps to the fewest
//! rounds per chunk, each judged, and the next better ones refuted where that is possible.

pub mod folder;
pub mod plot;
pub mod printer;

use crate::args::pareto::ParetoArgs;
use crate::args::problem::problems_left;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::file_sink::DiskFolder;
use crate::output::{DONE, Failure, check_place, print_json, write_file};
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{CollectiveRequest, Fraction, Problem};
use pavane_pareto::{Front, FrontError, FrontRequest, check_routers, find, in_rounds, rules};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tuning::limit_in_rounds;
use printer::FrontPrinter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

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
    let doing = Arc::new(Doing::default());
    let line = doing.clone();
    let ticker = Ticker::start(move || line.describe());
    let search = FrontSearch {
        collective: &args.collective,
        max_chunks: args.max_chunks,
        max_steps: args.max_steps,
        seed: args.seed,
        evaluations: args.evaluations,
        max_deliveries: args.max_deliveries,
        time: args.time,
        interrupt: Interrupt::never().unless(stop.clone()),
        tell: &|text| doing.tell(text, 0, &Arc::default()),
    };
    let (front, limit) = search.run(&problems, &clock)?;
    drop(ticker);
    let printer = FrontPrinter {
        collective: &args.collective,
        seed: args.seed,
        folder: output.filter(|path| !is_plot(path)),
        problems: &problems,
        limit,
        front: &front,
        seconds: clock.elapsed().as_secs_f64(),
    };
    match output {
        Some(path) if is_plot(path) => {
            let svg = plot::draw(&printer);
            write_file(path, |out| out.write_all(svg.as_bytes()))?;
        }
        Some(path) => folder::write(&mut DiskFolder(path), &printer)?,
        None => {}
    }
    if args.json {
        print_json(&printer.json())?;
    } else {
        printer.print(output)?;
    }
    if stop.load(Ordering::Relaxed) && front.is_stopped {
        words::warn("interrupted: the points found so far");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(DONE)
}

/// What to search for, and for how long.
pub struct FrontSearch<'a> {
    pub collective: &'a str,
    pub max_chunks: u32,
    pub max_steps: Option<u32>,
    pub seed: u64,
    pub evaluations: u64,
    pub max_deliveries: u64,
    /// Time limit, from the start of the clock.
    pub time: Duration,
    pub interrupt: Interrupt,
    /// Called with what is being done.
    pub tell: &'a dyn Fn(String),
}

impl FrontSearch<'_> {
    /// The points, and the rounds per chunk that no schedule can undercut, all phases together.
    pub fn run(
        &self,
        problems: &[Problem],
        clock: &Clock,
    ) -> Result<(Front, Option<Fraction>), Failure> {
        (self.tell)("computing the throughput limit".to_owned());
        let early = self.interrupt.clone().until(clock.after(self.time / LIMIT_SHARE));
        let limit = |problem: &Problem| limit_in_rounds(self.collective, problem, &early);
        let limits: Vec<Option<Fraction>> = problems.iter().map(limit).collect();
        let request = FrontRequest {
            max_chunks: self.max_chunks,
            max_steps: self.max_steps,
            limits: &limits,
            seed: self.seed,
            evaluations: self.evaluations,
            max_deliveries: self.max_deliveries,
            interrupt: self.interrupt.clone().until(clock.after(self.time)),
            progress: &|chunks, steps, rounds| {
                let text = format!("{chunks} chunks per message, {steps} steps, {rounds} rounds");
                (self.tell)(text);
            },
        };
        let front = find(problems, &request)?;
        let sum = limits.iter().try_fold(Fraction::ZERO, |sum, limit| sum.checked_add((*limit)?));
        Ok((front, sum))
    }
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
    let phases = problems_left(&request, &healthy, &broken)?;
    if args.round.is_some_and(Fraction::is_zero) {
        return Err(Failure::bad_input("--round: a bandwidth of 0 carries nothing"));
    }
    let phases = phases.iter().map(|phase| in_rounds(phase, args.round));
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
