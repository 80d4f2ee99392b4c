//! Derives the bound that a certificate proves, one file per kind.

mod capacity;
mod cut;
mod exact;
mod latency;
mod offsets;
mod ports;
mod prices;
mod residue;

use crate::certificates::OpenProof;
use crate::cost::{Cost, Limits, MOST_BYTES, MOST_OPERATIONS, OverLimit};
use crate::distance::Neighbours;
use pavane_model::tdm::{TdmBound, TdmCertificate, TdmMessage, TdmRefutation};
use pavane_model::{RouterId, TdmProblem};

/// Why a claimed bound is not proved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TdmBoundError {
    /// The certificate proves a lower bound.
    #[error("the schedule claims a bound of {claimed} slots, but the certificate proves {proved}")]
    ProvesLess {
        /// The claimed bound.
        claimed: u32,
        /// The proved bound.
        proved: u64,
    },
    /// The certificate makes no sense.
    #[error("the certificate is wrong: {0}")]
    Wrong(String),
    /// The file of its proof cannot be read.
    #[error("the proof {proof} cannot be read: {why}")]
    NoProof {
        /// The file.
        proof: String,
        /// The reason.
        why: String,
    },
    /// Checking it takes too long.
    #[error("the bound is not judged: {0}")]
    OverLimit(#[from] OverLimit),
}

/// Derives a claimed bound again. `open` opens the file of a proof, and `operations` overrides the limit
/// on the operations.
pub fn check_tdm_bound(
    problem: &TdmProblem,
    bound: &TdmBound,
    open: OpenProof<'_>,
    operations: Option<u64>,
) -> Result<u32, TdmBoundError> {
    let limits = Limits { operations: operations.unwrap_or(MOST_OPERATIONS), bytes: MOST_BYTES };
    let proved = derive(&bound.certificate, problem, open, limits)?;
    let claimed = bound.period;
    if proved < u64::from(claimed) {
        return Err(TdmBoundError::ProvesLess { claimed, proved });
    }
    Ok(u32::try_from(proved).unwrap_or(u32::MAX))
}

/// Checks that no schedule has a period: its certificate proves a bound above it, the proof of an exact
/// certificate refutes it, or a demanded latency does. `open` and `operations` are as in [`check_tdm_bound`].
pub fn check_refuted_period(
    refutation: &TdmRefutation,
    open: OpenProof<'_>,
    operations: Option<u64>,
) -> Result<(), TdmBoundError> {
    let limits = Limits { operations: operations.unwrap_or(MOST_OPERATIONS), bytes: MOST_BYTES };
    let TdmRefutation { problem, period, certificate } = refutation;
    if let TdmCertificate::Exact(exact) = certificate {
        if !(exact.from..=exact.to).contains(period) {
            let (from, to) = (exact.from, exact.to);
            return Err(TdmBoundError::Wrong(format!(
                "its proof is about periods from {from} to {to}, not about {period}"
            )));
        }
        return exact::check_proof(problem, exact, open, limits);
    }
    if let TdmCertificate::Latency { from, to } = certificate {
        limits.check(Cost::of(search_cost(problem)))?;
        return latency::check(refutation, *from, *to);
    }
    let proved = derive(certificate, problem, open, limits)?;
    if proved <= u64::from(*period) {
        return Err(TdmBoundError::ProvesLess { claimed: period.saturating_add(1), proved });
    }
    Ok(())
}

fn derive(
    certificate: &TdmCertificate,
    problem: &TdmProblem,
    open: OpenProof<'_>,
    limits: Limits,
) -> Result<u64, TdmBoundError> {
    let messages = problem.messages().len() as u64;
    match certificate {
        TdmCertificate::Ports { processor, direction, hops } => {
            limits.check(Cost::of(search_cost(problem)))?;
            ports::derive(problem, *processor, *direction, *hops)
        }
        TdmCertificate::Capacity {} => {
            limits.check(Cost::of(search_cost(problem)))?;
            capacity::derive(problem)
        }
        TdmCertificate::Cut { routers } => {
            limits.check(Cost::of(size(problem).saturating_add(messages)))?;
            cut::derive(problem, routers)
        }
        TdmCertificate::Prices { prices } => {
            limits.check(Cost::of(prices::cost(problem)))?;
            prices::derive(problem, prices)
        }
        TdmCertificate::Residue {} => {
            limits.check(Cost::of(search_cost(problem)))?;
            residue::derive(problem)
        }
        TdmCertificate::Offsets { hops } => {
            limits.check(Cost::of(search_cost(problem)))?;
            offsets::derive(problem, *hops)
        }
        TdmCertificate::Latency { .. } => {
            let reason = "a demanded latency refutes a period, but is no bound".to_owned();
            Err(TdmBoundError::Wrong(reason))
        }
        TdmCertificate::Exact(exact) => exact::check(problem, exact, open, limits),
    }
}

fn size(problem: &TdmProblem) -> u64 {
    let network = problem.network();
    (network.router_count() + network.channel_count() + network.processor_count()) as u64
}

/// Number of processors that send.
fn senders(problem: &TdmProblem) -> u64 {
    problem.messages().chunk_by(|one, other| one.from == other.from).count() as u64
}

/// Operations of one breadth-first search per sender.
fn search_cost(problem: &TdmProblem) -> u64 {
    let searches = senders(problem).saturating_mul(size(problem).saturating_mul(2));
    searches.saturating_add(problem.messages().len() as u64)
}

/// The homes of the sender and the receiver. The problem was checked: they exist.
fn homes(
    problem: &TdmProblem,
    message: &TdmMessage,
) -> Result<(RouterId, RouterId), TdmBoundError> {
    let home = |processor| {
        let lost = || TdmBoundError::Wrong(format!("there is no processor {processor}"));
        problem.network().home(processor).ok_or_else(lost)
    };
    Ok((home(message.from)?, home(message.to)?))
}

/// Calls `visit` with every message and the hops between its processors.
fn with_distances(
    problem: &TdmProblem,
    mut visit: impl FnMut(&TdmMessage, u64),
) -> Result<(), TdmBoundError> {
    let neighbours = Neighbours::along(problem.network());
    for group in problem.messages().chunk_by(|one, other| one.from == other.from) {
        let distances = neighbours.distances([homes(problem, &group[0])?.0]);
        for message in group {
            visit(message, u64::from(distances[homes(problem, message)?.1.index()]));
        }
    }
    Ok(())
}

/// The period that a load needs: `uses` of `channels` channels, weighted or not. If words may not wrap,
/// no channel is used in the first and the last `depth` slots of a period.
fn period_of_load(problem: &TdmProblem, uses: u128, channels: u128) -> Result<u64, TdmBoundError> {
    if channels == 0 {
        return Err(TdmBoundError::Wrong("no channel counts".to_owned()));
    }
    let rules = problem.rules();
    let slots = uses.saturating_mul(rules.phits.into()).div_ceil(channels);
    let idle = if rules.wraps || slots == 0 { 0 } else { 2 * u128::from(rules.depth) };
    Ok(u64::try_from(slots + idle).unwrap_or(u64::MAX))
}
