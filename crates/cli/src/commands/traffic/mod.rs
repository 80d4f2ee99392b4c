//! `pavane traffic run|compare|sweep`: missions of concurrent messages.

mod compare;
mod replay;
mod run;
mod sweep;

pub use compare::compare_rows;
pub use sweep::{Curves, Over, curves};

use crate::args::traffic::{RuleArgs, TrafficArgs, TrafficCommand};
use crate::output::{DONE, Failure};
use pavane_cluster::Cluster;
use pavane_model::Network;
use pavane_traffic::{Policy, Routing, Simulator, Switching, TrafficError, policy::POLICIES};
use std::process::ExitCode;

/// Does what was asked for.
pub fn run(args: &TrafficArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    match &args.command {
        TrafficCommand::Run(args) if cluster.is_first() => run::run(args),
        TrafficCommand::Run(_) => Ok(DONE),
        TrafficCommand::Compare(args) => compare::run(args, cluster),
        TrafficCommand::Sweep(args) => sweep::run(args, cluster),
    }
}

/// The switching of a name.
fn switching(name: &str, rules: &RuleArgs) -> Result<Switching, Failure> {
    let table = Switching::ALL.iter().find(|(known, _)| *known == name).map(|(_, it)| *it);
    let found = table.or_else(|| (name == "wormhole").then_some(Switching::Wormhole(rules.lanes)));
    found.ok_or_else(|| {
        Failure::bad_input(TrafficError::Unknown {
            what: "switching",
            name: name.to_owned(),
            known: "ms, cs, vct, wormhole".to_owned(),
        })
    })
}

/// The policy of a name.
fn policy(name: &str, rules: &RuleArgs) -> Result<Policy, Failure> {
    let policy = Policy::find(name).map_err(Failure::bad_input)?;
    Ok(if rules.edd { policy.with_age() } else { policy })
}

/// The policies of a list; `all` stands for all.
fn policies(names: &[String], rules: &RuleArgs) -> Result<Vec<Policy>, Failure> {
    let all: Vec<String> = POLICIES.iter().map(|policy| policy.name.to_owned()).collect();
    let is_all = names.iter().any(|name| name == "all");
    (if is_all { &all } else { names }).iter().map(|name| policy(name, rules)).collect()
}

/// A network with its routing and the name of that: as asked for, or dimension order where the network has
/// dimensions, or shortest paths.
fn simulator(
    network: &Network,
    name: Option<&str>,
    rules: &RuleArgs,
) -> Result<(String, Simulator), Failure> {
    let (name, routing) = match name {
        Some(name) => (name, Routing::find(name, network)),
        None => match Routing::find("e-cube", network) {
            Ok(routing) => ("e-cube", Ok(routing)),
            Err(_) => ("shortest", Routing::find("shortest", network)),
        },
    };
    let routing = routing.map_err(Failure::bad_input)?;
    Ok((name.to_owned(), Simulator::new(network.clone(), rules.duplex, routing)))
}

/// Networks with the routings of a list.
fn simulators(
    network: &Network,
    names: &[String],
    rules: &RuleArgs,
) -> Result<Vec<(String, Simulator)>, Failure> {
    if names.is_empty() {
        return Ok(vec![simulator(network, None, rules)?]);
    }
    names.iter().map(|name| simulator(network, Some(name), rules)).collect()
}
