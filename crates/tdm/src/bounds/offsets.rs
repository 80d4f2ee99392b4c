//! Offsets: if words may not wrap, their injections are spread from the first slot on and their ejections up
//! to the last one, and the offsets between both need room. The words with at least some hops are counted,
//! for every number of hops.

use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{ProcessorId, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> Option<TdmBound> {
    let rules = problem.rules();
    if rules.wraps {
        return None;
    }
    let mut far_first: Vec<usize> = (0..distances.len()).collect();
    far_first.sort_by_key(|&at| std::cmp::Reverse(distances[at]));
    let mut ports: BTreeMap<(bool, ProcessorId), u128> = BTreeMap::new();
    let (mut words, mut slots) = (0u128, 0u128);
    let mut best: Option<(u128, u32)> = None;
    for group in far_first.chunk_by(|&one, &other| distances[one] == distances[other]) {
        let hops = distances[group[0]];
        for &at in group {
            let message = &problem.messages()[at];
            let weight = u128::from(message.weight);
            words += weight;
            slots += weight * u128::from(rules.depth) * (u128::from(hops) + 1);
            // W words more at a port with V words so far are injected V, V + 1, … uses after the first
            // slot, or ejected V + 1, V + 2, … uses before the end.
            for (is_ejection, processor) in [(false, message.from), (true, message.to)] {
                let known = ports.entry((is_ejection, processor)).or_default();
                let first = *known + u128::from(is_ejection);
                slots += u128::from(rules.phits) * (weight * first + weight * (weight - 1) / 2);
                *known += weight;
            }
        }
        let period = slots.div_ceil(words.max(1));
        if best.is_none_or(|(most, _)| period > most) {
            best = Some((period, hops));
        }
    }
    let (period, hops) = best?;
    let period = u32::try_from(period).ok()?;
    Some(TdmBound { period, certificate: TdmCertificate::Offsets { hops } })
}
