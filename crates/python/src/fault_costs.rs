//! What every fault costs, in steps or in bandwidth, with a heat map.

use crate::network::Network;
use crate::{background, bad, fraction, to_python};
use pavane_model::{CollectiveRequest, Fault};
use pavane_render::heat_map::{Heat, Measure, Panel, draw};
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::fault::{Job, JobAnswer, Part, Parts, answer, classes_with_bandwidths};
use pavane_search::synthesize::Options;
use pavane_throughput::fault_limit::{LimitFinding, LimitStatus, examine};
use pavane_throughput::reached::ThroughputError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The steps that every fault costs, as a list of records with a heat map.
pub fn of_steps<'py>(
    py: Python<'py>,
    network: &pavane_model::Network,
    request: &CollectiveRequest,
    part: Part,
    options: Options,
) -> PyResult<Bound<'py, PyAny>> {
    let parts = Parts::new(network, &[part]);
    let faults = parts.faults().to_vec();
    let (broken, request, stop) = (network.clone(), request.clone(), options.stop.clone());
    let sets: Vec<Vec<Fault>> =
        [Vec::new()].into_iter().chain(faults.iter().map(|&fault| vec![fault])).collect();
    let label = request.collective.clone();
    let work = move || {
        let solve = |faults: &Vec<Fault>| {
            let job = Job { request: request.clone(), faults: faults.clone() };
            answer(&broken, &job, &options)
        };
        let is_wanted = |_: &&Vec<Fault>| !options.stop.load(Ordering::Relaxed);
        sets.iter().take_while(is_wanted).map(solve).collect::<Vec<JobAnswer>>()
    };
    let mut answers = background::run(py, &stop, work, |_| Ok(()))?.into_iter();
    let healthy = answers.next().as_ref().and_then(steps);
    let (rows, mut heats) = (PyList::empty(py), Vec::new());
    for (&fault, answer) in faults.iter().zip(answers) {
        let name = fault.name(network);
        let mut row = answer_json(&answer);
        row["fault"] = json!(name);
        rows.append(to_python(py, &row)?)?;
        let loss = steps(&answer).zip(healthy).map(|(steps, healthy)| {
            (f64::from(steps) - f64::from(healthy)) / f64::from(healthy.max(1))
        });
        let note = loss.map(|loss| format!("{:+.1} % steps", 100.0 * loss));
        let is_cut = matches!(answer, JobAnswer::Separated(_));
        heats.extend(heat(fault, &name, loss, note, is_cut));
    }
    let steps = healthy.map_or(String::new(), |steps| format!(", {steps} steps"));
    let title = format!("{label} on {}{steps}", network.name());
    let no_fault = to_python(py, &json!({"steps": healthy}))?;
    with_map(py, network, rows, no_fault, Panel { title, heats }, Measure::Steps)
}

/// The bandwidth that every fault costs, as a list of records with a heat map. Faults that are
/// equivalent by symmetry of the network and its bandwidths are computed once, each in at most `time`.
pub fn of_throughput<'py>(
    py: Python<'py>,
    network: &Network,
    request: &CollectiveRequest,
    part: Part,
    time: Option<Duration>,
) -> PyResult<Bound<'py, PyAny>> {
    let Network { healthy: whole, broken } = network;
    let phases = request.on(whole, broken).map_err(bad)?.phases;
    let groups = request.groups.left(whole, broken).map_err(bad)?;
    let request = CollectiveRequest { groups, ..request.clone() };
    let label = request.collective.clone();
    let parts = Parts::new(broken, &[part]);
    let faults = parts.faults().to_vec();
    let stop = Arc::new(AtomicBool::new(false));
    let (own_stop, own) = (stop.clone(), broken.clone());
    let work = move || {
        let sets: Vec<Vec<u32>> = (0..parts.faults().len() as u32).map(|part| vec![part]).collect();
        let classes = classes_with_bandwidths(&phases, &parts, &sets);
        let interrupt = || {
            let deadline = time.and_then(|time| Clock::start().after(time));
            Interrupt::never().until(deadline).unless(own_stop.clone())
        };
        let first = interrupt();
        let is_over = || first.is_raised();
        let healthy = LimitFinding::of_phases(&request, &phases, Vec::new(), &is_over)?;
        let mut findings = vec![LimitFinding::default(); sets.len()];
        for class in &classes.classes {
            let interrupt = interrupt();
            let faults = parts.set(&sets[class.members[0].set]);
            let found = examine(&own, &request, &faults, &|| interrupt.is_raised());
            for (place, member) in class.members.iter().enumerate() {
                let image = classes.renumbering(class, place, &own);
                findings[member.set] = found.renumbered(&image).unwrap_or_default();
            }
        }
        Ok((healthy, findings))
    };
    let done: Result<_, ThroughputError> = background::run(py, &stop, work, |_| Ok(()))?;
    let (healthy, findings) = done.map_err(bad)?;
    let (rows, mut heats) = (PyList::empty(py), Vec::new());
    for (&fault, finding) in faults.iter().zip(&findings) {
        let name = fault.name(broken);
        let row = limit_record(py, finding, &healthy)?;
        row.set_item("fault", &name)?;
        rows.append(row)?;
        let loss = finding.loss(&healthy);
        let note = loss.map(|loss| format!("{:+.1} % bandwidth", 0.0 - 100.0 * loss));
        let is_cut = finding.status == LimitStatus::Disconnected;
        heats.extend(heat(fault, &name, loss, note, is_cut));
    }
    let bandwidth = healthy.bandwidth().map_or(String::new(), |b| format!(", {b:.2} GB/s"));
    let title = format!("{label} on {}{bandwidth}", broken.name());
    let no_fault = limit_record(py, &healthy, &healthy)?.into_any();
    with_map(py, broken, rows, no_fault, Panel { title, heats }, Measure::Bandwidth)
}

