//! Timed schedules, which are always judged.

use crate::background::Search;
use crate::machine::{Group, problems};
use crate::members::Members;
use crate::network::Network;
use crate::problem::{rule, threads};
use crate::schedule::{save_by_name, timed_verdict};
use crate::{Unsolved, bad, fraction, plan_file, quantity, to_python};
use pavane_interop::timed::export;
use pavane_model::printable::{printable, printable_lines};
use pavane_model::timed::{self, BufferSize};
use pavane_model::{Duplex, Fault, Fraction, Model, Problem, problem, strict_json};
use pavane_networks::name_check;
use pavane_throughput::rates::{Payload, Rate};
use pavane_throughput::sizes::Sizes;
use pavane_timed::{
    SendChanges, TimedAnswer, TimedRepairRequest, TimedRequest, explanation, repair, solve,
};
use pavane_verify::{CheckedTimed, check_timed, check_timed_within};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The time limit of a search if neither time nor evaluations are given, as that of `pavane solve`.
const TIME: Duration = Duration::from_secs(10);

/// The time limit of a repair, as that of `pavane repair`.
const REPAIR_TIME: Duration = Duration::from_secs(2);

/// A schedule in nanoseconds that the judge has accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Timed {
    checked: CheckedTimed,
    /// The method that found it and the seed; `None` if it is from a file.
    found_by: Option<(&'static str, u64)>,
    /// What a repair kept of the schedule before.
    changes: Option<SendChanges>,
}

