//! Functions that verify files.

use crate::errors::bad;
use crate::files::Proofs;
use crate::tdm::tdm_verdict;
use crate::to_python;
use pavane_interop::plan;
use pavane_model::format::{Phase, Stored, open_beside, read_stored_file};
use pavane_model::{ThroughputPlan, TimedSchedule, problem, text_file};
use pavane_verify::{
    Limits, PlanJudgeError, TimedError, Verdict, judge, judge_plan, judge_timed, judge_whole,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Verifies a schedule file: for every phase valid, steps, bound, optimal and the violations, and last the same for
/// the all-reduce of two phases, with the start of its broadcast; or a
/// throughput plan: valid, ns_per_byte, limit_ns_per_byte, optimal and the violations; or a timed
/// schedule: valid, time_ns, bound_ns, optimal and the violations; or a TDM
/// schedule: valid, period, bound, optimal and the violations.
#[pyfunction]
pub fn verify(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let (phases, whole) = match read_stored_file(&path, problem::DELIVERIES).map_err(bad)? {
        Stored::Schedule(phases, whole) => (phases, whole),
        Stored::Throughput(plan) => {
            let verdict =
                plan_verdict(&plan).map_err(|error| bad(format!("{}: {error}", path.display())))?;
            return to_python(py, &json!([verdict]));
        }
        Stored::Timed(schedule) => {
            let verdict = timed_verdict(&schedule)
                .map_err(|error| bad(format!("{}: {error}", path.display())))?;
            return to_python(py, &json!([verdict]));
        }
        Stored::Tdm(schedule) => {
            return to_python(py, &json!([tdm_verdict(&schedule, &Proofs::Beside(&path))]));
        }
        Stored::Refutation(_) | Stored::TdmRefutation(_) => {
            let problem = "a proof without a schedule; use the program `pavane verify`";
            return Err(bad(format!("{}: {problem}", path.display())));
        }
    };
    let open = |name: &str| open_beside(&path, name);
    let judged = |phase: Phase| {
        let Phase { problem, schedule, bound } = phase;
        judge(problem, schedule, bound.as_ref(), &open)
    };
    let verdict = |verdict: &Verdict| {
        json!({
            "valid": verdict.is_valid(),
            "steps": verdict.steps,
            "bound": verdict.proved,
            "optimal": verdict.is_optimal(),
            "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
        })
    };
    let judged: Vec<Verdict> = phases.into_iter().map(judged).collect();
    let mut verdicts: Vec<Value> = judged.iter().map(verdict).collect();
    if let [reduce, broadcast] = &judged[..]
        && let (Some(one), Some(other)) = (&reduce.checked, &broadcast.checked)
    {
        let limits = Limits::of(other.problem());
        let proved = [reduce.proved, broadcast.proved];
        let verdict = judge_whole([one, other], &whole, proved, limits);
        verdicts.push(json!({
            "valid": verdict.is_valid(),
            "steps": verdict.steps,
            "start": whole.start,
            "bound": verdict.proved,
            "optimal": verdict.is_optimal(),
            "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
        }));
    }
    to_python(py, &Value::Array(verdicts))
}

/// The verdict on a throughput plan.
pub fn plan_verdict(plan: &ThroughputPlan) -> Result<Value, PlanJudgeError> {
    let verdict = judge_plan(plan)?;
    Ok(json!({
        "valid": verdict.is_valid(),
        "ns_per_byte": verdict.time.to_string(),
        "limit_ns_per_byte": verdict.proved.map(|proved| proved.to_string()),
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "limit_error": verdict.limit_error.as_ref().map(ToString::to_string),
    }))
}

/// The verdict on a timed schedule.
pub fn timed_verdict(schedule: &TimedSchedule) -> Result<Value, TimedError> {
    let verdict = judge_timed(schedule)?;
    Ok(json!({
        "valid": verdict.is_valid(),
        "time_ns": verdict.time_ns.to_string(),
        "bound_ns": verdict.proved_ns.map(|proved| proved.to_string()),
        "optimal": verdict.is_optimal(),
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "bound_error": verdict.bound_error.as_ref().map(ToString::to_string),
    }))
}

/// Executes an MSCCL XML or MSCCL++ JSON file and lists its errors; the list is empty if it is
/// correct.
#[pyfunction]
pub fn check_plan(path: PathBuf) -> PyResult<Vec<String>> {
    let text = text_file::read(&path).map_err(bad)?;
    let plan = plan::read(&text).map_err(|error| bad(format!("{}: {error}", path.display())))?;
    Ok(plan.faults().iter().map(ToString::to_string).collect())
}
