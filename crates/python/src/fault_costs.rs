//! What every fault costs, in steps or in bandwidth, with a heat map.

use crate::background::{self, Ended};
use crate::collective::title;
use crate::errors::{bad, nothing_left, unless_interrupted};
use crate::network::Network;
use crate::resumed_search::refused;
use crate::{fraction, to_python};
use pavane_model::{CollectiveRequest, Fault, Model};
use pavane_render::fault_heat::{Effect, heats};
use pavane_render::heat_map::{Measure, Panel, draw};
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::fault::{Class, FaultSets, Part, Parts, Selection, classes_with_bandwidths};
use pavane_search::synthesize::Options;
use pavane_store::fault_rows::FaultFinding;
use pavane_store::fault_survey::{FaultSurvey, KeptFiles, Surveyed};
use pavane_throughput::fault_limit::{LimitFinding, LimitStatus, examine};
use pavane_throughput::reached::ThroughputError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Sets of parts that fail together.
pub struct FaultChoice {
    parts: Parts,
    kinds: Vec<Part>,
    sets: FaultSets,
    count: u32,
}

impl FaultChoice {
    /// Sets of parts of some kinds; see `Problem.faults`.
    pub fn new(
        network: &pavane_model::Network,
        kinds: &[Part],
        selection: Selection,
    ) -> PyResult<Self> {
        let parts = Parts::new(network, kinds);
        let (kinds, count) = (kinds.to_vec(), selection.count);
        let sets = FaultSets::new(network.name(), parts.faults().len(), selection);
        Ok(Self { parts, kinds, sets: sets.map_err(bad)?, count })
    }

    fn faults(&self, set: usize) -> Vec<Fault> {
        self.parts.set(&self.sets.sets[set])
    }

    /// The faults of a set, by router names.
    fn name(&self, set: usize, network: &pavane_model::Network) -> String {
        let names: Vec<String> = self.faults(set).iter().map(|fault| fault.name(network)).collect();
        names.join(" ")
    }

    /// The list of records with its heat map: a `pavane.FaultCosts`.
    fn with_map<'py>(
        &self,
        rows: Bound<'py, PyList>,
        no_fault: Bound<'py, PyAny>,
        map: &Map<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Map { network, effects, measure, .. } = map;
        let effects = self.sets.sets.iter().zip(effects).map(|(set, &effect)| (&set[..], effect));
        let in_words = |loss: f64| match measure {
            Measure::Steps => format!("{:+.1} % steps", 100.0 * loss),
            Measure::Bandwidth => format!("{:+.1} % bandwidth", 0.0 - 100.0 * loss),
        };
        let heats = heats(network, self.parts.faults(), effects, &in_words);
        let svg = draw(network, &[Panel { title: map.title.clone(), heats }], *measure);
        let list = rows.py().import("pavane._fault_costs")?.getattr("FaultCosts")?;
        list.call1((rows, no_fault, svg))
    }
}

/// What a heat map shows.
struct Map<'a> {
    network: &'a pavane_model::Network,
    title: String,
    /// The effect of every set of faults.
    effects: Vec<Effect>,
    measure: Measure,
}

/// The steps that every set of faults costs, as a list of records with a heat map. Sets that are equivalent by symmetry
/// are solved once.
pub fn of_steps<'py>(
    py: Python<'py>,
    network: &Network,
    request: &CollectiveRequest,
    choice: FaultChoice,
    options: Options,
    keep: KeptFiles,
) -> PyResult<Bound<'py, PyAny>> {
    let Network { healthy: whole, broken, .. } = network;
    let phases = request.on(whole, broken).map_err(nothing_left)?.phases;
    let groups = request.groups.left(whole, broken).map_err(bad)?;
    let label = title(&request.collective).to_owned();
    let stop = options.stop.clone();
    let FaultChoice { parts, kinds, sets, count } = choice;
    let survey = FaultSurvey {
        network: broken.clone(),
        label: label.clone(),
        request: CollectiveRequest { groups, ..request.clone() },
        phases,
        parts,
        kinds,
        sets,
        count,
        options,
        keep,
    };
    let work = move || (survey.run(), survey);
    let Ended { answer, interrupt } = background::run(py, &stop, work, |_| Ok(()))?;
    let (surveyed, survey) = answer;
    let Surveyed { healthy, findings } = surveyed.map_err(refused)?;
    let FaultSurvey { parts, kinds, sets, .. } = survey;
    let choice = FaultChoice { parts, kinds, sets, count };
    let (rows, mut effects) = (PyList::empty(py), Vec::new());
    for (set, finding) in findings.iter().enumerate() {
        let is_cut = matches!(finding, FaultFinding::Disconnected { .. });
        effects.push(Effect { loss: finding.loss(&healthy), is_cut });
        if let Some(mut row) = record(finding) {
            row["fault"] = json!(choice.name(set, broken));
            rows.append(to_python(py, &row)?)?;
        }
    }
    let steps = healthy.steps().map_or(String::new(), |steps| format!(", {steps} steps"));
    let title = format!("{label} on {}{steps}", broken.name());
    let no_fault = to_python(py, &json!({"steps": healthy.steps()}))?;
    let map = Map { network: broken, title, effects, measure: Measure::Steps };
    unless_interrupted(py, interrupt, choice.with_map(rows, no_fault, &map))
}

