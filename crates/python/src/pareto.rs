//! k-synchronous schedules: the front from few steps to few rounds per chunk.

use crate::background::Search;
use crate::collective::{CollectiveArgument, title};
use crate::errors::{bad, bug};
use crate::files::reduced;
use crate::found::Found;
use crate::machine::problems;
use crate::members::Group;
use crate::network::NetworkArgument;
use crate::problem::Seconds;
use crate::problem::thread_count;
use crate::problem::threads;
use crate::schedule::Schedule;
use crate::whole::{whole, whole_or_none};
use crate::{fraction, quantity, tables, to_python};
use pavane_model::printable::printable;
use pavane_model::{Fraction, Problem, problem};
use pavane_networks::name_check;
use pavane_pareto::{FrontError, FrontPoint, FrontRequest, find, in_rounds, rules};
use pavane_throughput::rates::Payload;
use pavane_tuning::limit_in_rounds;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit, as that of `pavane pareto`.
const TIME: Duration = Duration::from_secs(120);

/// The part of the time that the throughput limit may take.
const LIMIT_SHARE: u32 = 4;

/// The fewest rounds for every number of chunks and steps, each with a schedule that the judge has
/// accepted.
#[pyclass(frozen, module = "pavane")]
pub struct Front {
    /// The collective and the network, in words.
    title: String,
    limit: Option<Fraction>,
    is_complete: bool,
    /// A record for every point.
    points: Value,
    /// Chunks per message, steps, and schedule of every point.
    schedules: Vec<(u32, u32, Schedule)>,
}

#[pymethods]
impl Front {
    /// Every point, by chunks and then by steps: a dictionary as in the output of `pavane pareto --json`.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.points)
    }

    /// The points as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::data_frame(py, self.points(py)?)
    }

    /// Rounds per chunk that no schedule can undercut: a `fractions.Fraction`, or None if it is not known.
    #[getter]
    fn limit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.limit.map(|limit| fraction(py, limit)).transpose()
    }

    /// Whether all numbers of chunks were tried.
    #[getter]
    fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The schedule of the point with these chunks per message and steps. Its steps are the rounds.
    fn schedule(
        &self,
        #[pyo3(from_py_with = whole)] chunks_per_message: u32,
        #[pyo3(from_py_with = whole)] steps: u32,
    ) -> PyResult<Schedule> {
        let is_meant = |it: &&(u32, u32, Schedule)| it.0 == chunks_per_message && it.1 == steps;
        let point = self.schedules.iter().find(is_meant).ok_or_else(|| {
            bad(format!(
                "there is no point with {chunks_per_message} chunks per message and {steps} steps; \
                 `points` lists all"
            ))
        })?;
        Ok(point.2.clone())
    }

    fn __len__(&self) -> usize {
        self.schedules.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.points(py)?.try_iter()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let limit = self.limit.map(|limit| limit.to_string());
        let schedules = PyList::new(py, self.schedules.iter().cloned())?;
        let points = self.points.to_string();
        reduced(py, "Front", (self.title.as_str(), limit, self.is_complete, points, schedules))
    }

    /// The front of a pickle. Its schedules are judged again.
    #[staticmethod]
    fn _restore(
        title: String,
        limit: Option<String>,
        is_complete: bool,
        points: &str,
        schedules: Vec<(u32, u32, PyRef<'_, Schedule>)>,
    ) -> PyResult<Self> {
        let limit = limit.map(|limit| limit.parse()).transpose().map_err(bad)?;
        let points = pavane_model::strict_json::from_str(points).map_err(bad)?;
        let schedules =
            schedules.iter().map(|(chunks, steps, one)| (*chunks, *steps, (**one).clone()));
        Ok(Self { title, limit, is_complete, points, schedules: schedules.collect() })
    }

    fn __repr__(&self) -> String {
        let count = self.schedules.len();
        printable(&format!("<Front {}: {count} points>", self.title)).into_owned()
    }
}

