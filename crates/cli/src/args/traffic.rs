//! Arguments of `pavane traffic` and `pavane deadlock`.

use super::headings::{INPUT, MISSION, OUTPUT, ROUTING, RULES, SEARCH, SWEEP};
use super::problem::{FaultArgs, NetworkArgs};
use super::values::{duplex, parse_quantity, parse_threads, whole};
use crate::report::traffic::{TrafficMessages, TrafficRules};
use clap::{Args, Subcommand};
use pavane_model::Duplex;
use pavane_traffic::SwitchingMethod;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::{Pattern, Permutation, Uniform};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Simulate one random mission:
    pavane traffic run hypercube:4
  Compare all policies over 1000 missions:
    pavane traffic compare hypercube:4
  Compute the mean makespan over the density of messages:
    pavane traffic sweep hypercube:4 --policy lbf,fifo --missions 100";

/// `pavane traffic`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TrafficArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: TrafficCommand,
}

/// A subcommand of `pavane traffic`.
#[derive(Subcommand)]
pub enum TrafficCommand {
    /// Simulate one mission: makespan, link loads, message log, Gantt chart
    Run(RunArgs),
    /// Compare policies, routings and switching methods over many missions
    Compare(CompareArgs),
    /// Compute curves over density, hot spots, deviation of lengths, time between arrivals or load
    Sweep(SweepArgs),
}

/// The distribution of random missions.
#[derive(Args, Clone)]
pub struct MissionArgs {
    /// Probability of a message between two processors, from 0 to 1 [default: 0.95]
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = MISSION)]
    pub density: Option<f64>,
    /// Send messages only to this many processors, chosen at random
    #[arg(long, value_name = "N", conflicts_with = "permutation", value_parser = whole::<u32>(0..), help_heading = MISSION)]
    pub hot_spots: Option<u32>,
    /// Every processor sends to one other, by a permutation: random, transpose, bit-reversal,
    /// bit-complement, shuffle, tornado or neighbour [default without a name: random]
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "random", value_parser = parse_permutation, help_heading = MISSION)]
    pub permutation: Option<Permutation>,
    /// Mean message length [default: 10]
    #[arg(long, value_name = "L", allow_negative_numbers = true, help_heading = MISSION)]
    pub mean: Option<f64>,
    /// Standard deviation of message lengths [default: 5]
    #[arg(long, value_name = "L", allow_negative_numbers = true, help_heading = MISSION)]
    pub sigma: Option<f64>,
    /// Spread the arrivals evenly over this time; 0: all messages arrive at once [default: 0]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = MISSION)]
    pub window: Option<f64>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = MISSION)]
    pub seed: u64,
}

fn parse_permutation(name: &str) -> Result<Permutation, String> {
    Permutation::find(name).map_err(|error| error.to_string())
}

impl MissionArgs {
    /// The distribution of the messages, for JSON.
    pub fn report(&self) -> TrafficMessages {
        let Uniform { density, mean, sigma, window, .. } = self.uniform();
        TrafficMessages {
            density: Some(density),
            hot_spots: self.hot_spots,
            permutation: self.permutation.map(Permutation::name),
            mean_length: Some(mean),
            sigma: Some(sigma),
            window: Some(window),
        }
    }

    /// The distribution of the messages.
    pub fn uniform(&self) -> Uniform {
        let pattern = match (self.hot_spots, self.permutation) {
            (Some(spots), _) => Pattern::HotSpots(spots),
            (None, Some(permutation)) => Pattern::Permutation(permutation),
            (None, None) => Pattern::All,
        };
        let usual = Uniform::default();
        Uniform {
            pattern,
            density: self.density.unwrap_or(usual.density),
            mean: self.mean.unwrap_or(usual.mean),
            sigma: self.sigma.unwrap_or(usual.sigma),
            window: self.window.unwrap_or(usual.window),
        }
    }
}

