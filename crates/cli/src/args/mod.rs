//! The command line: arguments of every command, one file per topic, and the problems they describe.

pub mod atlas;
pub mod compare;
pub mod draw;
pub mod faults;
mod headings;
pub mod interop;
pub mod pareto;
pub mod problem;
pub mod solve;
pub mod studio;
pub mod survey;
pub mod tables;
pub mod tdm;
pub mod throughput;
pub mod throughput_bench;
pub mod time_bench;
pub mod traffic;
pub mod tune;
pub mod values;

use atlas::AtlasArgs;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command as Commands, CommandFactory, FromArgMatches, Parser, Subcommand};
use compare::ScheduleComparisonArgs;
use draw::DrawArgs;
use faults::{FaultsArgs, RepairArgs};
use headings::{OUTPUT, SEARCH, VERIFICATION};
use interop::{CheckPlanArgs, ExportArgs, ImportArgs};
use pareto::ParetoArgs;
use pavane_model::problem::DELIVERIES;
use pavane_networks::export_network::FORMATS;
use problem::{FaultArgs, ProblemArgs};
use solve::SolveArgs;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use studio::StudioArgs;
use tables::{BenchArgs, ReproduceArgs};
use tdm::TdmArgs;
use throughput::ThroughputArgs;
use traffic::{DeadlockArgs, TrafficArgs};
use tune::TuneArgs;
use values::{parse_size, parse_time, whole};

const ABOUT: &str = "Compute provably shortest collective-communication schedules for any network";

const LONG_ABOUT: &str = "\
Compute provably shortest collective-communication schedules for any network.

Give a network and a collective; get a schedule (which message travels which path when), verified by a judge that is independent of the search, and a proved bound on how good any schedule can be.";

/// Parses the arguments of the process.
pub fn parse() -> Result<Arguments, clap::Error> {
    let mut command = with_negative_numbers(Arguments::command());
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // `pavane help --help` asks for the same as `pavane help`.
    if words.get(1).is_some_and(|word| word == "help") {
        words.retain(|word| word != "--help" && word != "-h");
    }
    let matches = command.try_get_matches_from_mut(words);
    // Freeing thousands of small blocks would take longer than a small search.
    std::mem::forget(command);
    Arguments::from_arg_matches(&matches?)
}

/// Lets options take negative numbers as values, so that their errors say what is expected.
fn with_negative_numbers(command: Commands) -> Commands {
    command
        .mut_args(|argument| {
            let takes_values = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_values)
        })
        .mut_subcommands(with_negative_numbers)
}

/// The commands in groups. A test checks that none is missing.
const COMMANDS: &str = "\
Schedules:
  solve        Find a schedule with the fewest steps or the least time, and verify it
  bound        Prove a lower bound on the number of steps of a collective
  throughput   Prove how fast a collective can be with the bandwidths of the network, and plan it
  pareto       Find k-synchronous schedules, from the fewest steps to the highest bandwidth
  compare      Compare a timed schedule with rings, trees and other algorithms of libraries
  tune         Find the best schedule for every size, and write plans that a library chooses from
  tdm          Find the shortest periodic schedule of a TDM network on chip
  verify       Verify schedule files
  atlas        Find, verify and improve best-known schedules

Networks:
  networks     List the network families, or describe one network
  deadlock     Check a routing for deadlocks, or construct a deadlock-free one
  traffic      Simulate concurrent messages under policies, routings and switching methods

Faults:
  faults       Compute how many more steps each fault costs
  repair       Repair a schedule or throughput plan after faults, keeping as much of it as possible

Pictures:
  draw         Draw a network, a schedule or a traffic log as SVG, PNG, GIF or an HTML page
  studio       Start the studio: solve, play and repair schedules in a browser

Other programs:
  export       Export a schedule to a format of another program
  import       Import schedules and networks of other programs
  check-plan   Execute MSCCL and MSCCL++ files, and report errors in them

Measurements:
  bench        Solve the best-known problems with several seeds, and compare the results
  reproduce    Reproduce the tables of the papers, next to the results of the best engine
  engines      List the search engines and their parameters

This program:
  completions  Print a completion script for a shell
  man          Write the manual pages
  schema       Print the JSON schema of schedule files or of JSON output
  help         Print this message or the help of a command";

const EXAMPLES: &str = "\
Examples:
  Find a schedule with the fewest steps, and prove that; the same as a page that plays it:
    pavane solve octagon:8 all-to-all
    pavane solve octagon:8 all-to-all -o octagon.html
  Prove how fast the links of a machine allow a collective to be, and plan it:
    pavane throughput dgx-a100:2 all-gather
  Find a slot table for a network on chip:
    pavane tdm mesh:4x4
  Use all of it in a browser:
    pavane studio";

