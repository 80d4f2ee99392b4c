//! `pavane solve --atlas DIR`: starts from the schedule of an isomorphic problem.

use crate::output::Failure;
use crate::report::atlas::AtlasStartReport;
use crate::words;
use pavane_atlas::{Atlas, AtlasModel, AtlasQuery, JudgedFile};
use pavane_model::{Problem, Schedule};
use pavane_search::synthesize::Standing;
use std::path::Path;
use std::sync::Arc;

/// The engine that a schedule of the atlas is attributed to.
const ENGINE: &str = "atlas";

/// What the atlas has for a problem.
#[derive(Clone, Default)]
pub struct AtlasStart {
    found: Option<(String, Arc<Schedule>)>,
}

impl AtlasStart {
    /// Looks all problems up in an atlas; without a folder, nothing is found.
    pub fn of_all(folder: Option<&Path>, problems: &[Arc<Problem>]) -> Result<Vec<Self>, Failure> {
        let Some(folder) = folder else { return Ok(vec![Self::default(); problems.len()]) };
        let atlas = Atlas::open(folder).map_err(Failure::bad_input)?;
        problems.iter().map(|problem| Self::of(&atlas, problem)).collect()
    }

    fn of(atlas: &Atlas, problem: &Problem) -> Result<Self, Failure> {
        let phases = [problem.clone()];
        let query = AtlasQuery {
            network: problem.network(),
            phases: Some(&phases),
            model: Some(AtlasModel::Steps),
            bytes: None,
        };
        let found = atlas.search(&query).map_err(Failure::bad_input)?;
        let Some(first) = found.matches.first() else { return Ok(Self::default()) };
        let mapped = atlas.mapped(first, problem.network()).map_err(Failure::bad_input)?;
        let JudgedFile::Steps(checked, _) = mapped else { return Ok(Self::default()) };
        let schedule = Arc::new(checked.schedule().clone());
        Ok(Self { found: Some((first.entry.id.clone(), schedule)) })
    }

    /// The state of a search that has found the schedule.
    pub fn standing(&self) -> Option<Standing> {
        let (_, schedule) = self.found.as_ref()?;
        Some(Standing { best: Some((schedule.clone(), ENGINE)), ..Standing::default() })
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
            None => "no entry for an isomorphic problem".to_owned(),
            Some((id, _)) if engine == ENGINE => {
                format!("the schedule is that of entry {id}, mapped to this network")
            }
            Some((id, schedule)) => {
                let steps = words::steps(schedule.step_count());
                format!("started from entry {id} with {steps}")
            }
        }
    }
}
