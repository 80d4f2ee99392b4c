//! What the user may type of a problem: a network with its faults, a collective, groups and rules.

use super::values::{one_of, parse_ports, parse_routing};
use crate::output::Failure;
use crate::words;
use clap::Args;
use pavane_model::collective::Groups;
use pavane_model::faults::{self, Fault};
use pavane_model::{Duplex, Model, Network, Ports, Problem, Request, Routing, Switching, problem};
use pavane_networks::import;
use std::path::PathBuf;

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
        let left = request.on(&healthy, &broken)?;
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
