//! The best schedule for every size.

use crate::background::Search;
use crate::collective::{CollectiveArgument, title};
use crate::compare::rate;
use crate::errors::{bad, bug};
use crate::files::reduced;
use crate::found::Found;
use crate::machine::problems;
use crate::members::Group;
use crate::network::NetworkArgument;
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::{rule, threads};
use crate::schedule::Schedule;
use crate::whole::{whole, whole_or_none};
use crate::{quantity, tables, to_python};
use pavane_interop::export::{ExportOptions, export};
use pavane_model::printable::printable;
use pavane_model::{Duplex, Fraction, Model, Problem, problem};
use pavane_networks::name_check;
use pavane_tuning::{SizeRange, TunedSize, TuningError, TuningRequest, ranges, tune};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit, as that of `pavane tune`.
const TIME: Duration = Duration::from_secs(120);

/// The best schedule for every size, all judged.
#[pyclass(frozen, module = "pavane")]
pub struct Tuning {
    /// The collective and the network, in words.
    title: String,
    is_complete: bool,
    /// A record for every size.
    sizes: Value,
    /// The smallest and the largest size of every range, and the number of its schedule.
    ranges: Vec<(u64, u64, usize)>,
    /// The schedules with their names.
    schedules: Vec<(String, Schedule)>,
}

#[pymethods]
impl Tuning {
    /// The predictions for every size: a dictionary as in the output of `pavane tune --json`.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.sizes)
    }

    /// The sizes as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::data_frame(py, self.sizes(py)?)
    }

    /// The ranges of sizes without gaps: the smallest and the largest size, and the name of the schedule.
    #[getter]
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record = |&(least, most, schedule): &(u64, u64, usize)| {
            json!({
                "min_bytes": least,
                "max_bytes": most,
                "schedule": self.schedules[schedule].0,
            })
        };
        to_python(py, &self.ranges.iter().map(record).collect())
    }

    /// Whether all sizes were tuned.
    #[getter]
    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The schedule for a size, which libraries can execute.
    fn schedule(&self, bytes: Bound<'_, PyAny>) -> PyResult<Schedule> {
        let bytes = quantity::size("bytes", &bytes)?;
        let is_meant = |range: &&(u64, u64, usize)| (range.0..=range.1).contains(&bytes);
        let range = self.ranges.iter().find(is_meant);
        let range = range.ok_or_else(|| bad(format!("there is no schedule for {bytes} bytes")))?;
        Ok(self.schedules[range.2].1.clone())
    }

    fn __len__(&self) -> usize {
        self.sizes.as_array().map_or(0, Vec::len)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.sizes(py)?.try_iter()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (title, sizes) = (self.title.as_str(), self.sizes.to_string());
        let schedules = PyList::new(py, self.schedules.iter().cloned())?;
        reduced(py, "Tuning", (title, self.is_complete, sizes, self.ranges.clone(), schedules))
    }

    /// The tuning of a pickle. Its schedules are judged again.
    #[staticmethod]
    fn _restore(
        title: String,
        is_complete: bool,
        sizes: &str,
        ranges: Vec<(u64, u64, usize)>,
        schedules: Vec<(String, PyRef<'_, Schedule>)>,
    ) -> PyResult<Self> {
        if ranges.iter().any(|range| range.2 >= schedules.len()) {
            return Err(bad("the pickle is not a valid tuning: a schedule is missing"));
        }
        let sizes = pavane_model::strict_json::from_str(sizes).map_err(bad)?;
        let schedules = schedules.iter().map(|(name, one)| (name.clone(), (**one).clone()));
        Ok(Self { title, is_complete, sizes, ranges, schedules: schedules.collect() })
    }

    fn __repr__(&self) -> String {
        let (sizes, ranges) = (self.__len__(), self.ranges.len());
        let text = format!("<Tuning {}: {sizes} sizes, {ranges} ranges>", self.title);
        printable(&text).into_owned()
    }
}

