//! What the user may type about faults: `pavane faults` and `pavane repair`.

use super::problem::{FaultArgs, NetworkArgs, RulesArgs};
use super::values::{one_of, parse_threads, parse_time};
use clap::Args;
use pavane_engine::fault::Part;
use pavane_model::problem;
use std::path::PathBuf;
use std::time::Duration;

/// `pavane faults`
#[derive(Args)]
pub struct FaultsArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collectives, as `pavane solve` takes them; `aab@sf` and `aab@wormhole` have their own switching
    #[arg(value_name = "COLLECTIVE", required = true)]
    pub collectives: Vec<String>,
    #[command(flatten)]
    pub rules: RulesArgs,
    /// What breaks; `links,routers` looks at both
    #[arg(long, value_name = "links|channels|routers", default_value = "links", value_delimiter = ',', value_parser = one_of(Part::ALL))]
    pub of: Vec<Part>,
    /// How many break at once
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub count: u32,
    /// Look at so many sets of faults, drawn by chance [default: all; 500 if there are more than 100000]
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Where chance starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Search for at most this long after each fault [default: until the bound is met, or 10 s after
    /// the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Search for at most this many evaluations after each fault
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Keep what is solved in this file, its schedules in FILE.schedules, and do not solve it again
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Keep a schedule for every fault in this folder, with an index; `pavane verify DIR` judges them
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Write a line for every fault to this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the network with its parts coloured by what their loss costs
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane repair`
#[derive(Args)]
pub struct RepairArgs {
    /// A schedule file, plain or gzipped, or a folder of `pavane faults --save`
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Which collective, if SCHEDULE is a folder with several
    #[arg(long, value_name = "NAME")]
    pub collective: Option<String>,
    /// Accept no schedule of more steps than there were
    #[arg(long)]
    pub keep_steps: bool,
    /// Leave at least this share of the still valid transfers as they are, in more steps if need be; exit code 1
    /// if no such schedule is found; 0 for the shortest [default: aim for 80, for one step above the bound at most]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    pub keep: Option<u8>,
    /// Where chance starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Search for at most this long [default: until the bound is met, or about 2 s after the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Search for at most this many evaluations
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Write the schedule to this file; gzipped if it ends in .gz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The most deliveries that are handled
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES)]
    pub max_deliveries: u64,
}
