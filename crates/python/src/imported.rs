//! Schedules of other programs.

use crate::errors::bad;
use crate::found::Found;
use crate::labels::Labels;
use crate::network::NetworkArgument;
use crate::schedule::Schedule;
use pavane_interop::import::{Imported, foreign_format, recognise};
use pavane_model::{FileSource, Model, Switching};
use pavane_search::bounds;
use pavane_verify::verify;
use pyo3::prelude::*;

/// Reads the schedule of a file, has it judged and computes its bounds. Without a switching method, the one
/// that fits the sends is chosen.
pub fn read(
    py: Python<'_>,
    file: &FileSource,
    network: Option<NetworkArgument>,
    switching: Option<Switching>,
    model: Model,
) -> PyResult<Schedule> {
    let name = file.name();
    let at = |problem: String| bad(format!("{name}: {problem}"));
    let text = file.text().map_err(bad)?;
    if foreign_format(&text) == Some("TE-CCL") {
        let problem = "TE-CCL files have times instead of steps; use Timed.import_";
        return Err(at(problem.to_owned()));
    }
    let reader = recognise(&text).ok_or_else(|| {
        at("not a schedule of MSCCL, MSCCL++ or SCCL; use Schedule.load for our own files".into())
    })?;
    let network = network.map(|network| network.0.broken);
    let imported = reader.read(&text, network, switching, model);
    let imported = imported.map_err(|error| at(error.to_string()))?;
    let all = || imported.into_iter().map(|one| judged(one, &name)).collect();
    let phases: Result<Vec<Found>, String> = py.detach(all);
    let phases = phases.map_err(at)?;
    let collective = match &phases[..] {
        [only] => only.checked.problem().collective().name.clone(),
        _ => "all-reduce".to_owned(),
    };
    Ok(Schedule { name: collective, phases, whole: None, seed: 0, labels: Labels::default() })
}

fn judged(Imported { problem, schedule }: Imported, name: &str) -> Result<Found, String> {
    let bound = bounds::all(&problem).map_err(|error| error.to_string())?.best;
    let checked = verify(problem, schedule).map_err(|violations| {
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        format!("not a valid schedule: {first}")
    })?;
    Ok(Found { checked, bound, engine: format!("import of {name}"), proof: None })
}
