//! A TDM schedule that the judge has accepted.

use super::certificate::TdmBoundError;
use super::verdict::{judge_tdm_within, no_proof};
use super::violation::TdmViolation;
use crate::certificates::OpenProof;
use pavane_model::TdmSchedule;

/// A schedule that breaks no rule and whose bound, if it has one, is proved. Only the judge makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedTdm {
    schedule: TdmSchedule,
    proved: Option<u32>,
}

/// Why a schedule is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TdmRejection {
    /// It breaks a rule.
    #[error("{0}")]
    Violation(Box<TdmViolation>),
    /// Its bound is false.
    #[error("its bound is false: {0}")]
    Bound(Box<TdmBoundError>),
}

/// Judges a schedule and accepts it if it breaks no rule and its bound is not false. A bound that is
/// too costly to judge is left aside.
pub fn check_tdm(schedule: TdmSchedule) -> Result<CheckedTdm, TdmRejection> {
    check_tdm_with(schedule, &no_proof)
}

/// As [`check_tdm`]; `open` opens the file of a proof.
pub fn check_tdm_with(
    schedule: TdmSchedule,
    open: OpenProof<'_>,
) -> Result<CheckedTdm, TdmRejection> {
    let verdict = judge_tdm_within(&schedule, open, None);
    let is_over_limit = verdict.over_limit().is_some();
    if let Some(violation) = verdict.violations.into_iter().next() {
        return Err(TdmRejection::Violation(Box::new(violation)));
    }
    match verdict.bound_error {
        Some(error) if !is_over_limit => Err(TdmRejection::Bound(Box::new(error))),
        _ => Ok(CheckedTdm { schedule, proved: verdict.proved }),
    }
}

impl CheckedTdm {
    /// The schedule.
    pub fn schedule(&self) -> &TdmSchedule {
        &self.schedule
    }

    /// The bound that its certificate proves.
    pub fn proved(&self) -> Option<u32> {
        self.proved
    }

    /// Whether its period is the proved bound.
    pub fn is_optimal(&self) -> bool {
        self.proved == Some(self.schedule.period)
    }
}
