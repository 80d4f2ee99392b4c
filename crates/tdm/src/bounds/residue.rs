//! Residue: a period in which the busiest ports are never idle. If all ports have the same number of words W, of
//! one phit, a period of W slots needs the offsets between injection and ejection to add up to a multiple of W.
//! If words have n phits, those of a port that is never idle start in slots with the same residue modulo n, and
//! all offsets between two such ports must agree with that.

use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> Option<TdmBound> {
    let rules = problem.rules();
    if !rules.wraps || rules.routing != Routing::Minimal {
        return None;
    }
    let mut ports: BTreeMap<(bool, ProcessorId), u64> = BTreeMap::new();
    let mut offsets = 0u128;
    for (message, &distance) in problem.messages().iter().zip(distances) {
        let weight = u64::from(message.weight);
        *ports.entry((false, message.from)).or_default() += weight;
        *ports.entry((true, message.to)).or_default() += weight;
        let offset = u128::from(rules.depth) * (u128::from(distance) + 1);
        offsets += u128::from(weight) * offset;
    }
    let words = *ports.values().max()?;
    let excludes = if rules.phits > 1 {
        let is_busy = |port: (bool, ProcessorId)| ports.get(&port) == Some(&words);
        disagree(problem, distances, is_busy)
    } else {
        ports.values().all(|&other| other == words) && !offsets.is_multiple_of(words.into())
    };
    let period = u32::try_from(words.checked_mul(rules.phits.into())? + 1).ok()?;
    excludes.then_some(TdmBound { period, certificate: TdmCertificate::Residue {} })
}

/// Whether no residues of busy ports agree with all offsets between them. Ports are joined to trees; every
/// port knows its difference to the one above it.
fn disagree(
    problem: &TdmProblem,
    distances: &[u32],
    is_busy: impl Fn((bool, ProcessorId)) -> bool,
) -> bool {
    let rules = problem.rules();
    let (phits, count) = (u64::from(rules.phits), problem.network().processor_count());
    let mut above: Vec<(usize, u64)> = (0..2 * count).map(|port| (port, 0)).collect();
    for (message, &distance) in problem.messages().iter().zip(distances) {
        if !is_busy((false, message.from)) || !is_busy((true, message.to)) {
            continue;
        }
        let offset = u64::from(rules.depth) * (u64::from(distance) + 1) % phits;
        let (from, at_from) = root(&mut above, message.from.index(), phits);
        let (to, at_to) = root(&mut above, count + message.to.index(), phits);
        let (early, late) = ((at_from + offset) % phits, at_to);
        if from == to && early != late {
            return true;
        }
        if from != to {
            above[to] = (from, (early + phits - late) % phits);
        }
    }
    false
}

/// The root of a port, and the residue of the port if that of the root is 0. Shortens the way.
fn root(above: &mut [(usize, u64)], port: usize, phits: u64) -> (usize, u64) {
    let (mut at, mut residue) = (port, 0);
    while above[at].0 != at {
        residue = (residue + above[at].1) % phits;
        at = above[at].0;
    }
    if at != port {
        above[port] = (at, residue);
    }
    (at, residue)
}
