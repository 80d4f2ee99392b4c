//! Arguments of `pavane atlas`.

use super::headings::{ATLAS, OUTPUT, PROBLEM, RULES, TIME_MODEL};
use super::problem::{NetworkArgs, RulesArgs};
use super::values::{one_of, parse_bandwidth, parse_latency, parse_size, whole};
use clap::{Args, Subcommand};
use pavane_atlas::AtlasModel;
use pavane_model::Fraction;
use pavane_model::tdm::{MOST_DEPTH, MOST_PHITS};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  List the entries that are better than what is published:
    pavane atlas list --records
  Find the best-known schedule for a network of your own, in its labels:
    pavane atlas search torus:8x8 all-to-all -o schedule.json
  Verify every entry:
    pavane atlas verify";

/// `pavane atlas`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct AtlasArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: AtlasCommand,
}

/// A subcommand of `pavane atlas`.
#[derive(Subcommand)]
pub enum AtlasCommand {
    /// List the entries
    List(AtlasListArgs),
    /// Show an entry, or write its schedule
    Show(AtlasShowArgs),
    /// Verify entries: schedule, problem, figure and bound
    Verify(AtlasVerifyArgs),
    /// Find the entries of an isomorphic network, and map their schedules to it
    Search(AtlasSearchArgs),
    /// Add a schedule that is better than the one in the atlas
    Add(AtlasAddArgs),
    /// Write the pages of the book about the atlas
    Pages(AtlasPagesArgs),
}

/// The folder of the atlas.
#[derive(Args)]
pub struct AtlasFolder {
    /// Folder of the atlas
    #[arg(long = "atlas", value_name = "DIR", default_value = "atlas", help_heading = ATLAS)]
    pub folder: PathBuf,
}

const LIST_EXAMPLES: &str = "\
Examples:
  List all entries, or those of one family of networks:
    pavane atlas list
    pavane atlas list --family tori
  List the entries that are not proved optimal:
    pavane atlas list --open
  List the TDM schedules that are better than published ones:
    pavane atlas list --model tdm --records";

/// `pavane atlas list`
#[derive(Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct AtlasListArgs {
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Only this family of networks
    #[arg(long, value_name = "NAME", help_heading = ATLAS)]
    pub family: Option<String>,
    /// Only entries that minimise this
    #[arg(long, value_name = "MODEL", value_parser = one_of(AtlasModel::ALL), help_heading = ATLAS)]
    pub model: Option<AtlasModel>,
    /// Only entries that are not proved optimal
    #[arg(long, help_heading = ATLAS)]
    pub open: bool,
    /// Only entries that are better than a published figure
    #[arg(long, help_heading = ATLAS)]
    pub records: bool,
    /// Print the entries as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  Show an entry with its bound, the published figure and the command that finds it again:
    pavane atlas show hypercube-3-aas
  Write its schedule, after the judge has accepted it:
    pavane atlas show hypercube-3-aas -o schedule.json";

/// `pavane atlas show`
#[derive(Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub struct AtlasShowArgs {
    /// Name of the entry (see `pavane atlas list`)
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Write the schedule to this file, gzipped if the name ends in .gz
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the entry as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  Verify the whole atlas:
    pavane atlas verify
  Verify two entries:
    pavane atlas verify hypercube-3-aas tdm-torus-4x4";

/// `pavane atlas verify`
#[derive(Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct AtlasVerifyArgs {
    /// Names of entries [default: all]
    #[arg(value_name = "ENTRY")]
    pub entries: Vec<String>,
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Print the verdicts as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const SEARCH_EXAMPLES: &str = "\
Examples:
  List the entries for networks that are isomorphic to that of a file:
    pavane atlas search cluster.toml
  Find a schedule of an all-to-all, and write it in the labels of the file:
    pavane atlas search cluster.toml all-to-all -o schedule.json
  Rules count: one port per processor and store-and-forward switching:
    pavane atlas search hypercube:4 broadcast --root 5 --ports 1 --switching sf
  Throughput plans of a machine, and TDM schedules without wrap:
    pavane atlas search dgx-1v all-gather --model throughput
    pavane atlas search torus:6x6 all-to-all --no-wrap";

