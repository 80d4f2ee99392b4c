//! What the user may type, and how it becomes a problem.

use crate::draw_args::DrawArgs;
use crate::exchange_args::{CheckPlanArgs, ExportArgs, ImportArgs};
use crate::fault_args::{FaultsArgs, RepairArgs};
use crate::output::Failure;
use crate::studio_args::StudioArgs;
use crate::traffic_args::{DeadlockArgs, TrafficArgs};
use crate::words;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Args, Parser, Subcommand};
use pavane_engine::parameters::Preset;
use pavane_model::collective::Groups;
use pavane_model::export_network::FORMATS;
use pavane_model::faults::{self, Fault};
use pavane_model::{
    Duplex, Model, Network, Ports, Problem, Request, Routing, Switching, import, problem,
};
use pavane_render::export::MOST_BYTES;
use std::path::PathBuf;
use std::time::Duration;

const OVERVIEW: &str = "\
Pavane finds the fewest steps in which a group of processors can talk: give it a network and a
collective communication, and it says how few steps are possible and why, and judges schedules.

Examples:
  pavane bound hypercube:3 aas             all-to-all on a 3-cube: 4 steps, and the reason
  pavane bound mesh:4x4 oab --root 5       broadcast from processor 5 of a mesh
  pavane bound kautz:3,2 oas --fault 10-02 scatter round a broken channel
  pavane bound my-cluster.dot all-gather --ports 1 --switching sf
  pavane networks                          every network family
  pavane networks torus:8x8                one network in figures
  pavane verify schedule.json              judge a schedule file
  pavane export schedule.json --to mpi -o schedule.c   a schedule for another program

Exit codes: 0 solved, valid or right; 1 no schedule found, not valid or not right; 2 bad arguments or bad
input; 70 a bug (an answer of our own that the judge refuses); 130 interrupted before there was any schedule, or twice. Every
command that prints results has --json; docs/json.md describes it.";

/// The command line.
#[derive(Parser)]
#[command(name = "pavane", version, about = "The fewest steps in which a group of processors can talk", long_about = OVERVIEW)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Show no progress; `solve` and `draw` print nothing but errors
    #[arg(long, global = true)]
    pub quiet: bool,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// List the network families, or describe one network
    Networks(NetworksArgs),
    /// Prove how many steps a collective needs at least
    Bound(BoundArgs),
    /// Find the shortest schedule of a collective, judged
    Solve(SolveArgs),
    /// List the engines and their parameters
    Engines(EnginesArgs),
    /// Judge schedule files
    Verify(VerifyArgs),
    /// Find out what every fault costs
    Faults(FaultsArgs),
    /// Mend a schedule after a fault, keeping as much of it as can be
    Repair(RepairArgs),
    /// Solve the best-known problems with several seeds and compare
    Bench(BenchArgs),
    /// Print the tables of the papers beside what we get
    Reproduce(ReproduceArgs),
    /// Simulate concurrent messages: missions, policies, routings, switchings
    Traffic(TrafficArgs),
    /// Draw a network, a schedule or a traffic log: SVG, PNG, or a page that plays it
    Draw(DrawArgs),
    /// Open the studio: choose, solve, play, break and mend in a browser
    Studio(StudioArgs),
    /// Tell whether a routing can deadlock, or construct one that cannot
    Deadlock(DeadlockArgs),
    /// Write a schedule in a format that other programs read
    Export(ExportArgs),
    /// Run MSCCL and MSCCL++ files and say what is wrong with them
    CheckPlan(CheckPlanArgs),
    /// Read schedules and networks of other programs
    Import(ImportArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// A network, as typed.
#[derive(Args)]
pub struct NetworkArgs {
    /// A network: a name such as `torus:8x8` (see `pavane networks`) or a file
    #[arg(value_name = "NETWORK")]
    pub network: String,
    #[command(flatten)]
    pub faults: FaultArgs,
}

/// What is broken, as typed.
#[derive(Args, Clone)]
pub struct FaultArgs {
    /// Break the link A-B (in a directed network the channel from A to B), or the router A;
    /// may be given several times. Routers go by number or by name; r10 is always number 10
    #[arg(long, value_name = "A-B|A")]
    pub fault: Vec<String>,
    /// Break one direction of a link; may be given several times
    #[arg(long, value_name = "A-B")]
    pub fault_channel: Vec<String>,
    /// Break what this file lists, one fault per line as --fault takes it, # for comments; may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub faults: Vec<PathBuf>,
}

impl FaultArgs {
    /// Whether nothing is to break.
    pub fn is_empty(&self) -> bool {
        self.fault.is_empty() && self.fault_channel.is_empty() && self.faults.is_empty()
    }

    /// What is broken in a network.
    pub fn load(&self, network: &Network) -> Result<Vec<Fault>, Failure> {
        let mut faults = Vec::new();
        for text in &self.fault {
            faults.push(Fault::parse(network, text).map_err(Failure::bad_input)?);
        }
        for text in &self.fault_channel {
            faults.push(Fault::parse_channel(network, text).map_err(Failure::bad_input)?);
        }
        for path in &self.faults {
            faults.extend(faults::read_file(path, network).map_err(Failure::bad_input)?);
        }
        Ok(faults)
    }
}

impl NetworkArgs {
    /// The network with its faults.
    pub fn load(&self) -> Result<Network, Failure> {
        Ok(self.load_both()?.1)
    }

    /// The network without its faults, and with them.
    pub fn load_both(&self) -> Result<(Network, Network), Failure> {
        let network = import::load(&self.network).map_err(Failure::bad_input)?;
        let faults = self.faults.load(&network)?;
        let broken = network.without(&faults).map_err(Failure::bad_input)?;
        Ok((network, broken))
    }
}

/// A problem, as typed.
#[derive(Args)]
pub struct ProblemArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// A collective: oab aab mnb oas aas mns multicast aog aor aar, or broadcast all-gather scatter
    /// all-to-all gather reduce reduce-scatter all-reduce, or transpose bit-reversal shift:K
    /// random-permutation:SEED permutation:3,0,1,2, or a file of messages
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    #[command(flatten)]
    pub rules: RulesArgs,
}

