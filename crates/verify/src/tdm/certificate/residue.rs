//! Residue: a port that is used by W words of n phits, one after the other, is busy in every slot of a period
//! of n·W slots.
//!
//! With one phit, if every port that is used is used by W words, each of them contributes 0 + 1 + … + (W − 1) to
//! the sum of all slots, and there are as many injection ports as ejection ports, so the offsets between the
//! injection and the ejection of all words add up to 0 modulo W. If they do not, the period is at least W + 1.
//!
//! With several phits, the words of a busy port begin in slots with the same residue modulo n, because they
//! follow each other without a gap and n divides the period. The offset of a word between two busy ports is
//! the difference of their residues. If no residues agree with all offsets, the period is at least n·W + 1.

use super::{TdmBoundError, with_distances};
use pavane_model::tdm::PortDirection::{self, Receive, Send};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use std::collections::BTreeMap;

/// A port of a processor; `true` for the one that receives.
type Port = (bool, ProcessorId);

pub(super) fn derive(problem: &TdmProblem) -> Result<u64, TdmBoundError> {
    let wrong = |reason: &str| Err(TdmBoundError::Wrong(reason.to_owned()));
    let rules = problem.rules();
    if !rules.wraps || rules.routing != Routing::Minimal {
        return wrong("a residue needs minimal routing and words that may wrap");
    }
    let mut words: BTreeMap<Port, u64> = BTreeMap::new();
    let mut offsets: Vec<(Port, Port, u128)> = Vec::new();
    let mut sum = 0u128;
    with_distances(problem, |message, distance| {
        let (from, to) = (port(Send, message.from), port(Receive, message.to));
        *words.entry(from).or_default() += u64::from(message.weight);
        *words.entry(to).or_default() += u64::from(message.weight);
        let offset = u128::from(rules.depth) * (u128::from(distance) + 1);
        sum += u128::from(message.weight) * offset;
        offsets.push((from, to, offset));
    })?;
    let Some(&most) = words.values().max() else { return wrong("there is no word") };
    if rules.phits > 1 {
        offsets.retain(|(from, to, _)| words[from] == most && words[to] == most);
        if has_residues(&offsets, u128::from(rules.phits)) {
            return wrong("the words of busy ports may begin with the same residues");
        }
        return Ok(most.saturating_mul(rules.phits.into()).saturating_add(1));
    }
    if words.values().any(|&other| other != most) {
        return wrong("some ports are used by fewer words than others");
    }
    if sum.is_multiple_of(most.into()) {
        return wrong("the offsets add up to a multiple of the words per port");
    }
    Ok(most + 1)
}

fn port(direction: PortDirection, processor: ProcessorId) -> Port {
    (direction == Receive, processor)
}

/// Whether all ports can have residues whose differences are the offsets, by propagation from one port of
/// each component.
fn has_residues(offsets: &[(Port, Port, u128)], modulus: u128) -> bool {
    let mut neighbours: BTreeMap<Port, Vec<(Port, u128)>> = BTreeMap::new();
    for &(from, to, offset) in offsets {
        let forward = offset % modulus;
        neighbours.entry(from).or_default().push((to, forward));
        neighbours.entry(to).or_default().push((from, (modulus - forward) % modulus));
    }
    let mut residues: BTreeMap<Port, u128> = BTreeMap::new();
    for &start in neighbours.keys() {
        if residues.contains_key(&start) {
            continue;
        }
        residues.insert(start, 0);
        let mut open = vec![start];
        while let Some(port) = open.pop() {
            for &(other, offset) in &neighbours[&port] {
                let residue = (residues[&port] + offset) % modulus;
                match residues.get(&other) {
                    Some(&known) if known != residue => return false,
                    Some(_) => {}
                    None => {
                        residues.insert(other, residue);
                        open.push(other);
                    }
                }
            }
        }
    }
    true
}