/// Rules that are the same for everything in a comparison.
#[derive(Args, Clone)]
pub struct RuleArgs {
    /// Whether both channels of a link can carry messages at the same time (full) or only one (half)
    /// [default: half; full in load curves]
    #[arg(long, value_name = "MODE", value_parser = duplex(), help_heading = RULES)]
    pub duplex: Option<Duplex>,
    /// Number of virtual channels of a channel under wormhole switching [default: 1; 8 in load curves]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=64), help_heading = RULES)]
    pub lanes: Option<u32>,
    /// Simulate wormhole switching flit by flit, with buffers of this many flits in every virtual
    /// channel [default: none; 8 in load curves]
    #[arg(long, value_name = "FLITS", value_parser = whole::<u32>(1..=65536), help_heading = RULES)]
    pub buffer: Option<u32>,
    /// Combine policies with earliest due date: subtract the arrival time from the key
    #[arg(long, help_heading = RULES)]
    pub edd: bool,
}

impl RuleArgs {
    /// The duplex rule of missions.
    pub fn duplex(&self) -> Duplex {
        self.duplex.unwrap_or(Duplex::Half)
    }

    /// The number of virtual channels of missions.
    pub fn lanes(&self) -> u32 {
        self.lanes.unwrap_or(1)
    }

    /// The rules, for JSON.
    pub fn report(&self, switchings: &[SwitchingMethod]) -> TrafficRules {
        let has_lanes = |switching: &SwitchingMethod| switching.can_deadlock();
        let is_wormhole = switchings.iter().any(has_lanes);
        TrafficRules {
            duplex: self.duplex(),
            lanes: is_wormhole.then_some(self.lanes()),
            buffer: self.buffer.filter(|_| is_wormhole),
            edd: self.edd,
        }
    }

    /// The rules with the defaults of load curves.
    pub fn of_rates(&self) -> Self {
        Self {
            duplex: Some(self.duplex.unwrap_or(Duplex::Full)),
            lanes: Some(self.lanes.unwrap_or(FlitRules::USUAL.lanes)),
            buffer: Some(self.buffer.unwrap_or(FlitRules::USUAL.buffer)),
            edd: self.edd,
        }
    }
}

const RUN_EXAMPLES: &str = "\
Examples:
  Simulate one random mission and search for its optimum:
    pavane traffic run hypercube:4 --density 0.2 --optimal
  Use virtual cut-through, and write a log and a Gantt chart:
    pavane traffic run mesh:4x4 --switching vct --log log.csv --gantt gantt.svg
  Simulate a collective:
    pavane traffic run hypercube:3 --collective all-to-all --length 20
  Simulate a schedule with its paths, but without its steps:
    pavane traffic run --schedule schedule.json --switching cs";

