//! Arguments that describe a problem: a network with its faults, a collective, groups and rules.

use super::headings::{FAULTS, PROBLEM, RULES};
use super::values::{duplex, rule, switching, whole};
use crate::output::Failure;
use crate::words;
use clap::Args;
use pavane_model::collective::{Groups, group};
use pavane_model::faults::{self, Fault};
use pavane_model::{
    CollectiveRequest, Duplex, Model, Network, Ports, Problem, Routing, Switching, problem,
};
use pavane_networks::import;
use std::path::PathBuf;

/// A network with its faults.
#[derive(Args)]
pub struct NetworkArgs {
    /// Network: a name such as torus:8x8 (see `pavane networks`), or a file
    #[arg(value_name = "NETWORK")]
    pub network: String,
    #[command(flatten)]
    pub faults: FaultArgs,
}

/// The faults of a network.
#[derive(Args, Clone)]
pub struct FaultArgs {
    /// Remove the link A-B (in a directed network the channel from A to B) or the router A; may be
    /// repeated. Routers are given by name or number, as in 1,1-1,2; r10 always means number 10
    #[arg(long, value_name = "A-B|A", help_heading = FAULTS)]
    pub fault: Vec<String>,
    /// Remove one direction of a link; may be repeated
    #[arg(long, value_name = "A-B", help_heading = FAULTS)]
    pub fault_channel: Vec<String>,
    /// Read faults from this file, one per line in the form of --fault; # starts a comment. May be
    /// repeated
    #[arg(long, value_name = "FILE", help_heading = FAULTS)]
    pub faults: Vec<PathBuf>,
}

impl FaultArgs {
    /// Whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.fault.is_empty() && self.fault_channel.is_empty() && self.faults.is_empty()
    }

    /// The faults, as parts of the network.
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
        let network = import::load(&self.network)?;
        let broken = self.with_faults(&network)?;
        Ok((network, broken))
    }

    /// What the faults leave of a network.
    pub fn with_faults(&self, network: &Network) -> Result<Network, Failure> {
        let faults = self.faults.load(network)?;
        network.without(&faults).map_err(Failure::bad_input)
    }
}

/// A problem.
#[derive(Args)]
pub struct ProblemArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Collective: broadcast, multicast, all-gather, scatter, all-to-all, gather, reduce,
    /// reduce-scatter, all-reduce; or by the names of the papers: oab, aab, mnb, oas, aas, mns, aog,
    /// aor, aar; or a permutation: transpose, bit-reversal, shift:K, random-permutation:SEED,
    /// permutation:3,0,1,2; or a file of messages
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    /// Cut every message into C equal chunks; a channel carries one chunk per step. auto (only in
    /// `pavane solve`): try 1, 2, … and keep the fewest steps per message, or the least time
    /// [default: 1, or auto with --minimize time]
    #[arg(long, value_name = "C|auto", value_parser = parse_chunks, help_heading = PROBLEM)]
    pub chunks: Option<ChunkCount>,
    #[command(flatten)]
    pub rules: RulesArgs,
}

/// The number of chunks of each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkCount {
    /// This many.
    Fixed(u32),
    /// The number with the fewest steps per message.
    Auto,
}

/// The largest number of chunks.
pub const MOST_CHUNKS: u32 = 4096;

/// A number of chunks, or `auto`.
fn parse_chunks(text: &str) -> Result<ChunkCount, String> {
    match text.parse() {
        Ok(count @ 1..=MOST_CHUNKS) => Ok(ChunkCount::Fixed(count)),
        _ if text == "auto" => Ok(ChunkCount::Auto),
        _ => Err(format!("expected a number from 1 to {MOST_CHUNKS}, or auto")),
    }
}

impl ProblemArgs {
    /// The problems, one for each phase of the collective. Warns about processors that the faults
    /// remove.
    pub fn load(&self) -> Result<Vec<Problem>, Failure> {
        self.load_in_chunks(self.fixed_chunks()?)
    }

    fn fixed_chunks(&self) -> Result<u32, Failure> {
        match self.chunks.unwrap_or(ChunkCount::Fixed(1)) {
            ChunkCount::Fixed(count) => Ok(count),
            ChunkCount::Auto => Err(Failure::bad_input(
                "--chunks auto works only in `pavane solve`; give a number here",
            )),
        }
    }

