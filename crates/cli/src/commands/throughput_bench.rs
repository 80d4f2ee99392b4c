//! `pavane bench throughput`: how long the limits and plans of a list of problems take, and whether
//! the limits are the known ones.

use super::interrupt::{incomplete, stop_on_interrupt};
use super::throughput::{is_limit_separate, judged};
use crate::args::throughput::ThroughputArgs;
use crate::args::throughput_bench::ThroughputBenchArgs;
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::Ticker;
use crate::report::bench::ThroughputBenchRow;
use clap::Parser;
use pavane_cluster::Cluster;
use pavane_model::{Fraction, text_file};
use pavane_search::budget::{Clock, Interrupt};
use pavane_throughput::answer::limit;
use pavane_throughput::rates::{Payload, figure};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The problems and their known limits.
const LIST: &str = include_str!("../../data/throughput.csv");

/// The first line of a list.
const HEADER: &str = "problem,limit";

/// A line of the list: the arguments of `pavane throughput` and the known limit.
struct KnownLimit {
    problem: String,
    args: ThroughputArgs,
    limit: Option<Fraction>,
}

/// A problem of a line.
#[derive(Parser)]
struct TypedThroughput {
    #[command(flatten)]
    args: ThroughputArgs,
}

/// Measures the problems whose lines contain all words of the filter. The exit code is 1 if a limit is
/// not the known one.
pub fn run(args: &ThroughputBenchArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    if !cluster.is_first() {
        return Ok(DONE);
    }
    let mut entries = match &args.file {
        Some(path) => {
            let text = text_file::read(path).map_err(Failure::bad_input)?;
            parse(&text, &path.display().to_string())?
        }
        None => parse(LIST, "throughput.csv")?,
    };
    entries.retain(|entry| args.filter.iter().all(|word| entry.problem.contains(word)));
    if entries.is_empty() {
        let words = args.filter.join(" ");
        return Err(Failure::bad_input(format!("no problem of the list contains {words:?}")));
    }
    let stop = stop_on_interrupt(cluster);
    let mut out = standard();
    let mut rows = Vec::new();
    for entry in &entries {
        let ticker = Ticker::saying(&entry.problem);
        let row = measure(entry, args, &stop)?;
        drop(ticker);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if !args.json {
            print_row(&mut out, &row, rows.is_empty())?;
        }
        rows.push(row);
    }
    if args.json {
        print_json(&rows)?;
    } else {
        let attained = rows.iter().filter(|row| row.optimal).count();
        let other = rows.iter().filter(|row| row.is_known == Some(false)).count();
        writeln!(
            out,
            "{attained} of {} plans attain the limit; {other} limits differ from the known ones",
            rows.len()
        )?;
        out.flush()?;
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(incomplete(rows.len(), entries.len(), "problem"));
    }
    Ok(if rows.iter().any(|row| row.is_known == Some(false)) { not_so() } else { DONE })
}

fn parse(text: &str, name: &str) -> Result<Vec<KnownLimit>, Failure> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    if lines.next().map(|(_, line)| line.trim()) != Some(HEADER) {
        return Err(Failure::bad_input(format!("{name}: the first line is not {HEADER}")));
    }
    let entry = |(number, line): (usize, &str)| {
        let wrong = |why: String| Failure::bad_input(format!("{name}, line {number}: {why}"));
        // The arguments of a problem may contain commas.
        let (problem, limit) = line
            .rsplit_once(',')
            .ok_or_else(|| wrong("expected a problem, a comma and its limit".to_owned()))?;
        let problem = problem.trim().trim_matches('"').to_owned();
        let limit = match limit.trim() {
            "" => None,
            text => Some(text.parse().map_err(|_| {
                wrong(format!("the limit {text:?} is not a fraction such as 7/150"))
            })?),
        };
        let words = std::iter::once("pavane").chain(problem.split_whitespace());
        let typed = TypedThroughput::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            wrong(first.trim_start_matches("error: ").to_owned())
        })?;
        Ok(KnownLimit { problem, args: typed.args, limit })
    };
    lines.map(entry).collect()
}

fn measure(
    entry: &KnownLimit,
    args: &ThroughputBenchArgs,
    stop: &Arc<AtomicBool>,
) -> Result<ThroughputBenchRow, Failure> {
    let typed = &entry.args;
    let problems = typed.load()?;
    let limit_seconds = if is_limit_separate(&problems) {
        let clock = Clock::start();
        limit(&problems[0], &|| stop.load(Ordering::Relaxed))?;
        Some(clock.elapsed().as_secs_f64())
    } else {
        None
    };
    let clock = Clock::start();
    let interrupt = Interrupt::never().until(clock.after(args.time)).unless(stop.clone());
    let found = judged(&typed.collective, &problems, &[], typed.trees, &interrupt)?;
    let plan_seconds = clock.elapsed().as_secs_f64();
    let payload = Payload { problems: &problems, bytes: None, unit: None };
    let rate = payload.rate(found.limit).map_err(Failure::bad_input)?;
    Ok(ThroughputBenchRow {
        problem: entry.problem.clone(),
        limit_ns_per_byte: found.limit.to_string(),
        is_known: entry.limit.map(|known| known == found.limit),
        algorithm_gbytes: rate.algorithm_gbytes,
        limit_seconds,
        plan_seconds,
        excess_percent: found.excess_percent(),
        optimal: found.is_optimal(),
    })
}

fn print_row(out: &mut dyn Write, row: &ThroughputBenchRow, is_first: bool) -> Result<(), Failure> {
    if is_first {
        writeln!(out, "limit ns/byte       GB/s  limit ms   plan s  above %  problem")?;
    }
    let wrong = if row.is_known == Some(false) { "  (not the known limit)" } else { "" };
    writeln!(
        out,
        "{:>13}  {:>9}  {:>8}  {:>7.3}  {:>7}  {}{wrong}",
        row.limit_ns_per_byte,
        row.algorithm_gbytes.map_or("-".to_owned(), |rate| format!("{rate:.2}")),
        row.limit_seconds.map_or("-".to_owned(), |time| format!("{:.2}", 1000.0 * time)),
        row.plan_seconds,
        figure(row.excess_percent),
        row.problem
    )?;
    out.flush()?;
    Ok(())
}