/// `pavane atlas search`
#[derive(Args)]
#[command(after_help = SEARCH_EXAMPLES)]
pub struct AtlasSearchArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collective, as for `pavane solve` [default: list the entries of all collectives]
    #[arg(value_name = "COLLECTIVE")]
    pub collective: Option<String>,
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Only entries that minimise this
    #[arg(long, value_name = "MODEL", value_parser = one_of(AtlasModel::ALL), help_heading = ATLAS)]
    pub model: Option<AtlasModel>,
    /// Number of chunks of each message
    #[arg(long, value_name = "C", default_value_t = 1, value_parser = whole::<u32>(1..=4096), help_heading = PROBLEM)]
    pub chunks: u32,
    #[command(flatten)]
    pub rules: RulesArgs,
    /// Only timed schedules of this size, such as 64KB, 1MiB or 1GB
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = TIME_MODEL)]
    pub bytes: Option<u64>,
    /// Bandwidth of every channel, such as 50GB/s or 400Gb/s [default: that of the network]
    #[arg(long, value_name = "B", value_parser = parse_bandwidth, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub bandwidth: Option<Fraction>,
    /// Latency of every channel, such as 500ns or 0.7us [default: that of the network]
    #[arg(long, value_name = "L", value_parser = parse_latency, allow_hyphen_values = true, help_heading = TIME_MODEL)]
    pub latency: Option<Fraction>,
    /// Only TDM schedules in which every word arrives before the next period begins
    #[arg(long, help_heading = RULES)]
    pub no_wrap: bool,
    /// Only TDM schedules with this many slots per hop [default: 1]
    #[arg(long, value_name = "D", value_parser = whole::<u32>(1..=MOST_DEPTH), help_heading = RULES)]
    pub depth: Option<u32>,
    /// Only TDM schedules in which a word occupies a port or channel for this many slots [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=MOST_PHITS), help_heading = RULES)]
    pub phits: Option<u32>,
    /// Write the mapped schedule to this file, gzipped if the name ends in .gz. Of several entries, the
    /// first in the list is written: one in steps, if there is one
    #[arg(short, long, value_name = "FILE", requires = "collective", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const ADD_EXAMPLES: &str = "\
Examples:
  Add a schedule to the tori; the judge must accept it:
    pavane atlas add schedule.json --family tori
  Add it with the seed of its search and the figure that it improves:
    pavane atlas add tdm.json --family tdm --seed 7 --published 83 --source poseidon";

/// `pavane atlas add`
#[derive(Args)]
#[command(after_help = ADD_EXAMPLES)]
pub struct AtlasAddArgs {
    /// Schedule file: steps, throughput, time or TDM, with its bound
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Family of networks, for a problem that is new in the atlas
    #[arg(long, value_name = "NAME", help_heading = ATLAS)]
    pub family: String,
    /// Network: a name, or a file in the folder of the atlas [default: the name in the file]
    #[arg(long, value_name = "NETWORK", help_heading = ATLAS)]
    pub network: Option<String>,
    /// Random seed of the search that found it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = ATLAS)]
    pub seed: u64,
    /// Seconds that the search took
    #[arg(long, value_name = "N", default_value_t = 0.0, help_heading = ATLAS)]
    pub seconds: f64,
    /// Further options of the search, as in --options '--time 60s'
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true, hide_default_value = true, help_heading = ATLAS)]
    pub options: String,
    /// Best published figure: steps, ns per byte of a shard, ns, or slots
    #[arg(long, value_name = "VALUE", requires = "source", help_heading = ATLAS)]
    pub published: Option<Fraction>,
    /// Where the figure is published
    #[arg(long, value_name = "TEXT", requires = "published", help_heading = ATLAS)]
    pub source: Option<String>,
    /// How the published figure is to be read
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, requires = "published", help_heading = ATLAS)]
    pub note: String,
    /// The published figure is for another problem, so that a better one is no improvement on it
    #[arg(long, requires = "published", help_heading = ATLAS)]
    pub other_problem: bool,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const PAGES_EXAMPLES: &str = "\
Examples:
  Write the pages of the book again:
    pavane atlas pages docs/atlas
  Write the pages of another atlas:
    pavane atlas pages pages --atlas mine";

/// `pavane atlas pages`
#[derive(Args)]
#[command(after_help = PAGES_EXAMPLES)]
pub struct AtlasPagesArgs {
    /// Folder of the pages
    #[arg(value_name = "DIR")]
    pub pages: PathBuf,
    #[command(flatten)]
    pub atlas: AtlasFolder,
    /// Print the names of the files as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
