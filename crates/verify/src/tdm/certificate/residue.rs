//! Residue: if every port that is used is used by W words, a period of W slots keeps all of them busy in
//! every slot. Each port then contributes 0 + 1 + … + (W − 1) to the sum of all slots, and there are as
//! many injection ports as ejection ports, so the offsets between the injection and the ejection of all
//! words add up to 0 modulo W. If they do not, the period is at least W + 1.

use super::{TdmBoundError, with_distances};
use pavane_model::{ProcessorId, Routing, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn derive(problem: &TdmProblem) -> Result<u64, TdmBoundError> {
    let wrong = |reason: &str| Err(TdmBoundError::Wrong(reason.to_owned()));
    let rules = problem.rules();
    if rules.phits != 1 || !rules.wraps || rules.routing != Routing::Minimal {
        return wrong("a residue needs one phit, minimal routing and words that may wrap");
    }
    let mut sent: BTreeMap<ProcessorId, u64> = BTreeMap::new();
    let mut received: BTreeMap<ProcessorId, u64> = BTreeMap::new();
    let mut offsets = 0u128;
    with_distances(problem, |message, distance| {
        *sent.entry(message.from).or_default() += u64::from(message.weight);
        *received.entry(message.to).or_default() += u64::from(message.weight);
        let offset = u128::from(rules.depth) * (u128::from(distance) + 1);
        offsets += u128::from(message.weight) * offset;
    })?;
    let Some(&words) = sent.values().next() else { return wrong("there is no word") };
    if sent.values().chain(received.values()).any(|&other| other != words) {
        return wrong("some ports are used by fewer words than others");
    }
    if offsets.is_multiple_of(words.into()) {
        return wrong("the offsets add up to a multiple of the words per port");
    }
    Ok(words + 1)
}
