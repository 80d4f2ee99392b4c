//! The records of the steps of a schedule: one for every transfer.

use crate::errors::bad;
use crate::found::Found;
use crate::schedule::Schedule;
use crate::tables::label_value;
use crate::to_python;
use pavane_model::Kind;
use pyo3::prelude::*;
use serde_json::{Value, json};

impl Schedule {
    /// The records of some steps, with the nodes of the graph.
    pub fn step_records<'py>(
        &self,
        py: Python<'py>,
        steps: impl Iterator<Item = u32>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let first = self.phases.first().ok_or_else(|| bad("the schedule is empty"))?;
        let problem = first.checked.problem();
        let has_processors = problem.collective().whole_kind() != Kind::Messages;
        let records = |step| {
            let rows = to_python(py, &Value::Array(self.step_rows(step)))?;
            self.labels.put_into(py, problem.network(), &rows, has_processors)?;
            Ok(rows)
        };
        steps.map(records).collect()
    }

    /// The records of a step, which is counted over all phases. Several phases may have transfers in it.
    fn step_rows(&self, number: u32) -> Vec<Value> {
        let mut rows = Vec::new();
        for (before, Found { checked, .. }) in self.with_starts() {
            let (problem, schedule) = (checked.problem(), checked.schedule());
            let Some(step) = number.checked_sub(before).filter(|&it| it < schedule.step_count())
            else {
                continue;
            };
            let network = problem.network();
            let row = |transfer: pavane_model::Transfer<'_>| {
                let heads = transfer.path.iter().map(|&channel| network.channel(channel).head);
                let routers: Vec<_> =
                    network.home(transfer.from).into_iter().chain(heads).collect();
                json!({
                    "step": number,
                    "message": label_value(problem.label(transfer.message)),
                    "from": transfer.from,
                    "to": transfer.to,
                    "path": transfer.path,
                    "routers": routers,
                })
            };
            rows.extend(schedule.step(step).map(row));
        }
        rows
    }
}
