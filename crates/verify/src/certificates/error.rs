//! Errors of the check of a bound.

use crate::cost::OverLimit;
use pavane_model::words;

/// Why a bound is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// The bound has no certificate.
    #[error("the bound of {} ({reason}) has no certificate", words::steps(*steps))]
    NoCertificate {
        /// Number of steps claimed.
        steps: u32,
        /// Reason claimed.
        reason: String,
    },
    /// The proof file cannot be opened.
    #[error("the proof that {} needed, {proof:?}, cannot be read: {why}", are(*steps))]
    NoProof {
        /// Number of steps claimed.
        steps: u32,
        /// Name of the proof file.
        proof: String,
        /// Why it could not be read.
        why: String,
    },
    /// The certificate proves less than claimed.
    #[error("the {reason} certificate proves {}, not {claimed}", words::steps(*proved))]
    TooHigh {
        /// The kind of certificate.
        reason: &'static str,
        /// Number of steps that it proves.
        proved: u64,
        /// Number of steps claimed.
        claimed: u32,
    },
    /// A valid schedule has fewer steps than the bound claims.
    #[error("at least {claimed} steps are claimed, but the schedule has {steps} and is valid")]
    AboveSchedule {
        /// Number of steps claimed.
        claimed: u32,
        /// Number of steps of the schedule.
        steps: u32,
    },
    /// The certificate does not apply to the problem.
    #[error("the {reason} certificate is not valid: {problem}")]
    Unfit {
        /// The kind of certificate.
        reason: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Checking the certificate would exceed a limit, so the bound is neither proved nor refuted.
    #[error("the {reason} certificate was not checked: {over}")]
    OverLimit {
        /// The kind of certificate.
        reason: &'static str,
        /// The cost and the limit.
        over: OverLimit,
    },
}

impl BoundError {
    /// The cost and the limit, if a limit is why the bound was not checked.
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
