//! The names of routers as they are drawn.

use super::processors::is_alone;
use pavane_model::collective::Kind;
use pavane_model::{Fault, Label, Network, Problem, ProcessorId, RouterId, words};

/// Longest name that is written into a router; if there are longer ones, numbers are used.
const LONGEST: usize = 12;

/// Router names if all are short, otherwise numbers such as `r3`, which options take too.
pub fn labels(network: &Network) -> Vec<String> {
    let routers = network.routers();
    if has_short_names(network) {
        routers.map(|router| network.router_name(router)).collect()
    } else {
        routers.map(number).collect()
    }
}

/// Whether all names of routers are short enough to be written into them.
pub fn has_short_names(network: &Network) -> bool {
    network.routers().all(|router| longest_line(&network.router_name(router)) <= LONGEST)
}

fn number(router: RouterId) -> String {
    format!("r{router}")
}

/// The name of a processor as drawn: that of its router if it is alone there.
pub fn processor(network: &Network, processor: ProcessorId, has_short_names: bool) -> String {
    match network.home(processor).filter(|_| is_alone(network, processor)) {
        Some(router) if !has_short_names => number(router),
        _ => network.processor_name(processor),
    }
}

/// A message by the names of its processors: `0,0`, or `0,0→1,2`. Messages of a list have numbers.
pub fn message(problem: &Problem, label: Label, has_short_names: bool) -> String {
    let name = |number: u32| match problem.collective().whole_kind() {
        Kind::Messages => number.to_string(),
        _ => processor(problem.network(), ProcessorId(number), has_short_names),
    };
    match label {
        Label::One(one) => name(one),
        Label::Two(one, two) => format!("{}→{}", name(one), name(two)),
    }
}

/// The lines of a label: the name of a box, and that of a part of it.
pub fn lines(label: &str) -> impl Iterator<Item = &str> {
    let (first, second) = label.rsplit_once('/').map_or((label, None), |(a, b)| (a, Some(b)));
    [Some(first), second].into_iter().flatten()
}

/// The number of characters in the longest line of a label.
pub fn longest_line(label: &str) -> usize {
    lines(label).map(|line| line.chars().count()).max().unwrap_or(0)
}

/// The faults, with the names that are drawn, such as `1,1–1,2`.
pub fn faults(network: &Network) -> String {
    if has_short_names(network) {
        return words::listed(&network.fault_labels());
    }
    let named = |fault: &String| match Fault::parse_numbers(network, fault) {
        Ok(Fault::Link(tail, head)) => format!("{}–{}", number(tail), number(head)),
        Ok(Fault::Channel(tail, head)) => format!("{} → {}", number(tail), number(head)),
        Ok(Fault::Router(router)) => number(router),
        Err(_) => fault.clone(),
    };
    words::listed(&network.faults().iter().map(named).collect::<Vec<_>>())
}
