//! Exact: another certificate proves that the period is at least `from`, and a formula that claims a
//! period from `from` to `to` is built again here, and a proof refutes it.

use super::{TdmBoundError, derive};
use crate::certificates::OpenProof;
use crate::cost::Limits;
use crate::tdm::formula::{TDM_ENCODING, TdmRefutationError, check_tdm_refutation};
use pavane_model::TdmProblem;
use pavane_model::tdm::TdmExact;

pub(super) fn check(
    problem: &TdmProblem,
    exact: &TdmExact,
    open: OpenProof<'_>,
    limits: Limits,
) -> Result<u64, TdmBoundError> {
    let &TdmExact { from, to, ref below, .. } = exact;
    if !(1..=to).contains(&from) {
        return Err(TdmBoundError::Wrong(format!("there is no period from {from} to {to}")));
    }
    let proved = match below {
        Some(below) => derive(below, problem, open, limits)?,
        None => 1,
    };
    if proved < u64::from(from) {
        return Err(TdmBoundError::Wrong(format!(
            "periods from {from} on are refuted, but only {proved} slots are proved below"
        )));
    }
    check_proof(problem, exact, open, limits)?;
    Ok(proved.max(u64::from(to) + 1))
}

/// Checks the proof that no schedule has a period from `from` to `to`.
pub(super) fn check_proof(
    problem: &TdmProblem,
    exact: &TdmExact,
    open: OpenProof<'_>,
    limits: Limits,
) -> Result<(), TdmBoundError> {
    let wrong = |reason: String| Err(TdmBoundError::Wrong(reason));
    let &TdmExact { from, to, encoding, ref proof, .. } = exact;
    if encoding != TDM_ENCODING {
        return wrong(format!(
            "its proof uses encoding {encoding}, but this program uses encoding {TDM_ENCODING}"
        ));
    }
    if !(1..=to).contains(&from) {
        return wrong(format!("there is no period from {from} to {to}"));
    }
    let mut file = open(proof)
        .map_err(|error| TdmBoundError::NoProof { proof: proof.clone(), why: error.to_string() })?;
    match check_tdm_refutation(problem, from, to, &mut file, limits) {
        Ok(()) => Ok(()),
        Err(TdmRefutationError::OverLimit(over)) => Err(over.into()),
        Err(error) => wrong(error.to_string()),
    }
}
