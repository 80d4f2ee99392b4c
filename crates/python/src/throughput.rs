//! Throughput: the limit of a collective and a plan that the judge has accepted.

use crate::network::Network;
use crate::problem::duration;
use crate::schedule::write_whole;
use crate::{Unsolved, background, bad, fraction, to_python};
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_model::collective::Groups;
use pavane_model::printable::{printable, printable_lines};
use pavane_model::words::excerpt;
use pavane_model::{
    CollectiveRequest, Fault, Model, Problem, problem, strict_json, throughput, units,
};
use pavane_search::budget::{Clock, Interrupt};
use pavane_throughput::answer::{self, Answer, answer};
use pavane_throughput::automorphisms::generators;
use pavane_throughput::explanation::{explanation, status};
use pavane_throughput::rates::{Payload, Rate};
use pavane_throughput::repair::{PlanRepairError, RepairedPlan, RouteChanges, repair};
use pavane_throughput::sizes::Sizes;
use pavane_verify::judge_plan_within;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The throughput limit of a collective, and a plan that the judge has accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Throughput {
    name: String,
    problems: Vec<Problem>,
    found: Answer,
    /// What the plan attains.
    rate: Rate,
    /// Whether it attains the limit, in words.
    status: String,
    /// The size of the buffer, if it was given.
    bytes: Option<u64>,
    /// With messages of different sizes: the bytes of a message of relative size 1.
    unit: Option<u64>,
    /// What a repair kept of the plan before.
    changes: Option<RouteChanges>,
}

#[pymethods]
impl Throughput {
    /// Nanoseconds per byte of a message (shard, block) that no algorithm can undercut: a
    /// `fractions.Fraction`. With `sizes`, for all messages, per byte of their greatest common
    /// divisor.
    #[getter]
    fn limit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, self.found.limit)
    }

    /// Nanoseconds per byte that the plan takes: a `fractions.Fraction`.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, self.found.time)
    }

    /// Whether the plan attains the limit.
    #[getter]
    fn is_optimal(&self) -> bool {
        self.found.is_optimal()
    }

    /// Why no algorithm is faster, in words.
    #[getter]
    fn explanation(&self) -> String {
        explanation(&self.problems, &self.found, self.unit)
    }

    /// Algorithm bandwidth of the plan in GB/s, as in nccl-tests; None with `sizes`.
    #[getter]
    fn algorithm_gbytes(&self) -> Option<f64> {
        self.rate.algorithm_gbytes
    }

    /// Bus bandwidth of the plan in GB/s, as in nccl-tests; None where it has no convention.
    #[getter]
    fn bus_gbytes(&self) -> Option<f64> {
        self.rate.bus_gbytes
    }

    /// The time of the plan without latencies; None without `bytes` or `sizes`.
    #[getter]
    fn microseconds(&self) -> Option<f64> {
        self.rate.microseconds
    }

    /// The plan, in the format of its file (pavane/throughput/1).
    #[getter]
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes).map_err(bad)?;
        let plan: Value = strict_json::from_slice(&bytes).map_err(bad)?;
        to_python(py, &plan)
    }

    /// Writes the plan to a file, gzipped if its name ends in .gz.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let mut bytes = Vec::new();
        let content = if path.extension().is_some_and(|ending| ending == "gz") {
            let mut gzip = GzEncoder::new(&mut bytes, Compression::fast());
            self.write(&mut gzip).and_then(|()| gzip.finish().map(drop))
        } else {
            self.write(&mut bytes)
        };
        let written = content.and_then(|()| write_whole(&path, &bytes));
        written.map_err(|error| bad(format!("{}: {error}", path.display())))
    }

    /// The share of the weight of the still valid trees or paths that a repair kept; None if the plan
    /// is not repaired.
    #[getter]
    fn kept(&self) -> Option<f64> {
        self.changes.map(|changes| changes.kept_share())
    }

    /// The plan after faults ("0-1", "5"), with the limit of the network with the faults. It is the
    /// fastest one found that keeps at least the share `keep` of the weight of the trees or paths that are
    /// still valid; of equally fast plans, the one that keeps more. After `time` seconds the search for
    /// the best plan ends. Raises `Unsolved` if there is no plan.
    #[pyo3(signature = (*faults, keep=0.0, time=None))]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<String>,
        keep: f64,
        time: Option<f64>,
    ) -> PyResult<Self> {
        if !(0.0..=1.0).contains(&keep) {
            return Err(bad(format!("keep={keep} is not valid; use a share from 0 to 1")));
        }
        let clock = Clock::start();
        let deadline = duration(time)?.and_then(|time| clock.after(time));
        let network = self.problems[0].network();
        let parse = |text: &String| Fault::parse(network, text).map_err(bad);
        let faults: Vec<Fault> = faults.iter().map(parse).collect::<PyResult<_>>()?;
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::never().until(deadline).unless(stop.clone());
        let before = self.found.plan.clone();
        let work = move || {
            let repaired = repair(&before, &faults, keep, &|| interrupt.is_raised())?;
            let found = repaired.answer();
            Ok((judge(&found), found, repaired))
        };
        let done: Result<_, PlanRepairError> = background::run(py, &stop, work, |_| Ok(()))?;
        let (verdict, found, repaired) = done
            .map_err(|error| Unsolved::new_err(printable_lines(&error.to_string()).into_owned()))?;
        verdict.map_err(PyRuntimeError::new_err)?;
        let status = repaired.status();
        let RepairedPlan { problems, chosen, .. } = repaired;
        let payload = Payload { problems: &problems, bytes: self.bytes, unit: self.unit };
        let rate = payload.rate(found.time).map_err(bad)?;
        let (name, bytes, unit) = (self.name.clone(), self.bytes, self.unit);
        let changes = Some(chosen.changes);
        Ok(Self { name, problems, found, rate, status, bytes, unit, changes })
    }

    fn __repr__(&self) -> String {
        let Answer { time, limit, .. } = self.found;
        let state = if self.is_optimal() { "optimal".to_owned() } else { format!("limit {limit}") };
        let network = self.problems[0].network().name();
        let text = format!("<Throughput {} on {network}: {time} ns per byte, {state}>", self.name);
        printable(&text).into_owned()
    }
}