    /// The problems of a line of a table, which names the faults: without warnings.
    pub fn load_quietly(&self) -> Result<Vec<Problem>, Failure> {
        let (healthy, broken) = self.network.load_both()?;
        let chunks = self.fixed_chunks()?;
        let request = CollectiveRequest { chunks, ..self.rules.request(&self.collective) };
        Ok(request.on(&healthy, &broken)?.phases)
    }

    /// The problems, with every message cut into `chunks` chunks.
    pub fn load_in_chunks(&self, chunks: u32) -> Result<Vec<Problem>, Failure> {
        let (healthy, broken) = self.network.load_both()?;
        let request = CollectiveRequest { chunks, ..self.rules.request(&self.collective) };
        problems_left(&request, &healthy, &broken)
    }
}

/// The problems that faults leave of a collective, one for each phase. Warns about processors that the faults
/// remove, and about groups that have a second meaning.
pub fn problems_left(
    request: &CollectiveRequest,
    healthy: &Network,
    broken: &Network,
) -> Result<Vec<Problem>, Failure> {
    let left = request.on(healthy, broken)?;
    note_second_meanings(&request.groups, healthy);
    if !left.missing.is_empty() {
        words::warn(&format!("missing: {}", words::processors_of(healthy, &left.missing)));
    }
    Ok(left.phases)
}

/// Says how groups are read that name processors by number and are names of routers too.
pub fn note_second_meanings(groups: &Groups, network: &Network) {
    for (option, text) in [("--senders", &groups.senders), ("--receivers", &groups.receivers)] {
        let Some(text) = text else { continue };
        let Some(router) = group::second_meaning(network, text) else { continue };
        let numbers = text.replace(' ', "").replace(',', " and ");
        words::warn(&format!(
            "note: {option} {text} means the processors {numbers}; for the router {name} write '({name})'",
            name = network.router_name(router)
        ));
    }
}

/// The groups of a collective.
#[derive(Args)]
pub struct GroupArgs {
    /// Root of a one-to-all or all-to-one collective: a number, or the name of its router, such as 2,3
    /// in a mesh [default: the first processor]
    #[arg(long, value_name = "PROCESSOR", help_heading = PROBLEM)]
    pub root: Option<String>,
    /// Processors that send, such as 0-7,12 or all, or names of routers, such as '1,1 2,2' in a mesh; a
    /// single coordinate has brackets: '(1,2)'
    #[arg(long, value_name = "GROUP", help_heading = PROBLEM)]
    pub senders: Option<String>,
    /// Processors that receive, in the same form
    #[arg(long, value_name = "GROUP", help_heading = PROBLEM)]
    pub receivers: Option<String>,
}

impl GroupArgs {
    /// The groups as typed.
    pub fn groups(&self) -> Groups {
        Groups {
            root: self.root.clone(),
            senders: self.senders.clone(),
            receivers: self.receivers.clone(),
        }
    }
}

/// The groups of a collective, and the rules.
#[derive(Args)]
pub struct RulesArgs {
    #[command(flatten)]
    pub groups: GroupArgs,
    /// Number of transfers that a processor can send, and receive, in one step; all: one per channel
    #[arg(long, value_name = "all|K", default_value = "all", value_parser = rule::<Ports>, help_heading = RULES)]
    pub ports: Ports,
    /// Switching method: a transfer takes a path of any length in one step (wormhole), or one channel
    /// per step (store-and-forward, short: sf)
    #[arg(long, value_name = "METHOD", default_value = "wormhole", value_parser = switching(), help_heading = RULES)]
    pub switching: Switching,
    /// Allowed paths: shortest paths, any simple path, or at most H channels longer than the shortest
    #[arg(long, value_name = "minimal|any|+H", default_value = "minimal", value_parser = rule::<Routing>, help_heading = RULES)]
    pub routing: Routing,
    /// Whether both channels of a link can be used in the same step (full) or only one (half)
    #[arg(long, value_name = "MODE", default_value = "full", value_parser = duplex(), help_heading = RULES)]
    pub duplex: Duplex,
    /// Reject problems with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = PROBLEM)]
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

    /// The request for a collective by name.
    pub fn request(&self, collective: &str) -> CollectiveRequest {
        let groups = self.groups.groups();
        let (collective, model) = (collective.to_owned(), self.model());
        CollectiveRequest { collective, groups, chunks: 1, model, limit: self.max_deliveries }
    }
}