impl ProblemArgs {
    /// The problems, one for each phase of the collective. Who is missing because of faults is
    /// told.
    pub fn load(&self) -> Result<Vec<Problem>, Failure> {
        let (healthy, broken) = self.network.load_both()?;
        let request = self.rules.request(&self.collective);
        let left = request.on(&healthy, &broken).map_err(Failure::bad_input)?;
        if !left.missing.is_empty() {
            words::warn(&format!("missing: {}", words::processors(&left.missing)));
        }
        Ok(left.phases)
    }
}

/// Who takes part in a collective, and under which rules, as typed.
#[derive(Args)]
pub struct RulesArgs {
    /// The one that sends, or receives, in a one-to-all or all-to-one collective [default: the first]
    #[arg(long, value_name = "PROCESSOR")]
    pub root: Option<String>,
    /// The group that sends: `0-7,12` or `all`
    #[arg(long, value_name = "GROUP")]
    pub senders: Option<String>,
    /// The group that receives: `0-7,12` or `all`
    #[arg(long, value_name = "GROUP")]
    pub receivers: Option<String>,
    /// Transfers that a processor sends, and receives, in one step: `all` or a number
    #[arg(long, value_name = "all|K", default_value = "all", value_parser = parse_ports)]
    pub ports: Ports,
    /// Any length in one step (wormhole), or one channel per step (sf, store-and-forward)
    #[arg(long, value_name = "wormhole|sf", default_value = "wormhole", value_parser = one_of(&[
        ("wormhole", Switching::Wormhole), ("sf", Switching::StoreAndForward),
    ]))]
    pub switching: Switching,
    /// Shortest paths only, any simple paths, or at most H channels longer than the shortest
    #[arg(long, value_name = "minimal|any|+H", default_value = "minimal", value_parser = parse_routing)]
    pub routing: Routing,
    /// Whether the two channels of a link work at the same time
    #[arg(long, value_name = "full|half", default_value = "full", value_parser = one_of(&[
        ("full", Duplex::Full), ("half", Duplex::Half),
    ]))]
    pub duplex: Duplex,
    /// The most deliveries that are handled
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES)]
    pub max_deliveries: u64,
}

impl RulesArgs {
    /// The rules.
    pub fn model(&self) -> Model {
        Model {
            switching: self.switching,
            routing: self.routing,
            duplex: self.duplex,
            ports: self.ports,
        }
    }

    /// What is asked for, of a collective by its name.
    pub fn request(&self, collective: &str) -> Request {
        let groups = Groups {
            root: self.root.clone(),
            senders: self.senders.clone(),
            receivers: self.receivers.clone(),
        };
        let (collective, model) = (collective.to_owned(), self.model());
        Request { collective, groups, model, limit: self.max_deliveries }
    }
}

/// `pavane networks`
#[derive(Args)]
pub struct NetworksArgs {
    /// A network to describe: a name such as `torus:8x8`, or a file; without it, list the families
    #[arg(value_name = "NETWORK")]
    pub network: Option<String>,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Write the network in this format instead of describing it
    #[arg(long, value_name = "dot|json|graphml", value_parser = network_formats())]
    pub to: Option<String>,
    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane bound`
#[derive(Args)]
pub struct BoundArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Print JSON, with certificates
    #[arg(long)]
    pub json: bool,
}

/// `pavane engines`
#[derive(Args)]
pub struct EnginesArgs {
    /// Only the engine of this name
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane verify`
#[derive(Args)]
pub struct VerifyArgs {
    /// Schedule files, plain or gzipped, and folders of `pavane faults --save`
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Demand that the schedule is for this network (a name or a file)
    #[arg(long, value_name = "NETWORK")]
    pub network: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The most deliveries that are handled
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES)]
    pub max_deliveries: u64,
}

/// `pavane man`
#[derive(Args)]
pub struct ManArgs {
    /// The folder for the pages of all commands [default: the page of pavane, to standard output]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// `pavane completions`
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

fn network_formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|(name, _)| PossibleValue::new(*name)))
}