impl Throughput {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        let program = concat!("pavane ", env!("CARGO_PKG_VERSION"));
        more.insert("status".into(), self.status.clone().into());
        more.insert("made_by".into(), json!({"program": program}));
        throughput::write(out, &self.found.plan, &more)
    }
}

/// The throughput limit of a collective with its reason, and a plan.
///
/// Messages can be split arbitrarily finely, and latency is ignored. `root`, `senders` and
/// `receivers` name processors as in `Problem`; `bytes` is the size of the buffer as in nccl-tests, a
/// number or a text such as "1GB"; `sizes` is a matrix of bytes with one row per sender and one column
/// per receiver (all-to-all-v); `trees` limits the trees per root. `bandwidth` and `latency` replace
/// those of all channels: numbers in GB/s and ns, or texts such as "400Gb/s" and "0.7us". After `time`
/// seconds the plan is a simple one. Ctrl-C interrupts.
#[pyfunction(name = "throughput")]
#[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, bytes=None, sizes=None, trees=None,
                    bandwidth=None, latency=None, time=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find(
    py: Python<'_>,
    network: &Network,
    collective: &str,
    root: Option<String>,
    senders: Option<String>,
    receivers: Option<String>,
    bytes: Option<Bound<'_, PyAny>>,
    sizes: Option<Bound<'_, PyAny>>,
    trees: Option<i64>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    time: Option<f64>,
) -> PyResult<Throughput> {
    if bytes.is_some() && sizes.is_some() {
        return Err(bad("bytes and sizes exclude each other; use one of them"));
    }
    let clock = Clock::start();
    let deadline = duration(time)?.and_then(|time| clock.after(time));
    let bytes = quantity("bytes", bytes, "", units::size)?;
    let bandwidth = quantity("bandwidth", bandwidth, "GB/s", units::bandwidth)?;
    let latency = quantity("latency", latency, "ns", units::latency)?;
    let trees = trees.map(self::trees).transpose()?;
    let request = CollectiveRequest {
        collective: collective.to_owned(),
        groups: Groups { root, senders, receivers },
        chunks: 1,
        model: Model::default(),
        limit: problem::DELIVERIES,
    };
    let timed = network.broken.clone().with_timing(bandwidth, latency).map_err(bad)?;
    let problems = request.on(&network.healthy, &timed).map_err(bad)?.phases;
    let sizes = sizes.map(|sizes| matrix(&sizes)).transpose()?;
    let sizes = sizes.map(|rows| Sizes::of_matrix(&problems, &rows)).transpose();
    let sizes = sizes.map_err(|error| bad(format!("sizes: {error}")))?;
    let unit = sizes.as_ref().map(|sizes| sizes.unit);

    let stop = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt::never().until(deadline).unless(stop.clone());
    let (name, phases) = (collective.to_owned(), problems.clone());
    let work = move || {
        let stop = || interrupt.is_raised();
        let request = answer::Request {
            trees,
            sizes: sizes.as_ref().map_or(&[], |sizes| &sizes.relative),
            generators: &generators(&phases, &stop),
            stop: &stop,
        };
        answer(&name, &phases, &request).map(|found| (judge(&found), found))
    };
    let (verdict, found) = background::run(py, &stop, work, |_| Ok(()))?.map_err(bad)?;
    verdict.map_err(PyRuntimeError::new_err)?;
    let rate = Payload { problems: &problems, bytes, unit }.rate(found.time).map_err(bad)?;
    let status = status(&found, trees);
    let name = collective.to_owned();
    Ok(Throughput { name, problems, found, rate, status, bytes, unit, changes: None })
}

