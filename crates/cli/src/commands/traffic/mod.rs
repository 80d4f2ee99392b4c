//! `pavane traffic run|compare|sweep`: missions of concurrent messages.

mod advice;
mod compare;
mod rate;
pub mod run;
mod simulated_run;
mod sweep;

pub use compare::compare_rows;
pub use sweep::{Curves, curves};

use crate::args::traffic::{RuleArgs, TrafficArgs, TrafficCommand};
use crate::commands::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::output::{DONE, Failure, not_so};
use crate::report::traffic::TrafficRules;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::Network;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::policy::POLICIES;
use pavane_traffic::{
    DeadlockRisk, Policy, RoutedSimulator, RoutingMethod, Simulator, SwitchingMethod,
};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the subcommand.
pub fn run(args: &TrafficArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    match &args.command {
        TrafficCommand::Run(args) if cluster.is_first() => run::run(args),
        TrafficCommand::Run(_) => Ok(DONE),
        TrafficCommand::Compare(args) => compare::run(args, cluster),
        TrafficCommand::Sweep(args) => sweep::run(args, cluster),
    }
}

/// A flag that the first signal raises. With several ranks the launcher ends them.
fn stop_flag(cluster: &Cluster) -> Arc<AtomicBool> {
    if cluster.is_alone() { stop_on_interrupt(cluster) } else { Arc::default() }
}

/// Says that a signal ended the measurements after this many, of which some are `cut` short; returns
/// the exit code.
fn interrupted(done: u64, what: &str, cut: Option<String>) -> ExitCode {
    let cut = cut.map_or(String::new(), |cut| format!(", {cut}"));
    words::warn(&match done {
        0 => format!("interrupted before the first {what} was measured"),
        _ => format!("interrupted: only {} measured{cut}", words::counted(done as usize, what)),
    });
    ExitCode::from(INTERRUPTED)
}

/// The figure that is missing if missions or messages do not finish.
const ALL: &str = "mean over all";

