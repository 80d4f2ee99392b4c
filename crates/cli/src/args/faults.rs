//! Arguments of `pavane faults` and `pavane repair`.

use super::headings::{INPUT, OUTPUT, PROBLEM, SEARCH, SURVEY};
use super::problem::{FaultArgs, NetworkArgs, RulesArgs};
use super::values::{one_of, parse_bandwidth, parse_latency, parse_threads, parse_time, whole};
use clap::Args;
use pavane_model::{Fraction, problem};
use pavane_search::fault::Part;
use std::path::PathBuf;
use std::time::Duration;

const FAULTS_EXAMPLES: &str = "\
Examples:
  Compute how many steps an all-to-all takes after the loss of each link:
    pavane faults ring:6 all-to-all
  Compare two collectives after the loss of each link or router:
    pavane faults torus:3x3 broadcast scatter --of links,routers
  Store a schedule for every fault, and verify all of them:
    pavane faults ring:6 all-gather --save contingencies
    pavane verify contingencies
  Compute how much bandwidth the loss of each link costs:
    pavane faults dgx-1v all-gather --throughput";

/// `pavane faults`
#[derive(Args)]
#[command(after_help = FAULTS_EXAMPLES)]
pub struct FaultsArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collectives as for `pavane solve`; a suffix selects the switching method, as in
    /// all-gather@wormhole or all-gather@sf
    #[arg(value_name = "COLLECTIVE", required = true)]
    pub collectives: Vec<String>,
    #[command(flatten)]
    pub rules: RulesArgs,
    /// Compute the throughput limit after each loss, as `pavane throughput` does, instead of steps
    #[arg(long, conflicts_with_all = ["ports", "switching", "routing", "duplex", "evaluations", "resume", "save"], help_heading = SURVEY)]
    pub throughput: bool,
    /// Bandwidth of every channel, such as 50GB/s or 400Gb/s [default: that of the network, or 1GB/s
    /// if it has none]
    #[arg(long, value_name = "B", requires = "throughput", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub bandwidth: Option<Fraction>,
    /// Latency of every channel, such as 500ns or 0.7us; throughput does not depend on it [default:
    /// that of the network]
    #[arg(long, value_name = "L", requires = "throughput", value_parser = parse_latency, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub latency: Option<Fraction>,
    /// Which parts fail; separate several kinds by commas, as in links,routers
    #[arg(long, value_name = "PARTS", default_value = "links", value_delimiter = ',', value_parser = one_of(Part::ALL), help_heading = SURVEY)]
    pub of: Vec<Part>,
    /// Number of simultaneous faults
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = whole::<u32>(0..), help_heading = SURVEY)]
    pub count: u32,
    /// Examine a random sample of this many sets of faults [default: all sets, or a sample of 500 if
    /// there are more than 100000]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..), help_heading = SURVEY)]
    pub sample: Option<usize>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Time limit for each set of faults [default: until the bound is met, or 10 s after the first
    /// schedule; none with --throughput]
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Maximum number of evaluations for each set of faults
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Keep results in FILE and schedules in the folder FILE.schedules, and reuse those of an
    /// earlier run
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub resume: Option<PathBuf>,
    /// Write a schedule for every fault and an index to this folder; verify it with `pavane verify
    /// DIR`
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub save: Option<PathBuf>,
    /// Write one line per set of faults to this file, as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub csv: Option<PathBuf>,
    /// Draw the network to this file, as SVG, with each part coloured by the cost of its loss
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub svg: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const REPAIR_EXAMPLES: &str = "\
Examples:
  Repair a schedule after the loss of the link between routers 0 and 1:
    pavane repair schedule.json --fault 0-1 -o repaired.json
  Keep at least 90 % of the transfers that are still valid:
    pavane repair schedule.json --fault 0-1 --keep 90
  Repair a plan of `pavane throughput`, and keep all of its trees that are still valid:
    pavane repair plan.json --fault box0/gpu0-box0/nic0 --keep 100
  Repair a schedule of `pavane solve --minimize time`, and change as little as possible:
    pavane repair timed.json --fault 0-1 -o repaired.json
  Look up the schedule for a fault in a folder of `pavane faults --save`:
    pavane repair contingencies --fault 0-1";

/// `pavane repair`
#[derive(Args)]
#[command(after_help = REPAIR_EXAMPLES)]
pub struct RepairArgs {
    /// Schedule file or throughput plan, plain or gzipped, or folder of `pavane faults --save`
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Collective to look up, if SCHEDULE is a folder with several
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub collective: Option<String>,
    /// Accept only schedules with at most as many steps, or a TDM schedule with at most the period, as
    /// before (not for throughput plans and timed schedules)
    #[arg(long, help_heading = SEARCH)]
    pub keep_steps: bool,
    /// Keep at least this percentage of the transfers that are still valid, with more steps if
    /// necessary; exit code 1 if no such schedule is found. 0 selects the fewest steps [default: try
    /// to keep 80, with at most one step above the bound]. In a throughput plan: of the weight of the
    /// trees or paths [default: 0, the fastest plan]. In a timed schedule: of the sends [default: all that
    /// are still of use; 0 selects the quickest schedule]. In a TDM schedule: of the words, with a longer
    /// period if necessary [default: 0, the shortest period]
    #[arg(long, value_name = "PERCENT", value_parser = whole::<u8>(0..=100), help_heading = SEARCH)]
    pub keep: Option<u8>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Time limit [default: until the bound is met, or about 2 s after the first schedule; none for
    /// throughput plans]
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Maximum number of evaluations (not for throughput plans)
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Write the result to this file, gzipped if the name ends in .gz; draw a schedule if the name
    /// ends in .svg, .png, .gif or .html
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print every transfer, tree, path, send or word, however many there are
    #[arg(long, conflicts_with_all = ["output", "json"], help_heading = OUTPUT)]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Reject schedules with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = INPUT)]
    pub max_deliveries: u64,
}
