//! Arguments of `pavane pareto`.

use super::headings::{OUTPUT, PROBLEM, SEARCH};
use super::problem::{GroupArgs, NetworkArgs};
use super::values::{parse_bandwidth, parse_threads, parse_time, whole};
use clap::Args;
use pavane_model::{Fraction, problem};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  From the fewest steps to the fewest rounds per chunk, with up to six chunks per shard:
    pavane pareto dgx-1v all-gather --max-chunks 6
  Write every schedule, the proofs, a table and a plot into a folder:
    pavane pareto dgx-1v all-to-all --max-chunks 3 -o front
  Draw the front:
    pavane pareto torus:3x3 all-gather -o front.svg
  Broadcast in at most four steps, as JSON:
    pavane pareto hypercube:3 broadcast --max-steps 4 --json";

/// `pavane pareto`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ParetoArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collective: broadcast, multicast, all-gather, scatter, all-to-all, gather, reduce,
    /// reduce-scatter, all-reduce; or a permutation, or a file of messages
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    #[command(flatten)]
    pub groups: GroupArgs,
    /// The most chunks that a message is cut into
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = whole::<u32>(1..=64), help_heading = PROBLEM)]
    pub max_chunks: u32,
    /// The most steps [default: as many as rounds]
    #[arg(long, value_name = "S", value_parser = whole::<u32>(1..=1000), help_heading = PROBLEM)]
    pub max_steps: Option<u32>,
    /// Bandwidth of a channel that carries one chunk per round, such as 25GB/s; a channel counts as often as
    /// this fits into its bandwidth [default: that of the slowest channel]
    #[arg(long, value_name = "B", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = PROBLEM)]
    pub round: Option<Fraction>,
    /// Reject problems with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = PROBLEM)]
    pub max_deliveries: u64,
    /// Time limit, such as 60s, 2m or 500ms; then the points found so far are the result
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Work of the solver for one point; a point that needs more stays open
    #[arg(long, value_name = "N", default_value_t = 4_000_000_000, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: u64,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Write to this folder: one schedule per point, the formulas and proofs of refuted points, the
    /// table as JSON and a plot. If the name ends in .svg, write only the plot
    #[arg(short, long, value_name = "DIR|FILE.svg", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the points as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
