//! Arguments of `pavane bench time`.

use super::headings::{INPUT, OUTPUT, SEARCH};
use super::values::{parse_threads, whole};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Compare the times of all schedules of the list with published ones:
    pavane bench time
  Only problems whose line contains both words:
    pavane bench time dgx2:2 1MB
  A list of your own, with lines such as `cluster.toml all-reduce --bytes 1MB,10,,`:
    pavane bench time --file list.csv";

/// `pavane bench time`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TimeBenchArgs {
    /// Solve only problems whose line contains all of these words
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Solve the problems of this file: CSV with the columns problem (network, collective, --bytes and
    /// perhaps --chunks, --bandwidth and --latency), seconds (time limit), microseconds (a published
    /// time, or empty) and source [default: a list of published results]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub file: Option<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
