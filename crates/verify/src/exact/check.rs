//! Accepts or refuses a refutation: the formula is written anew from the problem, and the proof is
//! checked against it.

use super::MOST_LITERALS;
use super::encode::{TooLarge, encode};
use crate::lrat::{self, LratError};
use pavane_model::Problem;
use std::io::BufRead;

/// Why a refutation is not believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefutationError {
    /// There is no formula to hold it against.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The proof is wrong.
    #[error(transparent)]
    Proof(#[from] LratError),
}

/// Accepts a proof, in LRAT, that a problem has no schedule of at most so many steps.
pub fn check_refutation(
    problem: &Problem,
    steps: u32,
    proof: &mut dyn BufRead,
) -> Result<(), RefutationError> {
    let encoding = match problem.is_backward() {
        true => encode(&problem.forward(), steps, MOST_LITERALS),
        false => encode(problem, steps, MOST_LITERALS),
    };
    Ok(lrat::check(&encoding?.cnf, proof)?)
}
