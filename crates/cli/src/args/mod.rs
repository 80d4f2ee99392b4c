//! What the user may type, a file for every topic, and how it becomes a problem.

pub mod draw;
pub mod exchange;
pub mod faults;
pub mod problem;
pub mod solve;
pub mod studio;
pub mod tables;
pub mod traffic;
pub mod values;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};
use draw::DrawArgs;
use exchange::{CheckPlanArgs, ExportArgs, ImportArgs};
use faults::{FaultsArgs, RepairArgs};
use pavane_model::problem::DELIVERIES;
use pavane_networks::export_network::FORMATS;
use problem::{FaultArgs, ProblemArgs};
use solve::SolveArgs;
use std::path::PathBuf;
use std::time::Duration;
use studio::StudioArgs;
use tables::{BenchArgs, ReproduceArgs};
use traffic::{DeadlockArgs, TrafficArgs};
use values::parse_time;

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
    /// Try arguments for at most this long: `60s`, `2m`, `500ms` [default: until all are tried]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
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
    #[arg(long, value_name = "N", default_value_t = DELIVERIES)]
    pub max_deliveries: u64,
    /// The most operations that the check of a bound may take [default: 10000000000, about ten seconds, or
    /// 200 for every part of a larger problem]
    #[arg(long, value_name = "N")]
    pub max_work: Option<u64>,
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
