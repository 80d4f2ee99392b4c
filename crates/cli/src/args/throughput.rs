//! Arguments of `pavane throughput`.

use super::headings::{OUTPUT, PROBLEM, SEARCH};
use super::problem::{GroupArgs, NetworkArgs, problems_left};
use super::values::{parse_bandwidth, parse_latency, parse_size, parse_time, whole};
use crate::output::Failure;
use clap::Args;
use pavane_model::{CollectiveRequest, Fraction, Model, Problem, problem};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  How fast can 16 GPUs in two boxes gather 1 GB, and what limits them?
    pavane throughput dgx-a100:2 all-gather --bytes 1GB
  Write a plan with one tree per GPU to a file:
    pavane throughput dgx-a100:2 all-gather --trees 1 -o plan.json
  Broadcast from processor 5 after a link has failed:
    pavane throughput dgx-1v broadcast --root 5 --fault 0-1
  All-to-all between all GPUs of two boxes:
    pavane throughput ndv2:2 all-to-all --bytes 1GB
  A network without bandwidths of its own:
    pavane throughput torus:4x4 all-reduce --bandwidth 400Gb/s --json";

/// `pavane throughput`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ThroughputArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collective: broadcast, all-gather, reduce, reduce-scatter, all-reduce, multicast, all-to-all,
    /// scatter, gather; or by the names of the papers: oab, aab, mnb, aor, aar, oas, aas, mns, aog; or
    /// a permutation, or a file of messages with one destination each
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Size such as 64KB, 1MiB or 1GB, as in nccl-tests: the gathered buffer of an all-gather, the
    /// whole buffer of a reduce-scatter, the buffer of a broadcast, reduce or all-reduce, the send or
    /// receive buffer of an all-to-all, scatter or gather
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub bytes: Option<u64>,
    /// Bytes of each message (all-to-all-v): a matrix with one row per sender and one column per
    /// receiver, as CSV or JSON; 0 means no message
    #[arg(long, value_name = "FILE", conflicts_with = "bytes", help_heading = PROBLEM)]
    pub sizes: Option<PathBuf>,
    /// Bandwidth of every channel, such as 50GB/s or 400Gb/s [default: that of the network, or 1GB/s
    /// if it has none]
    #[arg(long, value_name = "B", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub bandwidth: Option<Fraction>,
    /// Latency of every channel, such as 500ns or 0.7us, for the file; throughput does not depend on
    /// it [default: that of the network]
    #[arg(long, value_name = "L", value_parser = parse_latency, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub latency: Option<Fraction>,
    /// Reject problems with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = PROBLEM)]
    pub max_deliveries: u64,
    /// At most this many trees per root; fewer are easier to implement, but may be slower [default: as
    /// many as the limit needs]
    #[arg(long, value_name = "K", value_parser = parse_trees, help_heading = SEARCH)]
    pub trees: Option<u32>,
    /// Time limit of the search for a plan, such as 60s, 2m or 500ms; then the plan is a simple one
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Look for an isomorphic problem in the atlas in this folder: its plan is the result if it attains the
    /// limit, and the output says so
    #[arg(long, value_name = "DIR", conflicts_with_all = ["trees", "sizes"], help_heading = SEARCH)]
    pub atlas: Option<PathBuf>,
    /// Write the plan to this file, gzipped if the name ends in .gz; draw it if the name ends in .svg,
    /// .png or .html
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print every tree or path, with its share of the message and its channels
    #[arg(long, conflicts_with_all = ["output", "json"], help_heading = OUTPUT)]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

impl ThroughputArgs {
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
            model: Model::without_ports(),
            limit: self.max_deliveries,
        };
        problems_left(&request, &healthy, &broken)
    }
}

fn parse_trees(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(trees @ 1..) => Ok(trees),
        _ => Err("expected a number of trees, 1 or more".to_owned()),
    }
}
