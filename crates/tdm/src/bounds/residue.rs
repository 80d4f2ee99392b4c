//! Residue: if all ports have the same number of words W, a period of W slots needs the offsets between
//! injection and ejection to add up to a multiple of W.

use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> Option<TdmBound> {
    let rules = problem.rules();
    if rules.phits != 1 || !rules.wraps || rules.routing != Routing::Minimal {
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
    let words = *ports.values().next()?;
    let is_tight = ports.values().all(|&other| other == words);
    let excludes = is_tight && !offsets.is_multiple_of(words.into());
    let period = u32::try_from(words + 1).ok()?;
    excludes.then_some(TdmBound { period, certificate: TdmCertificate::Residue {} })
}
