//! What the user may type to exchange files with other programs: exports, plans, imports.

use super::values::{one_of, parse_bytes, parse_ports, parse_routing};
use clap::Args;
use pavane_model::{Duplex, Ports, Routing, Switching, problem};
use std::path::PathBuf;

const EXPORT_EXAMPLES: &str = "\
Examples:
  pavane export schedule.json --to csv                    to standard output
  pavane export schedule.json --to mpi -o schedule.c      then: mpicc schedule.c -o x && mpirun -np 8 ./x
  pavane export schedule.json --to msccl -o plan.xml      then: pavane check-plan plan.xml
  pavane export schedule.json --to chakra -o trace        trace.0.et, trace.1.et, …
  pavane export schedule.json --to simgrid -o sim         sim.platform.xml, sim.trace.csv, sim.replay.py
  pavane export --list                                    every format";

/// `pavane export`
#[derive(Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// A schedule file, plain or gzipped; it is judged first, and exported only if it is valid
    #[arg(value_name = "SCHEDULE", required_unless_present = "list")]
    pub schedule: Option<PathBuf>,
    /// The format (see --list)
    #[arg(long, value_name = "FORMAT", required_unless_present = "list")]
    pub to: Option<String>,
    /// Where to write; formats of several files add to the name [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List the formats
    #[arg(long, conflicts_with_all = ["schedule", "to", "output"])]
    pub list: bool,
    /// Length of a message, where the format says how much is sent
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = parse_bytes)]
    pub bytes: u64,
    /// Print JSON: the files that were written, or the formats
    #[arg(long)]
    pub json: bool,
    /// The most deliveries that are handled
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES)]
    pub max_deliveries: u64,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  pavane check-plan plan.xml                              run an MSCCL file on buffers and compare them
  pavane check-plan plan.json --json                      an execution plan of MSCCL++
  pavane check-plan tree.xml --collective broadcast --root 3
  pavane check-plan plan.xml --slots 1                    does it still end when hardly anything is buffered?";

/// `pavane check-plan`
#[derive(Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct CheckPlanArgs {
    /// MSCCL XML or MSCCL++ JSON, from pavane or from anybody else
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// What it must do, where the file does not say so: allgather, alltoall, allreduce,
    /// reduce_scatter, broadcast or reduce [default: what the file says]
    #[arg(long, value_name = "NAME")]
    pub collective: Option<String>,
    /// The root of a broadcast or reduce
    #[arg(long, value_name = "RANK")]
    pub root: Option<u32>,
    /// Sends of MSCCL from one thread block to another that may be under way at a time; one more waits
    /// [default: 2 for the protocol Simple, 8 for LL and LL128, as the runtime has it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub slots: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  pavane import plan.xml --network dgx-1v -o schedule.json   an MSCCL file as a schedule, beside its bound
  pavane import algorithm.json                               an algorithm of SCCL on its own topology
  pavane import topology.xml -o machine.json                 NCCL's topology as a network
  nvidia-smi topo -m > topo.txt; pavane import topo.txt      GPUs as a network
  ibnetdiscover > fabric.txt; pavane bound fabric.txt aas    … or as a network right away";

/// `pavane import`
#[derive(Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
    /// A schedule of others (MSCCL XML, MSCCL++ JSON, SCCL's JSON) or a network in any format
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The network that the schedule is for [default: SCCL's own topology; for plans, a link between
    /// those who talk to each other]
    #[arg(long, value_name = "NETWORK")]
    pub network: Option<String>,
    /// Any length in one step, or one channel per step [default: sf if every send goes to a
    /// neighbour, otherwise wormhole]
    #[arg(long, value_name = "wormhole|sf", value_parser = one_of(&[
        ("wormhole", Switching::Wormhole), ("sf", Switching::StoreAndForward),
    ]))]
    pub switching: Option<Switching>,
    /// Transfers that a processor sends, and receives, in one step: `all` or a number
    #[arg(long, value_name = "all|K", default_value = "all", value_parser = parse_ports)]
    pub ports: Ports,
    /// Shortest paths only, any simple paths, or at most H channels longer than the shortest
    #[arg(long, value_name = "minimal|any|+H", default_value = "any", value_parser = parse_routing)]
    pub routing: Routing,
    /// Whether the two channels of a link work at the same time
    #[arg(long, value_name = "full|half", default_value = "full", value_parser = one_of(&[
        ("full", Duplex::Full), ("half", Duplex::Half),
    ]))]
    pub duplex: Duplex,
    /// Where to write the schedule, or the network as JSON
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
