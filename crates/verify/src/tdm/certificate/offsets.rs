//! Offsets: words may not wrap. S words that leave a processor are injected in slots of at least
//! 0 + n + 2n + … in sum, for n phits; R words that reach a processor are ejected in slots of at most
//! (P − n) + (P − 2n) + … in sum, for a period P. The offsets between the injections and the ejections, at
//! least depth·(distance + 1) each, are the difference of both sums over all processors, so
//! P ≥ (offsets + Σ n·S(S − 1)/2 + Σ n·R(R + 1)/2) / words. Any set of words proves a bound; here, those with
//! at least `hops` hops.

use super::{TdmBoundError, with_distances};
use pavane_model::{ProcessorId, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn derive(problem: &TdmProblem, hops: u32) -> Result<u64, TdmBoundError> {
    let wrong = |reason: &str| TdmBoundError::Wrong(reason.to_owned());
    let rules = problem.rules();
    if rules.wraps {
        return Err(wrong("offsets count only if words may not wrap"));
    }
    let mut sent: BTreeMap<ProcessorId, u128> = BTreeMap::new();
    let mut received: BTreeMap<ProcessorId, u128> = BTreeMap::new();
    let (mut words, mut offsets) = (0u128, 0u128);
    with_distances(problem, |message, distance| {
        if distance >= u64::from(hops) {
            let weight = u128::from(message.weight);
            *sent.entry(message.from).or_default() += weight;
            *received.entry(message.to).or_default() += weight;
            words += weight;
            offsets += weight * u128::from(rules.depth) * (u128::from(distance) + 1);
        }
    })?;
    if words == 0 {
        return Err(wrong("no word has so many hops"));
    }
    let early = sent.values().map(|words| words * (words - 1) / 2).sum::<u128>();
    let late = received.values().map(|words| words * (words + 1) / 2).sum::<u128>();
    let slots = offsets + u128::from(rules.phits) * (early + late);
    Ok(u64::try_from(slots.div_ceil(words)).unwrap_or(u64::MAX))
}
