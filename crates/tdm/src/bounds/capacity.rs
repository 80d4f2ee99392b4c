//! Capacity: the hops of all words over the number of channels.

use super::period_of_load;
use pavane_model::TdmProblem;
use pavane_model::tdm::{TdmBound, TdmCertificate};

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> Option<TdmBound> {
    let messages = problem.messages().iter().zip(distances);
    let hops = messages.map(|(message, &hops)| u128::from(message.weight) * u128::from(hops));
    let channels = problem.network().channel_count() as u128;
    let period = period_of_load(problem, hops.sum(), channels.max(1)).filter(|_| channels > 0)?;
    Some(TdmBound { period, certificate: TdmCertificate::Capacity {} })
}
