//! Arguments of `pavane compare`.

use super::headings::{OUTPUT, PROBLEM, RULES, SEARCH, TIME_MODEL};
use super::problem::{GroupArgs, NetworkArgs, problems_left};
use super::tune::parse_range;
use super::values::{
    duplex, parse_bandwidth, parse_latency, parse_size, parse_threads, parse_time, whole,
};
use crate::output::Failure;
use clap::Args;
use pavane_model::{CollectiveRequest, Duplex, Fraction, Model, Problem, problem};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  How much faster than NCCL's rings and trees can an all-reduce on a DGX-1 be?
    pavane compare dgx-1v all-reduce --bytes 64KB,1MB,1GB
  The same for sizes from 1 KB to 1 GB, each 32 times the one before:
    pavane compare dgx-1v all-reduce --bytes 1KB..1GB --factor 32
  Compare a schedule, a throughput plan, or a file of MSCCL or TE-CCL:
    pavane compare dgx-1v all-gather --bytes 1MB --with schedule.json plan.xml
  Show how every algorithm uses the channels:
    pavane compare ndv2:2 all-gather --bytes 1MB -o channels.svg
  A network without bandwidths of its own, as JSON:
    pavane compare torus:4x4 all-to-all --bytes 1MB --bandwidth 50GB/s --json";

/// `pavane compare`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ScheduleComparisonArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Sizes such as 64KB,1MiB,1GB, or a range such as 1KB..1GB, as in nccl-tests: the gathered buffer of an all-gather, the whole
    /// buffer of a reduce-scatter, the buffer of a broadcast, reduce or all-reduce, the send or receive
    /// buffer of an all-to-all, scatter or gather
    #[arg(long, value_name = "SIZE,…", required = true, value_delimiter = ',', value_parser = parse_sizes, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bytes: Vec<(u64, u64)>,
    /// In a range, each size is this many times the one before
    #[arg(long, value_name = "F", default_value_t = 16, value_parser = whole::<u64>(2..=1024), help_heading = TIME_MODEL)]
    pub factor: u64,
    /// Compare these files too: schedules with steps and files of MSCCL, MSCCL++, SCCL and TE-CCL, whose
    /// sends start as early as their order allows; throughput plans; timed schedules for one of the sizes
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = PROBLEM)]
    pub with: Vec<PathBuf>,
    /// Time limit of the search for each size, such as 60s, 2m or 500ms
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Limit on the rounds of random search for each size; the result then depends on the seed only
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Draw when every algorithm uses which channel, as SVG; needs a single size
    #[arg(short, long, value_name = "FILE.svg", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the comparison as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

impl ScheduleComparisonArgs {
    /// The sizes, each once.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = Vec::new();
        for &(least, most) in &self.bytes {
            for size in pavane_tuning::sizes(least, most, self.factor) {
                if !sizes.contains(&size) {
                    sizes.push(size);
                }
            }
        }
        sizes
    }
}

/// A size, or two with `..` between them.
fn parse_sizes(text: &str) -> Result<(u64, u64), String> {
    if text.contains("..") {
        return parse_range(text);
    }
    parse_size(text).map(|size| (size, size))
}

/// A network with bandwidths and latencies, and a collective.
#[derive(Args)]
pub struct MachineArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collective: broadcast, all-gather, reduce, reduce-scatter, all-reduce, multicast, all-to-all,
    /// scatter, gather; or a permutation, or a file of messages
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Bandwidth of every channel, such as 50GB/s or 400Gb/s [default: that of the network, or 1GB/s
    /// if it has none]
    #[arg(long, value_name = "B", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bandwidth: Option<Fraction>,
    /// Latency of every channel, such as 500ns or 0.7us [default: that of the network, or 0]
    #[arg(long, value_name = "L", value_parser = parse_latency, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub latency: Option<Fraction>,
    /// Whether both channels of a link carry sends at the same time (full) or only one (half)
    #[arg(long, value_name = "MODE", default_value = "full", value_parser = duplex(), help_heading = RULES)]
    pub duplex: Duplex,
    /// Reject problems with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = PROBLEM)]
    pub max_deliveries: u64,
}

impl MachineArgs {
    /// The problems, one for each phase of the collective. Warns about processors that the faults
    /// remove.
    pub fn load(&self) -> Result<Vec<Problem>, Failure> {
        let (healthy, broken) = self.network.load_both()?;
        let timed = broken.with_timing(self.bandwidth, self.latency);
        let broken = timed.map_err(Failure::bad_input)?;
        let request = CollectiveRequest {
            collective: self.collective.clone(),
            groups: self.groups.groups(),
            chunks: 1,
            model: Model::default(),
            limit: self.max_deliveries,
        };
        problems_left(&request, &healthy, &broken)
    }
}