/// `pavane traffic run`
#[derive(Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// Network: a name such as hypercube:4, or a file; not needed with --schedule
    #[arg(value_name = "NETWORK", required_unless_present = "schedule")]
    pub network: Option<String>,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub draw: MissionArgs,
    /// Read the mission from this file: CSV or JSON with arrival, source, destination and length
    #[arg(long, value_name = "FILE", conflicts_with_all = ["collective", "schedule", "density", "hot_spots", "permutation", "mean", "sigma", "window"], help_heading = INPUT)]
    pub mission: Option<PathBuf>,
    /// Simulate the messages of a collective, such as all-to-all, each of --length
    #[arg(long, value_name = "NAME", conflicts_with_all = ["schedule", "density", "hot_spots", "permutation", "mean", "sigma", "window"], help_heading = INPUT)]
    pub collective: Option<String>,
    /// Simulate the transfers of a schedule without its steps, each of --length; the schedule is
    /// verified first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["network", "density", "hot_spots", "permutation", "mean", "sigma", "window"], help_heading = INPUT)]
    pub schedule: Option<PathBuf>,
    /// Message length for --collective and --schedule [default: 10]
    #[arg(long, value_name = "L", allow_negative_numbers = true, help_heading = INPUT)]
    pub length: Option<f64>,
    /// Switching method: store-and-forward (short: sf, ms), cs (circuit switching), vct (virtual
    /// cut-through) or wormhole
    #[arg(long, value_name = "METHOD", default_value = "store-and-forward", help_heading = RULES)]
    pub switching: String,
    /// Routing: e-cube (dimension-order), shortest, balanced, dateline, up-down, deadlock-free,
    /// ordered-links, pa, dfs, cps, escape, or a file with a routing table [default: e-cube, or balanced if the network
    /// has no dimensions; under wormhole one that cannot deadlock if such a routing is known. The output
    /// names the choice and says whether it can deadlock]
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "schedule", help_heading = RULES)]
    pub routing: Option<String>,
    /// Policy, which waiting message is sent first: fifo (the oldest), largest-first (short: lf; the
    /// longest), smallest-first (sf), farthest-first (ff; most channels to go), nearest-first (nf),
    /// largest-bandwidth-first (lbf; length times channels to go) or smallest-bandwidth-first (sbf)
    #[arg(long, value_name = "NAME", default_value = "lbf", help_heading = RULES)]
    pub policy: String,
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Search for the shortest makespan with the same paths
    #[arg(long, help_heading = SEARCH)]
    pub optimal: bool,
    /// Write the time intervals in which messages occupy channels to this file, as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub log: Option<PathBuf>,
    /// Draw a Gantt chart of the links to this file: .svg, .png or .html
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub gantt: Option<PathBuf>,
    /// Write the mission to this file, as JSON if the name ends in .json, otherwise as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub save: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  Compare all policies under three switching methods:
    pavane traffic compare hypercube:4
  Compare two routings with the optimum of 20 missions:
    pavane traffic compare mesh:4x4 --routing e-cube,shortest --policy lbf --optimal 20
  Compare wormhole switching with one hot spot, on 100 missions:
    pavane traffic compare hypercube:4 --switching wormhole --hot-spots 1 --missions 100";

/// `pavane traffic compare`
#[derive(Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    #[command(flatten)]
    pub draw: MissionArgs,
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Number of missions [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=100_000_000), help_heading = MISSION)]
    pub missions: Option<u64>,
    /// Switching methods: store-and-forward (short: sf; ms, message switching, is the same), cs (circuit
    /// switching), vct (virtual cut-through), wormhole [default: store-and-forward,cs,vct; wormhole in
    /// load curves]
    #[arg(long, value_name = "METHODS", value_delimiter = ',', help_heading = RULES)]
    pub switching: Vec<String>,
    /// Routings: e-cube, shortest, balanced, dateline, up-down, deadlock-free, ordered-links, pa, dfs,
    /// cps, escape, or files with routing tables [default: e-cube, or balanced if the network has no dimensions;
    /// under wormhole one that cannot deadlock if such a routing is known. The output names the choice
    /// and says whether it can deadlock]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = RULES)]
    pub routing: Vec<String>,
    /// Policies: all, or fifo, largest-first (short: lf), smallest-first (sf), farthest-first (ff),
    /// nearest-first (nf), largest-bandwidth-first (lbf), smallest-bandwidth-first (sbf) [default: all;
    /// fifo in load curves]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = RULES)]
    pub policy: Vec<String>,
    /// Search for the shortest makespan of this many missions
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub optimal: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

impl CompareArgs {
    /// The number of missions.
    pub fn missions(&self) -> u64 {
        self.missions.unwrap_or(1000)
    }
}

const SWEEP_EXAMPLES: &str = "\
Examples:
  Compute the mean makespan over the density, and draw the curves:
    pavane traffic sweep hypercube:4 --policy lbf,fifo --svg curves.svg
  Compute the mean latency in a steady state for three arrival intervals:
    pavane traffic sweep hypercube:4 --over interval --values 20,40,80 --policy fifo
  Find the load at which a mesh saturates, under two routings:
    pavane traffic sweep mesh:8x8 --over rate --routing e-cube,escape --svg load.svg";

