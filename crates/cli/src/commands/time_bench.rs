//! `pavane bench time`: timed schedules of a list of problems beside published times.

use super::interrupt::{incomplete, stop_on_interrupt};
use super::solve::timed::judge;
use crate::args::time_bench::TimeBenchArgs;
use crate::args::values::{parse_bandwidth, parse_latency, parse_size};
use crate::output::{DONE, Failure, not_so, print_json, standard};
use crate::progress::Ticker;
use crate::report::bench::TimeBenchRow;
use crate::words;
use clap::Parser;
use pavane_cluster::Cluster;
use pavane_model::timed::BufferSize;
use pavane_model::{CollectiveRequest, Duplex, Fraction, Model, Network, text_file};
use pavane_networks::import::{self, FileKind};
use pavane_search::budget::{Clock, is_past};
use pavane_throughput::rates::figure;
use pavane_timed::{TimedRequest, solve};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The problems and published times.
const LIST: &str = include_str!("../../data/time.csv");

/// The networks of the list that have no name.
const NETWORKS: [(&str, &str); 3] = [
    ("networks/mesh-5x5-50-75.json", include_str!("../../data/networks/mesh-5x5-50-75.json")),
    ("networks/mesh-8x5-80-35.json", include_str!("../../data/networks/mesh-8x5-80-35.json")),
    ("networks/dgx2-copying.json", include_str!("../../data/networks/dgx2-copying.json")),
];

/// The first line of a list.
const HEADER: &str = "problem,seconds,microseconds,source";

/// The longest time limit.
const LONGEST_SECONDS: f64 = 86_400.0;

/// A line of the list.
struct PublishedTime {
    problem: String,
    args: TypedTime,
    limit: Duration,
    /// In microseconds, as the list writes it.
    published: Option<String>,
    source: String,
}

/// A problem of a line.
#[derive(Parser)]
struct TypedTime {
    network: String,
    collective: String,
    #[arg(long, value_parser = parse_size)]
    bytes: u64,
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    chunks: Option<u64>,
    #[arg(long, value_parser = parse_bandwidth)]
    bandwidth: Option<Fraction>,
    #[arg(long, value_parser = parse_latency)]
    latency: Option<Fraction>,
}

/// Solves the problems whose lines contain all words of the filter. The exit code is 1 if a schedule
/// takes longer than the published time.
pub fn run(args: &TimeBenchArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    if !cluster.is_first() {
        return Ok(DONE);
    }
    let mut entries = match &args.file {
        Some(path) => {
            let text = text_file::read(path).map_err(Failure::bad_input)?;
            parse(&text, &path.display().to_string())?
        }
        None => parse(LIST, "time.csv")?,
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
    let slower = rows.iter().filter(|row| row.is_reached == Some(false)).count();
    if args.json {
        print_json(&rows)?;
    } else {
        let published = rows.iter().filter(|row| row.is_reached.is_some()).count();
        writeln!(out, "{slower} of {published} schedules take longer than the published ones")?;
        out.flush()?;
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(incomplete(rows.len(), entries.len(), "problem"));
    }
    Ok(if slower > 0 { not_so() } else { DONE })
}

fn parse(text: &str, name: &str) -> Result<Vec<PublishedTime>, Failure> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    if lines.next().map(|(_, line)| line.trim()) != Some(HEADER) {
        return Err(Failure::bad_input(format!("{name}: the first line is not {HEADER}")));
    }
    let entry = |(number, line): (usize, &str)| {
        let wrong = |why: String| Failure::bad_input(format!("{name}, line {number}: {why}"));
        let columns: Vec<&str> = line.split(',').map(str::trim).collect();
        let [problem, seconds, published, source] = columns[..] else {
            return Err(wrong(format!("expected 4 columns, but there are {}", columns.len())));
        };
        let is_number = |value: &f64| *value > 0.0 && *value <= LONGEST_SECONDS;
        let limit = seconds.parse().ok().filter(is_number).ok_or_else(|| {
            wrong(format!("the time limit {seconds:?} is not a number of seconds up to a day"))
        })?;
        let is_time =
            |text: &str| text.parse().is_ok_and(|time: f64| time.is_finite() && time > 0.0);
        if !published.is_empty() && !is_time(published) {
            return Err(wrong(format!("{published:?} is not a time in microseconds")));
        }
        let words = std::iter::once("pavane").chain(problem.split_whitespace());
        let args = TypedTime::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first: Vec<&str> =
                text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
            wrong(first.join(" ").trim_start_matches("error: ").to_owned())
        })?;
        Ok(PublishedTime {
            problem: problem.to_owned(),
            args,
            limit: Duration::from_secs_f64(limit),
            published: (!published.is_empty()).then(|| published.to_owned()),
            source: source.to_owned(),
        })
    };
    lines.map(entry).collect()
}

