//! `pavane traffic run|compare|sweep`: missions of concurrent messages.

mod compare;
mod replay;
mod run;
mod sweep;

pub use compare::compare_rows;
pub use sweep::{Curves, Over, curves};

use crate::args::traffic::{RuleArgs, TrafficArgs, TrafficCommand};
use crate::output::{DONE, Failure, not_so};
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::{Duplex, Network};
use pavane_traffic::{Policy, RoutingMethod, Simulator, SwitchingMethod, policy::POLICIES};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(args: &TrafficArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    match &args.command {
        TrafficCommand::Run(args) if cluster.is_first() => run::run(args),
        TrafficCommand::Run(_) => Ok(DONE),
        TrafficCommand::Compare(args) => compare::run(args, cluster),
        TrafficCommand::Sweep(args) => sweep::run(args, cluster),
    }
}

/// The exit code, depending on whether something is unfinished, such as
/// `3 of 20 runs did not finish`. If so, warns that the figures leave it out.
fn exit_code(unfinished: Option<String>, duplex: Duplex) -> ExitCode {
    let Some(unfinished) = unfinished else { return DONE };
    let advice = match duplex {
        Duplex::Half => {
            "with half duplex the two directions of a link can block each other: try --duplex full"
        }
        Duplex::Full => "try --routing deadlock-free or more --lanes",
    };
    words::warn(&format!(
        "warning: {unfinished} because of a deadlock and are excluded from the figures; {advice}"
    ));
    not_so()
}

/// Describes how many runs did not finish, if any, from the finished and unfinished runs of every
/// row.
fn unfinished_runs(counts: impl Iterator<Item = (u64, u64)>) -> Option<String> {
    let sum = counts.fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    let (finished, unfinished) = sum;
    (unfinished > 0)
        .then(|| format!("{unfinished} of {} runs did not finish", finished + unfinished))
}

/// A figure with `places` decimal places, or a dash for `None`.
pub fn shown(figure: Option<f64>, places: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.places$}"))
}

/// The switching with this name.
fn switching(name: &str, rules: &RuleArgs) -> Result<SwitchingMethod, Failure> {
    SwitchingMethod::find(name, rules.lanes).map_err(Failure::bad_input)
}

/// The policy with this name.
fn policy(name: &str, rules: &RuleArgs) -> Result<Policy, Failure> {
    let policy = Policy::find(name).map_err(Failure::bad_input)?;
    Ok(if rules.edd { policy.with_age() } else { policy })
}

/// The policies in a list; `all` selects all.
fn policies(names: &[String], rules: &RuleArgs) -> Result<Vec<Policy>, Failure> {
    let all: Vec<String> = POLICIES.iter().map(|policy| policy.name.to_owned()).collect();
    let is_all = names.iter().any(|name| name == "all");
    (if is_all { &all } else { names }).iter().map(|name| policy(name, rules)).collect()
}

/// A simulator with the name of its routing: the one requested, or dimension order if the network
/// has dimensions, or else shortest paths.
fn simulator(
    network: &Network,
    name: Option<&str>,
    rules: &RuleArgs,
) -> Result<(String, Simulator), Failure> {
    let (name, routing) = match name {
        Some(name) => (name, RoutingMethod::find(name, network)),
        None => match RoutingMethod::find("e-cube", network) {
            Ok(routing) => ("e-cube", Ok(routing)),
            Err(_) => ("shortest", RoutingMethod::find("shortest", network)),
        },
    };
    let routing = routing.map_err(Failure::bad_input)?;
    Ok((name.to_owned(), Simulator::new(network.clone(), rules.duplex, routing)))
}

/// Simulators for the routings in a list.
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