/// What to do first, then the commands.
const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}{after-help}

{before-help}Options:
{options}

Exit codes:
  0    solved, valid or correct
  1    no schedule found, not valid or not correct
  2    bad arguments or bad input
  3    proved impossible
  70   bug: the judge rejected a result of this program
  130  interrupted: nothing was found, or the results are partial

Every command that prints results has --json; docs/json.md describes the output.
";

/// The command line.
#[derive(Parser)]
#[command(
    name = "pavane",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    help_template = TEMPLATE,
    before_help = COMMANDS,
    after_help = EXAMPLES,
    max_term_width = 100
)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Hide progress, and what `solve` and `draw` say about their results
    #[arg(long, global = true)]
    pub quiet: bool,
}

/// A command.
#[derive(Subcommand)]
pub enum Command {
    /// List the network families, or describe one network
    Networks(NetworksArgs),
    /// Prove a lower bound on the number of steps of a collective
    Bound(BoundArgs),
    /// Find a schedule with the fewest steps or the least time, and verify it
    Solve(SolveArgs),
    /// Prove how fast a collective can be with the bandwidths of the network, and plan it
    Throughput(ThroughputArgs),
    /// Find k-synchronous schedules, from the fewest steps to the highest bandwidth
    Pareto(ParetoArgs),
    /// Compare a timed schedule with rings, trees and other algorithms of libraries
    Compare(ScheduleComparisonArgs),
    /// Find the best schedule for every size, and write plans that a library chooses from
    Tune(TuneArgs),
    /// Find the shortest periodic schedule of a TDM network on chip
    Tdm(TdmArgs),
    /// List the search engines and their parameters
    Engines(EnginesArgs),
    /// Verify schedule files
    Verify(VerifyArgs),
    /// Find, verify and improve best-known schedules
    Atlas(AtlasArgs),
    /// Compute how many more steps each fault costs
    Faults(FaultsArgs),
    /// Repair a schedule or throughput plan after faults, keeping as much of it as possible
    Repair(RepairArgs),
    /// Solve the best-known problems with several seeds, and compare the results
    Bench(BenchArgs),
    /// Reproduce the tables of the papers, next to the results of the best engine
    Reproduce(ReproduceArgs),
    /// Simulate concurrent messages under policies, routings and switching methods
    Traffic(TrafficArgs),
    /// Draw a network, a schedule or a traffic log as SVG, PNG, GIF or an HTML page
    Draw(DrawArgs),
    /// Start the studio: solve, play and repair schedules in a browser
    Studio(StudioArgs),
    /// Check a routing for deadlocks, or construct a deadlock-free one
    Deadlock(DeadlockArgs),
    /// Export a schedule to a format of another program
    Export(ExportArgs),
    /// Execute MSCCL and MSCCL++ files, and report errors in them
    CheckPlan(CheckPlanArgs),
    /// Import schedules and networks of other programs
    Import(ImportArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
    /// Print the JSON schema of schedule files or of JSON output
    Schema(SchemaArgs),
}

const NETWORKS_EXAMPLES: &str = "\
Examples:
  List the network families:
    pavane networks
  Describe a network, and the same network without a router:
    pavane networks torus:8x8
    pavane networks torus:8x8 --fault 5
  Convert a network to Graphviz DOT:
    pavane networks kautz:3,2 --to dot -o kautz.dot";

/// `pavane networks`
#[derive(Args)]
#[command(after_help = NETWORKS_EXAMPLES)]
pub struct NetworksArgs {
    /// Network to describe: a name such as torus:8x8, or a file [default: list the network families]
    #[arg(value_name = "NETWORK")]
    pub network: Option<String>,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Write the network in this format instead of describing it
    #[arg(long, alias = "format", value_name = "FORMAT", value_parser = network_formats(), help_heading = OUTPUT)]
    pub to: Option<String>,
    /// Write the network to this file [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the description as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const BOUND_EXAMPLES: &str = "\
Examples:
  Prove how many steps an all-to-all on a 3-dimensional hypercube needs:
    pavane bound hypercube:3 all-to-all
  Broadcast from processor 5 of a mesh:
    pavane bound mesh:4x4 broadcast --root 5
  Scatter in a directed network without one of its channels:
    pavane bound kautz:3,2 scatter --fault 10-02
  One port per processor and store-and-forward switching:
    pavane bound torus:4x4 all-gather --ports 1 --switching store-and-forward";

/// `pavane bound`
#[derive(Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub struct BoundArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Time limit, such as 60s, 2m or 500ms [default: until all bounds are computed]
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Option<Duration>,
    /// Print the bounds with their certificates as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const ENGINES_EXAMPLES: &str = "\
Examples:
  List all engines:
    pavane engines
  List the parameters of one engine:
    pavane engines hgsa";

/// `pavane engines`
#[derive(Args)]
#[command(after_help = ENGINES_EXAMPLES)]
pub struct EnginesArgs {
    /// Describe only this engine
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print the list as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  Verify a schedule and its claimed lower bound:
    pavane verify schedule.json
  Require that the schedule is for a certain network:
    pavane verify schedule.json --network torus:4x4
  Verify a folder of `pavane faults --save`:
    pavane verify contingencies --json";

/// `pavane verify`
#[derive(Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    /// Schedule files, plain or gzipped, and folders of `pavane faults --save`
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Require that the schedule is for this network (a name or a file)
    #[arg(long, value_name = "NETWORK", help_heading = VERIFICATION)]
    pub network: Option<String>,
    /// For files of TE-CCL, MSCCL, MSCCL++ or SCCL: the size, such as 64KB, 1MiB or 1GB, as in
    /// nccl-tests; the network with its bandwidths comes from --network
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, help_heading = VERIFICATION)]
    pub bytes: Option<u64>,
    /// Print the verdicts as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Reject schedules with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = DELIVERIES, value_parser = whole::<u64>(0..), help_heading = VERIFICATION)]
    pub max_deliveries: u64,
    /// Maximum number of operations to check a bound [default: 10000000000, about ten seconds, or more
    /// for large problems: 200 per part]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = VERIFICATION)]
    pub max_work: Option<u64>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  Write the manual pages of all commands to a folder:
    pavane man man1
  Print the manual page of the program:
    pavane man";

/// `pavane man`
#[derive(Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// Folder for the pages of all commands [default: print the main page to standard output]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  Print the JSON schema of schedule files, or of the output of --json:
    pavane schema schedule
    pavane schema output";

/// `pavane schema`
#[derive(Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub struct SchemaArgs {
    /// What it describes
    #[arg(value_name = "NAME", value_parser = ["output", "schedule", "tdm", "throughput", "timed"])]
    pub name: String,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  Print a completion script for bash or zsh:
    pavane completions bash
    pavane completions zsh

Redirect the output to a file in the folder from which the shell loads
completions.";

/// `pavane completions`
#[derive(Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// Shell
    pub shell: clap_complete::Shell,
    /// Words after the name of the program; print how the last one can go on, as the scripts ask
    #[arg(last = true, hide = true, value_name = "WORD")]
    pub words: Vec<String>,
}