/// `pavane traffic sweep`
#[derive(Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArgs {
    #[command(flatten)]
    pub compare: CompareArgs,
    /// Parameter to vary: density, hot-spots, sigma (as the options with these names), interval (the mean
    /// time between arrivals at a processor in a steady state), or rate (the offered load in flits per
    /// processor and cycle, up to saturation)
    #[arg(long, value_name = "NAME", default_value = "density", help_heading = SWEEP)]
    pub over: String,
    /// Values of the parameter, such as 0.1,0.5,0.9 [default: 10 to 16 typical values]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true, help_heading = SWEEP)]
    pub values: Vec<f64>,
    /// Time during which messages arrive in a steady state, including the warm-up [default: 20000]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = SWEEP)]
    pub duration: Option<f64>,
    /// Leave messages that arrive before this time out of the mean latency of a steady state [default:
    /// a tenth of the duration]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = SWEEP)]
    pub warm_up: Option<f64>,
    /// With --over rate: maximum time after the measurement in which measured messages can still be
    /// delivered, at least ten times the latency in an idle network [default: 20000]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_quantity, help_heading = SWEEP)]
    pub drain: Option<f64>,
    /// With --over rate: length of every message in flits [default: 4]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000), help_heading = SWEEP)]
    pub flits: Option<u32>,
    /// Write the points to this file, as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub csv: Option<PathBuf>,
    /// Draw the curves to this file, as SVG
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub svg: Option<PathBuf>,
}

impl SweepArgs {
    /// Time during which messages arrive, and the part of it that is the warm-up.
    pub fn steady(&self) -> (f64, f64) {
        let duration = self.duration.unwrap_or(20_000.0);
        (duration, self.warm_up.unwrap_or(duration / 10.0))
    }

    /// Maximum time after the measurement.
    pub fn drain(&self) -> f64 {
        self.drain.unwrap_or(20_000.0)
    }

    /// Flits per message.
    pub fn flits(&self) -> u32 {
        self.flits.unwrap_or(4)
    }
}

const DEADLOCK_EXAMPLES: &str = "\
Examples:
  Construct a deadlock-free routing table and write it:
    pavane deadlock torus:4x4 --table table.csv
  Check dimension-order routing:
    pavane deadlock mesh:4x4 --routing dimension-order
  Construct a table that cannot deadlock under half duplex either:
    pavane deadlock torus:5x5 --duplex half
  Change two entries of a table and print the resulting cycle:
    pavane deadlock hypercube:3 --routing dimension-order --reroute 0-3:2 --reroute 3-0:1";

/// `pavane deadlock`
#[derive(Args)]
#[command(after_help = DEADLOCK_EXAMPLES)]
pub struct DeadlockArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Routing: dimension-order, shortest, balanced, dateline, up-down, deadlock-free (constructed),
    /// ordered-links (constructed, for half duplex), escape (adaptive with escape channels), or a file
    /// with a routing table of lines router,destination,next [default: deadlock-free; ordered-links with
    /// --duplex half]
    #[arg(long, value_name = "NAME|FILE", help_heading = ROUTING)]
    pub routing: Option<String>,
    /// What a message holds: channels (full), or both channels of its links (half), as under wormhole
    /// switching without buffers
    #[arg(long, value_name = "MODE", value_parser = duplex(), default_value = "full", help_heading = ROUTING)]
    pub duplex: Duplex,
    /// Change an entry of the routing table: router A forwards messages for router B to router V; may
    /// be repeated
    #[arg(long, value_name = "A-B:V", help_heading = ROUTING)]
    pub reroute: Vec<String>,
    /// Write the routing table to this file, as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub table: Option<PathBuf>,
    /// Write the channel dependency graph to this file, as Graphviz DOT
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub dot: Option<PathBuf>,
    /// Draw the channel dependency graph to this file, as SVG
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub svg: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
