//! `--atlas DIR` of `pavane solve`, `tdm` and `throughput`: the schedule of an isomorphic problem.

use super::warn;
use crate::output::Failure;
use crate::report::atlas::{AtlasStartReport, AtlasUseReport};
use crate::words;
use pavane_atlas::{Atlas, AtlasQuery, JudgedFile};
use pavane_model::tdm::TdmDemand;
use pavane_model::{Problem, Schedule, TdmProblem};
use pavane_search::synthesize::Standing;
use pavane_verify::{CheckedPlan, CheckedTdm};
use std::path::Path;
use std::sync::Arc;

/// The engine that a schedule of the atlas is attributed to.
pub const ENGINE: &str = "atlas";

/// An engine with the entry of the atlas.
pub fn engine_of(entry: &str) -> String {
    format!("{ENGINE}: {entry}")
}

/// Opens an atlas, and warns about entries that are left out.
fn open(folder: &Path) -> Result<Atlas, Failure> {
    let atlas = Atlas::open(folder).map_err(Failure::bad_input)?;
    warn(atlas.refused().iter().map(|entry| entry.reason.as_str()));
    Ok(atlas)
}

/// The first entry that fits, and its schedule on the given network. Wrong entries are left out with a
/// warning.
fn first(atlas: &Atlas, query: &AtlasQuery<'_>) -> Option<(String, JudgedFile)> {
    let (found, wrong) = atlas.first(query);
    warn(wrong.iter().map(String::as_str));
    found
}

/// What the atlas has for a problem in steps.
#[derive(Clone, Default)]
pub struct AtlasStart {
    found: Option<(String, Arc<Schedule>)>,
}

impl AtlasStart {
    /// Looks all problems up in an atlas; without a folder, nothing is found.
    pub fn of_all(folder: Option<&Path>, problems: &[Arc<Problem>]) -> Result<Vec<Self>, Failure> {
        let Some(folder) = folder else { return Ok(vec![Self::default(); problems.len()]) };
        let atlas = open(folder)?;
        Ok(problems.iter().map(|problem| Self::of(&atlas, problem)).collect())
    }

    fn of(atlas: &Atlas, problem: &Problem) -> Self {
        let phases = [problem.clone()];
        match first(atlas, &AtlasQuery::steps(&phases)) {
            Some((id, JudgedFile::Steps(checked, _))) => {
                Self { found: Some((id, Arc::new(checked.schedule().clone()))) }
            }
            _ => Self::default(),
        }
    }

    /// The state of a search that has found the schedule.
    pub fn standing(&self) -> Option<Standing> {
        let (_, schedule) = self.found.as_ref()?;
        Some(Standing { best: Some((schedule.clone(), ENGINE)), ..Standing::default() })
    }

    /// The engine with the entry, if the result is that of the atlas.
    pub fn engine(&self, engine: &str) -> String {
        match &self.found {
            Some((id, _)) if engine == ENGINE => engine_of(id),
            _ => engine.to_owned(),
        }
    }

    /// For the JSON output. `engine` found the result.
    pub fn report(&self, engine: &str) -> AtlasStartReport {
        let found = self.found.as_ref();
        AtlasStartReport {
            entry: found.map(|(id, _)| id.clone()),
            steps: found.map(|(_, schedule)| schedule.step_count()),
            is_result: engine == ENGINE,
        }
    }

    /// A line of the output. `engine` found the result.
    pub fn in_words(&self, engine: &str) -> String {
        match &self.found {
            None => NONE.to_owned(),
            Some((id, _)) if engine == ENGINE => is_result_in_words(id),
            Some((id, schedule)) => {
                let steps = words::steps(schedule.step_count());
                format!("started from entry {id} with {steps}")
            }
        }
    }
}

const NONE: &str = "no entry for an isomorphic problem";

fn is_result_in_words(id: &str) -> String {
    format!("the schedule is that of entry {id}, mapped to this network")
}

/// What the atlas has for a problem of another model, and whether it is the result.
#[derive(Clone, Default)]
pub struct AtlasUse {
    entry: Option<String>,
    is_result: bool,
}

impl AtlasUse {
    /// An entry was found.
    fn of(entry: String) -> Self {
        Self { entry: Some(entry), is_result: false }
    }

    /// The result is the schedule of the entry.
    pub fn used(self) -> Self {
        Self { is_result: true, ..self }
    }

    /// The entry, if its schedule is the result.
    pub fn result(&self) -> Option<&str> {
        self.entry.as_deref().filter(|_| self.is_result)
    }

    /// For the JSON output.
    pub fn report(&self) -> AtlasUseReport {
        AtlasUseReport { entry: self.entry.clone(), is_result: self.is_result }
    }

    /// A line of the output.
    pub fn in_words(&self) -> String {
        match &self.entry {
            None => NONE.to_owned(),
            Some(id) if self.is_result => is_result_in_words(id),
            Some(id) => format!("entry {id} is no better than the result"),
        }
    }
}

/// Looks a TDM problem up in an atlas, which has entries for all-to-all.
pub fn of_tdm(
    folder: &Path,
    problem: &TdmProblem,
) -> Result<(AtlasUse, Option<CheckedTdm>), Failure> {
    let atlas = open(folder)?;
    let is_listed = matches!(problem.demand(), TdmDemand::AllToAll);
    Ok(match is_listed.then(|| first(&atlas, &AtlasQuery::tdm(problem))).flatten() {
        Some((id, JudgedFile::Tdm(checked))) => (AtlasUse::of(id), Some(*checked)),
        _ => (AtlasUse::default(), None),
    })
}

/// Looks the problems of a collective up in an atlas, one per phase, for a throughput plan.
pub fn of_throughput(
    folder: &Path,
    problems: &[Problem],
) -> Result<(AtlasUse, Option<CheckedPlan>), Failure> {
    let atlas = open(folder)?;
    // Rules of steps do not apply to plans.
    let usual = |problem: &Problem| problem.under(pavane_model::Model::default());
    let usual: Result<Vec<Problem>, _> = problems.iter().map(usual).collect();
    let usual = usual.map_err(Failure::bad_input)?;
    Ok(match first(&atlas, &AtlasQuery::throughput(&usual)) {
        Some((id, JudgedFile::Throughput(plan))) => (AtlasUse::of(id), Some(*plan)),
        _ => (AtlasUse::default(), None),
    })
}
