//! `pavane bench`: solves the best-known problems with several seeds and compares the results.

use crate::args::problem::ProblemArgs;
use crate::args::tables::{BenchArgs, BenchCommand};
use crate::commands::interrupt::{incomplete, stop_on_interrupt};
use crate::commands::{survey, throughput_bench, time_bench};
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::Ticker;
use crate::report::bench::BenchRow;
use crate::words;
use clap::Parser;
use pavane_cluster::Cluster;
use pavane_search::budget::Clock;
use pavane_search::synthesize::{Options, synthesize};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The problems and the fewest known steps for each.
const BEST_KNOWN: &str = include_str!("../../data/best-known.csv");

/// A line of the file: the arguments of `pavane solve` and the fewest known steps.
struct BestKnown {
    problem: String,
    steps: u32,
}

/// Result of one problem over all seeds.
struct Row {
    problem: String,
    known: u32,
    bound: u32,
    steps: Vec<Option<u32>>,
    evaluations: u64,
    seconds: f64,
}

/// A problem of a line in the file.
#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    problem: ProblemArgs,
}

/// Runs the subcommand, or solves every problem whose line contains all words of the filter.
pub fn run(args: &BenchArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(BenchCommand::Survey(args)) => survey::run(args, cluster),
        Some(BenchCommand::Throughput(args)) => throughput_bench::run(args, cluster),
        Some(BenchCommand::Time(args)) => time_bench::run(args, cluster),
        None if !cluster.is_first() => Ok(DONE),
        None => repeat(args, &stop_on_interrupt(cluster)),
    }
}

/// Solves the best-known problems with several seeds. An interrupt keeps the problems that are done.
fn repeat(args: &BenchArgs, stop: &Arc<AtomicBool>) -> Result<ExitCode, Failure> {
    let mut rows = Vec::new();
    let mut out = standard();
    let is_wanted = |entry: &BestKnown| args.filter.iter().all(|word| entry.problem.contains(word));
    let entries: Vec<BestKnown> = entries()?.into_iter().filter(is_wanted).collect();
    if entries.is_empty() {
        let words = args.filter.join(" ");
        return Err(Failure::bad_input(format!(
            "no best-known problem contains {words:?}; `pavane bench` without words solves all of them"
        )));
    }
    let problems = entries.len();
    let (total, done) = (args.seeds * problems as u64, Arc::new(AtomicU64::new(0)));
    for entry in entries {
        let ticker = Ticker::counting(1, &format!("runs: {}", entry.problem), total, &done);
        let row = measure(&entry, args, &done, stop)?;
        drop(ticker);
        let Some(row) = row else { break };
        if !args.json {
            print_row(&mut out, &row, rows.is_empty())?;
        }
        rows.push(row);
    }
    let is_worse = rows.iter().any(Row::is_worse);
    if args.json {
        print_json(&rows.iter().map(Row::report).collect::<Vec<_>>())?
    } else {
        let hits: usize = rows.iter().map(Row::hits).sum();
        let runs: usize = rows.iter().map(|row| row.steps.len()).sum();
        let worse = rows.iter().filter(|row| row.is_worse()).count();
        writeln!(
            out,
            "{hits} of {runs} runs reached the best-known steps; {worse} of {} problems missed them in some run",
            rows.len()
        )?;
        out.flush()?;
    }
    if rows.len() < problems {
        return Ok(incomplete(rows.len(), problems, "problem"));
    }
    Ok(if is_worse { not_so() } else { DONE })
}

fn entries() -> Result<Vec<BestKnown>, Failure> {
    let mut entries = Vec::new();
    for (index, line) in BEST_KNOWN.lines().enumerate().skip(1) {
        let mut parts = line.rsplitn(4, ',');
        let (_class, _bound, steps) = (parts.next(), parts.next(), parts.next());
        let steps = steps.and_then(|steps| steps.parse().ok());
        let problem = parts.next().map(|text| text.trim_matches('"').to_owned());
        match (problem, steps) {
            (Some(problem), Some(steps)) => entries.push(BestKnown { problem, steps }),
            _ => {
                let line = index + 1;
                return Err(Failure::Bug(format!(
                    "best-known.csv: line {line} is not a valid entry"
                )));
            }
        }
    }
    Ok(entries)
}

/// Solves a problem with all seeds; `None` after an interrupt.
fn measure(
    entry: &BestKnown,
    args: &BenchArgs,
    done: &AtomicU64,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Row>, Failure> {
    let line = std::iter::once("pavane").chain(entry.problem.split_whitespace());
    let typed = Typed::try_parse_from(line).map_err(Failure::bad_input)?;
    let mut row = Row {
        problem: entry.problem.clone(),
        known: entry.steps,
        bound: 0,
        steps: Vec::new(),
        evaluations: 0,
        seconds: 0.0,
    };
    let problems = typed.problem.load_quietly()?;
    for seed in 1..=args.seeds {
        let clock = Clock::start();
        let mut total = Some(0);
        row.bound = 0;
        for problem in &problems {
            let options = Options {
                seed,
                threads: args.threads.unwrap_or_else(words::cores),
                time: Some(args.time),
                stop: stop.clone(),
                ..Options::default()
            };
            let outcome = synthesize(problem, &options)?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            row.bound += outcome.bounds.best.steps;
            row.evaluations += outcome.evaluations;
            let steps = outcome.solution.map(|s| s.checked.schedule().step_count());
            total = total.zip(steps).map(|(total, steps)| total + steps);
        }
        row.seconds += clock.elapsed().as_secs_f64();
        row.steps.push(total);
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(Some(row))
}

impl Row {
    fn hits(&self) -> usize {
        self.steps.iter().flatten().filter(|&&steps| steps <= self.known).count()
    }

    fn is_worse(&self) -> bool {
        self.hits() < self.steps.len()
    }

    fn runs(&self) -> f64 {
        self.steps.len().max(1) as f64
    }

    fn report(&self) -> BenchRow<'_> {
        BenchRow {
            problem: &self.problem,
            best_known: self.known,
            bound: self.bound,
            steps: &self.steps,
            hits: self.hits(),
            runs: self.steps.len(),
            evaluations_per_run: self.evaluations as f64 / self.runs(),
            seconds_per_run: self.seconds / self.runs(),
        }
    }
}

fn print_row(out: &mut dyn Write, row: &Row, is_first: bool) -> Result<(), Failure> {
    if is_first {
        writeln!(out, "bound known  steps   hits  evaluations  seconds  problem")?;
    }
    let least = row.steps.iter().flatten().min();
    let most = row.steps.iter().flatten().max();
    let steps = match (least, most) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least}-{most}"),
        _ => "none".to_owned(),
    };
    writeln!(
        out,
        "{:>5} {:>5} {:>6}  {:>5}  {:>11.0}  {:>7.3}  {}",
        row.bound,
        row.known,
        steps,
        format!("{}/{}", row.hits(), row.steps.len()),
        row.evaluations as f64 / row.runs(),
        row.seconds / row.runs(),
        row.problem
    )?;
    out.flush()?;
    Ok(())
}