/// The network of a problem.
fn network(typed: &TypedTime) -> Result<Network, Failure> {
    let network = match NETWORKS.iter().find(|(name, _)| *name == typed.network) {
        Some((name, text)) => {
            import::parse(text, name, FileKind::Json).map_err(Failure::bad_input)?
        }
        None => import::load(&typed.network)?,
    };
    network.with_timing(typed.bandwidth, typed.latency).map_err(Failure::bad_input)
}

fn measure(
    entry: &PublishedTime,
    args: &TimeBenchArgs,
    stop: &Arc<AtomicBool>,
) -> Result<TimeBenchRow, Failure> {
    let typed = &entry.args;
    let network = network(typed)?;
    let request = CollectiveRequest {
        collective: typed.collective.clone(),
        groups: Default::default(),
        chunks: 1,
        model: Model::default(),
        limit: pavane_model::problem::DELIVERIES,
    };
    let problems = request.on(&network, &network)?.phases;
    let clock = Clock::start();
    let deadline = clock.after(entry.limit);
    let stop = || stop.load(Ordering::Relaxed) || is_past(deadline);
    let size = BufferSize::Bytes(typed.bytes);
    let request = TimedRequest {
        size: &size,
        duplex: Duplex::Full,
        chunks: typed.chunks,
        seed: args.seed,
        rounds: None,
        threads: args.threads.unwrap_or_else(words::cores),
        known: &[],
        stop: &stop,
    };
    let found = solve(&typed.collective, &problems, &request)?;
    judge(&found)?;
    let microseconds = found.time_ns.to_f64() / 1000.0;
    let bound_microseconds = found.bound_ns.to_f64() / 1000.0;
    Ok(TimeBenchRow {
        problem: entry.problem.clone(),
        microseconds,
        bound_microseconds,
        gap_percent: 100.0 * (microseconds / bound_microseconds - 1.0).max(0.0),
        published_microseconds: entry.published.as_ref().and_then(|text| text.parse().ok()),
        source: entry.source.clone(),
        is_reached: entry.published.as_ref().map(|text| is_reached(microseconds, text)),
        seconds: clock.elapsed().as_secs_f64(),
    })
}

/// Whether a time is at most the published one, rounded to as many digits.
fn is_reached(microseconds: f64, published: &str) -> bool {
    let digits = published.split_once('.').map_or(0, |(_, digits)| digits.len());
    let rounded: f64 = format!("{microseconds:.digits$}").parse().unwrap_or(f64::INFINITY);
    rounded <= published.parse().unwrap_or(0.0)
}

fn print_row(out: &mut dyn Write, row: &TimeBenchRow, is_first: bool) -> Result<(), Failure> {
    if is_first {
        writeln!(out, "   time µs    bound µs  above %   published        s  problem")?;
    }
    let slower = if row.is_reached == Some(false) { "  (slower)" } else { "" };
    let source = if row.source.is_empty() { String::new() } else { format!("  {}", row.source) };
    writeln!(
        out,
        "{:>10.4}  {:>10.4}  {:>7}  {:>10}  {:>7.3}  {}{source}{slower}",
        row.microseconds,
        row.bound_microseconds,
        figure(row.gap_percent),
        row.published_microseconds.map_or("-".to_owned(), |time| time.to_string()),
        row.seconds,
        row.problem
    )?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_readable() {
        let entries = parse(LIST, "time.csv").ok().unwrap();
        assert!(entries.iter().all(|entry| network(&entry.args).is_ok()));
    }

    #[test]
    fn bad_lines_are_refused() {
        let error = |line: &str| {
            let text = format!("{HEADER}\n{line}");
            match parse(&text, "list") {
                Err(Failure::BadInput(error)) => error,
                _ => String::new(),
            }
        };
        assert_eq!(error("ring:4 all-gather --bytes 1KB,1,,"), "");
        assert_eq!(
            error("ring:4 all-gather --bytes 1KB,1"),
            "list, line 2: expected 4 columns, but there are 2"
        );
        assert_eq!(
            error("ring:4 all-gather --bytes 1KB,0,,"),
            "list, line 2: the time limit \"0\" is not a number of seconds up to a day"
        );
        assert!(error("ring:4 all-gather --bytes 1KB,1,fast,").contains("not a time"));
        assert!(error("ring:4 all-gather,1,,").contains("--bytes"));
    }

    #[test]
    fn published_times_are_compared_as_they_are_written() {
        assert!(is_reached(4951.04, "4951"));
        assert!(is_reached(4951.04, "4951.0"));
        assert!(!is_reached(4951.06, "4951.0"));
    }
}