fn network_formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|(name, _)| PossibleValue::new(*name)))
}

#[cfg(test)]
mod tests {
    use super::{Arguments, COMMANDS};
    use clap::{CommandFactory, Parser};

    /// Every command, with its subcommands.
    fn all(command: clap::Command) -> Vec<clap::Command> {
        let parts: Vec<clap::Command> = command.get_subcommands().cloned().collect();
        std::iter::once(command).chain(parts.into_iter().flat_map(all)).collect()
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        for command in all(Arguments::command()) {
            let name = command.get_name();
            let help = command.get_after_help().expect("every command has examples").to_string();
            assert!(help.starts_with("Examples:\n"), "{name}");
            let lines: Vec<&str> =
                help.lines().filter_map(|line| line.strip_prefix("    ")).collect();
            assert!((2..=5).contains(&lines.len()), "{name}: {} examples", lines.len());
            for line in lines {
                let parsed = Arguments::try_parse_from(line.split_whitespace());
                assert!(parsed.is_ok(), "{line}");
            }
            assert!(help.lines().all(|line| line.len() <= 90), "{name}: a line is too long");
        }
    }

    #[test]
    fn every_option_has_help_under_a_heading() {
        for command in all(Arguments::command()) {
            for option in command.get_arguments().filter(|option| !option.is_positional()) {
                let place = format!("{} --{}", command.get_name(), option.get_id());
                assert!(option.get_help().is_some(), "{place}");
                let is_common = matches!(option.get_id().as_str(), "help" | "quiet" | "version");
                assert!(is_common || option.get_help_heading().is_some(), "{place}");
            }
        }
    }

    #[test]
    fn the_overview_lists_every_command_with_its_purpose() {
        let program = Arguments::command();
        for command in program.get_subcommands() {
            let purpose = command.get_about().map(ToString::to_string).unwrap_or_default();
            let line = format!("  {:<12} {purpose}", command.get_name());
            assert!(COMMANDS.lines().any(|listed| listed == line), "{line}");
        }
        let listed = COMMANDS.lines().filter(|line| line.starts_with("  ")).count();
        assert_eq!(listed, program.get_subcommands().count() + 1, "and `help`");
    }
}
