//! Judges schedule files, and entries: the file against the description, the figures and the bound.

use crate::entry::{AtlasEntry, AtlasModel};
use crate::error::AtlasError;
use crate::index::Atlas;
use crate::problem::BuiltProblem;
use flate2::read::MultiGzDecoder;
use pavane_model::bounded_read;
use pavane_model::format::{self, FormatError, PhaseView, Stored, open_beside, read_stored_file};
use pavane_model::problem::DELIVERIES;
use pavane_model::timed::BufferSize;
use pavane_model::{Bound, Fraction, Network, Problem, tdm, throughput, timed};
use pavane_verify::{
    CheckedPlan, CheckedSchedule, CheckedTdm, CheckedTimed, check_plan, check_tdm_with,
    check_timed, judge,
};
use serde_json::{Map, Value};
use std::io::{self, Read, Write};
use std::path::Path;

/// Bytes of a file, packed and unpacked, that are searched for damage.
const LARGEST_PACKED: u64 = 64 << 20;
const LARGEST_UNPACKED: u64 = 256 << 20;

/// A schedule file that the judge has accepted, with a proved bound.
#[derive(Debug)]
pub enum JudgedFile {
    /// A schedule in steps, of one phase.
    Steps(Box<CheckedSchedule>, Box<Bound>),
    /// A throughput plan.
    Throughput(Box<CheckedPlan>),
    /// A timed schedule.
    Time(Box<CheckedTimed>),
    /// A TDM schedule.
    Tdm(Box<CheckedTdm>),
}

/// An entry that is right, with its schedule.
#[derive(Debug)]
pub struct JudgedEntry<'a> {
    /// The entry.
    pub entry: &'a AtlasEntry,
    /// Its schedule.
    pub file: JudgedFile,
}

impl JudgedFile {
    /// What the schedule minimises.
    pub fn model(&self) -> AtlasModel {
        match self {
            Self::Steps(..) => AtlasModel::Steps,
            Self::Throughput(_) => AtlasModel::Throughput,
            Self::Time(_) => AtlasModel::Time,
            Self::Tdm(_) => AtlasModel::Tdm,
        }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        match self {
            Self::Steps(checked, _) => checked.problem().network(),
            Self::Throughput(plan) => plan.network(),
            Self::Time(schedule) => schedule.network(),
            Self::Tdm(checked) => checked.schedule().problem.network(),
        }
    }

    /// The problems of all phases; none for TDM.
    pub fn problems(&self) -> Vec<&Problem> {
        match self {
            Self::Steps(checked, _) => vec![checked.problem()],
            Self::Throughput(plan) => plan.plan().phases.iter().map(|one| &one.problem).collect(),
            Self::Time(timed) => timed.schedule().phases.iter().map(|one| &one.problem).collect(),
            Self::Tdm(_) => Vec::new(),
        }
    }

    /// The figure of the schedule, in the unit of its model.
    pub fn value(&self) -> Fraction {
        match self {
            Self::Steps(checked, _) => Fraction::from(u64::from(checked.schedule().step_count())),
            Self::Throughput(plan) => plan.time(),
            Self::Time(schedule) => schedule.time_ns(),
            Self::Tdm(checked) => Fraction::from(u64::from(checked.schedule().period)),
        }
    }

    /// The proved bound, in the unit of its model; 0 if none is proved.
    pub fn bound(&self) -> Fraction {
        let proved = match self {
            Self::Steps(_, bound) => Some(Fraction::from(u64::from(bound.steps))),
            Self::Throughput(plan) => plan.proved().map(|(limit, _)| limit),
            Self::Time(schedule) => schedule.proved_ns().map(|(bound, _)| bound),
            Self::Tdm(checked) => checked.proved().map(|period| Fraction::from(u64::from(period))),
        };
        proved.unwrap_or(Fraction::ZERO)
    }

    /// Writes the schedule file, uncompressed. `more` holds additional fields.
    pub fn write(&self, more: &Map<String, Value>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Steps(checked, bound) => {
                let (problem, schedule) = (checked.problem(), checked.schedule());
                let view = PhaseView { problem, bound: Some(bound), schedule };
                format::write(out, &problem.collective().name, &[view], more)
            }
            Self::Throughput(plan) => throughput::write(out, plan.plan(), more),
            Self::Time(checked) => timed::write(out, checked.schedule(), more),
            Self::Tdm(checked) => tdm::write(out, checked.schedule(), more),
        }
    }
}

/// Reads and judges a schedule file.
pub fn judge_file(path: &Path) -> Result<JudgedFile, AtlasError> {
    match read_stored_file(path, DELIVERIES) {
        // A changed byte is often noticed by the parser before the checksum at the end.
        Err(FormatError::Json { .. }) if is_damaged_gzip(path) => Err(AtlasError::Rejected {
            path: path.display().to_string(),
            reason: "the gzipped file is damaged: its checksum is wrong".to_owned(),
        }),
        Err(error) => Err(error.into()),
        Ok(stored) => judge_stored(stored, path),
    }
}

/// Whether a gzipped file cannot be unpacked, as far as it is not too large.
fn is_damaged_gzip(path: &Path) -> bool {
    let Ok(bytes) = bounded_read::read(path, LARGEST_PACKED) else { return false };
    let unpacked = MultiGzDecoder::new(&bytes[..]).take(LARGEST_UNPACKED);
    bytes.starts_with(&[0x1f, 0x8b]) && io::copy(&mut { unpacked }, &mut io::sink()).is_err()
}

