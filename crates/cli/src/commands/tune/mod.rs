//! `pavane tune NETWORK COLLECTIVE --bytes SIZE..SIZE -o DIR`: the best schedule for every size, and plans
//! for libraries with the sizes for which they are meant.

mod folder;
mod plots;
mod printer;

use crate::args::tune::TuneArgs;
use crate::commands::interrupt::stop_on_interrupt;
use crate::output::{DONE, Failure, print_json};
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_cluster::Cluster;
use pavane_interop::export::{ExportOptions, export};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tuning::{TuningError, TuningRequest, TuningTimes, tune};
use printer::TuningPrinter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Finds the schedules, writes the folder and prints the table.
pub fn run(args: &TuneArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let problems = args.machine.load()?;
    folder::create(&args.output)?;
    let (least, most) = args.bytes;
    let sizes = pavane_tuning::sizes(least, most, args.factor);
    let stop = stop_on_interrupt(cluster);
    let doing = Arc::new(Doing::default());
    let line = doing.clone();
    let ticker = Ticker::start(move || line.describe());
    let interrupt = Interrupt::never().unless(stop.clone());
    let tuned = tune(&TuningRequest {
        collective: &args.machine.collective,
        problems: &problems,
        sizes: &sizes,
        seed: args.seed,
        rounds: args.evaluations,
        threads: args.threads.unwrap_or_else(words::cores),
        times: &TuningTimes::new(clock, args.time, interrupt),
        is_stopped: &|| stop.load(Ordering::Relaxed),
        is_exportable: &|phases| export("msccl", phases, ExportOptions::default()).is_ok(),
        progress: &|text| doing.tell(text, 0, &Arc::default()),
    })?;
    doing.tell("writing the folder".to_owned(), 0, &Arc::default());
    let ranges = folder::write_plans(&args.output, &tuned)?;
    drop(ticker);
    let printer = TuningPrinter {
        args,
        problems: &problems,
        tuned: &tuned,
        ranges: &ranges,
        seconds: clock.elapsed().as_secs_f64(),
    };
    folder::write_summary(&args.output, &printer)?;
    if args.json {
        print_json(&printer.json())?;
    } else {
        printer.print()?;
    }
    Ok(DONE)
}

impl From<TuningError> for Failure {
    fn from(error: TuningError) -> Self {
        match error {
            TuningError::Search(error) => (*error).into(),
            TuningError::Baseline(error) => error.into(),
            error => Self::Bug(error.to_string()),
        }
    }
}
