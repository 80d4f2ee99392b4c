//! Why a bound is not believed.

use crate::cost::OverLimit;
use pavane_model::words;

/// Why a bound is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// Nothing to check.
    #[error("the bound of {} ({reason}) comes without a certificate", words::steps(*steps))]
    NoCertificate {
        /// The steps claimed.
        steps: u32,
        /// The reason claimed.
        reason: String,
    },
    /// The proof is not at hand.
    #[error("the proof that {} needed, {proof:?}, is not at hand: {why}", are(*steps))]
    NoProof {
        /// The steps claimed.
        steps: u32,
        /// The file that should have it.
        proof: String,
        /// Why it could not be read.
        why: String,
    },
    /// The certificate proves less.
    #[error("the {reason} certificate proves {}, not {claimed}", words::steps(*proved))]
    TooHigh {
        /// The kind of certificate.
        reason: &'static str,
        /// What it proves.
        proved: u64,
        /// What is claimed.
        claimed: u32,
    },
    /// A valid schedule with fewer steps refutes it.
    #[error("at least {claimed} steps are claimed, but the schedule has {steps} and is valid")]
    AboveSchedule {
        /// What is claimed.
        claimed: u32,
        /// The steps of the schedule.
        steps: u32,
    },
    /// The certificate does not fit the problem.
    #[error("the {reason} certificate proves nothing: {problem}")]
    Unfit {
        /// The kind of certificate.
        reason: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Checking the certificate would cost more than is allowed, so nothing is known of the bound.
    #[error("the {reason} certificate was not checked: {over}")]
    OverLimit {
        /// The kind of certificate.
        reason: &'static str,
        /// What it would cost, and the limit.
        over: OverLimit,
    },
}

impl BoundError {
    /// What the check would cost and the limit, if that is why nothing is known of the bound.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Self::OverLimit { over, .. } => Some(over),
            _ => None,
        }
    }
}

/// `1 step is`, `4 steps are`.
fn are(steps: u32) -> String {
    format!("{} {}", words::steps(steps), if steps == 1 { "is" } else { "are" })
}