impl Tuning {
    fn new(name: &str, problems: &[Problem], found: &pavane_tuning::Tuning, seed: u64) -> Self {
        let micro = |time: Fraction| time.to_f64() / 1000.0;
        let record = |size: &TunedSize| {
            let best = size.best.map(|(_, time)| time);
            let rate = best.and_then(|time| rate(problems, size.bytes, time));
            json!({
                "bytes": size.bytes,
                "bound_microseconds": micro(size.bound_ns),
                "timed_microseconds": micro(size.timed.time_ns()),
                "microseconds": best.map(micro),
                "algorithm_gbytes": rate.and_then(|rate| rate.algorithm_gbytes),
                "bus_gbytes": rate.and_then(|rate| rate.bus_gbytes),
                "ring_microseconds": size.ring_ns.map(micro),
                "tree_microseconds": size.tree_ns.map(micro),
                "schedule": size.best.map(|(at, _)| found.schedules[at].0.clone()),
            })
        };
        let schedules = found.schedules.iter().map(|(called, phases)| {
            let phases = phases.iter().map(|phase| Found::plain(phase, "tune")).collect();
            (called.clone(), Schedule::new(name, phases, seed))
        });
        let range = |range: &SizeRange| (range.least, range.most, range.schedule);
        let network = name_check::network_in_words(problems[0].network());
        Self {
            title: format!("{name} on {network}"),
            is_complete: !found.is_stopped,
            sizes: found.sizes.iter().map(record).collect(),
            ranges: ranges(found).iter().map(range).collect(),
            schedules: schedules.collect(),
        }
    }
}

/// The best schedule for every size from `least` to `most`: k-synchronous schedules, timed schedules with equal
/// chunks, and the algorithms of libraries are simulated at every size, beside the quickest timed schedule
/// and the bound.
///
/// `bytes` is a pair of sizes such as ("1KB", "1GB"), or a text such as "1KB..1GB", as in nccl-tests; each size is `factor` times the one
/// before. The other keywords are those of `timed`. The search takes `time` seconds (120 if not given), and
/// `evaluations` limits the random restarts for each size. Ctrl-C raises `Interrupted`, which has the sizes so far.
#[pyfunction(name = "tune")]
#[pyo3(signature = (network, collective, *, bytes, factor=2, root=None, senders=None, receivers=None,
                    bandwidth=None, latency=None, duplex="full", max_deliveries=problem::DELIVERIES, seed=1, time=None,
                    evaluations=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find_best(
    py: Python<'_>,
    network: NetworkArgument,
    collective: CollectiveArgument,
    bytes: Bound<'_, PyAny>,
    #[pyo3(from_py_with = whole)] factor: u64,
    root: Option<Bound<'_, PyAny>>,
    senders: Option<Bound<'_, PyAny>>,
    receivers: Option<Bound<'_, PyAny>>,
    bandwidth: Option<Bound<'_, PyAny>>,
    latency: Option<Bound<'_, PyAny>>,
    duplex: &str,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    time: Option<Seconds>,
    #[pyo3(from_py_with = whole_or_none)] evaluations: Option<u64>,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Tuning> {
    let (factor, (least, most)) = (quantity::factor(factor)?, quantity::range("bytes", &bytes)?);
    let search = Search::limited(time, Some(TIME))?;
    let CollectiveArgument(collective) = collective;
    let duplex: Duplex = rule("duplex", duplex)?;
    let group = Group { root, senders, receivers };
    let (bandwidth, latency) = (bandwidth.as_ref(), latency.as_ref());
    let rules = (Model::default(), max_deliveries);
    let problems = problems(&network.0, &collective, group, bandwidth, latency, rules)?;
    let collective = title(&collective).to_owned();
    let (name, phases, threads) = (collective.clone(), problems.clone(), self::threads(threads));
    let (stop, clock, time) = (search.stop(), search.clock, search.time.unwrap_or(TIME));
    let sizes = pavane_tuning::sizes(least, most, factor);
    let work = move || {
        let times = pavane_tuning::TuningTimes::new(clock, time, stop.clone());
        tune(&TuningRequest {
            collective: &name,
            problems: &phases,
            sizes: &sizes,
            duplex,
            seed,
            rounds: evaluations,
            threads,
            times: &times,
            is_stopped: &|| stop.is_raised(),
            is_exportable: &|phases| export("msccl", phases, ExportOptions::default()).is_ok(),
            progress: &|_| {},
        })
    };
    search.run(py, work)?.keep(py, |answer| {
        let found = answer.map_err(|error| match error {
            TuningError::Search(error) => bad(error),
            error => bug(error),
        })?;
        Ok(Tuning::new(&collective, &problems, &found, seed))
    })
}
