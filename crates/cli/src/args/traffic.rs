//! What the user may type after `pavane traffic` and `pavane deadlock`.

use super::problem::{FaultArgs, NetworkArgs};
use super::values::{one_of, parse_quantity, parse_threads};
use clap::{Args, Subcommand};
use pavane_model::Duplex;
use pavane_traffic::mission::{Pattern, Uniform};
use std::path::PathBuf;

/// `pavane traffic`
#[derive(Args)]
pub struct TrafficArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TrafficCommand,
}

/// What to do with traffic.
#[derive(Subcommand)]
pub enum TrafficCommand {
    /// Run one mission: makespan, link loads, message log, Gantt chart
    Run(RunArgs),
    /// Compare policies, routings and switchings over many missions
    Compare(CompareArgs),
    /// Curves over density, hot spots, deviation of lengths, or time between arrivals
    Sweep(SweepArgs),
}

/// How missions are drawn by chance.
#[derive(Args, Clone)]
pub struct DrawArgs {
    /// Probability of a message between two processors, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true)]
    pub density: f64,
    /// Messages go only to so many processors, drawn by chance
    #[arg(long, value_name = "N", conflicts_with = "permutation")]
    pub hot_spots: Option<u32>,
    /// Every processor sends to one other: a permutation drawn by chance
    #[arg(long)]
    pub permutation: bool,
    /// Mean length of messages
    #[arg(long, value_name = "L", default_value_t = 10.0, allow_negative_numbers = true)]
    pub mean: f64,
    /// Deviation of lengths
    #[arg(long, value_name = "L", default_value_t = 5.0, allow_negative_numbers = true)]
    pub sigma: f64,
    /// Messages arrive evenly spread over this time [default: all at once]
    #[arg(long, value_name = "TIME", default_value_t = 0.0, allow_negative_numbers = true)]
    pub window: f64,
    /// Where chance starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl DrawArgs {
    /// How missions are drawn.
    pub fn uniform(&self) -> Uniform {
        let pattern = match (self.hot_spots, self.permutation) {
            (Some(spots), _) => Pattern::HotSpots(spots),
            (None, true) => Pattern::Permutation,
            (None, false) => Pattern::All,
        };
        Uniform {
            pattern,
            density: self.density,
            mean: self.mean,
            sigma: self.sigma,
            window: self.window,
        }
    }
}

/// Rules of the traffic that are the same for all that is compared.
#[derive(Args, Clone)]
pub struct RuleArgs {
    /// Whether the two channels of a link carry messages at the same time
    #[arg(long, value_name = "half|full", default_value = "half", value_parser = one_of(&[
        ("half", Duplex::Half), ("full", Duplex::Full),
    ]))]
    pub duplex: Duplex,
    /// Virtual channels of a link under wormhole switching
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub lanes: u32,
    /// Combine policies with earliest due date: subtract the arrival time from the key
    #[arg(long)]
    pub edd: bool,
}

/// `pavane traffic run`
#[derive(Args)]
pub struct RunArgs {
    /// A network: a name such as `hypercube:4` or a file; not needed with --schedule
    #[arg(value_name = "NETWORK", required_unless_present = "schedule")]
    pub network: Option<String>,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub draw: DrawArgs,
    /// Read the mission from this file: CSV or JSON with arrival, source, destination, length
    #[arg(long, value_name = "FILE", conflicts_with_all = ["collective", "schedule", "density", "hot_spots", "permutation", "mean", "sigma", "window"])]
    pub mission: Option<PathBuf>,
    /// The mission is a collective, such as `aas`, with messages of --length
    #[arg(long, value_name = "NAME", conflicts_with_all = ["schedule", "density", "hot_spots", "permutation", "mean", "sigma", "window"])]
    pub collective: Option<String>,
    /// The mission is a schedule, judged first, without its steps; messages of --length
    #[arg(long, value_name = "FILE", conflicts_with_all = ["network", "density", "hot_spots", "permutation", "mean", "sigma", "window"])]
    pub schedule: Option<PathBuf>,
    /// Length of messages of a collective or schedule [default: 10]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub length: Option<f64>,
    /// ms (message), cs (circuit), vct (virtual cut-through) or wormhole
    #[arg(long, value_name = "NAME", default_value = "ms")]
    pub switching: String,
    /// e-cube (dimension-order), shortest, up-down, deadlock-free, pa, dfs, cps, or a file
    /// with a table [default: e-cube, where the network has no dimensions shortest]
    #[arg(long, value_name = "NAME", conflicts_with = "schedule")]
    pub routing: Option<String>,
    /// fifo, lf, sf, ff, nf, lbf or sbf
    #[arg(long, value_name = "NAME", default_value = "lbf")]
    pub policy: String,
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Search for the optimum over the same paths
    #[arg(long)]
    pub optimal: bool,
    /// Write which message held which channel when to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Draw links over time into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub gantt: Option<PathBuf>,
    /// Save the mission to this file; JSON if it ends in .json, else CSV
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane traffic compare`
#[derive(Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    #[command(flatten)]
    pub draw: DrawArgs,
    #[command(flatten)]
    pub rules: RuleArgs,
    /// How many missions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub missions: u64,
    /// Switchings: ms, cs, vct, wormhole
    #[arg(long, value_name = "NAMES", default_value = "ms,cs,vct", value_delimiter = ',')]
    pub switching: Vec<String>,
    /// Routings: e-cube, shortest, up-down, deadlock-free, pa, dfs, cps, files with tables
    /// [default: e-cube, where the network has no dimensions shortest]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub routing: Vec<String>,
    /// Policies: all, or fifo, lf, sf, ff, nf, lbf, sbf
    #[arg(long, value_name = "NAMES", default_value = "all", value_delimiter = ',')]
    pub policy: Vec<String>,
    /// Search for the optimum of so many of the missions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub optimal: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane traffic sweep`
#[derive(Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub compare: CompareArgs,
    /// What changes from point to point: density, hot-spots, sigma, or interval, the mean time between
    /// arrivals at a processor in a steady state
    #[arg(long, value_name = "NAME", default_value = "density")]
    pub over: String,
    /// The points, such as `0.1,0.5,0.9` [default: a dozen that fit]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    pub values: Vec<f64>,
    /// Steady state: arrivals go on for so long
    #[arg(long, value_name = "TIME", default_value_t = 20_000.0, allow_negative_numbers = true, value_parser = parse_quantity)]
    pub duration: f64,
    /// Steady state: messages that arrive earlier do not count
    #[arg(long, value_name = "TIME", default_value_t = 2_000.0, allow_negative_numbers = true, value_parser = parse_quantity)]
    pub warm_up: f64,
    /// Write the points to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the curves into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// `pavane deadlock`
#[derive(Args)]
pub struct DeadlockArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// dimension-order, shortest, up-down, deadlock-free, or a file with a table: lines
    /// `router,destination,next` [default: deadlock-free, a table is constructed]
    #[arg(long, value_name = "NAME|FILE")]
    pub routing: Option<String>,
    /// Change an entry of the table: messages at router A for router B go to router V next
    #[arg(long, value_name = "A-B:V")]
    pub reroute: Vec<String>,
    /// Write the routing table to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Write the channel dependency graph to this file, as Graphviz DOT
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Draw the channel dependency graph into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
