//! Results of faults: rows of a file, so that a survey can go on where it was ended.

use crate::StoreError;
use crate::files::write_file;
use pavane_model::bounded_read::{self, LARGEST_OWN};
use pavane_model::{ProcessorId, Renumbering, strict_json};
use pavane_search::fault::JobAnswer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The settings of a row, so that a file is not resumed with different ones, and the faults that
/// represent their class, by number; no faults for the intact network.
pub type Key = (String, Vec<String>);

/// The known results.
pub type KnownRows = BTreeMap<Key, FaultFinding>;

/// A row of the file.
#[derive(Deserialize)]
struct StoredRow {
    setup: String,
    faults: Vec<String>,
    #[serde(deserialize_with = "strict_json::object")]
    result: FaultFinding,
}

/// A row of the file, to write it.
#[derive(Serialize)]
struct WrittenRow<'a> {
    faults: &'a [String],
    result: &'a FaultFinding,
    setup: &'a str,
}

/// Result for a set of faults.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Finding"))]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum FaultFinding {
    /// There is a schedule.
    Solved {
        /// Its number of steps.
        steps: u32,
        /// The bound.
        bound: u32,
        /// The reason of the bound.
        reason: String,
        /// The processors lost.
        missing: Vec<ProcessorId>,
    },
    /// Some senders can no longer reach their receivers.
    Disconnected {
        /// Pairs of a sender and a receiver.
        pairs: Vec<(ProcessorId, ProcessorId)>,
        /// The processors lost.
        missing: Vec<ProcessorId>,
    },
    /// There is nothing to do, or no processor is left to do it.
    Impossible {
        /// The reason.
        why: String,
        /// The processors lost.
        #[serde(default)]
        missing: Vec<ProcessorId>,
    },
    /// No schedule was found within the limits.
    Unsolved,
    /// The run was interrupted before.
    #[serde(rename = "not reached")]
    NotReached,
}

impl FaultFinding {
    /// The result in an answer, without its schedules.
    pub fn new(answer: &JobAnswer) -> Result<Self, StoreError> {
        Ok(match answer {
            JobAnswer::Solved(solved) => Self::Solved {
                steps: solved.steps(),
                bound: solved.bound(),
                reason: match &solved.phases[..] {
                    [phase] => phase.bound.reason.clone(),
                    _ => "phases".to_owned(),
                },
                missing: solved.missing.clone(),
            },
            JobAnswer::Separated(separated) => Self::Disconnected {
                pairs: separated.pairs.clone(),
                missing: separated.missing.clone(),
            },
            JobAnswer::Impossible { why, missing } => {
                Self::Impossible { why: why.clone(), missing: missing.clone() }
            }
            JobAnswer::Unsolved => Self::Unsolved,
            JobAnswer::Refused(why) => {
                return Err(StoreError::Bug(format!("the judge rejected {why}")));
            }
        })
    }

    /// Number of steps of the schedule.
    pub fn steps(&self) -> Option<u32> {
        match self {
            Self::Solved { steps, .. } => Some(*steps),
            _ => None,
        }
    }

    /// Whether the schedule is proved optimal.
    pub fn is_optimal(&self) -> bool {
        matches!(self, Self::Solved { steps, bound, .. } if steps == bound)
    }

    /// The processors lost.
    pub fn missing(&self) -> &[ProcessorId] {
        match self {
            Self::Solved { missing, .. }
            | Self::Disconnected { missing, .. }
            | Self::Impossible { missing, .. } => missing,
            Self::Unsolved | Self::NotReached => &[],
        }
    }

    /// The result for the image of the faults under an automorphism of the network; `None` if it
    /// names a processor that the network does not have.
    pub fn renumbered(&self, image: &Renumbering) -> Option<Self> {
        let mut finding = self.clone();
        match &mut finding {
            Self::Solved { missing, .. } | Self::Impossible { missing, .. } => {
                *missing = image.group(missing)?;
            }
            Self::Disconnected { missing, pairs } => {
                *missing = image.group(missing)?;
                for (from, to) in pairs.iter_mut() {
                    (*from, *to) = (image.processor(*from)?, image.processor(*to)?);
                }
                pairs.sort_unstable();
            }
            Self::Unsolved | Self::NotReached => {}
        }
        Some(finding)
    }

    /// Additional steps relative to the steps without faults.
    pub fn loss(&self, healthy: &Self) -> Option<f64> {
        let (steps, before) = (self.steps()?, healthy.steps()?);
        Some((f64::from(steps) - f64::from(before)) / f64::from(before.max(1)))
    }
}

/// Reads the results of an earlier run; empty if there is no file yet.
pub fn read(path: &Path) -> Result<KnownRows, StoreError> {
    let bytes = bounded_read::read_if_there(path, LARGEST_OWN).map_err(StoreError::file)?;
    let Some(bytes) = bytes else { return Ok(KnownRows::new()) };
    let rows: Vec<StoredRow> = strict_json::from_slice(&bytes).map_err(|error| {
        let place = path.display();
        StoreError::file(format!(
            "{place} is not a results file of `pavane faults` ({error}); use another file"
        ))
    })?;
    Ok(rows.into_iter().map(|row| ((row.setup, row.faults), row.result)).collect())
}

/// Writes the known results.
pub fn keep(path: &Path, known: &KnownRows) -> Result<(), StoreError> {
    let rows = known.iter().map(|((setup, faults), result)| WrittenRow { faults, result, setup });
    write_file(path, |out| Ok(serde_json::to_writer(out, &rows.collect::<Vec<_>>())?))
}
