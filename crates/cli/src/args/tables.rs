//! What the user may type about tables of problems: `pavane bench` and `pavane reproduce`.

use super::values::{one_of, parse_threads, parse_time};
use clap::Args;
use pavane_engine::parameters::Preset;
use std::path::PathBuf;
use std::time::Duration;

/// `pavane bench`
#[derive(Args)]
pub struct BenchArgs {
    /// Only problems whose line contains all of these, such as `hypercube:5 aas`
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub seeds: u64,
    /// The most time for one run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    pub time: Duration,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane reproduce`
#[derive(Args)]
pub struct ReproduceArgs {
    /// Tables, such as `gecco-2`, or the beginning of their names, such as `fault` [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// List the tables
    #[arg(long)]
    pub list: bool,
    /// Runs of every problem
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: u64,
    /// The papers' algorithms to the letter, or with what makes them work
    #[arg(long, value_name = "tuned|paper", default_value = "tuned", value_parser = one_of(Preset::ALL))]
    pub preset: Preset,
    /// Another algorithm than the table's
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Parameters of the algorithms, each for all that have it (see `pavane engines`); may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub set: Vec<String>,
    /// Evaluations of a run at the most [default: 15 times what the engine takes for a first try]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub evaluations: Option<u64>,
    /// Time of a run at the most; a run that it ends may come out differently next time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub time: Duration,
    /// Where chance starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Keep finished rows in this file, and do not make them again
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Draw evaluations against network size (Figures 9 and 10, from table gecco-2) into this folder
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
