//! Arguments of `pavane tune`.

use super::compare::MachineArgs;
use super::headings::{OUTPUT, SEARCH, TIME_MODEL};
use super::values::{parse_size, parse_threads, parse_time, whole};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  The best all-gather for every size on a DGX-1, with plans for MSCCL and MSCCL++:
    pavane tune dgx-1v all-gather --bytes 1KB..1GB -o tuned
  Two boxes, fewer sizes, one minute:
    pavane tune ndv2:2 all-reduce --bytes 64KB..64MB --factor 4 --time 60s -o tuned
  A network without bandwidths of its own, as JSON:
    pavane tune torus:4x4 all-to-all --bytes 1KB..1GB --latency 500ns -o tuned --json";

/// `pavane tune`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TuneArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The smallest and the largest size, such as 1KB..1GB, as in nccl-tests
    #[arg(long, value_name = "SIZE..SIZE", value_parser = parse_range, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bytes: (u64, u64),
    /// Each size is this many times the one before
    #[arg(long, value_name = "F", default_value_t = 2, value_parser = whole::<u64>(2..=1024), help_heading = TIME_MODEL)]
    pub factor: u64,
    /// Time limit, such as 60s, 2m or 500ms
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Limit on the rounds of random search for each size
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Write schedules, plans, table and plots to this folder
    #[arg(short, long, value_name = "DIR", help_heading = OUTPUT)]
    pub output: PathBuf,
    /// Print the table as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// Two sizes with `..` between them.
pub fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let (least, most) = text.split_once("..").ok_or("expected two sizes, such as 1KB..1GB")?;
    let (least, most) = (parse_size(least)?, parse_size(most)?);
    if least > most {
        return Err("the first size is larger than the second".to_owned());
    }
    Ok((least, most))
}
