//! `pavane compare NETWORK COLLECTIVE --bytes SIZE,…`: a timed schedule beside the algorithms of
//! libraries and the schedules in files, all simulated under the same rules and judged.

pub mod picture;
pub mod printer;

use crate::args::compare::ScheduleComparisonArgs;
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::output::{DONE, Failure, print_json, write_file};
use crate::picture_file::check_svg;
use crate::progress::{Doing, Ticker};
use crate::words;
use pavane_baselines::BaselineError;
use pavane_cluster::Cluster;
use pavane_model::FileSource;
use pavane_model::units::size_in_words;
use pavane_search::budget::{Clock, is_past};
use pavane_timed::search_time;
use pavane_tuning::compare::{
    ComparedSize, ComparisonError, ComparisonRequest, FilesRequest, algorithms, compare, read_files,
};
use printer::ComparisonPrinter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Compares the algorithms for every size, and prints or draws the result.
pub fn run(args: &ScheduleComparisonArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let sizes = args.sizes();
    check_options(args, &sizes)?;
    let problems = args.machine.load()?;
    let stop = stop_on_interrupt(cluster);
    let sources: Vec<FileSource> = args.with.iter().cloned().map(FileSource::from).collect();
    let files = read_files(
        &sources,
        &FilesRequest {
            collective: &args.machine.collective,
            problems: &problems,
            sizes: &sizes,
            duplex: args.machine.duplex,
            max_deliveries: args.machine.max_deliveries,
            stop: &|| stop.load(Ordering::Relaxed),
        },
    )?;
    let doing = Arc::new(Doing::default());
    let line = doing.clone();
    let ticker = Ticker::start(move || line.describe());
    let mut results: Vec<ComparedSize> = Vec::new();
    for &bytes in &sizes {
        doing.tell(format!("simulating {}", size_in_words(bytes)), 0, &Arc::default());
        let is_stopped = || stop.load(Ordering::Relaxed);
        let (collective, duplex) = (&args.machine.collective, args.machine.duplex);
        let others = algorithms(collective, &problems, duplex, bytes, &is_stopped)?;
        let started = Clock::start();
        let deadline = started.after(search_time(args.time));
        let is_over = || is_stopped() || is_past(deadline);
        let request = ComparisonRequest {
            collective: &args.machine.collective,
            problems: &problems,
            duplex,
            seed: args.seed,
            rounds: args.evaluations,
            threads: args.threads.unwrap_or_else(words::cores),
            stop: &is_over,
        };
        results.push(compare(&request, bytes, others, &files)?);
        // An interrupt keeps the sizes that are done.
        if is_stopped() {
            break;
        }
    }
    drop(ticker);
    if let (Some(path), [only]) = (&args.output, &results[..]) {
        let svg = picture::draw(&args.machine.collective, only);
        write_file(path, |out| out.write_all(svg.as_bytes()))?;
    }
    let seconds = clock.elapsed().as_secs_f64();
    let printer = ComparisonPrinter {
        collective: &args.machine.collective,
        picture: args.output.as_deref(),
        problems: &problems,
        results: &results,
        seconds,
    };
    if args.json {
        print_json(&printer.json())?;
    } else {
        printer.print()?;
    }
    if stop.load(Ordering::Relaxed) {
        words::warn(&format!(
            "interrupted: {} of {}, the last one after a shorter search",
            results.len(),
            words::counted(sizes.len(), "size")
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(DONE)
}

fn check_options(args: &ScheduleComparisonArgs, sizes: &[u64]) -> Result<(), Failure> {
    if sizes.contains(&0) {
        return Err(Failure::bad_input("--bytes: a size of 0 has nothing to send"));
    }
    if let Some(path) = &args.output {
        if sizes.len() > 1 {
            return Err(Failure::bad_input("-o draws one size; give a single size with --bytes"));
        }
        check_svg("-o", path)?;
    }
    Ok(())
}

impl From<ComparisonError> for Failure {
    fn from(error: ComparisonError) -> Self {
        match error {
            ComparisonError::File { name, why } => Self::bad_input(format!("--with {name}: {why}")),
            ComparisonError::Search(error) => (*error).into(),
            ComparisonError::Baseline(error) => error.into(),
            error => Self::bad_input(error),
        }
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        match error {
            BaselineError::Times(error) => (*error).into(),
            error => Self::Bug(error.to_string()),
        }
    }
}
