//! Arguments of `pavane solve`.

use super::headings::{COST_MODEL, OUTPUT, PROBLEM, SEARCH, TIME_MODEL};
use super::problem::{MOST_CHUNKS, ProblemArgs};
use super::values::{
    one_of, parse_bandwidth, parse_latency, parse_quantity, parse_size, parse_threads, parse_time,
    whole,
};
use crate::output::Failure;
use clap::Args;
use pavane_model::Fraction;
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
  Gather 1 MB in the least time, on links with bandwidths and latencies:
    pavane solve ndv2:2 all-gather --minimize time --bytes 1MB
  Prove that no schedule has 3 steps:
    pavane solve ring:6 all-to-all --steps 3 --prove";

/// The most chunks that `--chunks auto` tries, unless the user says otherwise.
pub const DEFAULT_MOST_CHUNKS: u32 = 8;

/// `pavane solve`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SolveArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// With --chunks auto: try at most this many chunks per message [default: 8]
    #[arg(long, value_name = "C", value_parser = parse_most_chunks, help_heading = PROBLEM)]
    pub max_chunks: Option<u32>,
    /// What to minimise: the number of steps, or the time on channels with bandwidths and latencies
    #[arg(long, value_name = "steps|time", default_value = "steps", value_parser = one_of(Objective::ALL), help_heading = PROBLEM)]
    pub minimize: Objective,
    #[command(flatten)]
    pub time_model: TimeArgs,
    /// Accept only schedules with at most this many steps
    #[arg(long, value_name = "S", value_parser = whole::<u32>(0..), help_heading = SEARCH)]
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
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Time limit, such as 60s, 2m or 500ms [default: until the bound is met, or about 30 s after
    /// the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Maximum number of evaluations
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Try to prove that no shorter schedule exists or, with --steps, that no schedule has that few
    /// steps. With -o x.json the proof is written to x.lrat.gz
    #[arg(long, help_heading = SEARCH)]
    pub prove: bool,
    /// Write the schedule to this file, gzipped if the name ends in .gz; draw it if the name ends in
    /// .svg, .png, .gif or .html
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Start from the schedule of an isomorphic problem in the atlas in this folder, if there is one; the
    /// output says whether the result is that schedule
    #[arg(long, value_name = "DIR", help_heading = SEARCH)]
    pub atlas: Option<PathBuf>,
    /// Save the state of the search and its best schedule in this file, and continue from the file if
    /// it exists. Under MPI, -o FILE alone saves them in FILE.checkpoint until the search ends
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub resume: Option<PathBuf>,
    /// Print every transfer, however many there are; with --minimize time every send
    #[arg(long, conflicts_with_all = ["output", "json"], help_heading = OUTPUT)]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    #[command(flatten)]
    pub cost: CostArgs,
}

/// What a search minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The number of steps.
    Steps,
    /// The time.
    Time,
}

impl Objective {
    /// All objectives with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("steps", Self::Steps), ("time", Self::Time)];
}

/// Sizes, bandwidths and latencies, for `--minimize time`.
#[derive(Args)]
pub struct TimeArgs {
    /// With --minimize time: size such as 64KB, 1MiB or 1GB, as in nccl-tests
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bytes: Option<u64>,
    /// With --minimize time: bytes of each message (all-to-all-v), a matrix with one row per sender and
    /// one column per receiver, as CSV or JSON; 0 means no message
    #[arg(long, value_name = "FILE", conflicts_with = "bytes", help_heading = TIME_MODEL)]
    pub sizes: Option<PathBuf>,
    /// With --minimize time: bandwidth of every channel, such as 50GB/s or 400Gb/s [default: that of
    /// the network, or 1GB/s if it has none]
    #[arg(long, value_name = "B", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bandwidth: Option<Fraction>,
    /// With --minimize time: latency of every channel, such as 500ns or 0.7us [default: that of the
    /// network, or 0]
    #[arg(long, value_name = "L", value_parser = parse_latency, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub latency: Option<Fraction>,
}

impl TimeArgs {
    /// Refuses these options in a search for few steps.
    pub fn check_unused(&self) -> Result<(), Failure> {
        let given = [
            ("--bytes", self.bytes.is_some()),
            ("--sizes", self.sizes.is_some()),
            ("--bandwidth", self.bandwidth.is_some()),
            ("--latency", self.latency.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                Err(Failure::bad_input(format!("{option} applies only with --minimize time")))
            }
            None => Ok(()),
        }
    }
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

impl CostArgs {
    /// Whether any of them is given.
    pub fn is_given(&self) -> bool {
        [self.ts, self.tr, self.t1, self.size].iter().any(Option::is_some)
    }
}
