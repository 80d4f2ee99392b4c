//! Why there is no repair: `Impossible` where `pavane repair` has exit code 3.

use crate::errors::{bad, bug, impossible, nothing_left, unsolved};
use pavane_model::tdm::TdmProblemError;
use pavane_search::fault::RepairError;
use pavane_tdm::TdmRepairError;
use pavane_throughput::repair::PlanRepairError;
use pavane_timed::TimedRepairError;
use pyo3::prelude::*;

/// Why a schedule is not repaired.
pub fn steps(error: RepairError) -> PyErr {
    match error {
        RepairError::Fault(error) => bad(error),
        RepairError::Aftermath(error) => nothing_left(error),
        RepairError::NoParticipants { .. } | RepairError::TooFewSteps { .. } => impossible(error),
        RepairError::Refused(_) => bug(error),
        error => unsolved(error),
    }
}

/// Why a throughput plan is not repaired.
pub fn plan(error: PlanRepairError) -> PyErr {
    match error {
        PlanRepairError::Fault(error) => bad(error),
        PlanRepairError::Aftermath(error) => nothing_left(error),
        PlanRepairError::NoParticipants { .. } => impossible(error),
        error => unsolved(error),
    }
}

/// Why a timed schedule is not repaired.
pub fn timed(error: TimedRepairError) -> PyErr {
    match error {
        TimedRepairError::Fault(error) => bad(error),
        TimedRepairError::Aftermath(error) => nothing_left(error),
        TimedRepairError::NoParticipants { .. } => impossible(error),
        error => unsolved(error),
    }
}

/// Why a TDM schedule is not repaired.
pub fn slots(error: TdmRepairError) -> PyErr {
    match error {
        TdmRepairError::Rejected(_) => bug(error),
        TdmRepairError::Fault(error) => bad(error),
        TdmRepairError::Problem(TdmProblemError::Unreachable { .. }) | TdmRepairError::Unmet(_) => {
            impossible(error)
        }
        error => unsolved(error),
    }
}
