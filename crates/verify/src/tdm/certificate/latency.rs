//! Latency: the gaps between the starts of a message with weight w add up to the period, so one of them is
//! at least the period divided by w. A word that is ready at the beginning of this gap waits for that long and
//! then travels for at least the time of a shortest way.

use super::{TdmBoundError, with_distances};
use pavane_model::ProcessorId;
use pavane_model::tdm::TdmRefutation;

/// Checks that the demanded latency of a message refutes the period.
pub(super) fn check(
    refutation: &TdmRefutation,
    from: ProcessorId,
    to: ProcessorId,
) -> Result<(), TdmBoundError> {
    let TdmRefutation { problem, period, .. } = refutation;
    let rules = problem.rules();
    let mut found = None;
    with_distances(problem, |message, hops| {
        if (message.from, message.to) == (from, to) {
            let way = u64::from(rules.depth) * (hops + 1) + u64::from(rules.phits);
            let wait = u64::from(period.div_ceil(message.weight));
            found = message.max_latency.map(|most| (way + wait, u64::from(most)));
        }
    })?;
    let message = format!("message {from} -> {to}");
    match found {
        None => Err(TdmBoundError::Wrong(format!("{message} has no demanded latency"))),
        Some((latency, most)) if latency <= most => Err(TdmBoundError::Wrong(format!(
            "with {period} slots, {message} may have a latency of {latency} slots, as demanded"
        ))),
        Some(_) => Ok(()),
    }
}
