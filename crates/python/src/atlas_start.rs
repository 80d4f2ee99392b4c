//! Schedules of isomorphic problems in an atlas, from which searches start.

use crate::errors::bad;
use crate::missions::warn;
use pavane_atlas::{Atlas, AtlasQuery, JudgedFile};
use pavane_model::tdm::TdmDemand;
use pavane_model::{Model, Problem, TdmProblem};
use pavane_search::synthesize::Standing;
use pavane_verify::{CheckedPlan, CheckedTdm};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The engine that a schedule of the atlas is attributed to.
pub const ENGINE: &str = "atlas";

/// Opens an atlas. Warns about entries that are left out.
pub fn open(py: Python<'_>, folder: &Path) -> PyResult<Atlas> {
    let atlas = Atlas::open(folder).map_err(bad)?;
    warn_of(py, atlas.refused().iter().map(|entry| entry.reason.clone()))?;
    Ok(atlas)
}

/// Warns about wrong entries.
pub fn warn_of(py: Python<'_>, reasons: impl Iterator<Item = String>) -> PyResult<()> {
    let mut reasons = reasons;
    reasons.try_for_each(|reason| {
        warn(py, format!("the atlas has a wrong entry, which is left out: {reason}"))
    })
}

fn first(
    py: Python<'_>,
    atlas: &Atlas,
    query: &AtlasQuery<'_>,
) -> PyResult<Option<(String, JudgedFile)>> {
    let (found, wrong) = py.detach(|| atlas.first(query));
    warn_of(py, wrong.into_iter())?;
    Ok(found)
}

/// The entry for a problem in steps, and the state of a search that has found its schedule.
pub fn of_steps(
    py: Python<'_>,
    atlas: &Atlas,
    problem: &Problem,
) -> PyResult<Option<(String, Arc<Standing>)>> {
    let phase = [problem.clone()];
    Ok(match first(py, atlas, &AtlasQuery::steps(&phase))? {
        Some((id, JudgedFile::Steps(checked, _))) => {
            let best = Some((Arc::new(checked.schedule().clone()), ENGINE));
            Some((id, Arc::new(Standing { best, ..Standing::default() })))
        }
        _ => None,
    })
}

/// The schedule of an entry for a TDM problem. The atlas has entries for all-to-all.
pub fn of_tdm(py: Python<'_>, folder: &Path, problem: &TdmProblem) -> PyResult<Option<CheckedTdm>> {
    let atlas = open(py, folder)?;
    if !matches!(problem.demand(), TdmDemand::AllToAll) {
        return Ok(None);
    }
    Ok(match first(py, &atlas, &AtlasQuery::tdm(problem))? {
        Some((_, JudgedFile::Tdm(checked))) => Some(*checked),
        _ => None,
    })
}

/// The plan of an entry for the phases of a collective.
pub fn of_throughput(
    py: Python<'_>,
    folder: &Path,
    problems: &[Problem],
) -> PyResult<Option<CheckedPlan>> {
    let atlas = open(py, folder)?;
    // Rules of steps do not apply to plans.
    let usual = problems.iter().map(|problem| problem.under(Model::default()));
    let usual: Vec<Problem> = usual.collect::<Result<_, _>>().map_err(bad)?;
    Ok(match first(py, &atlas, &AtlasQuery::throughput(&usual))? {
        Some((_, JudgedFile::Throughput(plan))) => Some(*plan),
        _ => None,
    })
}