/// The bandwidth that every set of faults costs, as a list of records with a heat map. Sets that are
/// equivalent by symmetry of the network and its bandwidths are computed once, each in at most `time`.
pub fn of_throughput<'py>(
    py: Python<'py>,
    network: &Network,
    request: &CollectiveRequest,
    choice: FaultChoice,
    time: Option<Duration>,
) -> PyResult<Bound<'py, PyAny>> {
    let Network { healthy: whole, broken, .. } = network;
    let mut request = CollectiveRequest { model: Model::without_ports(), ..request.clone() };
    let phases = request.on(whole, broken).map_err(nothing_left)?.phases;
    request.groups = request.groups.left(whole, broken).map_err(bad)?;
    let label = title(&request.collective).to_owned();
    let stop = Arc::new(AtomicBool::new(false));
    let (own_stop, own) = (stop.clone(), broken.clone());
    let work = move || {
        let classes = classes_with_bandwidths(&phases, &choice.parts, &choice.sets.sets);
        let interrupt = || {
            let deadline = time.and_then(|time| Clock::start().after(time));
            Interrupt::never().until(deadline).unless(own_stop.clone())
        };
        let first = interrupt();
        let is_over = || first.is_raised();
        let healthy = LimitFinding::of_phases(&request, &phases, Vec::new(), &is_over)?;
        let mut findings = vec![LimitFinding::default(); choice.sets.sets.len()];
        let is_wanted = |_: &&Class| !own_stop.load(Ordering::Relaxed);
        for class in classes.classes.iter().take_while(is_wanted) {
            let interrupt = interrupt();
            let faults = choice.faults(class.members[0].set);
            let found = examine(&own, &request, &faults, &|| interrupt.is_raised());
            for (place, member) in class.members.iter().enumerate() {
                let image = classes.renumbering(class, place, &own);
                findings[member.set] = found.renumbered(&image).unwrap_or_default();
            }
        }
        Ok((choice, healthy, findings))
    };
    let Ended { answer, interrupt } = background::run(py, &stop, work, |_| Ok(()))?;
    let done: Result<_, ThroughputError> = answer;
    let (choice, healthy, findings) = match done {
        Ok(done) => done,
        Err(error) => return unless_interrupted(py, interrupt, Err(bad(error))),
    };
    let (rows, mut effects) = (PyList::empty(py), Vec::new());
    for (set, finding) in findings.iter().enumerate() {
        let row = limit_record(py, finding, &healthy)?;
        row.set_item("fault", choice.name(set, broken))?;
        rows.append(row)?;
        let is_cut = finding.status == LimitStatus::Disconnected;
        effects.push(Effect { loss: finding.loss(&healthy), is_cut });
    }
    let bandwidth = healthy.bandwidth().map_or(String::new(), |b| format!(", {b:.2} GB/s"));
    let title = format!("{label} on {}{bandwidth}", broken.name());
    let no_fault = limit_record(py, &healthy, &healthy)?.into_any();
    let map = Map { network: broken, title, effects, measure: Measure::Bandwidth };
    unless_interrupted(py, interrupt, choice.with_map(rows, no_fault, &map))
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

/// The record of a result; `None` if it was not reached.
fn record(finding: &FaultFinding) -> Option<Value> {
    Some(match finding {
        FaultFinding::Solved { steps, bound, missing, .. } => json!({
            "status": if steps == bound { "optimal" } else { "best found" },
            "steps": steps,
            "bound": bound,
            "missing": missing,
        }),
        FaultFinding::Disconnected { pairs, .. } => {
            json!({"status": "disconnected", "steps": null, "pairs": pairs})
        }
        FaultFinding::Impossible { why, missing } => {
            json!({"status": "impossible", "steps": null, "why": why, "missing": missing})
        }
        FaultFinding::Unsolved => json!({"status": "not found", "steps": null}),
        FaultFinding::NotReached => return None,
    })
}
