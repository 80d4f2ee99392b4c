//! Arguments of `pavane bench` and `pavane reproduce`.

use super::headings::{OUTPUT, SEARCH};
use super::survey::SurveyArgs;
use super::throughput_bench::ThroughputBenchArgs;
use super::time_bench::TimeBenchArgs;
use super::values::{one_of, parse_threads, parse_time, whole};
use clap::{Args, Subcommand};
use pavane_search::parameters::Preset;
use std::path::PathBuf;
use std::time::Duration;

const BENCH_EXAMPLES: &str = "\
Examples:
  Solve all best-known problems with ten seeds each:
    pavane bench
  Solve the problems whose line contains both words, with three seeds:
    pavane bench hypercube:4 aas --seeds 3 --time 2s
  Solve many problems once, and count how many schedules meet the bound:
    pavane bench survey --jobs 2
  Measure how long the throughput limits of published machines take:
    pavane bench throughput";

/// `pavane bench`
#[derive(Args)]
#[command(after_help = BENCH_EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// Solve only problems whose line contains all of these words, such as hypercube:5 aas
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Number of runs of each problem, with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seeds: u64,
    /// Time limit for one run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// A subcommand of `pavane bench`.
#[derive(Subcommand)]
pub enum BenchCommand {
    /// Solve a list of problems under many rules, and compare with stored results
    Survey(SurveyArgs),
    /// Measure how long throughput limits and plans take, and compare the limits with known ones
    Throughput(ThroughputBenchArgs),
    /// Search for quick schedules of a list of problems, and compare their times with published ones
    Time(TimeBenchArgs),
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  List the tables:
    pavane reproduce --list
  Reproduce one table, with two runs of each problem:
    pavane reproduce hgsa-text --runs 2 --time 5s
  Reproduce a table of the GECCO paper and draw Figures 9 and 10:
    pavane reproduce gecco-2 --plot figures --resume gecco.rows";

/// `pavane reproduce`
#[derive(Args)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub struct ReproduceArgs {
    /// Tables, such as gecco-2, or prefixes of their names, such as fault [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// List the tables
    #[arg(long, help_heading = OUTPUT)]
    pub list: bool,
    /// Number of runs of each problem
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u64>(1..=1_000_000), help_heading = SEARCH)]
    pub runs: u64,
    /// Parameter values of the algorithms: tuned, or as in the papers
    #[arg(long, value_name = "PRESET", default_value = "tuned", value_parser = one_of(Preset::ALL), help_heading = SEARCH)]
    pub preset: Preset,
    /// Use this engine instead of the algorithm of the table
    #[arg(long, value_name = "NAME", help_heading = SEARCH)]
    pub engine: Option<String>,
    /// Set a parameter of every algorithm that has it (see `pavane engines`); may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', help_heading = SEARCH)]
    pub set: Vec<String>,
    /// Maximum number of evaluations of one run [default: 15 times those of a first attempt]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Time limit for one run; runs that reach it are not reproducible
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Keep finished rows in this file, and reuse those of an earlier run
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub resume: Option<PathBuf>,
    /// Draw figures into this folder: Figures 9 and 10 from table gecco-2, and the traffic figures
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub plot: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
