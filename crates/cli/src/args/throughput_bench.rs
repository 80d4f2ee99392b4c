//! Arguments of `pavane bench throughput`.

use super::headings::{INPUT, OUTPUT, SEARCH};
use super::values::parse_time;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Measure the limits and plans of all machines of the list:
    pavane bench throughput
  Measure those whose line contains both words:
    pavane bench throughput dgx-a100 all-to-all
  Measure a list of your own, one problem per line, such as `cluster.toml all-reduce`:
    pavane bench throughput --file list.csv";

/// `pavane bench throughput`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ThroughputBenchArgs {
    /// Measure only problems whose line contains all of these words
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Measure the problems of this file: CSV with the columns problem (arguments of `pavane
    /// throughput`) and limit (known limit in nanoseconds per byte, or empty) [default: a list of
    /// published machines and of networks with 1,024 routers]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub file: Option<PathBuf>,
    /// Time limit for one plan
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