/// Judges a schedule that was read from `path`, next to which its proof may be.
pub(crate) fn judge_stored(stored: Stored, path: &Path) -> Result<JudgedFile, AtlasError> {
    let rejected = |reason: String| {
        let path = path.display().to_string();
        Err(AtlasError::Rejected { path, reason })
    };
    let open = |name: &str| open_beside(path, name);
    match stored {
        Stored::Schedule(mut phases, _) => {
            if phases.len() != 1 {
                return rejected("an all-reduce in steps has two phases; each is a problem".into());
            }
            let format::Phase { problem, schedule, bound } = phases.remove(0);
            let verdict = judge(problem, schedule, bound.as_ref(), &open);
            if let Some(violation) = verdict.violations.first() {
                return rejected(format!("not valid: {}: {violation}", violation.rule()));
            }
            if let Some(error) = &verdict.bound_error {
                return rejected(format!("its bound is not proved: {error}"));
            }
            let bound = verdict.accepted(bound).unwrap_or_else(|| Bound {
                steps: verdict.proved,
                reason: "found by the judge".to_owned(),
                explanation: String::new(),
                certificate: None,
            });
            match verdict.checked {
                Some(checked) => Ok(JudgedFile::Steps(Box::new(checked), Box::new(bound))),
                None => rejected("not valid".into()),
            }
        }
        Stored::Refutation(_) | Stored::TdmRefutation(_) => {
            rejected("a refutation is not a schedule".into())
        }
        Stored::Throughput(plan) => match check_plan(*plan) {
            Ok(plan) => Ok(JudgedFile::Throughput(Box::new(plan))),
            Err(error) => rejected(format!("not valid: {error}")),
        },
        Stored::Timed(schedule) => match check_timed(*schedule) {
            Ok(schedule) => Ok(JudgedFile::Time(Box::new(schedule))),
            Err(error) => rejected(format!("not valid: {error}")),
        },
        Stored::Tdm(schedule) => match check_tdm_with(*schedule, &open) {
            Ok(schedule) => Ok(JudgedFile::Tdm(Box::new(schedule))),
            Err(error) => rejected(format!("not valid: {error}")),
        },
    }
}

impl Atlas {
    /// Judges an entry: the schedule file is valid, it is for the problem of the entry, and its figure
    /// and its proved bound are those of the index.
    pub fn judge<'a>(&self, entry: &'a AtlasEntry) -> Result<JudgedEntry<'a>, AtlasError> {
        let wrong = |reason: String| AtlasError::Entry { id: entry.id.clone(), reason };
        let file = judge_file(&self.path(entry)?).map_err(|error| wrong(error.to_string()))?;
        if file.model() != entry.model {
            let (is, claimed) = (file.model(), entry.model);
            return Err(wrong(format!("its file minimises {is}, but the index says {claimed}")));
        }
        let wanted = entry.problem.build(entry.model, self.folder());
        let wanted = wanted.map_err(|error| wrong(error.to_string()))?;
        if let Some(difference) = difference(&wanted, &file) {
            return Err(wrong(format!("its file is for another problem: {difference}")));
        }
        for (what, claimed, found) in
            [("figure", entry.value, file.value()), ("bound", entry.bound, file.bound())]
        {
            if claimed != found {
                return Err(wrong(format!(
                    "the index claims a {what} of {claimed}, but the file has {found}"
                )));
            }
        }
        Ok(JudgedEntry { entry, file })
    }
}

/// How the problem of a file differs from the one wanted; `None` if it does not.
pub(crate) fn difference(wanted: &BuiltProblem, file: &JudgedFile) -> Option<String> {
    match (wanted, file) {
        (BuiltProblem::Tdm(wanted), JudgedFile::Tdm(checked)) => {
            let found = &checked.schedule().problem;
            if !wanted.network().has_same_channels_as(found.network()) {
                Some("another network".to_owned())
            } else if wanted.messages() != found.messages() {
                Some("another demand".to_owned())
            } else if wanted.rules() != found.rules() {
                Some("other rules".to_owned())
            } else {
                None
            }
        }
        (BuiltProblem::Collective { phases, bytes, duplex }, file) => {
            let found = file.problems();
            if phases.len() != found.len() {
                return Some("another number of phases".to_owned());
            }
            let mut pairs = phases.iter().zip(found);
            pairs.find_map(|(wanted, found)| phase_difference(wanted, found)).or_else(|| match file
            {
                JudgedFile::Throughput(_) => timing_difference(phases[0].network(), file, false),
                JudgedFile::Time(checked) => {
                    let schedule = checked.schedule();
                    if schedule.duplex != *duplex {
                        Some("another duplex mode".to_owned())
                    } else if bytes.map(BufferSize::Bytes).as_ref() != Some(&schedule.size) {
                        Some("another size".to_owned())
                    } else {
                        timing_difference(phases[0].network(), file, true)
                    }
                }
                _ => None,
            })
        }
        _ => Some("another model".to_owned()),
    }
}

fn phase_difference(wanted: &Problem, found: &Problem) -> Option<String> {
    if !wanted.is_on(found.network()) {
        return Some("another network".to_owned());
    }
    if wanted.model() != found.model() {
        let (is, asked) = (found.model(), wanted.model());
        return Some(format!("its rules are {is}, not {asked}"));
    }
    let (asked, is) = (wanted.collective(), found.collective());
    let is_same =
        asked.kind == is.kind && asked.chunks == is.chunks && wanted.messages() == found.messages();
    (!is_same).then(|| "another collective, or other processors".to_owned())
}

fn timing_difference(wanted: &Network, file: &JudgedFile, with_latencies: bool) -> Option<String> {
    let found = file.network();
    if wanted.bandwidths().ok() != found.bandwidths().ok() {
        Some("other bandwidths".to_owned())
    } else if with_latencies && wanted.latencies().ok() != found.latencies().ok() {
        Some("other latencies".to_owned())
    } else {
        None
    }
}
