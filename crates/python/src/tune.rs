//! The best schedule for every size.

use crate::background::Search;
use crate::compare::rate;
use crate::machine::{Group, problems};
use crate::members::Members;
use crate::network::Network;
use crate::problem::threads;
use crate::schedule::{Found, Schedule, plain_bound};
use crate::{bad, quantity, to_python};
use pavane_interop::export::{ExportOptions, export};
use pavane_model::printable::{printable, printable_lines};
use pavane_model::{Fraction, Model, Problem};
use pavane_networks::name_check;
use pavane_tuning::{SizeRange, TunedSize, TuningError, TuningRequest, ranges, tune};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::json;
use std::time::Duration;

/// The time limit, as that of `pavane tune`.
const TIME: Duration = Duration::from_secs(120);

/// The best schedule for every size, all judged.
#[pyclass(frozen, module = "pavane")]
pub struct Tuning {
    name: String,
    problems: Vec<Problem>,
    found: pavane_tuning::Tuning,
    ranges: Vec<SizeRange>,
    seed: u64,
}

#[pymethods]
impl Tuning {
    /// The predictions for every size: a dictionary as in the output of `pavane tune --json`.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let micro = |time: Fraction| time.to_f64() / 1000.0;
        let record = |size: &TunedSize| {
            let best = size.best.map(|(_, time)| time);
            let rate = best.and_then(|time| rate(&self.problems, size.bytes, time));
            json!({
                "bytes": size.bytes,
                "bound_microseconds": micro(size.bound_ns),
                "timed_microseconds": micro(size.timed.time_ns()),
                "microseconds": best.map(micro),
                "algorithm_gbytes": rate.and_then(|rate| rate.algorithm_gbytes),
                "bus_gbytes": rate.and_then(|rate| rate.bus_gbytes),
                "ring_microseconds": size.ring_ns.map(micro),
                "tree_microseconds": size.tree_ns.map(micro),
                "schedule": size.best.map(|(at, _)| self.found.schedules[at].0.clone()),
            })
        };
        to_python(py, &self.found.sizes.iter().map(record).collect())
    }

    /// The ranges of sizes without gaps: the smallest and the largest size, and the name of the schedule.
    #[getter]
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record = |range: &SizeRange| {
            json!({
                "min_bytes": range.least,
                "max_bytes": range.most,
                "schedule": self.found.schedules[range.schedule].0,
            })
        };
        to_python(py, &self.ranges.iter().map(record).collect())
    }

    /// Whether all sizes were tuned.
    #[getter]
    fn is_complete(&self) -> bool {
        !self.found.is_stopped
    }

    /// The schedule for a size, which libraries can execute.
    fn schedule(&self, bytes: Bound<'_, PyAny>) -> PyResult<Schedule> {
        let bytes = quantity::size("bytes", &bytes)?;
        let is_meant = |range: &&SizeRange| (range.least..=range.most).contains(&bytes);
        let range = self.ranges.iter().find(is_meant);
        let range = range.ok_or_else(|| bad(format!("there is no schedule for {bytes} bytes")))?;
        let phase = |checked: &pavane_verify::CheckedSchedule| Found {
            checked: checked.clone(),
            bound: plain_bound(checked),
            engine: "tune".to_owned(),
        };
        let (_, phases) = &self.found.schedules[range.schedule];
        let phases = phases.iter().map(phase).collect();
        Ok(Schedule { name: self.name.clone(), phases, seed: self.seed })
    }

    fn __repr__(&self) -> String {
        let network = name_check::network_in_words(self.problems[0].network());
        let (sizes, ranges) = (self.found.sizes.len(), self.ranges.len());
        let text = format!("<Tuning {} on {network}: {sizes} sizes, {ranges} ranges>", self.name);
        printable(&text).into_owned()
    }
}

/// The best schedule for every size from `least` to `most`: k-synchronous schedules, timed schedules with equal
/// chunks, and the algorithms of libraries are simulated at every size, beside the quickest timed schedule
/// and the bound.
///
/// `bytes` is a pair of sizes such as ("1KB", "1GB"), as in nccl-tests; each size is `factor` times the one
/// before. The other keywords are those of `timed`. The search takes `time` seconds (120 if not given), and
/// `evaluations` limits the random restarts for each size. Ctrl-C interrupts.
#[pyfunction(name = "tune")]
#[pyo3(signature = (network, collective, *, bytes, factor=2, root=None, senders=None, receivers=None,
                    bandwidth=None, latency=None, seed=1, time=None, evaluations=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find_best(
    py: Python<'_>,
    network: &Network,
    collective: &str,
    bytes: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    factor: u64,
    root: Option<Members>,
    senders: Option<Members>,
    receivers: Option<Members>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    seed: u64,
    time: Option<f64>,
    evaluations: Option<u64>,
    threads: Option<usize>,
) -> PyResult<Tuning> {
    if !(2..=1024).contains(&factor) {
        return Err(bad(format!("factor={factor} is not valid; use a number from 2 to 1024")));
    }
    let (least, most) = (quantity::size("bytes", &bytes.0)?, quantity::size("bytes", &bytes.1)?);
    if least > most {
        return Err(bad("bytes: the first size is larger than the second"));
    }
    let search = Search::limited(time, Some(TIME))?;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let problems = problems(network, collective, group, bandwidth, latency, Model::default())?;
    let (name, phases, threads) = (collective.to_owned(), problems.clone(), self::threads(threads));
    let (stop, clock, time) = (search.stop(), search.clock, search.time.unwrap_or(TIME));
    let sizes = pavane_tuning::sizes(least, most, factor);
    let work = move || {
        let times = pavane_tuning::TuningTimes::new(clock, time, stop.clone());
        tune(&TuningRequest {
            collective: &name,
            problems: &phases,
            sizes: &sizes,
            seed,
            rounds: evaluations,
            threads,
            times: &times,
            is_stopped: &|| stop.is_raised(),
            is_exportable: &|phases| export("msccl", phases, ExportOptions::default()).is_ok(),
            progress: &|_| {},
        })
    };
    let found = search.run(py, work)?.map_err(|error| match error {
        TuningError::Search(error) => bad(error),
        error => PyRuntimeError::new_err(printable_lines(&format!("bug: {error}")).into_owned()),
    })?;
    let ranges = ranges(&found.sizes);
    Ok(Tuning { name: collective.to_owned(), problems, found, ranges, seed })
}
