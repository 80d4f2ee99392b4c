//! Arguments of `pavane solve`.

use super::headings::{COST_MODEL, OUTPUT, PROBLEM, SEARCH};
use super::problem::{MOST_CHUNKS, ProblemArgs};
use super::values::{one_of, parse_quantity, parse_threads, parse_time};
use clap::Args;
use pavane_search::parameters::Preset;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Find a schedule and print it:
    pavane solve hypercube:3 all-to-all
  Broadcast from processor 5 with one port per processor, and write the schedule:
    pavane solve mesh:4x4 broadcast --root 5 --ports 1 -o broadcast.json
  Cut every shard into six chunks, which keeps more links busy:
    pavane solve dgx-1v all-gather --switching sf --chunks 6
  Prove that no schedule has 3 steps:
    pavane solve ring:6 all-to-all --steps 3 --prove
  Search for at most ten seconds with one engine:
    pavane solve torus:4x4 all-gather --engine annealing --time 10s";

/// `pavane solve`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SolveArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// With --chunks auto: try at most this many chunks per message
    #[arg(long, value_name = "C", default_value_t = 8, value_parser = parse_most_chunks, help_heading = PROBLEM)]
    pub max_chunks: u32,
    /// Accept only schedules with at most this many steps
    #[arg(long, value_name = "S", help_heading = SEARCH)]
    pub steps: Option<u32>,
    /// Use only this engine (see `pavane engines`) [default: all engines that suit the problem]
    #[arg(long, value_name = "NAME", help_heading = SEARCH)]
    pub engine: Option<String>,
    /// Parameter values of the engine: tuned, or as in the papers
    #[arg(long, value_name = "PRESET", value_parser = one_of(Preset::ALL), help_heading = SEARCH)]
    pub preset: Option<Preset>,
    /// Set parameters of the engine (see `pavane engines`); may be repeated
    #[arg(long, value_name = "NAME=VALUE,…", value_delimiter = ',', help_heading = SEARCH)]
    pub set: Vec<String>,
    /// Random seed; the same seed and --evaluations give the same schedule
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = SEARCH)]
    pub seed: u64,
    /// Time limit, such as 60s, 2m or 500ms [default: until the bound is met, or about 30 s after
    /// the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Maximum number of evaluations
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Try to prove that no shorter schedule exists or, with --steps, that no schedule has that few
    /// steps. With -o x.json the proof is written to x.lrat.gz
    #[arg(long, help_heading = SEARCH)]
    pub prove: bool,
    /// Write the schedule to this file, gzipped if the name ends in .gz
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Save the state of the search and its best schedule in this file, and continue from the file if
    /// it exists. Under MPI, -o FILE alone saves them in FILE.checkpoint until the search ends
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub resume: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    #[command(flatten)]
    pub cost: CostArgs,
}

/// The largest number of chunks to try.
fn parse_most_chunks(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=MOST_CHUNKS) => Ok(count),
        _ => Err(format!("expected a number from 1 to {MOST_CHUNKS}")),
    }
}

/// The constants of the cost model: a step takes ts + hops*tr + size*t1, where hops is the length of
/// its longest path (1 under store-and-forward).
#[derive(Args)]
pub struct CostArgs {
    /// Start-up time of a step; a step takes ts + hops*tr + size*t1 [default: 0]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = COST_MODEL)]
    pub ts: Option<f64>,
    /// Time per hop of the longest path of a step; store-and-forward has one hop [default: 0]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = COST_MODEL)]
    pub tr: Option<f64>,
    /// Time per unit of message length [default: 0]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = COST_MODEL)]
    pub t1: Option<f64>,
    /// Message length [default: 1]
    #[arg(long, value_name = "UNITS", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = COST_MODEL)]
    pub size: Option<f64>,
}