#[pymethods]
impl Timed {
    /// Reads and judges a file, plain or gzipped; raises ValueError if the schedule is not valid.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let schedule = timed::read_file(&path, problem::DELIVERIES).map_err(bad)?;
        let checked = py.detach(|| check_timed(schedule)).map_err(|rejection| {
            bad(format!("{} is not a valid timed schedule: {rejection}", path.display()))
        })?;
        Ok(Self { checked, found_by: None, changes: None })
    }

    /// The last arrival in nanoseconds: a `fractions.Fraction`.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, self.checked.time_ns())
    }

    /// The last arrival in microseconds.
    #[getter]
    fn microseconds(&self) -> f64 {
        self.checked.time_ns().to_f64() / 1000.0
    }

    /// The time in nanoseconds that no schedule can beat: a `fractions.Fraction`. None if a file proves
    /// no bound.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.checked.proved_ns().map(|(bound, _)| fraction(py, bound)).transpose()
    }

    /// Whether the schedule takes exactly the bound.
    #[getter]
    fn is_optimal(&self) -> bool {
        self.checked.is_optimal()
    }

    /// Why no schedule is faster than the bound, in words.
    #[getter]
    fn explanation(&self) -> String {
        explanation(self.checked.schedule())
    }

    /// Algorithm bandwidth in GB/s, as in nccl-tests; None if the messages have sizes of their own.
    #[getter]
    fn algorithm_gbytes(&self) -> Option<f64> {
        self.rate()?.algorithm_gbytes
    }

    /// Bus bandwidth in GB/s, as in nccl-tests; None where it has no convention.
    #[getter]
    fn bus_gbytes(&self) -> Option<f64> {
        self.rate()?.bus_gbytes
    }

    /// The number of chunks.
    #[getter]
    fn chunks(&self) -> usize {
        self.checked.schedule().phases.iter().map(|phase| phase.chunks.len()).sum()
    }

    /// The number of sends.
    #[getter]
    fn sends(&self) -> usize {
        self.checked.schedule().phases.iter().map(|phase| phase.sends.len()).sum()
    }

    /// The schedule, in the format of its file (pavane/timed/1).
    #[getter]
    fn schedule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes).map_err(bad)?;
        let schedule: Value = strict_json::from_slice(&bytes).map_err(bad)?;
        to_python(py, &schedule)
    }

    /// Writes the schedule to a file, gzipped if its name ends in .gz.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        save_by_name(&path, |out| self.write(out))
    }

    /// Verifies the schedule again: the verdict of `pavane.verify`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let verdict = py.detach(|| timed_verdict(self.checked.schedule())).map_err(bad)?;
        to_python(py, &verdict)
    }

    /// The files of an export (chakra, csv, goal, simgrid): suffix and content.
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let files = export(format, &self.checked).map_err(bad)?;
        Ok(files.into_iter().map(|file| (file.suffix, PyBytes::new(py, &file.bytes))).collect())
    }

    /// The share of the still valid sends that a repair kept; None if the schedule is not repaired.
    #[getter]
    fn kept(&self) -> Option<f64> {
        self.changes.map(|changes| changes.kept_share())
    }

    /// The schedule after faults ("0-1", "5"). Without `keep` it keeps all sends that are still of use;
    /// otherwise it is the quickest one found that keeps this share of the valid sends. After `time`
    /// seconds (2 if neither is given) or `evaluations` random restarts the search for a quick schedule
    /// ends. Raises `Unsolved` if there is no schedule.
    #[pyo3(signature = (*faults, keep=None, seed=1, time=None, evaluations=None))]
    fn repair(
        &self,
        py: Python<'_>,
        faults: Vec<String>,
        keep: Option<f64>,
        seed: u64,
        time: Option<f64>,
        evaluations: Option<u64>,
    ) -> PyResult<Self> {
        if let Some(keep) = keep.filter(|keep| !(0.0..=1.0).contains(keep)) {
            return Err(bad(format!("keep={keep} is not valid; use a share from 0 to 1")));
        }
        let search = Search::limited(time, evaluations.is_none().then_some(REPAIR_TIME))?;
        let parse = |text: &String| Fault::parse(self.checked.network(), text).map_err(bad);
        let faults: Vec<Fault> = faults.iter().map(parse).collect::<PyResult<_>>()?;
        let interrupt = search.interrupt();
        let before = self.checked.schedule().clone();
        let work = move || {
            let stop = || interrupt.is_raised();
            let (rounds, threads) = (evaluations, threads(None));
            repair(
                &before,
                &faults,
                &TimedRepairRequest { keep, seed, rounds, threads, stop: &stop },
            )
        };
        let repaired = search
            .run(py, work)?
            .map_err(|error| Unsolved::new_err(printable_lines(&error.to_string()).into_owned()))?;
        let changes = Some(repaired.chosen.changes);
        Self::new(repaired.chosen.answer, seed, changes)
    }

    fn __repr__(&self) -> String {
        let state = match self.checked.proved_ns() {
            _ if self.is_optimal() => "optimal".to_owned(),
            Some((bound, _)) => format!("bound {:.4} µs", bound.to_f64() / 1000.0),
            None => "no bound".to_owned(),
        };
        let network = name_check::network_in_words(self.checked.network());
        let name = &self.checked.schedule().name;
        let time = self.microseconds();
        printable(&format!("<Timed {name} on {network}: {time:.4} µs, {state}>")).into_owned()
    }
}

impl Timed {
    /// Has a schedule judged.
    fn new(answer: TimedAnswer, seed: u64, changes: Option<SendChanges>) -> PyResult<Self> {
        let method = answer.method;
        let checked = check_timed_within(answer.schedule, Some(u64::MAX)).map_err(|why| {
            let text = format!("bug: the judge rejected a timed schedule: {why}");
            PyRuntimeError::new_err(printable_lines(&text).into_owned())
        })?;
        Ok(Self { checked, found_by: Some((method, seed)), changes })
    }