/// The list of records with its heat map: a `pavane.FaultCosts`.
fn with_map<'py>(
    py: Python<'py>,
    network: &pavane_model::Network,
    rows: Bound<'py, PyList>,
    no_fault: Bound<'py, PyAny>,
    panel: Panel,
    measure: Measure,
) -> PyResult<Bound<'py, PyAny>> {
    let svg = draw(network, &[panel], measure);
    let list = py.import("pavane._fault_costs")?.getattr("FaultCosts")?;
    list.call1((rows, no_fault, svg))
}

/// A part of the heat map; `None` without a result.
fn heat(
    fault: Fault,
    name: &str,
    loss: Option<f64>,
    note: Option<String>,
    is_cut: bool,
) -> Option<Heat> {
    let note = match note {
        None if is_cut => "disconnects processors".to_owned(),
        note => note?,
    };
    let (loss, note) = (loss.map(|loss| loss.max(0.0)), format!("{name}: {note}"));
    Some(Heat { fault, loss, note })
}

/// What a fault leaves of the throughput.
fn limit_record<'py>(
    py: Python<'py>,
    finding: &LimitFinding,
    healthy: &LimitFinding,
) -> PyResult<Bound<'py, PyDict>> {
    let percent = |loss: f64| (1000.0 * loss).round() / 10.0;
    let record = to_python(
        py,
        &json!({
            "status": finding.status,
            "algorithm_gbytes": finding.bandwidth(),
            "cost_gbytes": finding.cost(healthy),
            "cost_percent": finding.loss(healthy).map(percent),
            "why": (!finding.why.is_empty()).then_some(&finding.why),
            "pairs": finding.pairs,
            "missing": finding.missing,
        }),
    )?;
    let record = record.cast_into::<PyDict>()?;
    let limit = finding.limit.map(|limit| fraction(py, limit)).transpose()?;
    record.set_item("ns_per_byte", limit)?;
    Ok(record)
}

fn steps(answer: &JobAnswer) -> Option<u32> {
    match answer {
        JobAnswer::Solved(solved) => Some(solved.steps()),
        _ => None,
    }
}

fn answer_json(answer: &JobAnswer) -> Value {
    match answer {
        JobAnswer::Solved(solved) => json!({
            "status": if solved.steps() == solved.bound() { "optimal" } else { "best found" },
            "steps": solved.steps(),
            "bound": solved.bound(),
            "missing": solved.missing,
        }),
        JobAnswer::Separated(separated) => {
            json!({"status": "disconnected", "steps": null, "pairs": separated.pairs})
        }
        JobAnswer::Impossible { why, missing } => {
            json!({"status": "impossible", "steps": null, "why": why, "missing": missing})
        }
        JobAnswer::Unsolved => json!({"status": "none found", "steps": null}),
        JobAnswer::Refused(why) => json!({"status": "bug", "steps": null, "why": why}),
    }
}
