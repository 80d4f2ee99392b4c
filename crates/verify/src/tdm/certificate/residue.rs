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
//!
//! If some do, a word that starts in slot n·x + r and is ejected from slot n·y + s has an offset of n·(y − x) + s − r
//! modulo n·W. If every port is used by W words, x and y are 0 to W − 1 for the words of a port, so that offset + r − s
//! adds up to 0 modulo n·W over all words. If it does not, the period is at least n·W + 1.

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
    let mut offsets: Vec<(Port, Port, u128, u128)> = Vec::new();
    with_distances(problem, |message, distance| {
        let (from, to) = (port(Send, message.from), port(Receive, message.to));
        *words.entry(from).or_default() += u64::from(message.weight);
        *words.entry(to).or_default() += u64::from(message.weight);
        let offset = u128::from(rules.depth) * (u128::from(distance) + 1);
        offsets.push((from, to, offset, message.weight.into()));
    })?;
    let Some(&most) = words.values().max() else { return wrong("there is no word") };
    let phits = u128::from(rules.phits);
    let period = u128::from(most) * phits;
    offsets.retain(|(from, to, ..)| words[from] == most && words[to] == most);
    let found = residues(&offsets, phits);
    let excluded = u64::try_from(period + 1).unwrap_or(u64::MAX);
    let Some(residues) = found else { return Ok(excluded) };
    if words.values().any(|&other| other != most) {
        return wrong(
            "some ports are used by fewer words than others, and the residues of busy ports agree",
        );
    }
    let sum = offsets.iter().fold(0, |sum, (from, to, offset, weight)| {
        let difference = (offset + residues[from] + period - residues[to]) % period;
        (sum + weight * difference) % period
    });
    if sum == 0 {
        return wrong(
            "the offsets between the residues of ports add up to a multiple of the period",
        );
    }
    Ok(excluded)
}

fn port(direction: PortDirection, processor: ProcessorId) -> Port {
    (direction == Receive, processor)
}

/// Residues of all ports whose differences are the offsets, by propagation from one port of each component.
fn residues(offsets: &[(Port, Port, u128, u128)], modulus: u128) -> Option<BTreeMap<Port, u128>> {
    let mut neighbours: BTreeMap<Port, Vec<(Port, u128)>> = BTreeMap::new();
    for &(from, to, offset, _) in offsets {
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
                    Some(&known) if known != residue => return None,
                    Some(_) => {}
                    None => {
                        residues.insert(other, residue);
                        open.push(other);
                    }
                }
            }
        }
    }
    Some(residues)
}
