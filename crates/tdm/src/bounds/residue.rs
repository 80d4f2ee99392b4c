//! Residue: a period in which the busiest ports are never idle. If all ports have the same number of words W, of
//! one phit, a period of W slots needs the offsets between injection and ejection to add up to a multiple of W.
//! If words have n phits, those of a port that is never idle start in slots with the same residue modulo n, and
//! all offsets between two such ports must agree with that. If they do and all ports have W words, the offsets between
//! those residues add up to a multiple of n·W.

use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> Option<TdmBound> {
    let rules = problem.rules();
    if !rules.wraps || rules.routing != Routing::Minimal {
        return None;
    }
    let mut ports: BTreeMap<(bool, ProcessorId), u64> = BTreeMap::new();
    for message in problem.messages() {
        let weight = u64::from(message.weight);
        *ports.entry((false, message.from)).or_default() += weight;
        *ports.entry((true, message.to)).or_default() += weight;
    }
    let words = *ports.values().max()?;
    let period = u32::try_from(words.checked_mul(rules.phits.into())? + 1).ok()?;
    let is_busy = |port: (bool, ProcessorId)| ports.get(&port) == Some(&words);
    let excludes = match sum_of_differences(problem, distances, is_busy) {
        None => true,
        Some(sum) => {
            let is_even = ports.values().all(|&other| other == words);
            is_even && sum.rem_euclid(i128::from(period) - 1) != 0
        }
    };
    excludes.then_some(TdmBound { period, certificate: TdmCertificate::Residue {} })
}

/// The sum of the offsets between the residues of busy ports; `None` if no residues agree with all offsets between
/// them. Ports are joined to trees; every port knows its difference to the one above it.
fn sum_of_differences(
    problem: &TdmProblem,
    distances: &[u32],
    is_busy: impl Fn((bool, ProcessorId)) -> bool,
) -> Option<i128> {
    let rules = problem.rules();
    let (phits, count) = (u64::from(rules.phits), problem.network().processor_count());
    let mut above: Vec<(usize, u64)> = (0..2 * count).map(|port| (port, 0)).collect();
    let busy = problem.messages().iter().zip(distances);
    let busy = busy.filter(|(one, _)| is_busy((false, one.from)) && is_busy((true, one.to)));
    let offset = |distance: u32| u64::from(rules.depth) * (u64::from(distance) + 1);
    for (message, &distance) in busy.clone() {
        let (from, at_from) = root(&mut above, message.from.index(), phits);
        let (to, at_to) = root(&mut above, count + message.to.index(), phits);
        let (early, late) = ((at_from + offset(distance)) % phits, at_to);
        if from == to && early != late {
            return None;
        }
        if from != to {
            above[to] = (from, (early + phits - late) % phits);
        }
    }
    let mut sum = 0;
    for (message, &distance) in busy {
        let (_, at_from) = root(&mut above, message.from.index(), phits);
        let (_, at_to) = root(&mut above, count + message.to.index(), phits);
        let difference = i128::from(offset(distance) + at_from) - i128::from(at_to);
        sum += i128::from(message.weight) * difference;
    }
    Some(sum)
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
