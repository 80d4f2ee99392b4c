//! The names of routers as they are drawn.

use pavane_model::collective::Kind;
use pavane_model::{Label, Network, Problem, ProcessorId, words};

/// Longest name that is written into a router; if there are longer ones, numbers are used.
const LONGEST: usize = 12;

/// Router names if all are short, otherwise numbers.
pub fn labels(network: &Network) -> Vec<String> {
    let names: Vec<String> = network.routers().map(|router| network.router_name(router)).collect();
    if names.iter().all(|name| longest_line(name) <= LONGEST) {
        names
    } else {
        network.routers().map(|router| router.to_string()).collect()
    }
}

/// A message by the names of its processors: `0,0`, or `0,0→1,2`. Messages of a list have numbers.
pub fn message(problem: &Problem, label: Label) -> String {
    let name = |number: u32| match problem.collective().whole_kind() {
        Kind::Messages => number.to_string(),
        _ => problem.network().processor_name(ProcessorId(number)),
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
    let names = labels(network);
    let named = |fault: &String| {
        let router = |number: &str| {
            let at = number.parse::<usize>().ok();
            at.and_then(|at| names.get(at)).cloned().unwrap_or_else(|| number.to_owned())
        };
        let ends = |sign| fault.split_once(sign);
        match (ends('-'), ends(':')) {
            (Some((tail, head)), _) => format!("{}–{}", router(tail), router(head)),
            (None, Some((tail, head))) => format!("{} → {}", router(tail), router(head)),
            (None, None) => router(fault),
        }
    };
    words::listed(&network.faults().iter().map(named).collect::<Vec<_>>())
}
