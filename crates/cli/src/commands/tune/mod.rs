//! `pavane tune NETWORK COLLECTIVE --bytes SIZE..SIZE -o DIR`: the best schedule for every size, and plans
//! for libraries with the sizes for which they are meant.

pub mod folder;
pub mod plots;
pub mod printer;

use crate::args::tune::TuneArgs;
use crate::commands::interrupt::{incomplete, stop_on_interrupt};
use crate::file_sink::DiskFolder;
use crate::output::{DONE, Failure, print_json};
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_cluster::Cluster;
use pavane_interop::export::{ExportOptions, export};
use pavane_model::{Duplex, Problem};
use pavane_search::budget::{Clock, Interrupt};
use pavane_tuning::{Tuning, TuningError, TuningRequest, TuningTimes, tune};
use printer::TuningPrinter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    let search = TuningSearch {
        collective: &args.machine.collective,
        sizes: &sizes,
        duplex: args.machine.duplex,
        seed: args.seed,
        rounds: args.evaluations,
        time: args.time,
        stop,
        tell: &|text| doing.tell(text, 0, &Arc::default()),
        threads: args.threads.unwrap_or_else(words::cores),
    };
    let tuned = search.run(&problems, &clock)?;
    doing.tell("writing the folder".to_owned(), 0, &Arc::default());
    folder::remove_earlier(&args.output);
    let mut folder = DiskFolder(&args.output);
    let ranges = folder::write_plans(&mut folder, &tuned)?;
    drop(ticker);
    let printer = TuningPrinter {
        collective: &args.machine.collective,
        folder: &args.output,
        problems: &problems,
        tuned: &tuned,
        ranges: &ranges,
        seconds: clock.elapsed().as_secs_f64(),
    };
    folder::write_summary(&mut folder, &printer)?;
    if args.json {
        print_json(&printer.json())?;
    } else {
        printer.print()?;
    }
    if tuned.is_stopped {
        return Ok(incomplete(tuned.sizes.len(), sizes.len(), "size"));
    }
    Ok(DONE)
}

/// What to tune, and for how long.
pub struct TuningSearch<'a> {
    pub collective: &'a str,
    pub sizes: &'a [u64],
    pub duplex: Duplex,
    pub seed: u64,
    pub rounds: Option<u64>,
    /// Time limit, from the start of the clock.
    pub time: Duration,
    /// Set by the user to stop; then the sizes that are done are the result.
    pub stop: Arc<AtomicBool>,
    /// Called with what is being done.
    pub tell: &'a dyn Fn(String),
    pub threads: usize,
}

impl TuningSearch<'_> {
    /// The best schedule for every size.
    pub fn run(&self, problems: &[Problem], clock: &Clock) -> Result<Tuning, Failure> {
        let stop = &self.stop;
        let interrupt = Interrupt::never().unless(stop.clone());
        let request = TuningRequest {
            collective: self.collective,
            problems,
            sizes: self.sizes,
            duplex: self.duplex,
            seed: self.seed,
            rounds: self.rounds,
            threads: self.threads,
            times: &TuningTimes::new(*clock, self.time, interrupt),
            is_stopped: &|| stop.load(Ordering::Relaxed),
            is_exportable: &|phases| export("msccl", phases, ExportOptions::default()).is_ok(),
            progress: self.tell,
        };
        Ok(tune(&request)?)
    }
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
