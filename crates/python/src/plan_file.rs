//! Throughput plans from files, matrices of sizes, and pictures of plans.

use crate::errors::bad;
use crate::files::FileArgument;
use pavane_model::words::excerpt;
use pavane_model::{FileSource, Label, ThroughputPlan, claims, throughput};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, ShownRoutes};
use pavane_throughput::answer::Answer;
use pavane_throughput::sizes::read_matrix;
use pavane_verify::{check_plan, judge_plan_within};
use pyo3::prelude::*;

/// Reads a plan and has it judged, with the limit that it proves.
pub fn load(file: &FileSource, max_deliveries: u64) -> PyResult<Answer> {
    let reader = file.open().map_err(bad)?;
    let plan = throughput::read(reader, &file.name(), max_deliveries).map_err(bad)?;
    judged(plan, &file.name())
}

/// Has the plan of a file judged, with the limit that it proves.
pub fn judged(plan: ThroughputPlan, file: &str) -> PyResult<Answer> {
    let at = |problem: String| bad(format!("{file}: {problem}"));
    let invalid = |why: String| bad(format!("{file} is not a valid throughput plan: {why}"));
    let verdict = judge_plan_within(&plan, None).map_err(|error| at(error.to_string()))?;
    if let Some(violation) = verdict.violations.first() {
        return Err(invalid(violation.to_string()));
    }
    match &verdict.limit_error {
        Some(error) if verdict.over_limit().is_none() => {
            return Err(invalid(format!("its limit is false: {error}")));
        }
        _ => {}
    }
    Answer::of_plan(plan, verdict.time, verdict.proved).map_err(|error| at(error.to_string()))
}

/// A picture of a plan: the loads of channels with the bottleneck, or the trees or paths of a message.
pub fn scene(
    plan: &ThroughputPlan,
    message: Option<&Bound<'_, PyAny>>,
    phase: Option<usize>,
) -> PyResult<Scene> {
    let message = message.map(label).transpose()?;
    let shown = ShownRoutes::of(plan, phase, message).map_err(bad)?;
    let name = claims::plan_in_words(plan);
    let checked = check_plan(plan.clone()).map_err(bad)?;
    picture::plan(&name, &checked, shown).map_err(bad)
}

/// The label of a message: a number, or a pair of processors.
fn label(value: &Bound<'_, PyAny>) -> PyResult<Label> {
    if let Ok(one) = value.extract() {
        return Ok(Label::One(one));
    }
    if let Ok((from, to)) = value.extract() {
        return Ok(Label::Two(from, to));
    }
    Err(bad(format!(
        "message={} is not valid; use a number such as 3, or (0, 5) for the message from 0 to 5",
        value.repr()?
    )))
}

/// The rows of a matrix of bytes: a list of lists, an array or other iterables of iterables, or a file in CSV or JSON,
/// a path or its content as bytes.
pub fn matrix(rows: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u64>>> {
    if let Ok(FileArgument(file)) = rows.extract() {
        let text = file.text().map_err(bad)?;
        return read_matrix(&text).map_err(|error| bad(format!("sizes: {}: {error}", file.name())));
    }
    let cell = |row: usize, column: usize, cell: Bound<'_, PyAny>| {
        cell.extract::<u64>().map_err(|_| {
            let shown = cell.str().map(|text| text.to_string()).unwrap_or_default();
            bad(format!(
                "sizes: row {row}, column {column}: {} is not a whole number of bytes of at most {}",
                excerpt(&shown),
                u64::MAX
            ))
        })
    };
    let no_list =
        |_| bad("sizes: expected a list of rows, each a list of bytes, or the path of a file");
    let mut all = Vec::new();
    for (number, row) in (1..).zip(rows.try_iter().map_err(no_list)?) {
        let cells = (1..).zip(row?.try_iter().map_err(no_list)?);
        let cells = cells.map(|(column, item)| cell(number, column, item?));
        all.push(cells.collect::<PyResult<_>>()?);
    }
    Ok(all)
}