/// Has the plan and its limit judged.
fn judge(found: &Answer) -> Result<(), String> {
    let rejected = |why: &dyn Display| format!("bug: the judge rejected a throughput plan: {why}");
    let verdict = judge_plan_within(&found.plan, Some(u64::MAX)).map_err(|why| rejected(&why))?;
    if let Some(violation) = verdict.violations.first() {
        return Err(rejected(violation));
    }
    if let Some(error) = &verdict.limit_error {
        return Err(rejected(error));
    }
    if verdict.is_optimal() != (found.reason.is_some() && found.is_optimal()) {
        return Err(rejected(&"it does not take the time of the limit"));
    }
    Ok(())
}

/// A positive number of trees.
fn trees(count: i64) -> PyResult<u32> {
    let wrong = || bad(format!("trees={count} is not valid; use a number of at least 1"));
    u32::try_from(count).ok().filter(|&count| count > 0).ok_or_else(wrong)
}

/// Parses a keyword argument that is a text with a unit or a number without.
fn quantity<T, E: Display>(
    keyword: &str,
    value: Option<Bound<'_, PyAny>>,
    unit: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> PyResult<Option<T>> {
    let Some(value) = value else { return Ok(None) };
    let text = match value.extract::<String>() {
        Ok(text) => text,
        Err(_) => format!("{}{unit}", value.str()?),
    };
    parse(&text).map(Some).map_err(|error| bad(format!("{keyword}: {error}")))
}

/// The rows of a matrix of bytes: a list of lists, an array, or other iterables of iterables.
fn matrix(rows: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u64>>> {
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
    let no_list = |_| bad("sizes: expected a list of rows, each a list of bytes");
    let mut all = Vec::new();
    for (number, row) in (1..).zip(rows.try_iter().map_err(no_list)?) {
        let cells = (1..).zip(row?.try_iter().map_err(no_list)?);
        let cells = cells.map(|(column, item)| cell(number, column, item?));
        all.push(cells.collect::<PyResult<_>>()?);
    }
    Ok(all)
}
