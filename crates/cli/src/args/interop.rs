//! Arguments of the commands that exchange files with other programs: `pavane export`,
//! `pavane check-plan` and `pavane import`.

use super::headings::{INPUT, OUTPUT, RULES, TIME_MODEL, VERIFICATION};
use super::values::{duplex, parse_bytes, parse_size, rule, switching, whole};
use clap::Args;
use pavane_model::{Duplex, Ports, Routing, Switching, problem};
use std::path::PathBuf;

const EXPORT_EXAMPLES: &str = "\
Examples:
  List the formats:
    pavane export --list
  Generate a C program that carries out the schedule with MPI:
    pavane export schedule.json --to mpi -o schedule.c
  Generate a plan for MSCCL (check it with `pavane check-plan plan.xml`):
    pavane export schedule.json --to msccl -o plan.xml
  Generate a module for torch.distributed from a timed schedule:
    pavane export timed.json --to torch -o collective.py
  Generate a network on chip with a test bench from a TDM schedule (noc.sv, noc.test.sv):
    pavane export tdm.json --to systemverilog -o noc";

/// `pavane export`
#[derive(Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// Schedule, timed schedule or TDM schedule, plain or gzipped; it is verified first
    #[arg(value_name = "SCHEDULE", required_unless_present = "list")]
    pub schedule: Option<PathBuf>,
    /// Output format (see --list); timed schedules and TDM schedules have formats of their own
    #[arg(long, alias = "format", value_name = "FORMAT", required_unless_present = "list", help_heading = OUTPUT)]
    pub to: Option<String>,
    /// Output file; formats with several files append to this name [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// List the formats
    #[arg(long, conflicts_with_all = ["schedule", "to", "output"], help_heading = OUTPUT)]
    pub list: bool,
    /// Message length in bytes, for formats that state it [default: 4096; for programs from timed
    /// schedules, that of the schedule, at most 1 MiB]
    #[arg(long, value_name = "N", value_parser = parse_bytes, help_heading = OUTPUT)]
    pub bytes: Option<u64>,
    /// Print the written files, or the list of formats, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Reject schedules with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = INPUT)]
    pub max_deliveries: u64,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  Execute a plan on buffers and compare the outputs with its collective:
    pavane check-plan plan.xml
    pavane check-plan plan.xml --json
  State the collective of a plan whose file does not name it:
    pavane check-plan plan.xml --collective allgather
  Check that a plan does not deadlock with a single buffer per connection:
    pavane check-plan plan.xml --slots 1";

/// `pavane check-plan`
#[derive(Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct CheckPlanArgs {
    /// MSCCL XML files or MSCCL++ JSON files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Collective that the plan must perform: allgather, alltoall, allreduce, reduce_scatter,
    /// broadcast or reduce [default: as stated in the file]
    #[arg(long, value_name = "NAME", help_heading = VERIFICATION)]
    pub collective: Option<String>,
    /// Root of a broadcast or reduce
    #[arg(long, value_name = "RANK", value_parser = whole::<u32>(0..), help_heading = VERIFICATION)]
    pub root: Option<u32>,
    /// Number of MSCCL sends that may be pending between two thread blocks [default: as in the MSCCL
    /// runtime, 2 for the protocol Simple and 8 for LL and LL128]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..), help_heading = VERIFICATION)]
    pub slots: Option<u32>,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  Verify an MSCCL plan as a schedule and compare it with the lower bound:
    pavane import plan.xml
    pavane import plan.xml --network torus:4x4 -o schedule.json
  Judge a schedule of TE-CCL in microseconds, with what it claims:
    pavane import teccl.json --network ndv2:4 --bytes 1MB
  Convert a network file, such as the output of nvidia-smi topo -m:
    pavane import topo.txt -o machine.json";

/// `pavane import`
#[derive(Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
    /// Schedule (MSCCL XML, MSCCL++ JSON, SCCL JSON or TE-CCL JSON), or network in any supported
    /// format
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Network of the schedule, a name or a file [default: the topology in an SCCL file; for a plan,
    /// one link for each pair of ranks that communicate]
    #[arg(long, value_name = "NETWORK", help_heading = INPUT)]
    pub network: Option<String>,
    /// Switching method: a transfer takes a path of any length in one step (wormhole), or one channel
    /// per step (store-and-forward, short: sf) [default: store-and-forward if every send goes to a
    /// neighbour, otherwise wormhole]
    #[arg(long, value_name = "METHOD", value_parser = switching(), help_heading = RULES)]
    pub switching: Option<Switching>,
    /// Number of transfers that a processor can send, and receive, in one step; all: one per channel
    #[arg(long, value_name = "all|K", default_value = "all", value_parser = rule::<Ports>, help_heading = RULES)]
    pub ports: Ports,
    /// Allowed paths: shortest paths, any simple path, or at most H channels longer than the shortest
    #[arg(long, value_name = "minimal|any|+H", default_value = "any", value_parser = rule::<Routing>, help_heading = RULES)]
    pub routing: Routing,
    /// Whether both channels of a link can be used in the same step (full) or only one (half)
    #[arg(long, value_name = "MODE", default_value = "full", value_parser = duplex(), help_heading = RULES)]
    pub duplex: Duplex,
    /// Time the schedule for this size, such as 64KB, 1MiB or 1GB, as in nccl-tests: every send starts
    /// as early as the order in the file allows on the bandwidths and latencies of --network
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, conflicts_with_all = ["switching", "ports", "routing", "duplex"], help_heading = TIME_MODEL)]
    pub bytes: Option<u64>,
    /// Write the schedule, or the network as JSON, to this file
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
