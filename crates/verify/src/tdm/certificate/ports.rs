//! Ports: a processor injects, or ejects, one word at a time. If words may not wrap, consider those with
//! at least `hops` hops: the last one to be injected still has `depth·(hops + 1)` slots to the end of
//! its ejection, and the first one to be ejected has as many behind it.

use super::{TdmBoundError, with_distances};
use pavane_model::tdm::PortDirection;
use pavane_model::{ProcessorId, TdmProblem};

pub(super) fn derive(
    problem: &TdmProblem,
    processor: ProcessorId,
    direction: PortDirection,
    hops: u32,
) -> Result<u64, TdmBoundError> {
    let rules = problem.rules();
    if rules.wraps && hops > 0 {
        let reason = "hops count only if words may not wrap".to_owned();
        return Err(TdmBoundError::Wrong(reason));
    }
    let mut words = 0u64;
    let mut nearest = u64::MAX;
    with_distances(problem, |message, distance| {
        let end = match direction {
            PortDirection::Send => message.from,
            PortDirection::Receive => message.to,
        };
        if end == processor && distance >= u64::from(hops) {
            words += u64::from(message.weight);
            nearest = nearest.min(distance);
        }
    })?;
    if words == 0 {
        let reason = format!("no such word uses a port of processor {processor}");
        return Err(TdmBoundError::Wrong(reason));
    }
    let way = if rules.wraps { 0 } else { u64::from(rules.depth) * (nearest + 1) };
    Ok(words * u64::from(rules.phits) + way)
}