/// The exit code, depending on whether something is unfinished because of a deadlock, such as
/// `3 of 20 runs did not finish`. If so, warns that a figure is missing, with advice.
fn exit_code(unfinished: Option<String>, missing: &str, advice: impl Fn() -> String) -> ExitCode {
    let Some(unfinished) = unfinished else { return DONE };
    let advice = advice();
    words::warn(&format!(
        "warning: {unfinished} because of a deadlock, so there is no {missing}; {advice}"
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

/// The rules in words: `half duplex, 2 virtual channels with buffers of 4 flits`.
fn rules_in_words(rules: &TrafficRules) -> String {
    let mut text = format!("{} duplex", rules.duplex);
    match (rules.lanes, rules.buffer) {
        (None | Some(1), None) => {}
        (lanes, buffer) => {
            text += ", ";
            text += &words::counted(lanes.unwrap_or(1) as usize, "virtual channel");
            if let Some(buffer) = buffer {
                text += " with buffers of ";
                text += &words::counted(buffer as usize, "flit");
            }
        }
    }
    text
}

/// A figure with `places` decimal places, or a dash for `None`.
pub fn shown(figure: Option<f64>, places: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.places$}"))
}

/// The switching with this name; wormhole is simulated flit by flit if there are buffers.
fn switching(name: &str, rules: &RuleArgs) -> Result<SwitchingMethod, Failure> {
    let found = SwitchingMethod::find(name, rules.lanes()).map_err(Failure::bad_input)?;
    Ok(match (found, rules.buffer) {
        (SwitchingMethod::Wormhole(lanes), Some(buffer)) => {
            SwitchingMethod::Flits(FlitRules { lanes, buffer })
        }
        _ => found,
    })
}

/// Fails if virtual channels or buffers are requested and none of the switchings has them.
fn check_lanes(rules: &RuleArgs, switchings: &[SwitchingMethod]) -> Result<(), Failure> {
    let has_lanes = |switching: &SwitchingMethod| {
        matches!(switching, SwitchingMethod::Wormhole(_) | SwitchingMethod::Flits(_))
    };
    if switchings.iter().any(has_lanes) {
        return Ok(());
    }
    let given = [("--lanes", rules.lanes.filter(|&lanes| lanes > 1)), ("--buffer", rules.buffer)];
    match given.into_iter().find_map(|(option, value)| Some((option, value?))) {
        None => Ok(()),
        Some((option, value)) => Err(Failure::bad_input(format!(
            "{option} {value} applies to wormhole switching only; add --switching wormhole"
        ))),
    }
}

/// The switchings with these names, each once.
fn switchings(names: &[String], rules: &RuleArgs) -> Result<Vec<SwitchingMethod>, Failure> {
    let mut found = Vec::new();
    for name in names {
        let switching = switching(name, rules)?;
        if !found.contains(&switching) {
            found.push(switching);
        }
    }
    Ok(found)
}

/// The policy with this name.
fn policy(name: &str, rules: &RuleArgs) -> Result<Policy, Failure> {
    let policy = Policy::find(name).map_err(Failure::bad_input)?;
    Ok(if rules.edd { policy.with_age() } else { policy })
}

/// The policies in a list, each once; `all` or an empty list selects all.
fn policies(names: &[String], rules: &RuleArgs) -> Result<Vec<Policy>, Failure> {
    let all: Vec<String> = POLICIES.iter().map(|policy| policy.name.to_owned()).collect();
    let is_all = names.is_empty() || names.iter().any(|name| name == "all");
    let mut found: Vec<Policy> = Vec::new();
    for name in if is_all { &all } else { names } {
        let policy = policy(name, rules)?;
        if found.iter().all(|other| other.name != policy.name) {
            found.push(policy);
        }
    }
    Ok(found)
}

/// The name of a routing and, if it was not requested, why it was chosen.
#[derive(Debug, Clone)]
pub struct RoutingChoice {
    /// The name.
    pub name: String,
    /// What the routing is and why it was chosen; `None` if it was requested.
    pub reason: Option<&'static str>,
    /// Whether it can deadlock; `None` if that depends on the messages.
    pub risk: Option<DeadlockRisk>,
}

impl RoutingChoice {
    /// The name, with a note if the routing can deadlock.
    pub fn in_words(&self) -> String {
        match self.risk {
            Some(DeadlockRisk::Cycle | DeadlockRisk::HalfDuplex) => {
                format!("{} (can deadlock)", self.name)
            }
            _ => self.name.clone(),
        }
    }

    /// Why it was chosen or, if it was requested and the switching can deadlock, what its dependency
    /// graph says.
    pub fn explanation(&self, switching: SwitchingMethod) -> Option<&'static str> {
        let of_graph = || match self.risk.filter(|_| switching.can_deadlock())? {
            DeadlockRisk::Free => Some("cannot deadlock: no cycle of channel dependencies"),
            DeadlockRisk::HalfDuplex => Some("can deadlock, only because of half duplex"),
            DeadlockRisk::Cycle => Some(
                "can deadlock: a cycle of channel dependencies, which `pavane deadlock` prints",
            ),
        };
        self.reason.or_else(of_graph)
    }
}

/// A simulator with the requested routing, or the default one.
fn simulator(
    network: &Network,
    name: Option<&str>,
    rules: &RuleArgs,
    switching: SwitchingMethod,
) -> Result<(RoutingChoice, Simulator), Failure> {
    let (choice, routing) = match name {
        Some(name) => {
            let routing = RoutingMethod::find(name, network).map_err(Failure::bad_input)?;
            let risk = routing.deadlock_risk(network, rules.duplex(), switching);
            (RoutingChoice { name: name.to_owned(), reason: None, risk }, routing)
        }
        None => {
            let chosen = RoutingMethod::default_for(network, rules.duplex(), switching);
            let chosen = chosen.map_err(Failure::bad_input)?;
            let (name, reason) = (chosen.name.to_owned(), Some(chosen.reason));
            let risk = chosen.routing.deadlock_risk(network, rules.duplex(), switching);
            (RoutingChoice { name, reason, risk }, chosen.routing)
        }
    };
    Ok((choice, Simulator::new(network.clone(), rules.duplex(), routing)))
}

/// Simulators for the routings in a list; the default one of every switching if it is empty.
fn simulators(
    network: &Network,
    names: &[String],
    rules: &RuleArgs,
    switchings: &[SwitchingMethod],
) -> Result<Vec<RoutedSimulator>, Failure> {
    RoutedSimulator::list(network, rules.duplex(), names, switchings).map_err(Failure::bad_input)
}
