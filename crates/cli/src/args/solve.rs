//! What the user may type about a search: `pavane solve`.

use super::problem::ProblemArgs;
use super::values::{one_of, parse_quantity, parse_threads, parse_time};
use clap::Args;
use pavane_engine::parameters::Preset;
use std::path::PathBuf;
use std::time::Duration;

/// `pavane solve`
#[derive(Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Accept only a schedule of at most this many steps
    #[arg(long, value_name = "S")]
    pub steps: Option<u32>,
    /// Use this engine only [default: all that fit the problem]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Values of the engine's parameters: as they work best, or as the papers have them
    #[arg(long, value_name = "tuned|paper", value_parser = one_of(Preset::ALL))]
    pub preset: Option<Preset>,
    /// Set parameters of the engine (see `pavane engines`); may be given several times
    #[arg(long, value_name = "NAME=VALUE,…", value_delimiter = ',')]
    pub set: Vec<String>,
    /// Where chance starts: the same seed and --evaluations give the same schedule
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Search for at most this long: `60s`, `2m`, `500ms` [default: until the bound is met, or about
    /// 30 s after the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Search for at most this many evaluations
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Put effort into proving that no shorter schedule exists, or, with --steps, that so many are
    /// too few. A proof is kept beside FILE, in FILE.lrat.gz without .json
    #[arg(long)]
    pub prove: bool,
    /// Write the schedule to this file; gzipped if it ends in .gz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep in this file where the search stands, with the best schedule so far, and go on from there
    /// if there is such a file. Under MPI it is kept beside -o by default, until the search is over
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub cost: CostArgs,
}

/// The constants of the cost model: a step lasts ts + d*tr + size*t1, d the hops of its longest
/// path (1 under store-and-forward).
#[derive(Args)]
pub struct CostArgs {
    /// Cost model: start-up time of a step, which lasts ts + hops*tr + size*t1
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity)]
    pub ts: Option<f64>,
    /// Cost model: time per hop of the longest path of a step
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity)]
    pub tr: Option<f64>,
    /// Cost model: time per unit of message length
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity)]
    pub t1: Option<f64>,
    /// Cost model: message length
    #[arg(long, value_name = "UNITS", allow_negative_numbers = true, value_parser = parse_quantity)]
    pub size: Option<f64>,
}
