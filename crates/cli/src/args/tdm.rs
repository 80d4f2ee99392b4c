//! Arguments of `pavane tdm`.

use super::headings::{OUTPUT, PROBLEM, RULES, SEARCH};
use super::problem::NetworkArgs;
use super::values::{parse_threads, parse_time, rule, whole};
use clap::Args;
use pavane_model::Routing;
use pavane_model::tdm::{MOST_DEPTH, MOST_PERIOD, MOST_PHITS, TdmRules};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Find the shortest period of an all-to-all on a 4x4 torus:
    pavane tdm torus:4x4 -o tdm.json
  Weighted traffic from a file with lines `from,to,weight`:
    pavane tdm mesh:4x4 --traffic traffic.csv
  Platform and communication of poseidon (XML):
    pavane tdm platform.xml --traffic communication.xml
  Is a period of 20 slots possible if no word may wrap?
    pavane tdm torus:4x4 --no-wrap --slots 20
  Prove that no shorter period is possible, and keep the proof beside the schedule:
    pavane tdm path:5 --no-wrap --prove -o tdm.json";

/// `pavane tdm`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TdmArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Words per period of every message: a CSV file with lines from,to,weight and, optionally,
    /// max_latency in slots, or communication XML of poseidon [default: one word between every two
    /// processors, or the communication in the platform XML]
    #[arg(long, value_name = "FILE", help_heading = PROBLEM)]
    pub traffic: Option<PathBuf>,
    /// Slots per hop [default: 1, or that of the platform XML]
    #[arg(long, value_name = "D", value_parser = whole::<u32>(1..=MOST_DEPTH), help_heading = RULES)]
    pub depth: Option<u32>,
    /// Slots that a word occupies a port or channel [default: 1, or that of the communication XML]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=MOST_PHITS), help_heading = RULES)]
    pub phits: Option<u32>,
    /// Every word of a period arrives before the next period begins
    #[arg(long, help_heading = RULES)]
    pub no_wrap: bool,
    /// Allowed routes: minimal, any, or +H for at most H hops more than the shortest path
    #[arg(long, value_name = "ROUTING", default_value = "minimal", value_parser = rule::<Routing>, allow_hyphen_values = true, help_heading = RULES)]
    pub routing: Routing,
    /// Search for a schedule with exactly this period; exit code 3 if it is impossible, 1 if none
    /// is found
    #[arg(long, value_name = "P", value_parser = whole::<u32>(1..=MOST_PERIOD), help_heading = SEARCH)]
    pub slots: Option<u32>,
    /// If the problem is small, ask a SAT solver to refute shorter periods, or the period of --slots.
    /// With -o, the proof is written beside the schedule or, if --slots is refuted, the refutation
    #[arg(long, help_heading = SEARCH)]
    pub prove: bool,
    /// Time limit, such as 60s, 2m or 500ms [default: 20s, or none with --evaluations]
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Limit on the placements of words; the result then depends on the seed only
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub evaluations: Option<u64>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub threads: Option<usize>,
    /// Look for an isomorphic all-to-all in the atlas in this folder: its schedule is the result unless a
    /// shorter period is found, and the output says so. Nothing is searched for if it is proved optimal
    #[arg(long, value_name = "DIR", conflicts_with = "slots", help_heading = SEARCH)]
    pub atlas: Option<PathBuf>,
    /// Write the schedule to this file, gzipped if the name ends in .gz; draw its slot table if the name
    /// ends in .svg, .png or .html
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print all pairs, and the start and the route of every word
    #[arg(long, conflicts_with_all = ["output", "json"], help_heading = OUTPUT)]
    pub all: bool,
    /// Print the result as JSON, with the guarantees of all pairs
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

impl TdmArgs {
    /// The rules, where depth and phits of files replace the defaults.
    pub fn rules(&self, depth: Option<u32>, phits: Option<u32>) -> TdmRules {
        TdmRules {
            depth: self.depth.or(depth).unwrap_or(1),
            phits: self.phits.or(phits).unwrap_or(1),
            wraps: !self.no_wrap,
            routing: self.routing,
        }
    }
}