/// A parser for an option that takes one of a few words.
pub fn one_of<T: Copy + Send + Sync + 'static>(table: &'static [(&'static str, T)]) -> ValueParser {
    let names = table.iter().map(|(word, _)| PossibleValue::new(*word));
    let parser = PossibleValuesParser::new(names).map(|word| {
        let entry = table.iter().find(|(name, _)| *name == word);
        entry.expect("clap lets no other word through").1
    });
    ValueParser::new(parser)
}

/// A number of ports.
pub fn parse_ports(text: &str) -> Result<Ports, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(Ports::All),
        (_, Ok(ports)) if ports > 0 => Ok(Ports::Limited(ports)),
        _ => Err(format!("write `all` or a number from 1 to {}", u32::MAX)),
    }
}

/// Which paths are allowed.
pub fn parse_routing(text: &str) -> Result<Routing, String> {
    match text {
        "minimal" => Ok(Routing::Minimal),
        "any" => Ok(Routing::Any),
        _ => match text.strip_prefix('+').map(str::parse) {
            Some(Ok(hops)) => Ok(Routing::Detour(hops)),
            _ => Err("write `minimal`, `any`, or `+H` such as `+2`".to_owned()),
        },
    }
}

/// `pavane solve`
#[derive(Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Accept only a schedule of at most this many steps
    #[arg(long, value_name = "S")]
    pub steps: Option<u32>,
    /// Use this engine only [default: all that fit the problem]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Values of the engine's parameters: as they work best, or as the papers have them
    #[arg(long, value_name = "tuned|paper", value_parser = one_of(Preset::ALL))]
    pub preset: Option<Preset>,
    /// Set parameters of the engine (see `pavane engines`); may be given several times
    #[arg(long, value_name = "NAME=VALUE,…", value_delimiter = ',')]
    pub set: Vec<String>,
    /// Where chance starts: the same seed and --evaluations give the same schedule
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Search for at most this long: `60s`, `2m`, `500ms` [default: until the bound is met, or about
    /// 30 s after the first schedule]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Search for at most this many evaluations
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Put effort into proving that no shorter schedule exists, or, with --steps, that so many are
    /// too few. A proof is kept beside FILE, in FILE.lrat.gz without .json
    #[arg(long)]
    pub prove: bool,
    /// Write the schedule to this file; gzipped if it ends in .gz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep in this file where the search stands, with the best schedule so far, and go on from there
    /// if there is such a file. Under MPI it is kept beside -o by default, until the search is over
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub cost: CostArgs,
}

/// The constants of the cost model: a step lasts ts + d*tr + size*t1, d the hops of its longest
/// path (1 under store-and-forward).
#[derive(Args)]
pub struct CostArgs {
    /// Cost model: start-up time of a step, which lasts ts + hops*tr + size*t1
    #[arg(long, value_name = "TIME")]
    pub ts: Option<f64>,
    /// Cost model: time per hop of the longest path of a step
    #[arg(long, value_name = "TIME")]
    pub tr: Option<f64>,
    /// Cost model: time per unit of message length
    #[arg(long, value_name = "TIME")]
    pub t1: Option<f64>,
    /// Cost model: message length
    #[arg(long, value_name = "UNITS")]
    pub size: Option<f64>,
}

/// A length in bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(bytes) if bytes % 4 == 0 && (4..=MOST_BYTES).contains(&bytes) => Ok(bytes),
        _ => Err(format!("write a multiple of 4 from 4 to {MOST_BYTES}")),
    }
}

/// A number of threads.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("write a number from 1 to 1024".to_owned()),
    }
}

/// A time such as `60s`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as `60s`, `2m` or `500ms`".to_owned()),
    };
    let seconds = number.parse().ok().map(|number: f64| number * scale);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "write a time such as `60s`, `2m` or `500ms`".to_owned())
}

/// `pavane bench`
#[derive(Args)]
pub struct BenchArgs {
    /// Only problems whose line contains all of these, such as `hypercube:5 aas`
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub seeds: u64,
    /// The most time for one run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    pub time: Duration,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `pavane reproduce`
#[derive(Args)]
pub struct ReproduceArgs {
    /// Tables, such as `gecco-2`, or the beginning of their names, such as `fault` [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// List the tables
    #[arg(long)]
    pub list: bool,
    /// Runs of every problem
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// The papers' algorithms to the letter, or with what makes them work
    #[arg(long, value_name = "tuned|paper", default_value = "tuned", value_parser = one_of(Preset::ALL))]
    pub preset: Preset,
    /// Another algorithm than the table's
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Parameters of the algorithm (see `pavane engines`); may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub set: Vec<String>,
    /// Evaluations of a run at the most [default: 15 times what the engine takes for a first try]
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u64>,
    /// Time of a run at the most; a run that it ends may come out differently next time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub time: Duration,
    /// Where chance starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Keep finished rows in this file, and do not make them again
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Draw evaluations against network size (Figures 9 and 10, from table gecco-2) into this folder
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
