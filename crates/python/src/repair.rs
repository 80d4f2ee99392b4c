//! Repairs of schedules after faults.

use crate::background::{self, Ended};
use crate::errors::{bad, unless_interrupted};
use crate::found::Found;
use crate::schedule::Schedule;
use crate::{members, unrepaired};
use pavane_search::fault::{Keep, Terms, repair};
use pavane_search::synthesize::Options;
use pavane_verify::CheckedSchedule;
use pyo3::prelude::*;
use std::sync::Arc;

/// What a repair keeps, from its keywords.
pub fn terms(keep_steps: bool, keep: Option<f64>) -> PyResult<Terms> {
    let keep = match keep {
        Some(share) if (0.0..=1.0).contains(&share) => Keep::AtLeast(share),
        Some(share) => {
            return Err(bad(format!("keep={share} is not valid; use a share from 0 to 1")));
        }
        None => Terms::default().keep,
    };
    Ok(Terms { keep_steps, keep })
}

/// The schedule after faults.
pub fn repaired(
    py: Python<'_>,
    schedule: &Schedule,
    faults: &[Bound<'_, PyAny>],
    terms: Terms,
    options: Options,
) -> PyResult<Schedule> {
    let (stop, seed) = (options.stop.clone(), options.seed);
    let faults = members::faults(&schedule.network()?.broken, faults)?;
    let before: Vec<CheckedSchedule> =
        schedule.phases.iter().map(|one| one.checked.clone()).collect();
    let work = move || {
        let repaired = before.iter().map(|before| repair(before, &faults, terms, &options));
        repaired.collect::<Result<Vec<_>, _>>()
    };
    let Ended { answer, interrupt } = background::run(py, &stop, work, |_| Ok(()))?;
    let repaired = answer.map_err(unrepaired::steps).map(|phases| {
        let phases = phases.into_iter().map(|one| Found {
            checked: one.checked,
            bound: one.bound,
            engine: one.engine.to_owned(),
            proof: one.proof.map(|proof| Arc::new(proof.lrat)),
        });
        let (name, labels) = (schedule.name.clone(), schedule.labels.clone());
        Schedule { name, phases: phases.collect(), whole: None, seed, labels }
    });
    unless_interrupted(py, interrupt, repaired)
}
