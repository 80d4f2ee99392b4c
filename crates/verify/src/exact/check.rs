//! Checks a refutation: builds the formula again from the problem and checks the proof against it.

use super::MOST_LITERALS;
use super::encode::{TooLarge, encode_within};
use crate::cost::{Limits, OverLimit};
use crate::lrat::{self, LratError};
use pavane_model::Problem;
use std::io::{self, BufRead};

/// Why a refutation is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefutationError {
    /// The formula is too large to build.
    #[error("{0}")]
    TooLarge(TooLarge),
    /// Building the formula exceeds a limit.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// The proof is wrong.
    #[error(transparent)]
    Proof(#[from] LratError),
}

impl RefutationError {
    /// The cost and the limit, if a limit is why the refutation was not checked.
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

/// Accepts an LRAT proof that a problem has no schedule of at most `steps` steps.
pub fn check_refutation(
    problem: &Problem,
    steps: u32,
    proof: &mut dyn BufRead,
) -> Result<(), RefutationError> {
    check_refutation_within(problem, steps, proof, Limits::of(problem))
}

/// Like [`check_refutation`], with limits on the cost.
pub fn check_refutation_within(
    problem: &Problem,
    steps: u32,
    proof: &mut dyn BufRead,
    limits: Limits,
) -> Result<(), RefutationError> {
    let forward = problem.is_backward().then(|| problem.forward());
    let problem = forward.as_ref().unwrap_or(problem);
    // Drops everything but the formula before the proof is read.
    let cnf = encode_within(problem, steps, MOST_LITERALS, limits)?.cnf;
    Ok(lrat::check_within(&cnf, proof, limits)?)
}
