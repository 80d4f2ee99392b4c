//! Accepts or refuses a refutation: the formula is written anew from the problem, and the proof is
//! checked against it.

use super::MOST_LITERALS;
use super::encode::{TooLarge, encode_within};
use crate::cost::{Limits, OverLimit};
use crate::lrat::{self, LratError};
use pavane_model::Problem;
use std::io::{self, BufRead};

/// Why a refutation is not believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefutationError {
    /// There is no formula to hold it against.
    #[error("{0}")]
    TooLarge(TooLarge),
    /// Writing the formula costs too much.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// The proof is wrong.
    #[error(transparent)]
    Proof(#[from] LratError),
}

impl RefutationError {
    /// What checking the refutation would cost and the limit, if that is why it is not believed.
    pub fn over_limit(&self) -> Option<OverLimit> {
        match self {
            Self::OverLimit(over) | Self::Proof(LratError::OverLimit(over)) => Some(over.clone()),
            Self::TooLarge(error) => Some(OverLimit::Formula { why: error.to_string() }),
            Self::Proof(LratError::Io(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                Some(OverLimit::Proof { why: error.to_string() })
            }
            Self::Proof(_) => None,
        }
    }
}

impl From<TooLarge> for RefutationError {
    fn from(error: TooLarge) -> Self {
        match error {
            TooLarge::OverLimit(over) => Self::OverLimit(over),
            literals => Self::TooLarge(literals),
        }
    }
}

/// Accepts a proof, in LRAT, that a problem has no schedule of at most so many steps.
pub fn check_refutation(
    problem: &Problem,
    steps: u32,
    proof: &mut dyn BufRead,
) -> Result<(), RefutationError> {
    check_refutation_within(problem, steps, proof, Limits::of(problem))
}

/// As [`check_refutation`], with limits on what that may cost.
pub fn check_refutation_within(
    problem: &Problem,
    steps: u32,
    proof: &mut dyn BufRead,
    limits: Limits,
) -> Result<(), RefutationError> {
    let forward = problem.is_backward().then(|| problem.forward());
    let problem = forward.as_ref().unwrap_or(problem);
    // Only the formula is kept while the proof is read.
    let cnf = encode_within(problem, steps, MOST_LITERALS, limits)?.cnf;
    Ok(lrat::check_within(&cnf, proof, limits)?)
}
