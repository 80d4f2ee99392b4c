//! Folders with a schedule for every fault: their verdicts, and the schedule for a fault.

use crate::errors::{bad, bug, impossible};
use crate::found::Found;
use crate::members;
use crate::resumed_search::refused;
use crate::schedule::Schedule;
use crate::whole::whole;
use pavane_model::{Problem, problem};
use pavane_search::bounds;
use pavane_store::contingency::{Folder, Index, judge};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// The verdict on every collective of a folder. `mismatch` says why a problem is not on the network that is expected.
pub fn verdicts(
    folder: &Path,
    mismatch: &dyn Fn(&Problem) -> Option<String>,
    (max_deliveries, max_work): (u64, Option<u64>),
) -> PyResult<Vec<Value>> {
    let index = Index::read(folder).map_err(refused)?;
    let mut files = Folder::new(folder, max_deliveries).with_max_work(max_work);
    let mut verdicts = Vec::new();
    for contingencies in &index.collectives {
        let found = judge(&index, contingencies, mismatch, &mut files, &AtomicU64::new(0));
        verdicts.push(json!({
            "valid": index.is_complete && found.problems.is_empty(),
            "collective": found.label,
            "faults": found.faults,
            "schedules": found.schedules.len(),
            "solved": found.valid,
            "proved": found.optimal,
            "disconnecting": found.disconnecting,
            "impossible": found.impossible,
            "problems": found.problems,
        }));
    }
    if verdicts.is_empty() {
        let folder = folder.display();
        return Err(bad(format!(
            "{folder}: incomplete; run Problem.faults with the same arguments to continue"
        )));
    }
    Ok(verdicts)
}

/// The schedule for faults in a folder of `Problem.faults(save=…)` or `pavane faults --save`, judged for these faults, as
/// `pavane repair DIR`. `collective` chooses one if the folder has several. Raises `Impossible` if the faults leave no
/// schedule.
#[pyfunction]
#[pyo3(signature = (folder, *faults, collective=None, max_deliveries=problem::DELIVERIES))]
pub fn repair(
    folder: PathBuf,
    faults: Vec<Bound<'_, PyAny>>,
    collective: Option<&str>,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
) -> PyResult<Schedule> {
    let index = Index::read(&folder).map_err(refused)?;
    let place = folder.display();
    let contingencies = index.choose(collective).ok_or_else(|| {
        let known: Vec<&str> = index.collectives.iter().map(|one| &one.collective[..]).collect();
        let known = known.join(", ");
        bad(format!("{place} has schedules for {known}; choose one with collective"))
    })?;
    let mut files = Folder::new(&folder, max_deliveries);
    let healthy = files.file(contingencies.no_fault.as_deref().unwrap_or_default()).map_err(bad)?;
    let network = healthy[0].problem.network();
    let broken = network.without(&members::faults(network, &faults)?).map_err(bad)?;
    let missing = broken.fault_names().join(", ");
    let entry = contingencies.find(network, &broken).ok_or_else(|| {
        bad(format!("{place} has no schedule for the faults {missing}; repair a schedule instead"))
    })?;
    let applied = files.entry(&healthy, contingencies.root_moves, entry).map_err(bad)?;
    let applied = applied.ok_or_else(|| impossible("no schedule is possible with these faults"))?;
    let mut phases = Vec::new();
    for one in applied {
        // The certificate in the file may use other router numbers, so the bound is derived again.
        let bound = bounds::all(one.checked.problem()).map_err(bug)?.best;
        phases.push(Found { checked: one.checked, bound, engine: "faults".into(), proof: None });
    }
    let name = contingencies.collective.split('@').next().unwrap_or_default();
    Ok(Schedule::new(name, phases, 1))
}
