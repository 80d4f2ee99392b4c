//! Capacity: all words together use at least the sum of their distances, in slots of all channels.

use super::{TdmBoundError, period_of_load, with_distances};
use pavane_model::TdmProblem;

pub(super) fn derive(problem: &TdmProblem) -> Result<u64, TdmBoundError> {
    let mut hops = 0u128;
    with_distances(problem, |message, distance| {
        hops += u128::from(message.weight) * u128::from(distance);
    })?;
    period_of_load(problem, hops, problem.network().channel_count() as u128)
}
