//! Names in schedule files are free text: the judge checks routers, channels, processors and
//! messages, not names. This module decides whether the name of a collective is correct and may be
//! shown as a fact, and words a description where a name is incorrect or not checked.

use crate::collective::{self, Kind};
use crate::faults::Fault;
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::problem::Problem;
use crate::throughput::ThroughputPlan;
use crate::words::{counted, excerpt, printable};
use std::collections::BTreeSet;

/// Applies the faults of `network` to `whole`. `None` if `whole` lacks a part that they name.
pub fn left_of(network: &Network, whole: &Network) -> Option<Network> {
    let faults: Result<Vec<Fault>, _> =
        network.faults().iter().map(|text| Fault::parse_numbers(whole, text)).collect();
    whole.without(&faults.ok()?).ok()
}

/// Whether a collective is the one that its name denotes.
pub fn is_collective_right(problem: &Problem) -> bool {
    collective::is_called_rightly(problem.collective(), problem.network())
}

/// A network whose name is not checked: the name in quotes, and the size.
pub fn unchecked_network(network: &Network) -> String {
    match network.name() {
        "" => format!("a network of {}", sizes(network)),
        name => format!("{} ({})", quoted(name), sizes(network)),
    }
}

/// A collective by its name if that is correct, otherwise by its kind, with the name in quotes.
pub fn collective_in_words(problem: &Problem) -> String {
    let (kind, name) = (problem.collective().whole_kind(), &problem.collective().name);
    let whole = if is_collective_right(problem) {
        collective::todays_name(name).to_owned()
    } else if name.is_empty() || name == kind_in_words(kind) {
        kind_in_words(kind).to_owned()
    } else {
        format!("{} called {}", kind_in_words(kind), quoted(name))
    };
    match problem.collective().chunk_count() {
        1 => whole,
        count => format!("{whole} in {count} chunks"),
    }
}

/// Whether phases are the all-reduce that their name denotes: every processor of the network
/// contributes and receives.
pub fn is_all_reduce_right(name: &str, phases: &[&Problem]) -> bool {
    let is_whole = |problem: &&Problem| participants(problem) == everyone(problem);
    collective::is_all_reduce(name) && phases.iter().all(is_whole)
}

/// Whether every processor is the root of a share in every phase. A throughput plan is one of all-reduce
/// only then, because its time is that of one share.
pub fn has_all_roots(phases: &[&Problem]) -> bool {
    phases.iter().all(|problem| roots(problem) == everyone(problem))
}

fn everyone(problem: &Problem) -> BTreeSet<ProcessorId> {
    problem.network().living_processors().collect()
}

fn participants(problem: &Problem) -> BTreeSet<ProcessorId> {
    let whole = problem.collective().whole();
    whole.senders.iter().chain(&whole.receivers).copied().collect()
}

fn roots(problem: &Problem) -> BTreeSet<ProcessorId> {
    let whole = problem.collective().whole();
    let roots = if problem.is_backward() { &whole.receivers } else { &whole.senders };
    roots.iter().copied().collect()
}

/// A collective of one phase, or the two of an all-reduce, by its name if that is correct.
pub fn phases_in_words(name: &str, phases: &[&Problem]) -> String {
    match phases {
        [only] => collective_in_words(only),
        _ if is_all_reduce_right(name, phases) => name.to_owned(),
        [reduce, ..] => {
            let words =
                format!("all-reduce of {}", counted(participants(reduce).len(), "processor"));
            if collective::is_all_reduce(name) {
                words
            } else {
                format!("{words} called {}", quoted(name))
            }
        }
        [] => String::new(),
    }
}

/// The collective of a throughput plan, by its name if that is correct.
pub fn plan_in_words(plan: &ThroughputPlan) -> String {
    let phases: Vec<&Problem> = plan.phases.iter().map(|phase| &phase.problem).collect();
    plan_phases_in_words(&plan.name, &phases)
}

/// The same for the phases of a plan.
pub fn plan_phases_in_words(name: &str, phases: &[&Problem]) -> String {
    let words = phases_in_words(name, phases);
    match phases {
        [reduce, _] if !has_all_roots(phases) => {
            format!("{words} at {}", counted(roots(reduce).len(), "root"))
        }
        _ => words,
    }
}

/// A name from a file, quoted and on one line.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", printable(&excerpt(name)).replace('"', "\\\""))
}

/// `4 routers, 8 channels, 4 processors`.
pub fn sizes(network: &Network) -> String {
    format!(
        "{}, {}, {}",
        counted(network.router_count(), "router"),
        counted(network.channel_count(), "channel"),
        counted(network.living_processors().count(), "processor")
    )
}

/// The kind of a collective, as in files.
pub fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Broadcast => "broadcast",
        Kind::Scatter => "scatter",
        Kind::Gather => "gather",
        Kind::Reduce => "reduce",
        Kind::Messages => "messages",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Groups, build};
    use crate::rules::Model;
    use crate::samples::ring;

    fn problem(network: Network, name: &str, groups: &Groups) -> Problem {
        let collective = build(name, &network, groups).unwrap().remove(0);
        Problem::new(network, collective, Model::default()).unwrap()
    }

    #[test]
    fn a_collective_is_right_if_its_name_gives_the_same_messages() {
        let some = |text: &str| Some(text.to_owned());
        let root = Groups { root: some("3"), ..Groups::default() };
        let two = Groups { senders: some("0,1"), receivers: some("2-5"), ..Groups::default() };
        let few = Groups { senders: some("0-2"), ..Groups::default() };
        let one = Groups { senders: some("1"), receivers: some("2-5"), ..Groups::default() };
        let none = Groups::default();
        for (name, groups, is_right) in [
            ("aas", &none, true),
            ("aab", &none, true),
            ("all-gather", &none, true),
            ("reduce-scatter", &none, true),
            ("oab", &none, true),
            ("oas", &root, true),
            ("aog", &root, true),
            ("reduce", &root, true),
            ("mns", &two, true),
            ("multicast", &one, true),
            ("shift:2", &none, true),
            ("aas", &few, false),
            ("oab", &one, false),
        ] {
            let problem = problem(ring(6), name, groups);
            assert_eq!(is_collective_right(&problem), is_right, "{name} {groups:?}");
        }
        let six = ring(6);
        let mut collective = build("oas", &six, &none).unwrap().remove(0);
        for (name, words) in [
            ("aas", "scatter called \"aas\""),
            ("oab", "scatter called \"oab\""),
            ("my own", "scatter called \"my own\""),
            ("", "scatter"),
            ("mns", "scatter"),
        ] {
            collective.name = name.to_owned();
            let problem = Problem::new(six.clone(), collective.clone(), Model::default()).unwrap();
            assert_eq!(collective_in_words(&problem), words);
        }
    }
}