    fn rate(&self) -> Option<Rate> {
        let schedule = self.checked.schedule();
        let BufferSize::Bytes(bytes) = schedule.size else { return None };
        let problems: Vec<Problem> =
            schedule.phases.iter().map(|phase| phase.problem.clone()).collect();
        let payload = Payload { problems: &problems, bytes: Some(bytes), unit: None };
        let shard = Fraction::from(bytes).checked_div(Fraction::from(payload.parts()))?;
        payload.rate(self.checked.time_ns().checked_div(shard)?).ok()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more = Map::new();
        if let Some((method, seed)) = self.found_by {
            let program = concat!("pavane ", env!("CARGO_PKG_VERSION"));
            let made_by = json!({"program": program, "engine": method, "seed": seed});
            more.insert("made_by".into(), made_by);
        }
        timed::write(out, self.checked.schedule(), &more)
    }
}

/// A schedule that ends soonest, on channels with bandwidths and latencies, with a proved bound.
///
/// `bytes` is the size of the buffer as in nccl-tests, a number or a text such as "1MB"; or `sizes` is a
/// matrix of bytes with one row per sender and one column per receiver (all-to-all-v): lists, an array, or
/// the path of a file in CSV or JSON. `chunks` cuts every message into so many chunks; without it the search
/// chooses. `root`, `senders` and `receivers` name processors as in `Problem`. `bandwidth` and `latency`
/// replace those of all channels: numbers in GB/s and ns, fractions, or texts such as "400Gb/s" and "0.7us".
/// The search ends at the bound, after `time` seconds (10 if neither is given) or after `evaluations` random
/// restarts; then the result depends on `seed` only. Ctrl-C interrupts.
#[pyfunction(name = "timed")]
#[pyo3(signature = (network, collective, *, bytes=None, sizes=None, chunks=None, root=None, senders=None, receivers=None,
                    bandwidth=None, latency=None, duplex="full", seed=1, time=None, evaluations=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find(
    py: Python<'_>,
    network: &Network,
    collective: &str,
    bytes: Option<Bound<'_, PyAny>>,
    sizes: Option<Bound<'_, PyAny>>,
    chunks: Option<u64>,
    root: Option<Members>,
    senders: Option<Members>,
    receivers: Option<Members>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    duplex: &str,
    seed: u64,
    time: Option<f64>,
    evaluations: Option<u64>,
    threads: Option<usize>,
) -> PyResult<Timed> {
    if bytes.is_some() == sizes.is_some() {
        return Err(bad("give either bytes, such as bytes=\"1MB\", or sizes"));
    }
    if chunks == Some(0) {
        return Err(bad("chunks=0 is not valid; use a number of at least 1"));
    }
    let search = Search::limited(time, evaluations.is_none().then_some(TIME))?;
    let duplex: Duplex = rule("duplex", duplex)?;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let problems =
        problems(network, collective, group, bandwidth, latency, Model::without_ports())?;
    let size = match (bytes, sizes) {
        (Some(bytes), _) => BufferSize::Bytes(quantity::size("bytes", &bytes)?),
        (None, sizes) => {
            let rows =
                sizes.map(|sizes| plan_file::matrix(&sizes)).transpose()?.unwrap_or_default();
            let sizes = Sizes::of_matrix(&problems, &rows);
            let sizes = sizes.map_err(|error| bad(format!("sizes: {error}")))?;
            let each = sizes.relative.iter().map(|size| size.checked_mul(sizes.unit));
            let each: Option<Vec<u64>> = each.collect();
            BufferSize::Each(each.ok_or_else(|| bad("sizes: too many bytes"))?)
        }
    };
    let interrupt = search.interrupt_before_judging();
    let (name, threads) = (collective.to_owned(), self::threads(threads));
    let work = move || {
        let stop = || interrupt.is_raised();
        let (size, rounds) = (&size, evaluations);
        let known = &[];
        let request =
            TimedRequest { size, duplex, chunks, seed, rounds, threads, known, stop: &stop };
        solve(&name, &problems, &request).map_err(|error| error.to_string())
    };
    let found = search.run(py, work)?.map_err(bad)?;
    Timed::new(found, seed, None)
}
