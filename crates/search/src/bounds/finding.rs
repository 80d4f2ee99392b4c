//! The result of one kind of argument for a lower bound.

use crate::budget::Interrupt;
use pavane_model::{Bound, Certificate};
use std::fmt::Display;

/// Result of trying one kind of argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The best bound of this kind that was found.
    Proved(Bound),
    /// A bound, and the price of every channel (higher under contention), 1 on average, for use by
    /// searches.
    Priced(Bound, Vec<f64>),
    /// The argument does not apply to this problem.
    NotApplicable,
    /// The argument was skipped.
    Skipped {
        /// The name of its certificate.
        reason: &'static str,
        /// Why it was skipped, with the numbers.
        why: String,
    },
}

impl Finding {
    /// A bound of `steps` steps with its explanation.
    pub(super) fn proved(steps: u64, certificate: Certificate, explanation: String) -> Self {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let reason = certificate.reason().to_owned();
        Self::Proved(Bound { steps, reason, explanation, certificate: Some(certificate) })
    }

    /// The argument was interrupted; `after` says how far it got.
    pub(super) fn out_of_time(reason: &'static str, after: impl Display) -> Self {
        Self::Skipped { reason, why: out_of_time(after) }
    }

    /// No set or message gave a bound: there is none, or an interrupt came before all were tried.
    pub(super) fn without_result(reason: &'static str, tried: &str, interrupt: &Interrupt) -> Self {
        if interrupt.is_raised() { Self::out_of_time(reason, tried) } else { Self::NotApplicable }
    }
}

/// Why an argument was interrupted.
pub(super) fn out_of_time(after: impl Display) -> String {
    format!("out of time after {after}")
}