impl Front {
    fn new(
        name: &str,
        problems: &[Problem],
        limit: Option<Fraction>,
        found: &pavane_pareto::Front,
        seed: u64,
    ) -> Self {
        let payload = Payload { problems, bytes: None, unit: None };
        let record = |point: &FrontPoint| {
            json!({
                "chunks": payload.messages_per_sender() * u64::from(point.chunks),
                "chunks_per_message": point.chunks,
                "steps": point.steps(),
                "rounds": point.round_count(),
                "rounds_by_step": point.rounds,
                "rounds_per_chunk": point.rounds_per_chunk().to_string(),
                "front": point.is_on_front,
                "fewer": point.fewer.name(),
            })
        };
        let schedule = |point: &FrontPoint| {
            let phases = point.phases.iter().map(|phase| Found::plain(phase, "pareto")).collect();
            (point.chunks, point.steps(), Schedule::new(name, phases, seed))
        };
        let network = name_check::network_in_words(problems[0].network());
        Self {
            title: format!("{name} on {network}"),
            limit,
            is_complete: !found.is_stopped,
            points: found.points.iter().map(record).collect(),
            schedules: found.points.iter().map(schedule).collect(),
        }
    }
}

/// The k-synchronous schedules from the fewest steps to the fewest rounds per chunk, as SCCL defines them:
/// for every number of chunks per message up to `max_chunks` and every number of steps up to `max_steps`,
/// the fewest rounds.
///
/// `root`, `senders` and `receivers` name processors as in `Problem`. `round` is the bandwidth of a channel
/// that carries one chunk per round, that of the slowest channel if it is not given; faster channels count as
/// often as it fits. The search ends after `time` seconds
/// (120 if not given) with the points found so far; a point that needs more work of the solver than
/// `evaluations` stays open. Ctrl-C raises `Interrupted`, which has the points so far.
#[pyfunction(name = "pareto")]
#[pyo3(signature = (network, collective, *, root=None, senders=None, receivers=None, max_chunks=4, max_steps=None,
                    round=None, max_deliveries=problem::DELIVERIES, seed=1, time=None, evaluations=4_000_000_000, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn find_front(
    py: Python<'_>,
    network: NetworkArgument,
    collective: CollectiveArgument,
    root: Option<Bound<'_, PyAny>>,
    senders: Option<Bound<'_, PyAny>>,
    receivers: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = whole)] max_chunks: u32,
    #[pyo3(from_py_with = whole_or_none)] max_steps: Option<u32>,
    round: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = whole)] max_deliveries: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    time: Option<Seconds>,
    #[pyo3(from_py_with = whole)] evaluations: u64,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Front> {
    if !(1..=64).contains(&max_chunks) {
        return Err(bad(format!(
            "max_chunks={max_chunks} is not valid; use a number from 1 to 64"
        )));
    }
    if let Some(steps) = max_steps.filter(|steps| !(1..=1000).contains(steps)) {
        return Err(bad(format!("max_steps={steps} is not valid; use a number from 1 to 1000")));
    }
    let search = Search::limited(time, Some(TIME))?;
    let CollectiveArgument(collective) = collective;
    pavane_search::use_threads(self::threads(threads));
    let group = Group { root, senders, receivers };
    let phases = problems(&network.0, &collective, group, None, None, (rules(), max_deliveries))?;
    let collective = title(&collective).to_owned();
    let round = round.map(|value| quantity::bandwidth("round", &value)).transpose()?;
    if round.is_some_and(Fraction::is_zero) {
        return Err(bad("round=0 is not valid; a bandwidth of 0 carries nothing"));
    }
    let phases = phases.iter().map(|phase| in_rounds(phase, round));
    let problems: Vec<Problem> = phases.collect::<Result<_, _>>().map_err(bad)?;
    let early = search.time.map(|time| time / LIMIT_SHARE);
    let early = search.stop().until(early.and_then(|time| search.clock.after(time)));
    let (name, phases, interrupt) = (collective.clone(), problems.clone(), search.interrupt());
    let work = move || {
        let limits: Vec<Option<Fraction>> =
            phases.iter().map(|problem| limit_in_rounds(&name, problem, &early)).collect();
        let request = FrontRequest {
            max_chunks,
            max_steps,
            limits: &limits,
            seed,
            evaluations,
            max_deliveries,
            interrupt,
            progress: &|_, _, _| {},
        };
        find(&phases, &request).map(|found| (limits, found))
    };
    search.run(py, work)?.keep(py, |answer| {
        let (limits, found) = answer.map_err(|error| match error {
            FrontError::Rejected(_) => bug(error),
            error => bad(error),
        })?;
        let limit = limits.iter().try_fold(Fraction::ZERO, |sum, limit| sum.checked_add((*limit)?));
        Ok(Front::new(&collective, &problems, limit, &found, seed))
    })
}
